/**
 * @file A plan that asks for nothing new: the run is executed again as it was, and everything that
 * it logged is compared. With several workers it is cut at its checkpoints, so that restoring them
 * is checked too.
 */
import type { Manifest, Plan } from "../../format/index.ts";
import { AfterlogError, modeOf, whyNotAlone } from "../../format/index.ts";
import type { SourceModel } from "../../languages/index.ts";
import { analyzeProgram, isSource } from "../../languages/index.ts";
import { learnCosts, matchLoops, planQuestion } from "../../planner/index.ts";
import type { Project } from "../../store/index.ts";
import { readManifest, storePaths } from "../../store/index.ts";
import { pastReplays } from "../execution/replay-state.ts";
import { readRunFacts } from "../recorded/run-facts.ts";
import { loadedFiles, VersionTexts } from "../propagation/version-texts.ts";
import { WorkingTree } from "../propagation/working-tree.ts";

export function buildCheckPlan(options: {
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
  const fork = `it is a fork: what it began with is in ${manifest.parent ?? "another run"}`;
  const why = manifest.kind === "fork" ? fork : whyNotAlone(manifest);
  if (why !== undefined) {
    return { ...plan, runs: [], left_out: [{ run, why }] };
  }
  // Why it takes what it takes is of no interest here; no statement is added. Everything is compared:
  // whether the program does the same again is what is asked.
  return { ...plan, runs: plan.runs.map((planned) => ({ ...planned, notes: [], probes: [] })) };
}

/** The model of the source as the run executed it. Throws AL045 if its version cannot be read. */
export function modelOfVersion(project: Project, manifest: Manifest): SourceModel {
  const { run, version, program } = manifest;
  const mode = modeOf(manifest);
  const texts = new VersionTexts(project, new WorkingTree(project, [], mode).text);
  texts.read([{ manifest, files: loadedFiles(manifest).filter(isSource) }]);
  const read = (file: string): string | undefined => texts.textOf(manifest, file);
  const model = analyzeProgram(program, read, mode);
  const problem = version === null ? undefined : texts.problem(manifest);
  if (problem !== undefined) {
    throw new AfterlogError("AL045", `the source of ${run} cannot be brought back: ${problem}`, {
      help: [`look for its version in the repository:  git show refs/afterlog/runs/${run}`],
      data: { run },
    });
  }
  return withUnfollowedSources(model, manifest);
}

/**
 * A source of the project that the run loaded and the analysis did not come to (by `#name`, as a
 * package of the workspace) may hold state that nobody captured.
 */
export function withUnfollowedSources(model: SourceModel, manifest: Manifest): SourceModel {
  const files = new Set(model.files);
  const missed = loadedFiles(manifest).filter((file) => isSource(file) && !files.has(file));
  if (missed.length === 0) return model;
  const why = missed.map((file) => `${file} was loaded by an import that cannot be followed`);
  return { ...model, uncertain: [...model.uncertain, ...why] };
}
