/** @file `afterlog rm RUN…`: to the trash, and back from it. `gc --trash` empties it. */
import type { TrashedRun, TrashReport } from "../../app/index.ts";
import { bringBackRuns, readTrash, removeRuns } from "../../app/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { formatBytes, formatCount } from "../terminal/format-units.ts";
import { runWords, sayWayBack } from "./way-back.ts";
import { createColors } from "../terminal/terminal-edge.ts";

export async function rmCommand(
  context: CliContext,
  runs: readonly string[],
  { where, undo = false, list = false }: OptionsOf<"rm">,
): Promise<number> {
  const ports = portsOf(context);
  if ((undo || list) && where !== undefined) {
    throw new AfterlogError("AL001", "--where is about runs that are not in the trash", {
      help: ["name what comes back:  afterlog rm --undo RUN", "see it:  afterlog rm --list"],
    });
  }
  const report = list
    ? readTrash(ports)
    : undo
      ? bringBackRuns(ports, runs)
      : await removeRuns(ports, { runs, where });
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else if (list) printTrash(context, report);
  else sayMoved(context, report, undo);
  return 0;
}

function printTrash(context: CliContext, { runs }: TrashReport): void {
  if (runs.length === 0) context.err("the trash is empty\n");
  for (const run of runs) context.out(`${describe(run)}\n`);
  if (runs.length > 0) sayForGood(context);
}

function sayMoved(context: CliContext, { runs }: TrashReport, undo: boolean): void {
  const where = undo ? "is back" : "is in the trash";
  for (const run of runs) context.out(`${describe(run)}  ${where}\n`);
  if (undo) {
    sayWayBack(context, [`rm ${runWords(runs)}`]);
    return;
  }
  sayWayBack(context, [`rm --undo ${runWords(runs)}`]);
  sayForGood(context);
}

function sayForGood(context: CliContext): void {
  const { dim } = createColors(context.errColor);
  context.err(dim("for good:  afterlog gc --trash\n"));
}

/** `train-… and 2 replays of it, 12 MB`. */
export function describe({ run, replays, bytes }: TrashedRun): string {
  const [first] = replays;
  const along =
    first === undefined
      ? ""
      : ` and ${replays.length === 1 ? `its replay ${first}` : `${formatCount(replays.length)} replays of it (${replays.slice(0, 3).join(", ")}${replays.length > 3 ? ", …" : ""})`}`;
  return `${run}${along}, ${formatBytes(bytes)}`;
}
