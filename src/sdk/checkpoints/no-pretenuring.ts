/**
 * @file Has V8 learn nothing of how long objects live while their state is looked at. A walk over the state, and
 * variables that are registered for the time of an iteration, make young objects survive collections; V8 takes that for their
 * nature, and makes all of their kind among the old ones from then on ("pretenuring"). There they are
 * found dead only when all of the memory is collected, with all that they lead to: a program that makes a
 * graph in each step took three times as long for the rest of its life.
 *
 * What was learned before, while data were read and models made, stays. A program that makes very many
 * objects in its loops and keeps them all pays for their being copied twice.
 */
import { setFlagsFromString } from "node:v8";

let isOff = false;

export function stopPretenuring(): void {
  if (isOff) return;
  isOff = true;
  setFlagsFromString("--no-allocation-site-pretenuring");
}
