/**
 * @file Files that a run read and that its version does not hold: the plan names them before anything
 * starts, where they are missing, and where they looked like secrets and so are only what lies there now.
 */
import { existsSync } from "node:fs";
import { isAbsolute, posix, resolve } from "node:path";
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
    const notes = [...missingInputs(project, run.run), ...secretInputs(project, run.run)];
    return notes.length === 0 ? run : { ...run, notes: [...run.notes, ...notes] };
  };
  return { ...plan, runs: plan.runs.map(noted), review: plan.review.map(noted) };
}

/** Those that neither lie there nor are in the version. */
function missingInputs(project: Project, run: string): string[] {
  const files = filesRead(storePaths.run(project.store, run));
  const gone = [...files].filter((file) => !existsSync(resolve(project.root, file)));
  const own = new Set(keptByVersion(project, run, gone.filter(isInProject)));
  const missing = gone.filter((file) => !own.has(file));
  return missing.length === 0 ? [] : [noteOn(missing)];
}

function filesRead(folder: string): Set<string> {
  const files = new Set<string>();
  for (const line of readLines(runPaths.log(folder), '{"k":"file"')) {
    const { op, file } = line as unknown as FileRecord;
    if (op === "read" && file !== ANY_FILE) files.add(file);
  }
  return files;
}

/** Those that were left out of the version for what they look like. */
function secretInputs({ store }: Project, run: string): string[] {
  const folder = storePaths.run(store, run);
  const { version, sources } = readManifest(folder);
  const leftOut = version?.leftOut ?? [];
  if (version === null || leftOut.length === 0) return [];
  const used = new Set([...filesRead(folder), ...Object.keys(sources)]);
  // The version's files are named from the top of the repository.
  const named = leftOut.map(({ file, what }) => ({
    file: posix.relative(version.folder, file),
    what,
  }));
  return named
    .filter(({ file }) => used.has(file))
    .slice(0, NAMED_MAX)
    .map(({ file, what }) => {
      const why = `it looks like a secret (${what})`;
      return `the run used ${file}, which its version does not hold: ${why}. A replay takes what lies there`;
    });
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
