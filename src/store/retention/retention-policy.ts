/**
 * @file Which checkpoints go (semantics, "Retention"; peak and end: FlorDB §6.1.3). Pure: it sees
 * names, sizes and times, no file and no clock.
 *
 * Whatever the policy: the ends of outermost loops stay, and so does what a checkpoint that is kept
 * for its own sake is reached by (`needs`), and every file that has tensors of a kept one (`holds`).
 */
import type { KeepPolicy, LoopPath } from "../../format/index.ts";
import { formatPath } from "../../format/index.ts";
import { Evictions } from "./retention-evictions.ts";
import type { RetainedCheckpoint } from "./retention-references.ts";
import { indexOf, loopKey, References } from "./retention-references.ts";

export interface RetentionRequest {
  /** In the order in which they were taken; at each path only one. */
  readonly checkpoints: readonly RetainedCheckpoint[];
  readonly policy: KeepPolicy;
  /** So many of the newest stay, and so many of the newest iteration ends: two while it runs. */
  readonly newest: number;
  /** Paths of checkpoints that the next one will need. */
  readonly wanted?: readonly string[];
  /** Where the best value was logged; without it a `peak` policy removes nothing. */
  readonly peak?: LoopPath | undefined;
  /** Under a byte budget: so many checkpoints of steps stay, however small they are. */
  readonly stepsMax?: number;
}

/** The checkpoints to remove, in the order in which they may go. */
export function chooseRemoved(request: RetentionRequest): RetainedCheckpoint[] {
  const { checkpoints, policy } = request;
  const references = new References(checkpoints);
  const fixed = fixedOnes(request);
  switch (policy.kind) {
    case "all":
      return [];
    case "peak": {
      const { peak } = request;
      if (peak === undefined) return [];
      const best = bestFor(peak, checkpoints);
      return otherCheckpoints(checkpoints, references, [
        ...fixed,
        ...lastOnes(checkpoints),
        ...best,
      ]);
    }
    case "every": {
      const nth = checkpoints.filter((checkpoint) => isNth(checkpoint, policy.n));
      return otherCheckpoints(checkpoints, references, [
        ...fixed,
        ...lastOnes(checkpoints),
        ...nth,
      ]);
    }
    case "bytes": {
      const { bytes, of } = policy;
      const options = { fixed: references.reaching(fixed), of };
      return new Evictions(checkpoints, references, options).until(bytes, request.stepsMax);
    }
  }
}

function otherCheckpoints(
  checkpoints: readonly RetainedCheckpoint[],
  references: References,
  roots: readonly RetainedCheckpoint[],
): RetainedCheckpoint[] {
  const kept = references.closure(roots);
  // Only earlier ones are referred to: from the newest on, what is left is always complete.
  return checkpoints.filter((checkpoint) => !kept.has(checkpoint)).toReversed();
}

/** What stays under every policy. */
function fixedOnes({ checkpoints, newest, wanted }: RetentionRequest): RetainedCheckpoint[] {
  const paths = new Set(wanted);
  // A loop end leads nowhere without an iteration end before it: so these count by themselves.
  const ends = checkpoints.filter(({ kind }) => kind === "iteration");
  const last = newest === 0 ? [] : [...checkpoints.slice(-newest), ...ends.slice(-newest)];
  return checkpoints.filter((checkpoint) => {
    const { kind, path } = checkpoint;
    if (kind === "loop" && path.length === 1) return true;
    return last.includes(checkpoint) || paths.has(formatPath(path));
  });
}

/** The last iteration end of each outermost loop. */
function lastOnes(checkpoints: readonly RetainedCheckpoint[]): RetainedCheckpoint[] {
  const last = new Map<string, RetainedCheckpoint>();
  for (const checkpoint of checkpoints) {
    if (checkpoint.kind !== "iteration" || checkpoint.path.length !== 1) continue;
    last.set(loopKey(checkpoint.path), checkpoint);
  }
  return [...last.values()];
}

/** The end of the iteration in which the best was logged; else the nearest before that point. */
function bestFor(peak: LoopPath, checkpoints: readonly RetainedCheckpoint[]): RetainedCheckpoint[] {
  for (let depth = peak.length; depth > 0; depth--) {
    const path = peak.slice(0, depth);
    const key = loopKey(path);
    // Of a loop around it the present iteration has not ended at that point.
    const most = indexOf(path) - (depth === peak.length ? 0 : 1);
    const before = checkpoints.filter((checkpoint) => {
      const { kind, path: own } = checkpoint;
      return kind === "iteration" && loopKey(own) === key && indexOf(own) <= most;
    });
    const nearest = before.toSorted((a, b) => indexOf(b.path) - indexOf(a.path))[0];
    if (nearest) return [nearest];
  }
  return [];
}

/** Ends of every n-th iteration, and of the loops in it; steps only as far as others need them. */
function isNth({ kind, path, step }: RetainedCheckpoint, n: number): boolean {
  if (step) return false;
  const around = kind === "loop" ? path.slice(0, -1) : path;
  return around.every((_, depth) => (indexOf(around.slice(0, depth + 1)) + 1) % n === 0);
}
