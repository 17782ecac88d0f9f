/** @file `afterlog hide RUN…`: out of `ls`, and back. */
import { hideRuns } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { formatCount } from "../terminal/format-units.ts";
import { listedRuns, runWords, sayWayBack } from "./way-back.ts";

export async function hideCommand(
  context: CliContext,
  runs: readonly string[],
  { where, undo = false }: OptionsOf<"hide">,
): Promise<number> {
  const reports = await hideRuns(portsOf(context), { runs, where }, !undo);
  if (context.json) {
    context.out(`${JSON.stringify(reports)}\n`);
    return 0;
  }
  const changed = reports.filter(({ hidden, before }) => hidden !== before.hidden);
  const same = reports.length - changed.length;
  const word = undo ? "shown again" : "hidden";
  if (changed.length > 0) context.out(`${word}: ${listedRuns(changed)}\n`);
  if (same > 0) context.err(`${formatCount(same)} ${same === 1 ? "was" : "were"} so already\n`);
  if (changed.length > 0) {
    sayWayBack(context, [`hide ${undo ? "" : "--undo "}${runWords(changed)}`]);
  }
  return 0;
}
