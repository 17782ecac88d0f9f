/** @file The order of runs, where one was recorded with a clock that was ahead: it would be the newest for years. */
import { placeBeforeNow, readManifest, runsAhead, storePaths } from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";

/** A run of the future, as JSON. */
export interface RunAhead {
  readonly run: string;
  /** As its clock had it. */
  readonly started: string;
}

/** Those further ahead than a day, the first one first. */
export function findRunsAhead(ports: Ports): RunAhead[] {
  const { store } = requireProject(ports);
  return runsAhead(store, ports.now().getTime()).map(({ run }) => {
    return { run, started: readManifest(storePaths.run(store, run)).started };
  });
}

/** Puts them right before now, as they follow each other. */
export function repairOrder(ports: Ports, runs: readonly RunAhead[]): void {
  const { store } = requireProject(ports);
  placeBeforeNow(
    store,
    runs.map(({ run }) => run),
    ports.now().getTime(),
  );
}
