// @ts-check
/** @file What many versions cost: issue "Every past version answers", Speed. */
import { benchLanding, benchLongFiles } from "./landing.js";
import { benchLinear } from "./linear.js";
import { benchStorage } from "./storage.js";

/** @type {{ readonly [name: string]: import("../measure.js").Bench }} */
export const VERSIONS = {
  linear: benchLinear,
  landing: benchLanding,
  "long-files": benchLongFiles,
  storage: benchStorage,
};
