/** @file What a shell completes: ids of runs by their folders, and names that the last indexing has noted. */
import { readFileSync } from "node:fs";
import { storePaths } from "../../store/index.ts";
import { projectAround } from "../required-project.ts";
import type { Ports } from "../ports.ts";
import { idsBeginning } from "./find-run.ts";

/** More than anybody looks through. */
const RUNS_MAX = 200;

/** What the index notes of itself, for completion. */
export interface NotedNames {
  /** Arguments and logged names, as columns. */
  readonly names: readonly string[];
  /** Names of runs. */
  readonly runs: readonly string[];
}

/** References of runs that may begin so, newest first. */
export function completableRuns(ports: Pick<Ports, "cwd" | "env">, beginning: string): string[] {
  const { store } = projectAround(ports);
  return ["@", ...notedNames(store).runs, ...idsBeginning(store, beginning, RUNS_MAX)];
}

/** Arguments and logged names, most used first. */
export function completableNames(ports: Pick<Ports, "cwd" | "env">): readonly string[] {
  return notedNames(projectAround(ports).store).names;
}

/** Nothing, where nothing was indexed yet, or the file is not what we write. */
function notedNames(store: string): NotedNames {
  try {
    const noted = JSON.parse(readFileSync(storePaths.names(store), "utf8")) as Partial<NotedNames>;
    const texts = (list: unknown): string[] =>
      Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
    return { names: texts(noted.names), runs: texts(noted.runs) };
  } catch {
    return { names: [], runs: [] };
  }
}
