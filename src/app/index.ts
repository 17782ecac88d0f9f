/**
 * What can be asked and done, as functions from plain input to plain values and events: the command
 * line prints them, a server can send them.
 */
export type { Ports } from "./ports.ts";
export { requireProject, withCatalog } from "./project.ts";
export { exampleProgram, programsIn } from "./programs.ts";
export { readRunNames, resolveRun, splitReference } from "./run-reference.ts";
export { mostAsked, searchFirstBad } from "./bisect-search.ts";
export type { Quality } from "./bisect-search.ts";
export { busyRuns, entryKey, executeGc, planGc } from "./gc-run.ts";
export type { GcPlan, LoggedFacts } from "./gc-run.ts";
export { parsePolicy, POLICY_HELP } from "./keep-policy.ts";
export { jsonLines, plainText, rowToJson } from "./cells.ts";
export type { Table } from "./cells.ts";
export { listedRun, listRuns, RUN_FACTS } from "./list-runs.ts";
export type { ListedRun, RunList, RunRow } from "./list-runs.ts";
export { askFrame } from "./frame.ts";
export type { FrameAnswer, FrameTable } from "./frame.ts";
export { askSql } from "./query.ts";
export { exportData } from "./export.ts";
export type { ExportFormat, ExportJob, ExportSource } from "./export.ts";
export { diffRuns, isDifferent } from "./diff.ts";
export type { Pair, RunDiff, RunDiffReport } from "./diff.ts";
export { explainValue } from "./why.ts";
export type { ExplainedValue, ValueReport } from "./why.ts";
export { makePlan, workersOf } from "./plan.ts";
export type { PlanRequest } from "./plan.ts";
export { makeOffer } from "./offer.ts";
export type { Offer } from "./offer.ts";
export { isUnfinished, mainLoop, showRun, valueOf } from "./show.ts";
export type { FoundLoops, MetricReport, RunReport, ShownRun } from "./show.ts";
export { DISK_KINDS, measureDisk } from "./disk-usage.ts";
export type { DiskKind, DiskUsage } from "./disk-usage.ts";
export {
  handOver,
  projectSettings,
  readSettings,
  requireSettings,
  settingsError,
} from "./settings.ts";
