/**
 * What can be asked and done, as functions from plain input to plain values and events: the command
 * line prints them, a server can send them.
 */
export type { Ports } from "./ports.ts";
export { requireProject } from "./project.ts";
export { exampleProgram } from "./programs.ts";
export { POLICY_HELP } from "./keep-policy.ts";
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
export { projectSettings, readSettings, settingsError } from "./settings.ts";
export { decideLanding, forgetDecisions, showLandings } from "./landings.ts";
export type { LandingDecision, LandingsReport, ShownLandings } from "./landings.ts";
export { landInFile } from "./where-files.ts";
export type { FileLanding } from "./where-files.ts";
export {
  cancelReplay,
  countMatching,
  filesOfUnit,
  findReplay,
  listReplays,
  planCheck,
  planOfReplay,
  readinessOf,
  readMatching,
  resumeReplay,
  startReplay,
} from "./replay.ts";
export type { CancelReport, MatchingRows, ReplayRequest, ReplaySession } from "./replay.ts";
export { Bisection } from "./bisect.ts";
export type { BisectEvent, BisectOutcome, BisectPrice, BisectReport } from "./bisect.ts";
export type { BisectRequest, BisectRuns, Candidate } from "./bisect-runs.ts";
export { executeGc, gcReport, planGc } from "./gc.ts";
export type { GcReport, PlannedGc } from "./gc.ts";
export type { GcPlan } from "./gc-run.ts";
export { restoreCheckpoint } from "./restore.ts";
export type { RestoreReport } from "./restore.ts";
export { receiveRuns, sendRuns } from "./exchange.ts";
export type { ExchangeReport, ReceivedRuns } from "./exchange.ts";
export { forkRun } from "./fork.ts";
export type { ForkRequest } from "./fork.ts";
export type {
  Recorded,
  RecordingEvent,
  RecordingReport,
  RecordingSession,
  RunningProgram,
} from "./recording.ts";
