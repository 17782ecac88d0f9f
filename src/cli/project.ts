/** @file The project a reading command is about, and its catalog. */
import { existsSync } from "node:fs";
import type { Catalog } from "../catalog/index.ts";
import { useCatalog } from "../catalog/index.ts";
import { AfterlogError } from "../format/index.ts";
import type { Project } from "../store/index.ts";
import { findProject, storePaths } from "../store/index.ts";
import type { CliContext } from "./context.ts";
import { exampleProgram } from "./programs.ts";

/** The project around the current folder. Throws AL003 if nothing was ever recorded in it. */
export function requireProject(context: CliContext): Project {
  const project = findProject(context.cwd, context.cwd, context.env["AFTERLOG_DIR"]);
  if (existsSync(storePaths.runs(project.store)) || existsSync(project.store)) return project;
  throw new AfterlogError("AL003", `there is no Afterlog project in ${context.cwd}`, {
    notes: ["no folder from here upwards holds a .afterlog folder"],
    help: [
      `record a run first:  afterlog run ${exampleProgram(context.cwd)}`,
      "or name the folder:  afterlog -C DIR …",
      "or try the example:  afterlog demo",
    ],
  });
}

/**
 * Opens the catalog of the project for `work`, and closes it after. `work` prints to the context
 * it is given: as long as it has printed nothing, it can be repeated on an index built again.
 */
export async function withCatalog<T>(
  context: CliContext,
  work: (catalog: Catalog, context: CliContext) => Promise<T>,
  allowed: readonly string[] = [],
): Promise<T> {
  const { store } = requireProject(context);
  let printed = false;
  const watched: CliContext = {
    ...context,
    out: (text) => {
      printed = true;
      context.out(text);
    },
  };
  const notice = (text: string): void => {
    if (context.verbose) context.err(`${text}\n`);
  };
  const options = { notice, allowed, isRepeatable: () => !printed };
  return useCatalog(store, options, (catalog) => work(catalog, watched));
}
