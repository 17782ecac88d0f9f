/**
 * @file Calls into code whose loops nobody sees: a training of a package that is not described. Of such a
 * call nothing can be skipped, and no iteration stands for its time, so a plan counts the calls.
 */
import type { UnseenCall } from "../format/index.ts";
import { formatPath, loopEndOf } from "../format/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";

export class UnseenCalls {
  readonly all: readonly UnseenCall[];
  /** In iterations, by the key of the loop entry. */
  readonly #inside = new Map<string, UnseenCall[]>();

  constructor({ calls = [], entries }: Pick<RunFacts, "calls" | "entries">) {
    const known = new Map([...allEntries(entries)].map((entry) => [entry.key, entry]));
    this.all = calls.filter((call) => {
      if (call.path.length === 0) return true;
      const key = formatPath(loopEndOf(call.path));
      const entry = known.get(key);
      // Where no other loop goes on, the iteration counts with all that happens in it.
      if (!entry || !entry.children.has(Number(call.path.at(-1)?.[1]))) return false;
      this.#inside.set(key, [...(this.#inside.get(key) ?? []), call]);
      return true;
    });
  }

  /** Outside all loops, up to the entry of outermost loop `index`. */
  upTo(index: number): UnseenCall[] {
    return this.all.filter(({ path, loops }) => path.length === 0 && loops <= index);
  }

  inIterations({ key }: LoopEntry, from: number, to: number): UnseenCall[] {
    return (this.#inside.get(key) ?? []).filter(({ path }) => {
      const index = Number(path.at(-1)?.[1]);
      return from <= index && index <= to;
    });
  }
}

/** Lines for the user, the longest calls first. */
export function describeUnseen(calls: Iterable<UnseenCall>): string[] {
  const byPlace = new Map<string, number>();
  for (const { call, file, line, ms } of calls) {
    const where = `${call}() at ${file}:${line}`;
    byPlace.set(where, (byPlace.get(where) ?? 0) + ms);
  }
  const longest = [...byPlace].toSorted(([, a], [, b]) => b - a);
  return longest.map(([where, ms]) => {
    const seconds = `${(ms / 1000).toFixed(1)} s`;
    return `${where} took ${seconds} and its inside is not seen: it is executed again as a whole`;
  });
}
