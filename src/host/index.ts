/** The process that the engine runs in. */
export { freeMemoryBytes } from "./free-memory.ts";
export type { Environment } from "./own-process.ts";
export {
  nodePath,
  nodePlatform,
  ownEnvironment,
  ownPid,
  processExists,
  sendSignal,
  wallClock,
} from "./own-process.ts";
export { testSeams } from "./test-seams.ts";
