/**
 * @file A loop of a program that never heard of Afterlog (Flor §2.2.1): `while`, `do` and
 * `for (;;)` call this from their test, `for…of` goes through what `of` gives. The rewriting is in
 * `languages/typescript`:
 *
 *     while ((L.n-- > 0 || L.next()) && (test) && (L.m || L.go()) || L.end()) body
 *
 * An iteration ends where the test is about to be evaluated: a checkpoint there has all variables
 * that the test reads, so that a replay restores it and goes on with the test. While `n` iterations
 * may go by, `m` is true and no call is made.
 */
import { performance } from "node:perf_hooks";
import { recordedModel } from "../frameworks/fit-recording.ts";
import { LoopContext } from "./instrument.ts";
import type { Accessor, LoopPlace } from "./instrument.ts";
import { LoopCursor } from "./loop-cursor.ts";
import type { LoopFrame } from "./loop-frame.ts";
import { keepsItem } from "./loop-frame.ts";
import { passedLoop } from "./loops.ts";
import type { Passing } from "./passing.ts";
import type { Session } from "../session.ts";

/** Iterations of a loop that nobody listens to between two calls. */
const UNHEARD = 2 ** 30;

/** What a loop with a test goes through. */
const NOTHING = {};

/** `new`: not entered. `asked`: its test is being evaluated. `idle`: executed untouched. */
type Phase = "new" | "arrived" | "asked" | "body" | "over" | "idle";

export class PlainLoop extends LoopContext implements Passing {
  /** Iterations that may go by without a call. */
  n = 0;
  /** Whether iterations go by. */
  m = false;
  readonly #session: Session | undefined;
  #phase: Phase = "new";
  readonly #cursor: LoopCursor;
  /** What `n` was when iterations began to go by. */
  #given = 0;
  #askedAt = 0;
  #seen: (() => readonly Accessor[]) | undefined;
  #known: readonly Accessor[] | undefined;

  /** Without a session: a loop that is left as it is. */
  constructor(
    session: Session | undefined,
    place: LoopPlace,
    accessors: () => readonly Accessor[],
  ) {
    super(place, accessors);
    this.#session = session;
    this.#cursor = new LoopCursor(session);
    if (!session) this.#standAside();
  }

  override get accessors(): readonly Accessor[] {
    // Each iteration has its own copies of head variables that a closure has captured.
    if (!this.#seen) return super.accessors;
    return (this.#known ??= [...super.accessors, ...this.#seen()]);
  }

  /** The head variables of the iteration whose test is about to be evaluated. */
  see(accessors: () => readonly Accessor[]): true {
    this.#seen = accessors;
    this.#known = undefined;
    return true;
  }

  /** What a `for…of` goes through instead of `iterable`. */
  of<T>(iterable: Iterable<T>): Iterable<T> {
    if (!has(iterable, Symbol.iterator)) throw notIterable(iterable, "iterable");
    if (!this.#session) return iterable;
    return passedLoop(this.#session, this, iterable);
  }

  /** What a `for await…of` goes through instead of `iterable`. */
  ofAwait<T>(iterable: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> | Iterable<T> {
    const isIterable = has(iterable, Symbol.asyncIterator) || has(iterable, Symbol.iterator);
    if (!isIterable) throw notIterable(iterable, "async iterable");
    if (!this.#session) return iterable;
    return passedLoop(this.#session, this, iterable);
  }

  /** What `fit` is called on instead of `model`, if that is a model of TensorFlow.js. */
  on<T>(model: T): T {
    return this.#session ? recordedModel(this.#session, this, model) : model;
  }

  /** The body, if there was one, has ended: false if a replay ends the loop here. */
  next(): boolean {
    if (this.#phase === "idle") {
      this.n = UNHEARD;
      return true;
    }
    if (this.#phase === "over") return false;
    if (this.#phase === "new") this.#enter();
    if (this.#phase !== "arrived") this.#advance();
    return this.#ask();
  }

  /** The test says that there is another iteration. */
  go(): true {
    const { frame } = this.#cursor;
    // Somebody asked while the test was evaluated: the iteration is counted already.
    if (!frame || this.#phase === "body") return true;
    this.#cursor.begin(this.#item(frame), this.#askedAt);
    this.#phase = "body";
    this.#letPass(frame);
    return true;
  }

  /** The test says that there is none, or a replay has ended the loop. */
  end(): false {
    if (this.#isLeft()) return false;
    if (this.#phase === "body") {
      // It was evaluated while iterations went by: the last body ended before it.
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
    this.#askedAt = performance.now();
    return this.go();
  }

  /** The statement is left, in whatever way. */
  leave(): void {
    const { frame } = this.#cursor;
    if (!frame || this.#isLeft()) return;
    // A test that threw counts as an iteration, whether it was evaluated after a call or not.
    if (this.#phase !== "body") frame.index++;
    this.#phase = "over";
    this.#cursor.leave();
    this.#cursor.end(this.broke ? "break" : "jump");
  }

  passed(): number {
    return this.#given - Math.max(0, this.n);
  }

  stop(): number {
    const passed = this.passed();
    this.#given = 0;
    this.n = 0;
    this.m = false;
    return passed;
  }

  #enter(): LoopFrame | undefined {
    const session = this.#session;
    if (!session) return undefined;
    const site = session.sites.ofStatement(this);
    const statement = { name: this.name, site, context: this, plain: true } as const;
    const drawsBefore = session.random.draws;
    const source = { iterable: NOTHING, iterator: NOTHING, drawsBefore };
    const frame = this.#cursor.enter(statement, source);
    if (!frame) this.#standAside();
    return frame;
  }

  /** The body, if there was one, has ended; goes where a replay is told to. */
  #advance(): void {
    // Where it stands is in the program's variables: there is nothing to drop.
    if (this.#cursor.advanceByCount() === "body") return;
    this.#phase = "over";
    this.#cursor.skip();
  }

  #ask(): boolean {
    if (this.#cursor.outOfUse) this.#standAside();
    if (this.#phase === "idle") return true;
    if (this.#phase === "over") return false;
    this.n = 0;
    this.m = false;
    this.#phase = "asked";
    this.#askedAt = performance.now();
    return true;
  }

  #isLeft(): boolean {
    return this.#phase === "over" || this.#phase === "idle" || !this.#cursor.frame;
  }

  #letPass(frame: LoopFrame): void {
    if (frame.outOfUse) return this.#standAside();
    this.n = this.#cursor.letPass(this);
    this.#given = this.n;
    this.m = this.n > 0;
  }

  #standAside(): void {
    this.#phase = "idle";
    this.n = UNHEARD;
    this.m = true;
  }

  /** The value of the variable that the loop is named after. */
  #item(frame: LoopFrame): unknown {
    if (!keepsItem(frame)) return undefined;
    const ending = `:${this.name.replace(/_\d+$/, "")}`;
    return this.accessors.find(([key]) => key.endsWith(ending))?.[1]();
  }
}

function has(value: unknown, symbol: symbol): boolean {
  return value !== null && value !== undefined && symbol in Object(value);
}

/** What the program would get without us, where Node would name our call in its text. */
function notIterable(value: unknown, what: string): TypeError {
  const isObject = value !== null && ["object", "function"].includes(typeof value);
  return new TypeError(`${isObject ? typeof value : String(value)} is not ${what}`);
}
