/**
 * @file Adaptive checkpointing: should this block be checkpointed once more?
 *
 * The Joint Invariant, equation 4 of "Hindsight Logging for Model Training" (VLDB 2020, §3.2.3);
 * names follow its Table 1. The rule is pure: it sees measured times, never a clock.
 */

export interface BlockTimings {
  /** C: time to compute the block once. */
  readonly computeMs: number;
  /** M: time that taking its checkpoint costs the training. */
  readonly materializeMs: number;
  /** n: executions so far, with the present one. */
  readonly executions: number;
  /** k: checkpoints so far. */
  readonly checkpoints: number;
}

export interface JointInvariantOptions {
  /** ε: largest share of compute time that recording may cost. */
  readonly overheadMax: number;
  /** c: time to restore as a multiple of the time to materialize. */
  readonly restoreFactor: number;
}

/** ε is the tolerance the paper sets; c is what it supposes until restore times were measured (§3.2.2). */
export const JOINT_INVARIANT_DEFAULTS: JointInvariantOptions = {
  overheadMax: 0.0667,
  restoreFactor: 1,
};

/** Whether record overhead and replay latency stay within bounds after one more checkpoint. */
export function shouldCheckpoint(
  block: BlockTimings,
  { overheadMax, restoreFactor }: JointInvariantOptions = JOINT_INVARIANT_DEFAULTS,
): boolean {
  // The +1 asks about the state after this checkpoint: the test comes before materialization.
  const period = block.executions / (block.checkpoints + 1);
  const budgeted = block.materializeMs < period * overheadMax * block.computeMs;
  return budgeted && isWorthRestoring(period * block.computeMs, block.materializeMs, restoreFactor);
}

/** Whether materializing something and restoring it takes less than computing it again. */
export function isWorthRestoring(
  computeMs: number,
  materializeMs: number,
  restoreFactor: number,
): boolean {
  return materializeMs * (1 + restoreFactor) < computeMs;
}
