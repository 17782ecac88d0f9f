/**
 * @file A plan that asks for nothing new: the run is executed again as it was, and everything that
 * it logged is compared. With several workers it is cut at its checkpoints, so that restoring them
 * is checked too.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, Plan } from "../format/index.ts";
import { modeOf } from "../format/index.ts";
import type { SourceModel } from "../languages/index.ts";
import { analyzeProgram } from "../languages/index.ts";
import { learnCosts, matchLoops, planQuestion } from "../planner/index.ts";
import type { Project } from "../store/index.ts";
import { readManifest, readVersionFiles, storePaths } from "../store/index.ts";
import { pastReplays } from "./replay-state.ts";
import { readRunFacts } from "./run-facts.ts";

export function prepareCheck(options: {
  readonly project: Project;
  readonly run: string;
  readonly workers: number;
}): Plan {
  const { project, run, workers } = options;
  const folder = storePaths.run(project.store, run);
  const manifest = readManifest(folder);
  const model = modelOfVersion(project, manifest);
  const asked = {
    facts: readRunFacts(folder),
    model,
    placements: model.logs,
    asked: "all" as const,
    match: matchLoops(model, model),
  };
  const question = { names: [], where: null, after: null, statements: [], landings: [] };
  const costs = learnCosts(pastReplays(project.store));
  const plan = planQuestion(
    { ...question, runs: [asked], review: [], leftOut: [] },
    { workers, costs, fromStart: workers < 2 },
  );
  if (manifest.kind === "fork") {
    const why = `it is a fork: what it began with is in ${manifest.parent ?? "another run"}`;
    return { ...plan, runs: [], left_out: [{ run, why }] };
  }
  // Why it takes what it takes is of no interest here; no statement is added.
  return { ...plan, runs: plan.runs.map((planned) => ({ ...planned, notes: [], probes: [] })) };
}

/** The model of the source as the run executed it. */
export function modelOfVersion(project: Project, manifest: Manifest): SourceModel {
  const { run, version, program } = manifest;
  const read = (file: string): string | undefined => {
    const same = unchangedText(project, file, manifest.sources[file]);
    if (same !== undefined || version === null) return same;
    return readVersionFiles(project, [{ run, version, file }])[0]?.text;
  };
  const model = analyzeProgram(program, read, modeOf(manifest));
  return knowingWhatWasLoaded(model, manifest);
}

/** The text in the working tree, if it is the one that was loaded: git need not be asked. */
function unchangedText(
  { root }: Project,
  file: string,
  sha256: string | undefined,
): string | undefined {
  const path = join(root, file);
  if (sha256 === undefined || !existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  return createHash("sha256").update(bytes).digest("hex") === sha256 ? bytes.toString() : undefined;
}

const CODE = /\.[cm]?[jt]sx?$/;

/**
 * A source of the project that the run loaded and the analysis did not come to (by `#name`, as a
 * package of the workspace) may hold state that nobody captured.
 */
export function knowingWhatWasLoaded(model: SourceModel, { sources }: Manifest): SourceModel {
  const files = new Set(model.files);
  const missed = Object.keys(sources).filter((file) => CODE.test(file) && !files.has(file));
  if (missed.length === 0) return model;
  const why = missed.map((file) => `${file} was loaded by an import that cannot be followed`);
  return { ...model, uncertain: [...model.uncertain, ...why] };
}
