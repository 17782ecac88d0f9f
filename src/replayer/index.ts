/** Plan to values: trees, worker processes, checks, results. */
export { readRunFacts } from "./run-facts.ts";
export { makeTree } from "./tree.ts";
export type { Tree, TreeOptions } from "./tree.ts";
export { runUnit, unitPaths } from "./unit.ts";
export type { UnitOptions, UnitResult } from "./unit.ts";
