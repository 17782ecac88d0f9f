/**
 * @file `afterlog check RUN`: executes a run again as it was and compares everything that it logged,
 * and its state where checkpoints tell it.
 */
import pc from "picocolors";
import { executePlan, prepareCheck, unitPaths } from "../replayer/index.ts";
import type { ReplayState, UnitState } from "../replayer/index.ts";
import { storePaths } from "../store/index.ts";
import { join, relative } from "node:path";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { formatDuration } from "./format-units.ts";
import { requireProject, withCatalog } from "./project.ts";
import { runSession } from "./replay-session.ts";
import { checksText, differenceText } from "./replay-summary.ts";
import { resolveRun } from "../app/index.ts";

type CheckOptions = OptionsOf<"check">;

export async function checkCommand(
  context: CliContext,
  reference: string,
  options: CheckOptions,
): Promise<number> {
  const project = requireProject(context);
  const run = await withCatalog(context, ({ connection }) => resolveRun(connection, reference));
  const workers = options.jobs ?? 1;
  const plan = prepareCheck({ project, run, workers });
  const [left] = plan.left_out;
  if (left) {
    context.err(`${left.run} is not checked: ${left.why}\n`);
    return 1;
  }
  if (!context.json) {
    context.err(`executing ${run} again: about ${formatDuration(plan.seconds * 1000)}\n`);
  }
  const summarize = (state: ReplayState): string => {
    const units = state.units.map((unit) => ({
      unit,
      folder: unitFolder(project.store, state, unit),
    }));
    const different = units.find(({ unit }) => unit.first_difference !== null);
    const { green, red } = pc.createColors(context.color);
    const isBad = different !== undefined || units.some(({ unit }) => unit.status === "failed");
    const sign = isBad ? red("✘") : green("✔");
    const lines = [`${sign} ${run}  ${checksText(state)}\n`];
    if (different) lines.push(differenceText(different.unit, { isCheck: true }));
    if (different && options.explain) {
      const out = relative(context.cwd, unitPaths.out(different.folder));
      lines.push(`  what it logged this time:  ${join(out, "log.jsonl")}\n`);
      lines.push(
        `  what it printed:  ${relative(context.cwd, unitPaths.stdout(different.folder))}\n`,
      );
    }
    return lines.join("");
  };
  return runSession(context, { project, plan, summarize }, (session) =>
    executePlan({ ...session, plan, workers, canary: false }),
  );
}

function unitFolder(store: string, state: ReplayState, unit: UnitState): string {
  const index = state.units.indexOf(unit);
  return join(storePaths.replays(store), state.replay, "units", String(index));
}
