/**
 * @file The first iterations of a loop in a process take longer: code is compiled, memory is
 * touched for the first time. A process that begins in the middle pays for this as well, though it
 * is recorded with the first iterations of the run. So the excess of those is taken out of their
 * times and added to the first ones that a process executes.
 */
import type { LoopEntry } from "./facts.ts";

/** Iterations that may be slow because they are the first. */
const WARM_UP_MAX = 8;

/** The usual time of an iteration of one loop, and by how much the first ones exceeded it. */
export interface WarmUp {
  /** The entry whose first iterations were the first of all. */
  readonly entry: LoopEntry;
  readonly usualMs: number;
  /** Excess of the first n iterations together. */
  readonly excessMs: readonly number[];
}

/** `entries`: all of one loop, in order; `ownMs`: their measured times. */
export function warmUpOf(
  entries: readonly LoopEntry[],
  ownMs: (entry: LoopEntry) => ArrayLike<number>,
): WarmUp | undefined {
  const [first] = entries.filter(({ iterations }) => iterations > 0);
  if (!first) return undefined;
  const sorted = sortedTimes(entries.map(ownMs));
  const usualMs = sorted[sorted.length >> 1] ?? 0;
  // Of a few iterations nobody can tell which are usual.
  const length = Math.min(WARM_UP_MAX, sorted.length >> 1, first.iterations);
  const excessMs = [0];
  for (let index = 0; index < length; index++) {
    const excess = Math.max(0, (ownMs(first)[index] ?? 0) - usualMs);
    excessMs.push((excessMs[index] ?? 0) + excess);
  }
  return { entry: first, usualMs, excessMs };
}

/** Typed: comparing by a function would be a tenth of all planning. */
function sortedTimes(lists: readonly ArrayLike<number>[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all.sort();
}

/** An iteration as it is once the loop has run for a while. */
export function steadyMs(
  warmUp: WarmUp | undefined,
  entry: LoopEntry,
  index: number,
  ms: number,
): number {
  const isFirst = warmUp?.entry === entry && index < warmUp.excessMs.length - 1;
  return isFirst ? Math.min(ms, warmUp.usualMs) : ms;
}

/** What executing `count` more iterations after `done` costs because they are the first ones. */
export function excessOf(warmUp: WarmUp | undefined, done: number, count: number): number {
  if (!warmUp) return 0;
  const last = warmUp.excessMs.length - 1;
  const upTo = (n: number): number => warmUp.excessMs[Math.min(n, last)] ?? 0;
  return upTo(done + count) - upTo(done);
}
