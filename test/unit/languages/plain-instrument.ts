/** Runs rewritten programs in this process, with instruments that stand for a recording. */
import { analyzeProgram, rewriteSource } from "../../../src/languages/index.ts";
import type { SourceModel } from "../../../src/languages/index.ts";

const INSTRUMENT = Symbol.for("afterlog.instrument");

export type Accessor = readonly [key: string, get: () => unknown, set?: (value: unknown) => void];

/** A loop at run time, as rewritten text calls it. */
export interface PlainLoop {
  n: number;
  m: boolean;
  of<T>(items: Iterable<T>): Iterable<T>;
  ofAwait<T>(items: AsyncIterable<T>): AsyncIterable<T>;
  see(accessors: () => readonly Accessor[]): void;
  brk(): void;
  next(): boolean;
  go(): boolean;
  end(): false;
  body(): boolean;
  leave(): void;
}

export type At = (site: readonly unknown[], accessors: () => readonly Accessor[]) => object;

type Program = (print: (value: unknown) => void) => Promise<void>;
const AsyncFunction = (async (): Promise<void> => undefined).constructor as new (
  ...parts: string[]
) => Program;

export interface RewrittenProgram {
  readonly model: SourceModel;
  readonly text: string;
}

/** A program of one file, as a hands-free recording loads it; `givesUp`: functions have a second form. */
export function rewriteHandsFree(text: string, givesUp = false): RewrittenProgram {
  const read = (file: string): string | undefined => (file === "t.cjs" ? text : undefined);
  const model = analyzeProgram("t.cjs", read, { handsFree: true });
  return { model, text: rewriteSource("t.cjs", text, model, { handsFree: true, givesUp }) };
}

/** For functions that run as they were written. */
const ALL_PLAIN = Array.from({ length: 100 }, () => true);

/** What a program prints; an error that it throws is its last line. `isPlain`: all its loops were given up. */
export async function outputOf(text: string, at?: At, isPlain = false): Promise<string[]> {
  const printed: string[] = [];
  const known = globalThis as { [INSTRUMENT]?: object };
  const bound: Accessor[] = [];
  if (at) {
    known[INSTRUMENT] = (_: string, sites: readonly (readonly unknown[])[]): object => ({
      off: [],
      full: [],
      plain: isPlain ? ALL_PLAIN : [],
      alone: () => undefined,
      at: (index: number, accessors: () => readonly Accessor[]) =>
        at(sites[index] ?? [], () => [...accessors(), ...bound]),
      bind: (_number: number, ...accessor: Accessor) => bound.push(accessor),
      cls: () => undefined,
    });
  }
  try {
    const program = new AsyncFunction("print", text);
    await program((value) => printed.push(String(value)));
  } catch (error) {
    printed.push(`threw ${String(error)}`);
  } finally {
    delete known[INSTRUMENT];
  }
  return printed;
}

/**
 * Counts, and lets a few iterations go by without a call. Reads and sets all that it is lent at
 * every call. Fails where the text does not keep to the order of calls.
 */
export class CountingLoop implements PlainLoop {
  n = 0;
  m = false;
  /** Iterations that were begun: one whose test threw counts, however it was evaluated. */
  iterations = 0;
  ended: "exhausted" | "break" | "jump" | undefined;
  readonly name: string;
  readonly kind: string;
  readonly #accessors: () => readonly Accessor[];
  readonly #quota: () => number;
  #seen: (() => readonly Accessor[]) | undefined;
  #given = 0;
  #broke = false;
  /** Its test is being evaluated, after a call. */
  #isTesting = false;

  constructor(site: readonly unknown[], accessors: () => readonly Accessor[], quota: () => number) {
    this.name = String(site[5]);
    this.kind = String(site[6]);
    this.#accessors = accessors;
    this.#quota = quota;
  }

  #touch(): void {
    if (this.ended) throw new Error(`${this.name} is over`);
    for (const [, get, set] of [...this.#accessors(), ...(this.#seen?.() ?? [])]) set?.(get());
  }

  *of<T>(items: Iterable<T>): Iterable<T> {
    try {
      for (const item of items) {
        this.#touch();
        this.iterations++;
        yield item;
      }
      this.ended = "exhausted";
    } finally {
      this.ended ??= this.#broke ? "break" : "jump";
    }
  }

  async *ofAwait<T>(items: AsyncIterable<T>): AsyncIterable<T> {
    try {
      for await (const item of items) {
        this.#touch();
        this.iterations++;
        yield item;
      }
      this.ended = "exhausted";
    } finally {
      this.ended ??= this.#broke ? "break" : "jump";
    }
  }

  see(accessors: () => readonly Accessor[]): void {
    this.#seen = accessors;
  }

  brk(): void {
    this.#touch();
    this.#broke = true;
  }

  next(): boolean {
    this.#settle();
    this.#touch();
    this.n = 0;
    this.m = false;
    this.#isTesting = true;
    return true;
  }

  go(): boolean {
    this.#touch();
    this.#isTesting = false;
    this.iterations++;
    this.n = this.#quota();
    this.#given = this.n;
    this.m = this.n > 0;
    return true;
  }

  end(): false {
    this.#isTesting = false;
    // The test that was false while iterations went by began none.
    if (this.m) this.iterations--;
    this.#settle();
    this.#touch();
    this.ended = "exhausted";
    return false;
  }

  body(): boolean {
    return this.iterations + this.#given > 0 || this.go();
  }

  leave(): void {
    if (this.#isTesting) this.iterations++;
    this.#settle();
    this.ended ??= this.#broke ? "break" : "jump";
  }

  /** Counts the iterations that went by. */
  #settle(): void {
    this.iterations += this.#given - Math.max(0, this.n);
    this.#given = 0;
    this.n = 0;
  }
}
