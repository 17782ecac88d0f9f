/**
 * @file A loop of a program that never heard of Afterlog (Flor §3.3): `while`, `do` and
 * `for (;;)` call this from their test, `for…of` goes through what `of` gives. The rewriting is in
 * `languages/typescript`:
 *
 *     while ((L.n-- > 0 || L.next()) && (test) && (L.m || L.go()) || L.end()) body
 *
 * An iteration ends where the test is about to be evaluated: a checkpoint there has all variables
 * that the test reads, so that a replay restores it and continues with the test. While `n` iterations
 * of a batch are left, `m` is true and no call is made.
 */
import { performance } from "node:perf_hooks";
import { hasTraps } from "../../adapters/index.ts";
import { recordedModel } from "../frameworks/fit-recording.ts";
import { LoopContext } from "./instrument.ts";
import type { Accessor, LoopPlace } from "./instrument.ts";
import type { LoopCost } from "./loop-costs.ts";
import { LoopCursor } from "./loop-cursor.ts";
import type { LoopFrame } from "./loop-frame.ts";
import { keepsItem } from "./loop-frame.ts";
import { handsFreeLoop } from "./loops.ts";
import type { IterationBatch } from "./iteration-batch.ts";
import type { Session } from "../session.ts";
import { calledLoop } from "../../format/index.ts";

/** Iterations of an unrecorded loop between two calls. */
const UNRECORDED_BATCH = 2 ** 30;

/** What a loop with a test goes through. */
const NOTHING = {};

/** `new`: not entered. `testing`: its test is being evaluated. `unrecorded`: executed as it is. */
type Phase = "new" | "arrived" | "testing" | "body" | "over" | "unrecorded";

export class PlainLoop extends LoopContext implements IterationBatch {
  /** Iterations that are left of the batch. */
  n = 0;
  /** Whether there is a batch. */
  m = false;
  readonly #session: Session | undefined;
  #phase: Phase = "new";
  readonly #cursor: LoopCursor;
  /** What `n` was when the batch began. */
  #batchSize = 0;
  #testedAt = 0;
  #headAccessors: (() => readonly Accessor[]) | undefined;
  #allAccessors: readonly Accessor[] | undefined;

  /** Without a session: an unrecorded loop. */
  constructor(
    session: Session | undefined,
    place: LoopPlace,
    accessors: () => readonly Accessor[],
    cost?: LoopCost,
  ) {
    super(place, accessors, cost);
    this.#session = session;
    this.#cursor = new LoopCursor(session);
    if (!session) this.#runUnrecorded();
  }

