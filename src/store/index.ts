/** Bytes at rest: where runs, checkpoints and versions are kept, and how they are read back. */
export { runPaths, STORE_FOLDER, storePaths } from "./store-paths.ts";
export { findProject, realProgram } from "./project.ts";
export { readSettingsFile, SETTINGS_FILE } from "./settings-file.ts";
export type { Project } from "./project.ts";
export { checkpointsElsewhere } from "./checkpoints/checkpoints-host.ts";
export type { CheckpointsElsewhere } from "./checkpoints/checkpoints-host.ts";
export { bootId, isAlive, listRunIds, nextOrder, processStart, readManifest } from "./runs.ts";
export { placeBeforeNow, runsAhead } from "./runs.ts";
export { atLeastOne, makeFolder, replaceFile, syncName, writeFully } from "./durable.ts";
export { fileFingerprint, SAMPLED_BYTES_MIN, WHOLE_BYTES_MAX } from "./file-fingerprint.ts";
export type { FileFingerprint } from "./file-fingerprint.ts";
export { noteRestore, restoreFactor } from "./rates.ts";
export type { RateKey } from "./rates.ts";
export { annotate, readRunAnnotations, annotationsStamp } from "./annotations.ts";
export type { RunChange } from "./annotations.ts";
export { readAlerts, watchForAlerts, writeAlert } from "./alerts.ts";
export { listTrash, moveFromTrash, moveToTrash, removeFromTrash } from "./trash.ts";
export { removeVersion } from "./versions/version-remove.ts";
export { LineFile } from "./line-file.ts";
export { lineEndBefore, LogFollower, recordsBackwards } from "./log-tail.ts";
export { ValueFile } from "./checkpoints/value-file.ts";
export { CheckpointFile, sharedPageMemory } from "./checkpoints/checkpoint-writer.ts";
export type { Extent, Faults, WrittenCheckpoint } from "./checkpoints/checkpoint-writer.ts";
export {
  CheckpointIndex,
  listCheckpoints,
  readCheckpointIndex,
} from "./checkpoints/checkpoint-index.ts";
export {
  CheckpointReader,
  openCheckpoint,
  verifyCheckpoints,
} from "./checkpoints/checkpoint-reader.ts";
export {
  findLeftovers,
  removeCheckpoints,
  removeLeftovers,
} from "./retention/remove-checkpoints.ts";
export type { Leftover } from "./retention/remove-checkpoints.ts";
export { chooseRemoved } from "./retention/retention-policy.ts";
export type { RetainedCheckpoint } from "./retention/retention-references.ts";
export { exportCheckpoint } from "./checkpoints/checkpoint-export.ts";
export { preparePush, pullRuns, pushRuns, remoteAddress } from "./exchange/push-pull.ts";
export { readReceived } from "./received.ts";
export type { ReceivedFrom } from "./received.ts";
export type { Exchanged } from "./exchange/push-pull.ts";
export type { PushContents, SecretFile } from "./exchange/push-contents.ts";
export { prepareBranch } from "./versions/version-branch.ts";
export type { PreparedBranch } from "./versions/version-branch.ts";
export { stripVersion } from "./versions/version-strip.ts";
export { excludeStore, keepSource, recordVersion } from "./versions/versions.ts";
export { formatBytes } from "./versions/version-files.ts";
export { readVersionFiles } from "./versions/version-read.ts";
export type { KeptFile } from "./versions/version-read.ts";
export { diffVersions, headCommit } from "./versions/version-diff.ts";
export type { VersionDiff } from "./versions/version-diff.ts";
export { checkOutVersion } from "./versions/version-checkout.ts";
export type { CheckedOut } from "./versions/version-checkout.ts";
