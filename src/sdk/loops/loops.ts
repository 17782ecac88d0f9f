/** @file `loop`: an iterable that tells the run when an iteration begins and ends. */
import { AfterlogError } from "../../format/index.ts";
import type { LoopExit } from "../../format/index.ts";
import { AsyncLoop, checkedResult } from "./async-loop.ts";
import type { LoopContext } from "./instrument.ts";
import type { LoopFrame, LoopStatement } from "./loop-frame.ts";
import { LoopCursor } from "./loop-cursor.ts";
import { howClosed, keepsItem } from "./loop-frame.ts";
import type { IterationBatch } from "./iteration-batch.ts";
import type { Session } from "../session.ts";

type AnyIterable<T> = Iterable<T> | AsyncIterable<T>;

/** What `loop` returns: works in `for…of` (if its source does) and in `for await…of`. */
export type Loop<S> =
  S extends Iterable<infer T>
    ? Iterable<T> & AsyncIterable<Awaited<T>>
    : S extends AsyncIterable<infer T>
      ? AsyncIterable<T>
      : never;

/** Checks the arguments and makes the loop. */
export function recordedLoop<T>(
  session: Session | undefined,
  name: string,
  iterable: AnyIterable<T>,
  site: number | null,
): Iterable<T> & AsyncIterable<T> {
  checkLoopArguments(name, iterable);
  // A text is iterable as well, but no object.
  const source = Object(iterable) as AnyIterable<T>;
  const loop = {
    [Symbol.iterator](): Iterator<T> {
      if (!(Symbol.iterator in source)) throw asyncOnly(name);
      if (!session) return source[Symbol.iterator]();
      return new SyncLoop(session, statementOf(session, loop, name, site), source);
    },
    [Symbol.asyncIterator](): AsyncIterator<T> {
      const statement = session && statementOf(session, loop, name, site);
      return new AsyncLoop(session, statement ?? { name, site, context: undefined }, source);
    },
  };
  return loop;
}

/** What a loop of a hands-free program goes through; `iterable` has been checked. */
export function handsFreeLoop<T>(
  session: Session,
  context: LoopContext,
  iterable: AnyIterable<T>,
): Iterable<T> & AsyncIterable<T> {
  const source = Object(iterable) as AnyIterable<T>;
  const statement = { name: context.name, site: session.sites.ofStatement(context), context };
  return {
    [Symbol.iterator]: () => new SyncLoop(session, statement, source as Iterable<T>),
    [Symbol.asyncIterator]: () => new AsyncLoop(session, statement, source),
  };
}

/** The loop statement, from rewritten source if there is such. */
function statementOf(
  session: Session,
  loop: object,
  name: string,
  site: number | null,
): LoopStatement {
  const context = session.instrument.contextOf(loop);
  return { name, context, site: context ? session.sites.ofStatement(context) : site };
}

/** Loop names stand in paths, in file names and as columns. */
function checkLoopArguments(name: unknown, iterable: unknown): void {
  if (typeof name !== "string" || name === "") {
    throw new AfterlogError("AL061", `a loop's name must be a text, not ${String(name)}`, {
      help: ['name it first:  for (const x of al.loop("step", batches))'],
    });
  }
  const object = Object(iterable) as object;
  if (Symbol.iterator in object || Symbol.asyncIterator in object) return;
  throw new AfterlogError(
    "AL061",
    `loop "${name}" got ${describeIterable(iterable)}, not an iterable`,
    {
      help: [
        typeof iterable === "number"
          ? `count with al.range:  al.loop("${name}", al.range(${iterable}))`
          : "give an array, a generator, al.range(n) or any other iterable",
      ],
    },
  );
}

function describeIterable(value: unknown): string {
  return value === null ? "null" : `${/^[aeiou]/.test(typeof value) ? "an" : "a"} ${typeof value}`;
}

function asyncOnly(name: string): AfterlogError {
  return new AfterlogError("AL061", `loop "${name}" is over an async iterable`, {
    help: [`use it in  for await (const … of al.loop("${name}", …))`],
  });
}

