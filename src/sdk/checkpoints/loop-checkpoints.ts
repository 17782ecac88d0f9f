/**
 * @file What is known of the checkpoints of one active loop. Plain data, which `checkpointer.ts` writes.
 */
import type { EntryIds } from "../../adapters/index.ts";
import type { CheckpointCost } from "../../materialize/index.ts";

/** What nothing costs. */
export const NO_COST: CheckpointCost = { captureMs: 0, snapshotMs: 0, waitMs: 0 };

/** Of an active loop: what was taken of it, and what is to be. */
export class LoopCheckpoints {
  /** Identities of the state's objects at entry (semantics, "Restore"). */
  entryIds: EntryIds | undefined = undefined;
  /** Last iteration whose end was checkpointed; -1: none. */
  lastEnd = -1;
  /** Loops whose end was checkpointed in the present iteration, by path. */
  endsTaken: string[] = [];
  /** Whether this iteration is checkpointed. `tentative`: decided at its first boundary. */
  choice: "yes" | "no" | "tentative" = "no";
  /** Checkpoints of this iteration so far, and what they cost. */
  taken = 0;
  cost: CheckpointCost = NO_COST;
  /** What its end may cost whatever the budget says, ms: the steps after it are reached by it. */
  allowanceMs = 0;
  /** Iterations before this entry that an interruption loses as well: nothing in it can be reached. */
  lostBefore: number | undefined = undefined;
  /** Another process began this iteration: the run was resumed in it. */
  isGoneOn = false;
}

export function sumCosts(a: CheckpointCost, b: CheckpointCost): CheckpointCost {
  return {
    captureMs: a.captureMs + b.captureMs,
    snapshotMs: a.snapshotMs + b.snapshotMs,
    waitMs: a.waitMs + b.waitMs,
  };
}

/** Of a loop, over all of its entries. */
export interface LoopStatistics {
  executions: number;
  checkpoints: number;
  computeMs: number;
  /** What `computeMs` was when a checkpoint was last refused. */
  refusedAtMs: number;
  /** How long the loop took when it was last gone through. */
  loopMs: number;
}

export function newStatistics(): LoopStatistics {
  return {
    executions: 0,
    checkpoints: 0,
    computeMs: 0,
    refusedAtMs: -Infinity,
    loopMs: Infinity,
  };
}
