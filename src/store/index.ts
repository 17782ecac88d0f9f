/** Bytes at rest: where runs, checkpoints and versions are kept, and how they are read back. */
export { runPaths, STORE_FOLDER, storePaths } from "./layout.ts";
export { findProject } from "./project.ts";
export type { Project } from "./project.ts";
export { bootId, listRunIds, processStart, readManifest } from "./runs.ts";
