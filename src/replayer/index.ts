/** Plan to values: trees, worker processes, checks, results. */
export { executeWhole, buildPlan, scalePlan } from "./questions/build-plan.ts";
export { modelOfVersion, buildCheckPlan } from "./questions/check-plan.ts";
export { landVersions } from "./propagation/land-runs.ts";
export type { LandedRuns } from "./propagation/land-runs.ts";
export { groupLandings } from "./propagation/landing-groups.ts";
export type { LandingGroup } from "./propagation/landing-groups.ts";
export { landedId, textHash, writeDecisions } from "./propagation/landing-decisions.ts";
export type { LandingChoice, KeptDecision } from "./propagation/landing-decisions.ts";
export type { Logpoint } from "./propagation/working-tree.ts";
export { readRunFacts } from "./recorded/run-facts.ts";
export { executePlan, continueReplay } from "./execution/execute-plan.ts";
export type { ReplayOptions } from "./execution/execute-plan.ts";
export type { MakeExecutor } from "./execution/executor.ts";
export { localExecutor } from "./execution/local-executor.ts";
export type {
  Canary,
  EventCell,
  Progress,
  ReplayEvent,
  Summary,
  UnitFailure,
} from "./execution/replay-events.ts";
export {
  cancelReplay,
  listReplays,
  pastReplays,
  readPlan,
  readReplay,
} from "./execution/replay-state.ts";
export type { ReplayState, UnitState } from "./execution/replay-state.ts";
export type { ReplayDirective } from "./execution/replay-result.ts";
export { makeTree } from "./trees/replay-tree.ts";
export type { Tree } from "./trees/replay-tree.ts";
export { runUnit, unitPaths } from "./execution/unit-process.ts";
export type { UnitResult } from "./execution/unit-process.ts";