class SyncLoop<T> implements Iterator<T>, IterationBatch {
  readonly #session: Session;
  readonly #cursor: LoopCursor;
  readonly #source: Iterator<T>;
  readonly #next: Iterator<T>["next"];
  readonly #isHandsFree: boolean;
  /** Items that are left of the batch, and how many it had. */
  #left = 0;
  #batchSize = 0;

  constructor(session: Session, statement: LoopStatement, iterable: Iterable<T>) {
    this.#session = session;
    this.#cursor = new LoopCursor(session);
    this.#isHandsFree = statement.context?.isHandsFree ?? false;
    const drawsBefore = session.parts.random.draws;
    this.#source = iterable[Symbol.iterator]();
    const iterator = this.#source;
    // As the language has it: looked up once, whatever becomes of it meanwhile.
    this.#next = Reflect.get(iterator, "next");
    this.#cursor.enter(statement, { iterable, iterator, drawsBefore });
  }

  next(): IteratorResult<T> {
    const cursor = this.#cursor;
    if (this.#left > 0 && cursor.frame) return this.#takeUnreported(cursor.frame);
    if (cursor.isOver) return { done: true, value: undefined };
    for (let step = cursor.advance(); step !== "body"; step = cursor.advance()) {
      if (step === "end") {
        this.#source.return?.();
        cursor.skip();
        return { done: true, value: undefined };
      }
      this.#drop(step.drop);
    }
    const startedAt = performance.now();
    let result: IteratorResult<T>;
    try {
      result = this.#take();
    } catch (error) {
      cursor.end("throw");
      throw error;
    }
    if (result.done) cursor.end("exhausted");
    else if (cursor.frame) this.#begin(cursor.frame, result.value, startedAt);
    return result;
  }

  /** The next item. It is read once, here: reading it may be what makes it. */
  #take(): IteratorResult<T> {
    const result = checkedResult(this.#next.call(this.#source));
    if (!result.done) return { done: false, value: result.value };
    return this.#isHandsFree && this.#cursor.frame ? { done: true, value: undefined } : result;
  }

  #begin(frame: LoopFrame, item: T, startedAt: number): void {
    const isItem = !this.#isHandsFree || keepsItem(frame);
    this.#cursor.begin(isItem ? item : undefined, startedAt);
    if (!this.#isHandsFree) return;
    this.#left = this.#cursor.startBatch(this);
    this.#batchSize = this.#left;
  }

  /** An item of a batch: noted is only when the generator was drawn from. */
  #takeUnreported(frame: LoopFrame): IteratorResult<T> {
    this.#left--;
    const { random } = this.#session.parts;
    const index = frame.index + this.unreported();
    frame.draws.inBody(random.draws, index - 1);
    let result: IteratorResult<T>;
    try {
      result = this.#take();
    } catch (error) {
      this.#end("throw");
      throw error;
    }
    frame.draws.inNext(random.draws, index);
    if (result.done) this.#end("exhausted");
    return result;
  }

  /** There was no item: it had been counted, by the batch or by whoever stopped the batch meanwhile. */
  #end(how: LoopExit): void {
    if (this.#cursor.takeBack(this)) this.#left++;
    this.#cursor.leave();
    this.#cursor.end(how);
  }

  unreported(): number {
    return this.#batchSize - this.#left;
  }

  stop(): number {
    const unreported = this.unreported();
    this.#left = 0;
    this.#batchSize = 0;
    return unreported;
  }

  #drop(count: number): void {
    for (let dropped = 0; dropped < count; dropped++) {
      if (this.#next.call(this.#source).done) this.#cursor.tooShort(dropped);
    }
  }

  /** The body left early: by break, return or throw, which look alike from here. */
  return(value?: unknown): IteratorResult<T> {
    const cursor = this.#cursor;
    if (!cursor.isOver) {
      const how = howClosed(cursor.frame);
      cursor.leave();
      // What closing changes, in a `finally` of a generator, belongs to the loop's end.
      try {
        this.#source.return?.();
      } finally {
        cursor.end(how);
      }
    }
    return { done: true, value: value as T };
  }
}
