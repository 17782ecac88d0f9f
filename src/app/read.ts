/**
 * What only reads: the runs, their values, and what a project says of itself. A door of its own: it
 * loads the planner only when something is to be offered, for these answers must come at once.
 */
export { projectAround, requireProject } from "./required-project.ts";
export { exampleProgram, isProgramName, noProgram } from "./recording/programs.ts";
export { projectSettings, readSettings, settingsError, SETTINGS_FILE } from "./settings.ts";
export { jsonLines, plainText, rowToJson, valueOf } from "./reading/cells.ts";
export type { Table } from "./reading/cells.ts";
export { cellsOf, listedRuns, listRuns, originsOf, RUN_FACTS } from "./reading/list-runs.ts";
export type { ListedRun, RunList } from "./reading/list-runs.ts";
export { matchRuns, readRunCells, readRunTable } from "./reading/run-table.ts";
export type { RunCells, RunTable } from "./reading/run-table.ts";
export { valueColumn } from "../catalog/index.ts";
export { askFrame } from "./reading/frame.ts";
export type { FrameAnswer, FrameTable } from "./reading/frame.ts";
export { plotNames } from "./reading/plot.ts";
export type { PlotReport, PlotSeries } from "./reading/plot.ts";
export { readSeries, SERIES_ORIGINS } from "./reading/series.ts";
export type { Series, SeriesRequest } from "./reading/series.ts";
export { askSql } from "./reading/query.ts";
export { queryRows } from "./reading/query-rows.ts";
export type { RowsReport } from "./reading/query-rows.ts";
export { exportData } from "./reading/export.ts";
export type { ExportFormat, ExportJob, ExportSource } from "./reading/export.ts";
export { compareRuns } from "./reading/compare.ts";
export type { CompareReport } from "./reading/compare.ts";
export { diffRuns, isDifferent } from "./reading/diff.ts";
export type { RunDiff, RunDiffReport } from "./reading/diff.ts";
export type { SharedFact } from "./reading/differences.ts";
export { affectedRuns } from "./reading/affected.ts";
export type { AffectedReport } from "./reading/affected.ts";
export { explainValue } from "./reading/why.ts";
export type { ExplainedValue, ValueReport } from "./reading/why.ts";
export { makeOffer } from "./asking/suggest-replay.ts";
export type { Offer } from "./asking/suggest-replay.ts";
export { makePlan } from "./asking/plan.ts";
export type { PlanRequest } from "./asking/plan.ts";
export { readPlanFile, savePlan } from "./asking/plan-file.ts";
export { RUN_PARTS, runPart } from "./reading/run-parts.ts";
export type {
  ChecksReport,
  CodeReport,
  ConsoleReport,
  PerformanceReport,
} from "./reading/run-parts.ts";
export { resolveRuns } from "./run-reference.ts";
export { mainLoop, showRun } from "./reading/show.ts";
export type { FoundLoops, MetricReport, RunReport, ShownRun } from "./reading/show.ts";
export {
  countTags,
  hideRuns,
  nameRun,
  noteRun,
  readAnnotated,
  tagRuns,
} from "./annotating/annotate-runs.ts";
export type { AnnotatedRun, AnnotationReport } from "./annotating/annotate-runs.ts";
export { DISK_KINDS, measureDisk } from "./storage/disk-usage.ts";
export type { DiskKind, DiskUsage } from "./storage/disk-usage.ts";
