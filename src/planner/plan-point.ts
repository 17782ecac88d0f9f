/**
 * @file The way to a checkpoint from which a fork or a resumed run continues (semantics, "How a point
 * is reached": "`--resume` and `fork` go on"). A fork has other arguments than the run, so nothing
 * that the run did may be executed on the way: every loop before the point is skipped, every
 * enclosing iteration begins from a checkpoint or is the first.
 */
import type { CheckpointRecord, Course, LoopPath } from "../format/index.ts";
import { formatPath } from "../format/index.ts";
import type { SourceModel } from "../languages/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import type { LoopMatch } from "./match-loops.ts";
import { RestorablePoints } from "./restorable-points.ts";

export type PlannedPoint =
  | { readonly courses: readonly Course[]; readonly checkpoint: string }
  /** Why the point cannot be reached, for the user. */
  | { readonly why: readonly string[] };

/** A point from which a run goes on. */
export type NewestPoint = Extract<PlannedPoint, { checkpoint: string }> & {
  readonly path: LoopPath;
  /** When its checkpoint was taken, on the clock of the run. */
  readonly t: number;
};

/**
 * The courses to the end of the iteration, or of the loop, at `path`; from there the program runs
 * as it is.
 */
export function planPoint(
  facts: RunFacts,
  model: SourceModel,
  match: LoopMatch,
  path: LoopPath,
): PlannedPoint {
  return pointFrom(new RestorablePoints(facts, model, match, { hasAround: false }), facts, path);
}

/**
 * The courses to the newest checkpoint that can be reached and that `isSound`, for a run that goes
 * on. Undefined if there is none: it then begins at the program's start.
 */
export function planNewestPoint(
  facts: RunFacts,
  model: SourceModel,
  match: LoopMatch,
  isSound: (record: CheckpointRecord) => boolean,
): NewestPoint | undefined {
  const points = new RestorablePoints(facts, model, match, { hasAround: false });
  // Of a loop end and the iteration end behind it, with nothing logged in between, the second is further.
  const newestFirst = (a: CheckpointRecord, b: CheckpointRecord): number =>
    b.seq - a.seq || b.t - a.t;
  for (const record of [...facts.checkpoints.values()].toSorted(newestFirst)) {
    const point = pointFrom(points, facts, record.path);
    if ("courses" in point && point.checkpoint === record.file && isSound(record)) {
      return { ...point, path: record.path, t: record.t };
    }
  }
  return undefined;
}

function pointFrom(points: RestorablePoints, facts: RunFacts, path: LoopPath): PlannedPoint {
  const way = findWay(facts.entries, path);
  if (!way) return { why: [`it never was at ${formatPath(path)}`] };
  const courses: Course[] = [];
  let siblings = facts.entries;
  for (const [depth, { entry, index }] of way.entries()) {
    for (const passed of siblings.slice(0, siblings.indexOf(entry))) {
      const end = points.loopEnd(passed);
      if (!end) return unreachable(points, `loop "${passed.loop}" before it cannot be skipped`);
      courses.push({ entry: passed.key, do: "skip", restore: end.file });
    }
    const isPoint = depth === way.length - 1;
    if (index === "end") {
      const around = way[depth - 1]?.entry;
      // What `fit` tells of an epoch it computes from all batches, and tells it behind this end: nobody has it yet.
      if (around && [entry, around].every((one) => points.loopOf(one)?.form === "fit"))
        return { why: [`what ${around.loop} ${way[depth - 1]?.index} comes to was not known yet`] };
      return endPoint(points, courses, entry);
    }
    const from = isPoint ? index + 1 : index;
    const end = points.endOf(entry, from - 1);
    if (from > 0 && !end) {
      const where = `${entry.loop} ${from - 1}`;
      return unreachable(points, `there is no complete checkpoint at the end of ${where}`);
    }
    const start = end ? { restore: end.file, reposition: end.reposition } : { restore: null };
    courses.push({
      entry: entry.key,
      do: "legs",
      legs: [{ from, to: null, ...start }],
      after: "run",
    });
    if (isPoint && end) return { courses, checkpoint: end.file };
    siblings = entry.children.get(index) ?? [];
  }
  return { why: ["it is no end of an iteration"] };
}

function endPoint(points: RestorablePoints, courses: Course[], entry: LoopEntry): PlannedPoint {
  const end = points.loopEnd(entry);
  if (!end) return unreachable(points, `the end of loop "${entry.loop}" cannot be restored`);
  const skip = { entry: entry.key, do: "skip", restore: end.file } as const;
  return { courses: [...courses, skip], checkpoint: end.file };
}

function unreachable(points: RestorablePoints, why: string): PlannedPoint {
  return { why: [why, ...points.reasons] };
}

interface PointStep {
  readonly entry: LoopEntry;
  /** `end`: only the last of a way. */
  readonly index: number | "end";
}

/** The recorded entries that a path goes through; undefined if the run never was there. */
function findWay(entries: readonly LoopEntry[], path: LoopPath): PointStep[] | undefined {
  const way: PointStep[] = [];
  let here = entries;
  for (const [loop, index, number = 0] of path) {
    const entry = here.find((candidate) => candidate.loop === loop && candidate.entry === number);
    if (!entry || (index !== "end" && index >= entry.iterations)) return undefined;
    way.push({ entry, index });
    here = index === "end" ? [] : (entry.children.get(index) ?? []);
  }
  return way.length === 0 ? undefined : way;
}
