/**
 * What needs neither the index nor the sources of a program: it is asked by whoever cannot wait,
 * such as a shell that completes a word.
 */
export { initProject } from "./init-project.ts";
export type { InitReport } from "./init-project.ts";
export { exampleProgram } from "./recording/programs.ts";
export { projectAround } from "./required-project.ts";
export { RunLabels } from "./run-labels.ts";
export { completableRuns, completableNames } from "./following/completable.ts";
export { tailRun } from "./following/tail-run.ts";
export type { TailEvent } from "./following/tail-run.ts";
export { watch } from "./following/watch.ts";
export type { WatchEvent } from "./following/watch.ts";
