/**
 * @file Files outside the project that a run read and that are gone: no version keeps them, so the plan
 * names them before anything starts. Those of the project are met when its tree is made.
 */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { ERROR_CODES, FileRecord, Plan, PlannedRun } from "../../format/index.ts";
import type { Project } from "../../store/index.ts";
import { runPaths, storePaths } from "../../store/index.ts";
import { readLines } from "../recorded/raw-log.ts";

const CODE: keyof typeof ERROR_CODES = "AL049";

/** Files that are named; there may be thousands. */
const NAMED_MAX = 3;

/** The plan, with a note for each run that lacks something. */
export function noteMissingInputs({ store }: Project, plan: Plan): Plan {
  const noted = (run: PlannedRun): PlannedRun => {
    const missing = missingInputs(storePaths.run(store, run.run));
    return missing.length === 0 ? run : { ...run, notes: [...run.notes, noteOn(missing)] };
  };
  return { ...plan, runs: plan.runs.map(noted), review: plan.review.map(noted) };
}

function missingInputs(runFolder: string): string[] {
  const files = new Set<string>();
  for (const line of readLines(runPaths.log(runFolder), '{"k":"file"')) {
    const { op, file } = line as unknown as FileRecord;
    if (op === "read" && isAbsolute(file)) files.add(file);
  }
  return [...files].filter((file) => !existsSync(file));
}

function noteOn(missing: readonly string[]): string {
  const named = missing.slice(0, NAMED_MAX).join(", ");
  const more = missing.length > NAMED_MAX ? ` and ${missing.length - NAMED_MAX} more` : "";
  const [is, it] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
  return (
    `${CODE}: ${named}${more} ${is} not there any more, and the run read ${it}. ` +
    `Help: bring ${it} back; a replay that comes to ${it} stops`
  );
}
