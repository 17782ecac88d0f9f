/**
 * @file Files that a run read and that are missing: the plan names them before anything starts. Of those
 * inside the project, the ones that neither lie there nor are in the version of the run.
 */
import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { ANY_FILE } from "../../format/index.ts";
import type { ERROR_CODES, FileRecord, Plan, PlannedRun } from "../../format/index.ts";
import type { Project } from "../../store/index.ts";
import { readManifest, readVersionFiles, runPaths, storePaths } from "../../store/index.ts";
import { readLines } from "../recorded/raw-log.ts";

const CODE: keyof typeof ERROR_CODES = "AL049";

/** Files that are named; there may be thousands. */
const NAMED_MAX = 3;

/** The plan, with a note for each run that lacks something. */
export function noteMissingInputs(project: Project, plan: Plan): Plan {
  const noted = (run: PlannedRun): PlannedRun => {
    const missing = missingInputs(project, run.run);
    return missing.length === 0 ? run : { ...run, notes: [...run.notes, noteOn(missing)] };
  };
  return { ...plan, runs: plan.runs.map(noted), review: plan.review.map(noted) };
}

function missingInputs(project: Project, run: string): string[] {
  const folder = storePaths.run(project.store, run);
  const files = new Set<string>();
  for (const line of readLines(runPaths.log(folder), '{"k":"file"')) {
    const { op, file } = line as unknown as FileRecord;
    if (op === "read" && file !== ANY_FILE) files.add(file);
  }
  const gone = [...files].filter((file) => !existsSync(resolve(project.root, file)));
  const own = new Set(keptByVersion(project, run, gone.filter(isInProject)));
  return gone.filter((file) => !own.has(file));
}

function isInProject(file: string): boolean {
  return !isAbsolute(file) && !file.startsWith("..");
}

function keptByVersion(project: Project, run: string, files: readonly string[]): string[] {
  const { version } = readManifest(storePaths.run(project.store, run));
  if (version === null || files.length === 0) return [];
  const kept = readVersionFiles(
    project,
    files.map((file) => ({ run, version, file })),
  );
  return files.filter((_, at) => kept[at] !== undefined);
}

function noteOn(missing: readonly string[]): string {
  const named = missing.slice(0, NAMED_MAX).join(", ");
  const more = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : "";
  const [is, it] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
  return (
    `${CODE}: ${named}${more} ${is} missing, and the run read ${it}. ` +
    `Help: bring ${it} back; a replay that comes to ${it} stops`
  );
}
