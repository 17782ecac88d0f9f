/** @file `afterlog push REMOTE` and `afterlog pull REMOTE`: runs travel by git. */
import type { ExchangeReport, PreparedRuns } from "../../app/index.ts";
import { findRunsAhead, prepareRuns, receiveRuns, stripSecrets } from "../../app/index.ts";
import type { PushContents } from "../../store/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatCount } from "../terminal/format-units.ts";
import { pushText, secretsText } from "./push-view.ts";
import { portsOf } from "../command-ports.ts";
import { SOME_FAILED } from "../replaying/watch-replay.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

/** Runs that are named, of those that were not exchanged. */
const SHOWN = 8;

type PushOptions = OptionsOf<"push">;

export async function pushCommand(
  context: CliContext,
  remote: string,
  options: PushOptions,
): Promise<number> {
  const { contents, secrets, allow, send } = prepare(context, remote, options);
  if (options.dryRun && context.json) {
    context.out(`${JSON.stringify({ schema: 1, ...contents, secrets })}\n`);
  } else if (!context.json)
    context.out(
      pushText(contents, {
        remote,
        width: context.columns,
        color: context.color,
        named: context.named,
      }),
    );
  if (!context.json) context.err(secretsText({ secrets, allow }, { context, remote }));
  if (options.dryRun) return Object.keys(secrets).length > 0 ? SOME_FAILED : 0;
  if (!(await confirmed(context, contents, options))) return 0;
  const report = send();
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else {
    const refused = Object.entries(report.refused).filter(([run]) => !Object.hasOwn(secrets, run));
    const others = { ...report, refused: Object.fromEntries(refused) };
    context.out(`${summaryOf(report, { verb: "sent", remote: `to ${remote}` })}\n`);
    context.err(notesOf(others, context, "not sent"));
  }
  return exitCode(report);
}

/** What is to be sent; where it was asked for, without what looks like a secret in versions. */
function prepare(context: CliContext, remote: string, options: PushOptions): PreparedRuns {
  const ports = portsOf(context);
  const prepared = prepareRuns(ports, remote);
  const runs = Object.entries(prepared.secrets)
    .map(([run, found]) => [run, found.filter(({ inLog }) => inLog !== true)] as const)
    .filter(([, found]) => found.length > 0);
  if (!options.withoutSecrets || options.dryRun || runs.length === 0) return prepared;
  stripSecrets(ports, prepared.secrets);
  const files = [...new Set(runs.flatMap(([, found]) => found.map(({ file }) => file)))];
  const where = `${formatCount(runs.length)} version${runs.length === 1 ? "" : "s"}`;
  const said = `taken out of ${where} here: ${files.join(", ")}`;
  context.err(`${onOneLine(said)}; git keeps the old objects until  git gc --prune=now\n`);
  return prepareRuns(ports, remote);
}

/** Whether to send files that are in git and look like secrets: a person is asked. */
async function confirmed(
  context: CliContext,
  { tracked }: PushContents,
  { yes }: PushOptions,
): Promise<boolean> {
  if (tracked.length === 0 || yes || context.json || !context.prompt) return true;
  const answer = await context.prompt("? Send these as well? [y/N] › ");
  if (/^y/i.test(answer.trim())) return true;
  context.err("nothing was sent\n");
  return false;
}

export function pullCommand(context: CliContext, remote: string): Promise<number> {
  const { report, hosts } = receiveRuns(portsOf(context), remote);
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else {
    const { dim } = createColors(context.errColor);
    context.out(`${summaryOf(report, { verb: "received", remote: `from ${remote}` })}\n`);
    context.err(notesOf(report, context, "refused"));
    if (report.trusted === false && report.runs.length > 0) {
      const how = `afterlog trust ${remote}`;
      context.err(dim(`they can be read now; their code is executed once you say so: ${how}\n`));
    }
    const ahead = findRunsAhead(portsOf(context)).length;
    if (ahead > 0) {
      const are = ahead === 1 ? "1 run here was" : `${formatCount(ahead)} runs here were`;
      const how = "afterlog gc --order";
      context.err(
        dim(`${are} recorded with a clock that was ahead, and come after these: ${how}\n`),
      );
    }
    if (hosts.length > 0) {
      const where = `checkpoints stay on ${hosts.join(", ")}`;
      context.err(dim(`${where}: without them a replay executes a run from its start\n`));
    }
  }
  return Promise.resolve(exitCode(report));
}

function exitCode({ refused, annotations_refused: why }: ExchangeReport): number {
  return Object.keys(refused).length > 0 || why !== null ? SOME_FAILED : 0;
}

/** `12 runs sent to origin · 3 updated · 5 were there already`. */
function summaryOf(
  { runs, updated, present, annotations }: ExchangeReport,
  { verb, remote }: { readonly verb: string; readonly remote: string },
): string {
  const parts = [
    `${pluralRuns(runs.length)} ${verb} ${remote}`,
    ...(updated.length > 0 ? [`${formatCount(updated.length)} that continued since`] : []),
    ...(annotations > 0
      ? [`${formatCount(annotations)} new of tags, notes, names and alerts`]
      : []),
    ...(present > 0 ? [`${formatCount(present)} on both sides already`] : []),
  ];
  return parts.join(" · ");
}

function notesOf(
  { unsealed, refused, annotations_refused: why }: ExchangeReport,
  { errColor }: CliContext,
  verb: string,
): string {
  const { yellow, red } = createColors(errColor);
  const lines = [
    ...Object.entries(unsealed).map(([run, why]) => `${yellow("!")} ${run} is ${verb}: ${why}`),
    ...Object.entries(refused).map(([run, why]) => `${red("✘")} ${run} is ${verb}: ${why}`),
  ];
  if (why !== null) lines.push(`${red("✘")} tags, notes, names and alerts are ${verb}: ${why}`);
  const more = lines.length - SHOWN;
  const shown = more > 0 ? [...lines.slice(0, SHOWN), `… and ${formatCount(more)} more`] : lines;
  return shown.map((line) => `${onOneLine(line)}\n`).join("");
}

function pluralRuns(count: number): string {
  return `${formatCount(count)} run${count === 1 ? "" : "s"}`;
}
