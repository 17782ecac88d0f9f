/** @file The project that a question is about. */
import { existsSync } from "node:fs";
import { AfterlogError } from "../format/index.ts";
import type { Project } from "../store/index.ts";
import { findProject, storePaths } from "../store/index.ts";
import type { Ports } from "./ports.ts";
import { exampleProgram } from "./recording/programs.ts";

/** The project around the folder, be it that nothing was ever recorded in it. */
export function projectAround({ cwd, env }: Pick<Ports, "cwd" | "env">): Project {
  return findProject(cwd, cwd, env["AFTERLOG_DIR"]);
}

/** The project around the folder. Throws AL003 if nothing was ever recorded in it. */
export function requireProject(ports: Pick<Ports, "cwd" | "env">): Project {
  const { cwd } = ports;
  const project = projectAround(ports);
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
