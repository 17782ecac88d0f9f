/**
 * What can be asked and done, as functions from plain input to plain values and events: the command
 * line prints them, a server can send them. What only reads is behind `read.ts`, recording behind
 * `record.ts`: they load less.
 */
export type { Ports } from "./ports.ts";
export { POLICY_HELP } from "./keep-policy.ts";
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
