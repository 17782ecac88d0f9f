/**
 * @file Runs that came from another machine without their checkpoints (`afterlog pull`): the plan
 * says where these are, since with them a replay would be shorter.
 */
import type { Plan, PlannedRun } from "../../format/index.ts";
import type { Project } from "../../store/index.ts";
import { checkpointsElsewhere, storePaths } from "../../store/index.ts";

/** The plan, with a note for each run that is executed from its start for want of them. */
export function noteRemoteCheckpoints({ store }: Project, plan: Plan): Plan {
  const noted = (run: PlannedRun): PlannedRun => {
    const note = run.from_checkpoint === null ? whereCheckpointsAre(store, run.run) : undefined;
    return note === undefined ? run : { ...run, notes: [...run.notes, note] };
  };
  return { ...plan, runs: plan.runs.map(noted), review: plan.review.map(noted) };
}

function whereCheckpointsAre(store: string, run: string): string | undefined {
  const elsewhere = checkpointsElsewhere(storePaths.run(store, run));
  if (!elsewhere) return undefined;
  return (
    `${elsewhere.note}: it is executed from its start, ` +
    "unless .afterlog/runs/RUN/checkpoints is copied from there"
  );
}
