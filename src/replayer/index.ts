/**
 * A question to a plan, a plan to values. The words, in the order in which they come:
 *
 * - `Piece`, `Part`: what an asked name needs of a source; `LandedSource`, `RefusedSource`: a version
 *   with it or without, by `Verdict` (present, exact, moved, review, cannot).
 * - `Plan`: runs, each in units; `ReplayUnit`: one of them, `ExecutedUnit`: its process has ended, with a
 *   `UnitResult` and what it said itself, `ReplayOutcome` (done, failed, diverged, insufficient).
 * - `NextStep` (done, stopped, retry, whole, failed): what becomes of the unit then.
 * - `Judged`, `CheckedCell`: its values with marks (verified, close, diverged, unchecked); they become a
 *   run directory with a `ReplayDirective`.
 * - `ReplayEvent` (plan, canary, cell, progress, failure, done): what is told meanwhile; `ReplayState`
 *   (running, done, failed, stopped, interrupted), `UnitState`: what is known on disk.
 */

// What is asked becomes a plan.
export { buildPlan, executeWhole, scalePlan } from "./questions/build-plan.ts";
export { LandedQuestion } from "./questions/landed-question.ts";
export { buildCheckPlan, modelOfVersion } from "./questions/check-plan.ts";
export { readRunFacts } from "./recorded/run-facts.ts";

// Statements in the versions of runs, and what was decided about them.
export type { Propagated } from "./propagation/propagate.ts";
export { groupLandings } from "./propagation/landing-groups.ts";
export type { LandingGroup } from "./propagation/landing-groups.ts";
export { unifiedDiff } from "./propagation/piece-diff.ts";
export type { DiffHunk } from "./propagation/piece-diff.ts";
export { landedId, textHash, writeDecisions } from "./propagation/landing-decisions.ts";
export type { KeptDecision, LandingChoice } from "./propagation/landing-decisions.ts";
export type { AskedLine } from "./propagation/asked-calls.ts";
export type { Logpoint } from "./propagation/working-tree.ts";

// A plan is executed: what it tells meanwhile, and what is known of it on disk.
export { continueReplay, executePlan } from "./execution/execute-plan.ts";
export type { ReplayOptions } from "./execution/replay-options.ts";
export type { ReplayEvent } from "./execution/replay-events.ts";
export type {
  Canary,
  EventCell,
  Progress,
  Summary,
  UnitFailure,
} from "./execution/replay-events.ts";
export { cancelReplay, goOn, listReplays, readPlan, readReplay } from "./execution/replay-state.ts";
export { readEvents } from "./execution/replay-state.ts";
export { pastReplays } from "./execution/replay-state.ts";
export type { ReplayState, UnitState } from "./execution/replay-state.ts";
export type { ReplayDirective } from "./execution/replay-result.ts";

// Code from elsewhere, and what it is executed in.
export { foreignRemotes, remotesOf } from "./execution/foreign-runs.ts";
export type { ForeignRemote } from "./execution/foreign-runs.ts";
export { isolationHere } from "./execution/isolation.ts";

// Where units are executed, and what one process does.
export type { MakeExecutor } from "./execution/executor.ts";
export { localExecutor } from "./execution/local-executor.ts";
export { makeTree } from "./trees/replay-tree.ts";
export type { Tree } from "./trees/replay-tree.ts";
export { runUnit, unitPaths } from "./execution/unit-process.ts";
export type { UnitResult } from "./execution/unit-process.ts";
