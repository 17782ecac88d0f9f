/**
 * What can be asked and done, as functions from plain input to plain values and events: the command
 * line prints them, a server can send them.
 */
export type { Ports } from "./ports.ts";
export { requireProject, withCatalog } from "./project.ts";
export { exampleProgram, programsIn } from "./programs.ts";
export { readRunNames, resolveRun, splitReference } from "./run-reference.ts";
export { mixedNotes } from "./mixed-statements.ts";
export { mostAsked, searchFirstBad } from "./bisect-search.ts";
export type { Quality } from "./bisect-search.ts";
export { busyRuns, entryKey, executeGc, planGc } from "./gc-run.ts";
export type { GcPlan, LoggedFacts } from "./gc-run.ts";
export { parsePolicy, POLICY_HELP } from "./keep-policy.ts";
