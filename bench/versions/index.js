// @ts-check
/** @file What many versions cost. */
import {
  benchLanding,
  benchLandingPython,
  benchLongFiles,
  benchLongFilesPython,
} from "./landing.js";
import { benchLinear, benchLinearPython } from "./linear.js";
import { benchRetention } from "./retention.js";
import { benchStorage } from "./storage.js";

/** @type {{ readonly [name: string]: import("../measure.js").Bench }} */
export const VERSIONS = {
  linear: benchLinear,
  landing: benchLanding,
  "long-files": benchLongFiles,
  storage: benchStorage,
  retention: benchRetention,
  "linear-python": benchLinearPython,
  "landing-python": benchLandingPython,
  "long-files-python": benchLongFilesPython,
};
