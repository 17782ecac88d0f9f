/**
 * @file What a run that goes on does once more: all that was recorded behind the point at which it is
 * taken up. Counted from the iterations, not from the clock of the log: iterations that go by without
 * a record of their own have no time there.
 */
import type { CheckpointRecord, LoopPath } from "../format/index.ts";
import { formatPath, pathElement } from "../format/index.ts";
import { RunCosts } from "./cost.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";

export interface LostWork {
  /** Iterations in which no other loop goes on, as far as they were recorded. */
  readonly iterations: number;
  /** What they took, those that nobody measured as long as the others. */
  readonly ms: number;
}

/** What a run is charged here: nothing but its own times. */
const AS_RECORDED = {
  startS: {},
  loadBytesPerS: null,
  hostFactors: {},
  treeS: 0,
  past: [],
};

/** A loop that was never left was in an iteration that no record tells of, if those before have ended. */
function begunOf({ how, iterations, times }: LoopEntry): number {
  const hasEnded = iterations === 0 || !Number.isNaN(times.head[iterations - 1] ?? NaN);
  return how === null && hasEnded ? iterations + 1 : iterations;
}

/** The work behind `point`, the end of an iteration or of a loop; null: the program's start. */
export function workBehind(facts: RunFacts, point: LoopPath | null): LostWork {
  const costs = new RunCosts(facts, AS_RECORDED);
  let [iterations, ms] = [0, point === null ? facts.times.prefix : 0];
  const add = (entry: LoopEntry, from: number): void => {
    const begun = begunOf(entry);
    ms += costs.ownMsOf(entry, from, begun - 1);
    iterations += Math.max(0, begun - from);
    for (const [index, inner] of entry.children) {
      if (index < from) continue;
      if (inner.some((child) => child.iterations > 0)) iterations--;
      for (const child of inner) add(child, 0);
    }
  };
  let here = facts.entries;
  for (const [loop, index, number = 0] of point ?? []) {
    const at = here.findIndex((entry) => entry.loop === loop && entry.entry === number);
    const entry = here[at];
    if (!entry) break;
    for (const later of here.slice(at + 1)) add(later, 0);
    here = [];
    if (index === "end") break;
    add(entry, index + 1);
    here = entry.children.get(index) ?? [];
  }
  if (point === null) for (const entry of here) add(entry, 0);
  return { iterations, ms };
}

/**
 * The most that an interruption could have cost so far, ms of the run: from the state that was durable at the worst
 * moment until then (CheckFreq §6.2.2, for this run and not by the interval that was meant). `taken`: all checkpoints
 * in order, those that are no more among them; `endMs`: when the run was last heard of.
 */
export function mostAtStake(
  taken: readonly Pick<CheckpointRecord, "kind" | "path" | "needs" | "t" | "times">[],
  endMs: number,
): number {
  let [stateMs, durableMs, most] = [0, 0, 0];
  for (const record of taken) {
    if (!leadsOn(record)) continue;
    const { t, times } = record;
    const atMs = t / 1000;
    // A run that goes on counts from its own start.
    if (atMs < stateMs) [stateMs, durableMs] = [atMs, atMs];
    const handedOverMs = atMs + times.wait + times.snapshot;
    durableMs = Math.max(durableMs, handedOverMs) + times.persist;
    most = Math.max(most, durableMs - stateMs);
    stateMs = atMs;
  }
  return Math.max(most, endMs - stateMs);
}

/** Whether a run can go on from it: that of a loop inside others leads nowhere by itself. */
function leadsOn({
  kind,
  path,
  needs,
}: Pick<CheckpointRecord, "kind" | "path" | "needs">): boolean {
  if (kind === "loop") return path.length === 1;
  return path.slice(0, -1).every(([name, index, entry = 0], depth) => {
    if (index === "end" || index === 0) return true;
    return needs.includes(
      formatPath([...path.slice(0, depth), pathElement(name, index - 1, entry)]),
    );
  });
}
