/**
 * @file What a `for await` goes through. What runs beside it must not run in another order because
 * it is recorded, so a promise of the program is handed on as it is: whoever waits for a promise is
 * called in the order of asking, and we ask first.
 */
import { types } from "node:util";
import { LoopCursor } from "./loop-cursor.ts";
import type { LoopStep } from "./loop-cursor.ts";
import type { LoopStatement } from "./loop-frame.ts";
import { howClosed, keepsItem } from "./loop-frame.ts";
import type { Session } from "../session.ts";

type Result<T> = IteratorResult<T>;

export class AsyncLoop<T> implements AsyncIterator<T> {
  readonly #cursor: LoopCursor;
  readonly #source: AsyncIterator<T> | Iterator<T>;
  readonly #next: () => Promise<Result<T>> | Result<T>;
  readonly #isAsync: boolean;

  constructor(
    session: Session | undefined,
    statement: LoopStatement,
    iterable: Iterable<T> | AsyncIterable<T>,
  ) {
    this.#cursor = new LoopCursor(session);
    const drawsBefore = session?.parts.random.draws ?? 0;
    const make = (iterable as Partial<AsyncIterable<T>>)[Symbol.asyncIterator];
    this.#isAsync = make !== undefined && make !== null;
    this.#source = make?.call(iterable) ?? (iterable as Iterable<T>)[Symbol.iterator]();
    const iterator = this.#source;
    this.#next = Reflect.get(iterator, "next");
    this.#cursor.enter(statement, { iterable, iterator, drawsBefore });
  }

  next(): Promise<Result<T>> {
    if (this.#cursor.isOver) return Promise.resolve({ done: true, value: undefined });
    const step = this.#cursor.advance();
    return step === "body" ? this.#take() : this.#follow(step);
  }

  #take(): Promise<Result<T>> {
    const startedAt = performance.now();
    return this.#settled(
      () => this.#next.call(this.#source),
      (result) => {
        if (Object(result) !== result) this.#cursor.end("throw");
        else if (result.done) this.#cursor.end("exhausted");
        else this.#begin(result.value, startedAt);
      },
      () => this.#cursor.end("throw"),
    );
  }

  /** What `call` promises. `then` is called with it, or `failed`, before the program continues. */
  #settled(
    call: () => Promise<Result<T>> | Result<T>,
    then: (result: Result<T>) => void,
    failed: () => void,
  ): Promise<Result<T>> {
    let given: Promise<Result<T>> | Result<T>;
    try {
      const called = call();
      // Of an async iterator the items are as they come, promises too.
      given = this.#isAsync ? called : withAwaitedItem(called as Result<T | Promise<T>>);
    } catch (error) {
      failed();
      return Promise.reject(error);
    }
    if (this.#cursor.frame?.context?.isHandsFree && isPlainPromise(given)) {
      given.then(then, failed);
      return given;
    }
    return Promise.resolve(given).then(
      (result) => {
        then(result);
        return result;
      },
      (error: unknown) => {
        failed();
        throw error;
      },
    );
  }

  #begin(item: T, startedAt: number): void {
    const { frame } = this.#cursor;
    const isItem = !frame?.context?.isHandsFree || keepsItem(frame);
    this.#cursor.begin(isItem ? item : undefined, startedAt);
  }

  /** Moves to where a replay's orders say. */
  async #follow(first: LoopStep): Promise<Result<T>> {
    for (let step = first; step !== "body"; step = this.#cursor.advance()) {
      if (step === "end") {
        await this.#source.return?.();
        this.#cursor.skip();
        return { done: true, value: undefined };
      }
      await this.#drop(step.drop);
    }
    return this.#take();
  }

  async #drop(count: number): Promise<void> {
    for (let dropped = 0; dropped < count; dropped++) {
      if ((await this.#next.call(this.#source)).done) this.#cursor.tooShort(dropped);
    }
  }

  return(value?: unknown): Promise<Result<T>> {
    const end = { done: true, value: value as T } as const;
    if (this.#cursor.isOver) return Promise.resolve(end);
    const how = howClosed(this.#cursor.frame);
    this.#cursor.leave();
    const left = (): void => this.#cursor.end(how);
    const close = this.#source.return as (() => Promise<Result<T>> | Result<T>) | undefined;
    // What closing changes, in a `finally` of a generator, belongs to the loop's end.
    if (close) return this.#settled(() => close.call(this.#source), left, left);
    left();
    return Promise.resolve(end);
  }
}

/** What a `for await` makes of an item of an iterator that is not async: it waits for it. */
function withAwaitedItem<T>(result: Result<T | Promise<T>>): Promise<Result<T>> {
  const { done: isDone, value } = checkedResult(result);
  return Promise.resolve(value as T | Promise<T>).then((item) => {
    return { done: isDone === true, value: item } as Result<T>;
  });
}

/** What `next` gave, or the error that the language throws for what is not a result. */
export function checkedResult<R extends Result<unknown>>(result: R): R {
  const given: unknown = result;
  // Not by `Object(given)`, which is a call: this is asked for each item.
  if (typeof given === "object" ? given !== null : typeof given === "function") return result;
  throw new TypeError(`Iterator result ${String(given)} is not an object`);
}

/** One whose `then` is the language's own: `await` takes it as it is. */
function isPlainPromise<T>(value: Promise<T> | T): value is Promise<T> {
  return types.isPromise(value) && value.constructor === Promise;
}
