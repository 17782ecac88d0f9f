/** Plan to values: trees, worker processes, checks, results. */
export { executeWhole, preparePlan, scalePlan } from "./prepare.ts";
export type { AskedIterations, PlanQuestion, PrepareOptions } from "./prepare.ts";
export { modelOfVersion, prepareCheck } from "./prepare-check.ts";
export type { Logpoint } from "./working-tree.ts";
export { readRunFacts } from "./run-facts.ts";
export { executePlan, resumeReplay } from "./replay.ts";
export type { ReplayOptions } from "./replay.ts";
export type { Canary, EventCell, Progress, ReplayEvent, Summary, UnitFailure } from "./events.ts";
export { cancelReplay, listReplays, pastReplays, readPlan, readReplay } from "./replay-state.ts";
export type {
  PastReplay,
  PastUnit,
  ReplayState,
  ReplayStatus,
  UnitState,
  UnitStatus,
} from "./replay-state.ts";
export type { ReplayDirective } from "./result.ts";
export type { Difference } from "./check.ts";
export { likelyCause } from "./likely-cause.ts";
export { makeTree } from "./tree.ts";
export type { Tree, TreeOptions } from "./tree.ts";
export { runUnit, unitPaths } from "./unit.ts";
export type { UnitOptions, UnitResult } from "./unit.ts";
