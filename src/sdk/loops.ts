/** @file `loop`: an iterable that tells the run when an iteration begins and ends. */
import { AfterlogError } from "../format/index.ts";
import type { LoopFrame } from "./loop-frame.ts";
import type { Session } from "./session.ts";

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
  site: () => number | null,
): Iterable<T> & AsyncIterable<T> {
  check(name, iterable);
  // A text is iterable as well, but no object.
  const source = Object(iterable) as AnyIterable<T>;
  return {
    [Symbol.iterator](): Iterator<T> {
      if (!(Symbol.iterator in source)) throw asyncOnly(name);
      return session ? new SyncLoop(session, name, source, site()) : source[Symbol.iterator]();
    },
    [Symbol.asyncIterator](): AsyncIterator<T> {
      return new AsyncLoop(session, name, source, site());
    },
  };
}

/** Loop names stand in paths, in file names and as columns. */
function check(name: unknown, iterable: unknown): void {
  if (typeof name !== "string" || name === "") {
    throw new AfterlogError("AL061", `a loop's name must be a text, not ${String(name)}`, {
      help: ['name it first:  for (const x of al.loop("step", batches))'],
    });
  }
  const object = Object(iterable) as object;
  if (Symbol.iterator in object || Symbol.asyncIterator in object) return;
  throw new AfterlogError("AL061", `loop "${name}" got ${describe(iterable)}, not an iterable`, {
    help: [
      typeof iterable === "number"
        ? `count with al.range:  al.loop("${name}", al.range(${iterable}))`
        : "give an array, a generator, al.range(n) or any other iterable",
    ],
  });
}

function describe(value: unknown): string {
  return value === null ? "null" : `${/^[aeiou]/.test(typeof value) ? "an" : "a"} ${typeof value}`;
}

function asyncOnly(name: string): AfterlogError {
  return new AfterlogError("AL061", `loop "${name}" is over an async iterable`, {
    help: [`use it in  for await (const … of al.loop("${name}", …))`],
  });
}

class SyncLoop<T> implements Iterator<T> {
  readonly #session: Session;
  readonly #frame: LoopFrame | undefined;
  readonly #source: Iterator<T>;
  #over = false;

  constructor(session: Session, name: string, iterable: Iterable<T>, site: number | null) {
    this.#session = session;
    const drawsBefore = session.random.draws;
    this.#source = iterable[Symbol.iterator]();
    this.#frame = session.enter(name, site, {
      iterable,
      iterator: this.#source,
      drawsBefore,
    });
  }

  next(): IteratorResult<T> {
    if (this.#over) return { done: true, value: undefined };
    if (this.#frame) this.#session.endBody(this.#frame);
    const startedAt = performance.now();
    let result: IteratorResult<T>;
    try {
      result = this.#source.next();
    } catch (error) {
      this.#leave("throw");
      throw error;
    }
    if (result.done) this.#leave("exhausted");
    else if (this.#frame) this.#session.beginBody(this.#frame, result.value, startedAt);
    return result;
  }

  /** The body left early: by break, return or throw, which look alike from here. */
  return(value?: unknown): IteratorResult<T> {
    if (!this.#over) {
      this.#leave("closed");
      this.#source.return?.();
    }
    return { done: true, value: value as T };
  }

  #leave(how: "exhausted" | "throw" | "closed"): void {
    this.#over = true;
    if (this.#frame) this.#session.exit(this.#frame, how);
  }
}

class AsyncLoop<T> implements AsyncIterator<T> {
  readonly #session: Session | undefined;
  readonly #frame: LoopFrame | undefined;
  readonly #source: AsyncIterator<T> | Iterator<T>;
  #over = false;

  constructor(
    session: Session | undefined,
    name: string,
    iterable: AnyIterable<T>,
    site: number | null,
  ) {
    this.#session = session;
    const drawsBefore = session?.random.draws ?? 0;
    this.#source =
      Symbol.asyncIterator in iterable
        ? iterable[Symbol.asyncIterator]()
        : iterable[Symbol.iterator]();
    const iterator = this.#source;
    this.#frame = session?.enter(name, site, { iterable, iterator, drawsBefore });
  }

  async next(): Promise<IteratorResult<T>> {
    if (this.#over) return { done: true, value: undefined };
    if (this.#frame) this.#session?.endBody(this.#frame);
    const startedAt = performance.now();
    try {
      const { done, value } = await this.#source.next();
      if (done) {
        this.#leave("exhausted");
        return { done, value };
      }
      const item = await value;
      if (this.#frame) this.#session?.beginBody(this.#frame, item, startedAt);
      return { done: false, value: item };
    } catch (error) {
      if (!this.#over) this.#leave("throw");
      throw error;
    }
  }

  async return(value?: unknown): Promise<IteratorResult<T>> {
    if (!this.#over) {
      this.#leave("closed");
      await this.#source.return?.();
    }
    return { done: true, value: value as T };
  }

  #leave(how: "exhausted" | "throw" | "closed"): void {
    this.#over = true;
    if (this.#frame) this.#session?.exit(this.#frame, how);
  }
}
