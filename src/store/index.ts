/** Bytes at rest: where runs, checkpoints and versions are kept, and how they are read back. */
export { runPaths, STORE_FOLDER, storePaths } from "./layout.ts";
export { findProject } from "./project.ts";
export type { Project } from "./project.ts";
export { bootId, listRunIds, nextOrder, processStart, readManifest } from "./runs.ts";
export { makeFolder, replaceFile, syncName, writeFully } from "./durable.ts";
export { LineFile } from "./line-file.ts";
export { ValueFile } from "./value-file.ts";
export { CheckpointFile, sharedPageMemory } from "./checkpoint-writer.ts";
export type { Extent, Faults, WrittenCheckpoint } from "./checkpoint-writer.ts";
export {
  checkpointLine,
  CheckpointReader,
  listCheckpoints,
  openCheckpoint,
  verifyCheckpoints,
} from "./checkpoint-reader.ts";
export { exportCheckpoint } from "./checkpoint-export.ts";
export { excludeStore, recordVersion } from "./versions.ts";
export { readVersionFiles } from "./version-read.ts";
export type { WantedFile } from "./version-read.ts";
export { checkOutVersion } from "./version-checkout.ts";
export type { CheckedOut } from "./version-checkout.ts";
