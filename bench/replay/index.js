// @ts-check
/** @file How fast replays are, and how well they are predicted. */
import { benchParallel } from "./parallel.js";
import { benchPlanning } from "./planning.js";
import { benchPredicted } from "./predicted.js";
import { benchScans } from "./scans.js";

/** @type {{ readonly [name: string]: import("../measure.js").Bench }} */
export const REPLAY = {
  scans: benchScans,
  parallel: benchParallel,
  predicted: benchPredicted,
  planning: benchPlanning,
};
