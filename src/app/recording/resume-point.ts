/**
 * @file Where a run that was interrupted would be taken up, and what of it would be done again:
 * `run --resume` goes there, and `show` says what that costs, by the same way.
 */
import type { CheckpointRecord, LoopPath, Manifest } from "../../format/index.ts";
import type { SourceModel } from "../../languages/index.ts";
import type { LostWork, NewestPoint, PlannedPoint, RunFacts } from "../../planner/index.ts";
import { matchLoops, planNewestPoint, planPoint, workBehind } from "../../planner/index.ts";
import { modelOfVersion, readRunFacts } from "../../replayer/index.ts";
import type { Project } from "../../store/index.ts";
import { checkpointsElsewhere, openCheckpoint, storePaths } from "../../store/index.ts";

export interface ResumePoint {
  readonly model: SourceModel;
  /** Undefined: it begins at the program's start. */
  readonly point: NewestPoint | undefined;
  /** Why no checkpoint is used; null if one is. */
  readonly why: string | null;
  readonly lost: LostWork;
}

/** The newest checkpoint of a run from which it can go on. */
export function findResumePoint(project: Project, manifest: Manifest): ResumePoint {
  const folder = storePaths.run(project.store, manifest.run);
  const model = modelOfVersion(project, manifest);
  const isSound = (record: CheckpointRecord): boolean => isReadable(folder, record);
  const facts = readRunFacts(folder);
  const match = matchLoops(model, model);
  const point = planNewestPoint(facts, model, match, isSound);
  const plan = (path: LoopPath): PlannedPoint => planPoint(facts, model, match, path);
  const why = point ? null : (checkpointsElsewhere(folder)?.note ?? whyFromStart(facts, plan));
  return { model, point, why, lost: workBehind(facts, point?.path ?? null) };
}

/** Why no checkpoint is used, as far as the newest tells. */
function whyFromStart(facts: RunFacts, plan: (path: LoopPath) => PlannedPoint): string {
  const newest = [...facts.checkpoints.values()].toSorted((a, b) => b.seq - a.seq)[0];
  if (!newest) return "it has no checkpoint";
  const point = plan(newest.path);
  return "why" in point ? point.why.slice(0, 2).join("; ") : "no checkpoint can be read";
}

/** Reads all of it: a checkpoint that is damaged must not end the training a second time. */
function isReadable(folder: string, record: CheckpointRecord): boolean {
  try {
    using reader = openCheckpoint(folder, record);
    reader.verify();
    return true;
  } catch {
    return false;
  }
}
