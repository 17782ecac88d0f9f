/**
 * @file `afterlog check RUN`: executes a run again as it was and compares everything that it logged,
 * and its state where checkpoints tell it.
 */
import { relative } from "node:path";
import { filesOfUnit, planCheck, startReplay } from "../../app/index.ts";
import type { ReplayState } from "../../replayer/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatDuration } from "../terminal/format-units.ts";
import { portsOf } from "../command-ports.ts";
import { watchReplay } from "./watch-replay.ts";
import { checksText, differenceText } from "./replay-summary.ts";
import { createColors } from "../terminal/terminal-edge.ts";

type CheckOptions = OptionsOf<"check">;

export async function checkCommand(
  context: CliContext,
  reference: string,
  options: CheckOptions,
): Promise<number> {
  const ports = portsOf(context, options);
  const { run, plan } = await planCheck(ports, { run: reference, jobs: options.jobs });
  const [left] = plan.left_out;
  if (left) {
    context.err(`${left.run} is not checked: ${left.why}\n`);
    return 1;
  }
  if (!context.json) {
    context.err(`executing ${run} again: about ${formatDuration(plan.seconds * 1000)}\n`);
    for (const note of plan.notes ?? []) context.err(`  ${note}\n`);
  }
  const summarize = (state: ReplayState): string => {
    const different = state.units.find(({ first_difference }) => first_difference !== null);
    const { green, red } = createColors(context.color);
    const isBad = different !== undefined || state.units.some(({ status }) => status === "failed");
    const sign = isBad ? red("✘") : green("✔");
    const lines = [`${sign} ${run}  ${checksText(state)}\n`];
    if (different) lines.push(differenceText(different, { isCheck: true }));
    if (different && options.explain) {
      const { log, stdout } = filesOfUnit(ports, state, different);
      lines.push(`  what it logged this time:  ${relative(context.cwd, log)}\n`);
      lines.push(`  what it printed:  ${relative(context.cwd, stdout)}\n`);
    }
    return lines.join("");
  };
  return watchReplay(context, { plan, summarize }, (session) =>
    startReplay(ports, { plan }, session),
  );
}
