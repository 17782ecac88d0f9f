/** @file The project that a question is about, and its catalog. */
import { existsSync } from "node:fs";
import type { Catalog } from "../catalog/index.ts";
import { useCatalog } from "../catalog/index.ts";
import { AfterlogError } from "../format/index.ts";
import type { Project } from "../store/index.ts";
import { findProject, storePaths } from "../store/index.ts";
import type { CatalogUse, Ports } from "./ports.ts";
import { exampleProgram } from "./programs.ts";

/** The project around the folder. Throws AL003 if nothing was ever recorded in it. */
export function requireProject({ cwd, env }: Pick<Ports, "cwd" | "env">): Project {
  const project = findProject(cwd, cwd, env["AFTERLOG_DIR"]);
  if (existsSync(storePaths.runs(project.store)) || existsSync(project.store)) return project;
  throw new AfterlogError("AL003", `there is no Afterlog project in ${cwd}`, {
    notes: ["no folder from here upwards holds a .afterlog folder"],
    help: [
      `record a run first:  afterlog run ${exampleProgram(cwd)}`,
      "or name the folder:  afterlog -C DIR …",
      "or try the example:  afterlog demo",
    ],
  });
}

/** Lends the catalog of the project to `work`. */
export async function withCatalog<T>(
  ports: Ports,
  work: (catalog: Catalog) => Promise<T>,
  use: CatalogUse = {},
): Promise<T> {
  const { store } = requireProject(ports);
  if (ports.lendCatalog) return ports.lendCatalog(store, work, use);
  const notice = ports.notice === undefined ? {} : { notice: ports.notice };
  return useCatalog(store, { ...notice, ...use }, work);
}
