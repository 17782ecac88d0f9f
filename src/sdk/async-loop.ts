/**
 * @file What a `for await` goes through. What runs beside it must not run in another order because
 * it is recorded, so a promise of the program is handed on as it is: whoever waits for a promise is
 * called in the order of asking, and we ask first.
 */
import type { LoopExit } from "../format/index.ts";
import type { Move } from "./director.ts";
import type { LoopFrame, LoopStatement } from "./loop-frame.ts";
import { howClosed, keepsItem } from "./loop-frame.ts";
import type { Session } from "./session.ts";

type Result<T> = IteratorResult<T>;

export class AsyncLoop<T> implements AsyncIterator<T> {
  readonly #session: Session | undefined;
  readonly #frame: LoopFrame | undefined;
  readonly #source: AsyncIterator<T> | Iterator<T>;
  readonly #next: () => Promise<Result<T>> | Result<T>;
  readonly #isAsync: boolean;
  #over = false;

  constructor(
    session: Session | undefined,
    statement: LoopStatement,
    iterable: Iterable<T> | AsyncIterable<T>,
  ) {
    this.#session = session;
    const drawsBefore = session?.random.draws ?? 0;
    const make = (iterable as Partial<AsyncIterable<T>>)[Symbol.asyncIterator];
    this.#isAsync = make !== undefined && make !== null;
    this.#source = make?.call(iterable) ?? (iterable as Iterable<T>)[Symbol.iterator]();
    const iterator = this.#source;
    this.#next = Reflect.get(iterator, "next");
    this.#frame = session?.enter(statement, { iterable, iterator, drawsBefore });
  }

  next(): Promise<Result<T>> {
    if (this.#over) return Promise.resolve({ done: true, value: undefined });
    const session = this.#session;
    const frame = this.#frame;
    if (!session || !frame) return this.#take();
    session.endBody(frame);
    const move = session.director && session.before(frame);
    return move ? this.#follow(session, frame, move) : this.#take();
  }

  #take(): Promise<Result<T>> {
    const startedAt = performance.now();
    return this.#settled(
      () => this.#next.call(this.#source),
      (result) => {
        if (Object(result) !== result) this.#leave("throw");
        else if (result.done) this.#leave("exhausted");
        else if (this.#frame) this.#begin(this.#frame, result.value, startedAt);
      },
      () => this.#leave("throw"),
    );
  }

  /** What `call` promises. `then` is called with it, or `failed`, before the program goes on. */
  #settled(
    call: () => Promise<Result<T>> | Result<T>,
    then: (result: Result<T>) => void,
    failed: () => void,
  ): Promise<Result<T>> {
    let given: Promise<Result<T>> | Result<T>;
    try {
      const called = call();
      // Of an async iterator the items are as they come, promises too.
      given = this.#isAsync ? called : withItem(called as Result<T | Promise<T>>);
    } catch (error) {
      failed();
      return Promise.reject(error);
    }
    if (this.#frame?.context?.isHandsFree && isPlainPromise(given)) {
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

  #begin(frame: LoopFrame, item: T, startedAt: number): void {
    const isItem = !frame.context?.isHandsFree || keepsItem(frame);
    this.#session?.beginBody(frame, isItem ? item : undefined, startedAt);
  }

  /** Goes where a replay is told to. */
  async #follow(session: Session, frame: LoopFrame, move: Move): Promise<Result<T>> {
    const { director } = session;
    if (director && move.kind === "end") {
      await this.#source.return?.();
      this.#leave(director.skip(frame));
      return { done: true, value: undefined };
    }
    if (director && move.kind !== "end") {
      director.dropping = true;
      if (move.first === "drop") await this.#drop(move.drop, frame);
      director.arrive(frame);
      if (move.first === "restore") await this.#drop(move.drop, frame);
      director.dropping = false;
      session.arrived(frame);
    }
    return this.#take();
  }

  async #drop(count: number, frame: LoopFrame): Promise<void> {
    for (let dropped = 0; dropped < count; dropped++) {
      if ((await this.#next.call(this.#source)).done) this.#session?.tooShort(frame, dropped);
    }
  }

  return(value?: unknown): Promise<Result<T>> {
    const end = { done: true, value: value as T } as const;
    if (this.#over) return Promise.resolve(end);
    this.#over = true;
    const how = howClosed(this.#frame);
    if (this.#frame) this.#session?.leave(this.#frame);
    const left = (): void => this.#leave(how);
    const close = this.#source.return as (() => Promise<Result<T>> | Result<T>) | undefined;
    // What closing changes, in a `finally` of a generator, belongs to the loop's end.
    if (close) return this.#settled(() => close.call(this.#source), left, left);
    left();
    return Promise.resolve(end);
  }

  #leave(how: LoopExit): void {
    this.#over = true;
    if (this.#frame) this.#session?.exit(this.#frame, how);
  }
}

/** What a `for await` makes of an item of an iterator that is not async: it waits for it. */
function withItem<T>(result: Result<T | Promise<T>>): Promise<Result<T>> {
  const { done: isDone, value } = checkedResult(result);
  return Promise.resolve(value as T | Promise<T>).then((item) => {
    return { done: isDone === true, value: item } as Result<T>;
  });
}

/** What `next` gave, or the error that the language has for what is none. */
export function checkedResult<R extends Result<unknown>>(result: R): R {
  const given: unknown = result;
  // Not by `Object(given)`, which is a call: this is asked for each item.
  if (typeof given === "object" ? given !== null : typeof given === "function") return result;
  throw new TypeError(`Iterator result ${String(given)} is not an object`);
}

/** One whose `then` is the language's own: `await` takes it as it is. */
function isPlainPromise<T>(value: Promise<T> | T): value is Promise<T> {
  return value instanceof Promise && value.constructor === Promise;
}
