/**
 * What only reads: the runs, their values, and what a project says of itself. A door of its own: it
 * loads the planner only when something is to be offered, for these answers must come at once.
 */
export { projectAround, requireProject } from "./project.ts";
export { exampleProgram } from "./programs.ts";
export { projectSettings, readSettings, settingsError, SETTINGS_FILE } from "./settings.ts";
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
export { makeOffer } from "./offer.ts";
export type { Offer } from "./offer.ts";
export { makePlan } from "./plan.ts";
export type { PlanRequest } from "./plan.ts";
export { readPlanFile, savePlan } from "./plan-file.ts";
export { errorOf, groupFailures, landingOfRun } from "./failures.ts";
export type { FailureGroup, ProgramPlace } from "./failures.ts";
export { isUnfinished, mainLoop, showRun, valueOf } from "./show.ts";
export type { FoundLoops, MetricReport, RunReport, ShownRun } from "./show.ts";
export { DISK_KINDS, measureDisk } from "./disk-usage.ts";
export type { DiskKind, DiskUsage } from "./disk-usage.ts";
