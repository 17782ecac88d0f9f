/** @file `afterlog push REMOTE` and `afterlog pull REMOTE`: runs travel by git. */
import pc from "picocolors";
import type { Exchanged, Project } from "../store/index.ts";
import {
  findProject,
  pullRuns,
  pushRuns,
  readManifest,
  runPaths,
  storePaths,
} from "../store/index.ts";
import { existsSync } from "node:fs";
import type { CliContext } from "./context.ts";
import { formatCount } from "./format-units.ts";
import { requireProject } from "./project.ts";
import { SOME_FAILED } from "./replay-session.ts";

/** Runs that are named, of those that were not exchanged. */
const SHOWN = 8;

export function pushCommand(context: CliContext, remote: string): Promise<number> {
  const project = requireProject(context);
  const exchanged = pushRuns({ project, remote, cwd: context.cwd });
  if (context.json) printJson(context, exchanged);
  else {
    context.out(`${summaryOf(exchanged, { verb: "sent", remote: `to ${remote}` })}\n`);
    context.err(notesOf(exchanged, context, "not sent"));
  }
  return Promise.resolve(exchanged.refused.size > 0 ? SOME_FAILED : 0);
}

/** Unlike other commands it may come before the first run: then it makes the store. */
export function pullCommand(context: CliContext, remote: string): Promise<number> {
  const project = findProject(context.cwd, context.cwd, context.env["AFTERLOG_DIR"]);
  const exchanged = pullRuns({ project, remote, cwd: context.cwd });
  if (context.json) printJson(context, exchanged);
  else {
    const { dim } = pc.createColors(context.errColor);
    context.out(`${summaryOf(exchanged, { verb: "received", remote: `from ${remote}` })}\n`);
    context.err(notesOf(exchanged, context, "refused"));
    const hosts = hostsOf(project, exchanged.runs);
    if (hosts.length > 0) {
      const where = `checkpoints stay on ${hosts.join(", ")}`;
      context.err(dim(`${where}: without them a replay executes a run from its start\n`));
    }
  }
  return Promise.resolve(exchanged.refused.size > 0 ? SOME_FAILED : 0);
}

/** `12 runs sent to origin · 3 updated · 5 were there already`. */
function summaryOf(
  { runs, updated, present }: Exchanged,
  { verb, remote }: { readonly verb: string; readonly remote: string },
): string {
  const parts = [
    `${plural(runs.length)} ${verb} ${remote}`,
    ...(updated.length > 0 ? [`${formatCount(updated.length)} that went on since`] : []),
    ...(present > 0 ? [`${formatCount(present)} on both sides already`] : []),
  ];
  return parts.join(" · ");
}

function notesOf({ unsealed, refused }: Exchanged, { errColor }: CliContext, verb: string): string {
  const { yellow, red } = pc.createColors(errColor);
  const lines = [
    ...[...unsealed].map(([run, why]) => `${yellow("!")} ${run} is ${verb}: ${why}`),
    ...[...refused].map(([run, why]) => `${red("✘")} ${run} is ${verb}: ${why}`),
  ];
  const more = lines.length - SHOWN;
  const shown = more > 0 ? [...lines.slice(0, SHOWN), `… and ${formatCount(more)} more`] : lines;
  return shown.map((line) => `${line}\n`).join("");
}

/** The other machines that have checkpoints of runs which have none here. */
function hostsOf({ store }: Project, runs: readonly string[]): string[] {
  const hosts = runs.flatMap((run) => {
    const folder = storePaths.run(store, run);
    const { host, overhead } = readManifest(folder);
    const isElsewhere =
      (overhead?.checkpoints ?? 0) > 0 && !existsSync(runPaths.checkpoints(folder));
    return isElsewhere ? [host.name] : [];
  });
  return [...new Set(hosts)];
}

function printJson(
  context: CliContext,
  { runs, updated, present, unsealed, refused }: Exchanged,
): void {
  const lists = { unsealed: Object.fromEntries(unsealed), refused: Object.fromEntries(refused) };
  context.out(`${JSON.stringify({ schema: 1, runs, updated, present, ...lists })}\n`);
}

function plural(count: number): string {
  return `${formatCount(count)} run${count === 1 ? "" : "s"}`;
}
