/** @file What executing something does, from harmless to harmful, as far as every language has it. */
import type { Effect } from "./parsed-file.ts";

const HARM: readonly Effect[] = ["none", "clock", "calls", "changes"];

export function worseOf(one: Effect, other: Effect): Effect {
  return HARM.indexOf(other) > HARM.indexOf(one) ? other : one;
}

/** A name that says of a function that it trains, or logs, or goes over the data in a loop. */
export function isTrainingName(name: string): boolean {
  return /^(?:train|fit|optimi[sz]e|update|backprop|log|loop|checkpointing)(?![a-z])/.test(name);
}