  override get accessors(): readonly Accessor[] {
    // Each iteration has its own copies of head variables that a closure has captured.
    if (!this.#headAccessors) return super.accessors;
    return (this.#allAccessors ??= [...super.accessors, ...this.#headAccessors()]);
  }

  /** The head variables of the iteration whose test is about to be evaluated. */
  see(accessors: () => readonly Accessor[]): true {
    this.#headAccessors = accessors;
    this.#allAccessors = undefined;
    return true;
  }

  /** What a `for…of` goes through instead of `iterable`. */
  of<T>(iterable: Iterable<T>): Iterable<T> {
    if (!hasIterator(iterable, Symbol.iterator)) throw notIterable(iterable, "iterable");
    if (!this.#session) return iterable;
    return handsFreeLoop(this.#session, this, iterable);
  }

  /** What a `for await…of` goes through instead of `iterable`. */
  ofAwait<T>(iterable: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> | Iterable<T> {
    const isIterable =
      hasIterator(iterable, Symbol.asyncIterator) || hasIterator(iterable, Symbol.iterator);
    if (!isIterable) throw notIterable(iterable, "async iterable");
    if (!this.#session) return iterable;
    return handsFreeLoop(this.#session, this, iterable);
  }

  /** What `fit` is called on instead of `model`, if that is a model of TensorFlow.js. */
  on<T>(model: T, batches?: () => LoopContext): T {
    return this.#session ? recordedModel(this.#session, this, model, batches) : model;
  }

  /** It is not recorded: what it stands for runs as it is. */
  get isIdle(): boolean {
    return this.#session === undefined;
  }

  /** The body, if there was one, has ended: false if a replay ends the loop here. */
  next(): boolean {
    if (this.#phase === "unrecorded") {
      this.n = UNRECORDED_BATCH;
      return true;
    }
    if (this.#phase === "over") return false;
    if (this.#phase === "new") this.#enter();
    if (this.#phase !== "arrived") this.#advance();
    return this.#beginTest();
  }

  /** The test says that there is another iteration. */
  go(): true {
    const { frame } = this.#cursor;
    // The test logged something, or entered a loop: the iteration is counted already.
    if (!frame || this.#phase === "body") return true;
    this.#cursor.begin(this.#item(frame), this.#testedAt);
    this.#phase = "body";
    this.#startBatch(frame);
    return true;
  }

  /** The test says that there is no other iteration, or a replay has ended the loop. */
  end(): false {
    if (this.#isLeft()) return false;
    if (this.#phase === "body") {
      // It was evaluated inside a batch: the last body ended before it.
      if (this.#cursor.takeBack(this)) this.n++;
      this.#cursor.leave();
    }
    this.#phase = "over";
    this.#cursor.end("exhausted");
    return false;
  }

  /** Whether a `do` executes its body: not if a replay begins later, or ends the loop. */
  body(): boolean {
    if (this.#phase !== "new") return true;
    const frame = this.#enter();
    if (!frame) return true;
    const from = frame.index;
    this.#advance();
    if (this.#isLeft()) return false;
    if (frame.index !== from) {
      this.#phase = "arrived";
      return false;
    }
    this.#testedAt = performance.now();
    return this.go();
  }

  /** The statement is left, in whatever way. */
  leave(): void {
    const { frame } = this.#cursor;
    if (!frame || this.#isLeft()) return;
    // A test that threw counts as an iteration, inside a batch or not.
    if (this.#phase !== "body") frame.index++;
    this.#phase = "over";
    this.#cursor.leave();
    this.#cursor.end(this.broke ? "break" : "jump");
  }

  unreported(): number {
    return this.#batchSize - Math.max(0, this.n);
  }

  stop(): number {
    const unreported = this.unreported();
    this.#batchSize = 0;
    this.n = 0;
    this.m = false;
    return unreported;
  }

  #enter(): LoopFrame | undefined {
    const session = this.#session;
    if (!session) return undefined;
    const site = session.sites.ofStatement(this);
    const statement = { name: this.name, site, context: this, plain: true } as const;
    const drawsBefore = session.parts.random.draws;
    const source = { iterable: NOTHING, iterator: NOTHING, drawsBefore };
    const frame = this.#cursor.enter(statement, source);
    if (!frame) this.#runUnrecorded();
    return frame;
  }

  /** The body, if there was one, has ended; a replay moves to where its orders say. */
  #advance(): void {
    // Its position is in the program's variables: there is nothing to drop.
    if (this.#cursor.advanceByCount() === "body") return;
    this.#phase = "over";
    this.#cursor.skip();
  }

  #beginTest(): boolean {
    if (this.#cursor.isUnrecorded) this.#runUnrecorded();
    if (this.#phase === "unrecorded") return true;
    if (this.#phase === "over") return false;
    this.n = 0;
    this.m = false;
    this.#phase = "testing";
    this.#testedAt = performance.now();
    return true;
  }

  #isLeft(): boolean {
    return this.#phase === "over" || this.#phase === "unrecorded" || !this.#cursor.frame;
  }

  #startBatch(frame: LoopFrame): void {
    if (frame.isUnrecorded) return this.#runUnrecorded();
    this.n = this.#cursor.startBatch(this);
    this.#batchSize = this.n;
    this.m = this.n > 0;
  }

  #runUnrecorded(): void {
    this.#phase = "unrecorded";
    this.n = UNRECORDED_BATCH;
    this.m = true;
  }

  /** The value of the variable that the loop is named after. */
  #item(frame: LoopFrame): unknown {
    if (!keepsItem(frame)) return undefined;
    const called = calledLoop(this.name);
    // Loops of older runs have a number behind the name that they share.
    const own = this.#accessor(called) ?? this.#accessor(called.replace(/_\d+$/, ""));
    return own?.[1]();
  }

  #accessor(name: string): Accessor | undefined {
    return this.accessors.find(([key]) => key.endsWith(`:${name}`));
  }
}

function hasIterator(value: unknown, symbol: symbol): boolean {
  // Arrays are most of what is gone through, and this is quicker than to look.
  if (Array.isArray(value) && symbol === Symbol.iterator) return true;
  if (value === null || value === undefined) return false;
  const object = Object(value) as object;
  // What executes code of the program when it is looked at says so itself when it is gone through.
  return hasTraps(object) || symbol in object;
}

/** What the program would get without us, where Node would name our call in its text. */
function notIterable(value: unknown, what: string): TypeError {
  const isObject = value !== null && ["object", "function"].includes(typeof value);
  return new TypeError(`${isObject ? typeof value : String(value)} is not ${what}`);
}
