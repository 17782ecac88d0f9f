// @ts-check
/** @file Programs that never heard of Afterlog. */
import { benchEmptyLoops, benchLongBodies } from "./loops.js";
import { benchMutation } from "./mutation.js";
import { benchRecording } from "./recording.js";
import { benchRewriting } from "./rewriting.js";
import { benchShapes } from "./shapes.js";
import { benchSizes } from "./sizes.js";

/** @type {{ readonly [name: string]: import("../measure.js").Bench }} */
export const HANDSFREE = {
  iterations: benchEmptyLoops,
  bodies: benchLongBodies,
  rewriting: benchRewriting,
  sizes: benchSizes,
  recording: benchRecording,
  mutation: benchMutation,
  shapes: benchShapes,
};
