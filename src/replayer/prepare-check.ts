/**
 * @file A plan that asks for nothing new: the run is executed again as it was, and everything that
 * it logged is compared. With several workers it is cut at its checkpoints, so that restoring them
 * is checked too.
 */
import type { Manifest, Plan } from "../format/index.ts";
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
  const question = { names: [], where: null, after: null, statements: [], overlays: [] };
  const costs = learnCosts(pastReplays(project.store));
  const plan = planQuestion(
    { ...question, runs: [asked], leftOut: [] },
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
export function modelOfVersion(project: Project, { run, version, program }: Manifest): SourceModel {
  return analyzeProgram(program, (file) => {
    return version === null
      ? undefined
      : readVersionFiles(project, [{ run, version, file }])[0]?.text;
  });
}
