/** Plan to values: trees, worker processes, checks, results. */
export { executeWhole, preparePlan, scalePlan } from "./prepare.ts";
export { modelOfVersion, prepareCheck } from "./prepare-check.ts";
export type { Logpoint } from "./working-tree.ts";
export { readRunFacts } from "./run-facts.ts";
export { executePlan, resumeReplay } from "./replay.ts";
export type { ReplayOptions } from "./replay.ts";
export type { Canary, EventCell, Progress, ReplayEvent, Summary, UnitFailure } from "./events.ts";
export { cancelReplay, listReplays, pastReplays, readPlan, readReplay } from "./replay-state.ts";
export type { ReplayState, UnitState } from "./replay-state.ts";
export type { ReplayDirective } from "./result.ts";
export { makeTree } from "./tree.ts";
export type { Tree } from "./tree.ts";
export { runUnit, unitPaths } from "./unit.ts";
export type { UnitResult } from "./unit.ts";
