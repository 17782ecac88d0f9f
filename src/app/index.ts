/**
 * What can be asked and done, as functions from plain input to plain values and events: the command
 * line prints them, a server can send them. What only reads is behind `read.ts`, recording behind
 * `record.ts`: they load less.
 */
export type { Ports } from "./ports.ts";
export { POLICY_HELP } from "./storage/keep-policy.ts";
export { OpenQuestion } from "./asking/open-question.ts";
export type {
  AskedGroup,
  AskedStatements,
  PricedHow,
  PricedQuestion,
} from "./asking/open-question.ts";
export { indexAnswers } from "./asking/plan.ts";
export type { IndexAnswers } from "./asking/plan.ts";
export { decideLanding, forgetDecisions, showLandings } from "./asking/landings.ts";
export type { LandingDecision, LandingsReport, ShownLandings } from "./asking/landings.ts";
export { errorOf, groupFailures, landingOfRun } from "./asking/failures.ts";
export type { FailureGroup, ProgramPlace } from "./asking/failures.ts";
export { landInFile } from "./asking/where-files.ts";
export type { FileLanding } from "./asking/where-files.ts";
export {
  cancelReplay,
  countMatching,
  filesOfUnit,
  findReplay,
  goOn,
  listReplays,
  planCheck,
  planOfReplay,
  readinessOf,
  readMatching,
  continueReplay,
  startReplay,
  watchedReplay,
} from "./asking/replay.ts";
export type { ReplayState } from "../replayer/index.ts";
export type { GoReport, WatchedReplay } from "./asking/replay.ts";
export type { CancelReport, MatchingRows, ReplayRequest, ReplayWatcher } from "./asking/replay.ts";
export { addAlert, armAlert, findAlert, listAlerts, removeAlert } from "./alerts/alerts.ts";
export type { AlertReport } from "./alerts/alerts.ts";
export { planAlertTest, testAlert } from "./alerts/test-alert.ts";
export type { AlertTest, Marked, TestedRun } from "./alerts/test-alert.ts";
export { watchAlerts } from "./alerts/watch-alerts.ts";
export type { AlertEvent } from "./alerts/watch-alerts.ts";
export { Bisection } from "./asking/bisect.ts";
export type { BisectEvent, BisectOutcome, BisectPrice, BisectReport } from "./asking/bisect.ts";
export type { BisectRequest, BisectRuns, Candidate } from "./asking/bisect-runs.ts";
export { bringBackRuns, emptyTrash, readTrash, removeRuns } from "./annotating/remove-runs.ts";
export type { EmptiedTrash, TrashedRun, TrashReport } from "./annotating/remove-runs.ts";
export { findRunsAhead, repairOrder } from "./storage/run-order.ts";
export { executeGc, gcReport, planGc } from "./storage/gc.ts";
export type { GcReport, PlannedGc } from "./storage/gc.ts";
export type { GcPlan } from "./storage/gc-run.ts";
export { locateCheckpoint, restoreCheckpoint } from "./storage/restore.ts";
export type { CheckpointPlace, RestoreReport } from "./storage/restore.ts";
export { planBranch } from "./storage/restore-branch.ts";
export type { PlannedBranch } from "./storage/restore-branch.ts";
export { prepareRuns, receiveRuns, stripSecrets } from "./storage/exchange.ts";
export type { ExchangeReport, PreparedRuns, ReceivedRuns } from "./storage/exchange.ts";
export { changeTrust, listTrust } from "./trust.ts";
export type { RemoteTrust } from "./trust.ts";
export { forkRun } from "./recording/fork.ts";
export type { ForkRequest } from "./recording/fork.ts";
export type {
  RecordedProgram,
  RecordingEvent,
  RecordingReport,
  RecordingSession,
  RunningProgram,
} from "./recording/recording-report.ts";
