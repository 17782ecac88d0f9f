/** @file `afterlog push REMOTE` and `afterlog pull REMOTE`: runs travel by git. */
import type { ExchangeReport } from "../../app/index.ts";
import { receiveRuns, sendRuns } from "../../app/index.ts";
import type { CliContext } from "../context.ts";
import { formatCount } from "../terminal/format-units.ts";
import { portsOf } from "../command-ports.ts";
import { SOME_FAILED } from "../replaying/watch-replay.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

/** Runs that are named, of those that were not exchanged. */
const SHOWN = 8;

export function pushCommand(context: CliContext, remote: string): Promise<number> {
  const report = sendRuns(portsOf(context), remote);
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else {
    context.out(`${summaryOf(report, { verb: "sent", remote: `to ${remote}` })}\n`);
    context.err(notesOf(report, context, "not sent"));
  }
  return Promise.resolve(exitCode(report));
}

export function pullCommand(context: CliContext, remote: string): Promise<number> {
  const { report, hosts } = receiveRuns(portsOf(context), remote);
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else {
    const { dim } = createColors(context.errColor);
    context.out(`${summaryOf(report, { verb: "received", remote: `from ${remote}` })}\n`);
    context.err(notesOf(report, context, "refused"));
    if (hosts.length > 0) {
      const where = `checkpoints stay on ${hosts.join(", ")}`;
      context.err(dim(`${where}: without them a replay executes a run from its start\n`));
    }
  }
  return Promise.resolve(exitCode(report));
}

function exitCode({ refused }: ExchangeReport): number {
  return Object.keys(refused).length > 0 ? SOME_FAILED : 0;
}

/** `12 runs sent to origin · 3 updated · 5 were there already`. */
function summaryOf(
  { runs, updated, present }: ExchangeReport,
  { verb, remote }: { readonly verb: string; readonly remote: string },
): string {
  const parts = [
    `${pluralRuns(runs.length)} ${verb} ${remote}`,
    ...(updated.length > 0 ? [`${formatCount(updated.length)} that continued since`] : []),
    ...(present > 0 ? [`${formatCount(present)} on both sides already`] : []),
  ];
  return parts.join(" · ");
}

function notesOf(
  { unsealed, refused }: ExchangeReport,
  { errColor }: CliContext,
  verb: string,
): string {
  const { yellow, red } = createColors(errColor);
  const lines = [
    ...Object.entries(unsealed).map(([run, why]) => `${yellow("!")} ${run} is ${verb}: ${why}`),
    ...Object.entries(refused).map(([run, why]) => `${red("✘")} ${run} is ${verb}: ${why}`),
  ];
  const more = lines.length - SHOWN;
  const shown = more > 0 ? [...lines.slice(0, SHOWN), `… and ${formatCount(more)} more`] : lines;
  return shown.map((line) => `${onOneLine(line)}\n`).join("");
}

function pluralRuns(count: number): string {
  return `${formatCount(count)} run${count === 1 ? "" : "s"}`;
}
