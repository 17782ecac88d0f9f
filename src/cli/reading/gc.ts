/**
 * @file `afterlog gc [RUN…] --policy P`: removes checkpoints that the policy does not keep. It never
 * guesses: without a policy there is nothing to do; it says first what would become slower.
 */
import type { PlannedGc } from "../../app/index.ts";
import {
  emptyTrash,
  executeGc,
  findRunsAhead,
  gcReport,
  planGc,
  POLICY_HELP,
  readTrash,
  repairOrder,
} from "../../app/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { describe } from "../annotating/rm.ts";
import { formatBytes, formatCount } from "../terminal/format-units.ts";
import { gcSentence, gcText } from "./gc-view.ts";
import { portsOf } from "../command-ports.ts";
import { NEEDS_CONFIRMATION } from "../replaying/watch-replay.ts";

type GcOptions = OptionsOf<"gc">;

/** Exit code when something could not be removed. */
const SOME_FAILED = 3;

export async function gcCommand(
  context: CliContext,
  references: readonly string[],
  options: GcOptions,
): Promise<number> {
  if (options.trash === true) return emptyTrashCommand(context, references, options);
  if (options.order === true) return repairOrderCommand(context, references, options);
  if (options.policy === undefined) {
    throw new AfterlogError("AL001", "nothing to do without a policy; gc never guesses", {
      notes: ["see first what would go:  afterlog gc --policy peak:accuracy --dry-run"],
      help: POLICY_HELP,
    });
  }
  const ports = portsOf(context);
  const planned = await planGc(ports, { runs: references, policy: options.policy });
  const dryRun = options.dryRun === true;
  const json = (gc: PlannedGc): string => `${JSON.stringify(gcReport(gc, { dryRun }))}\n`;
  const { columns: width, color, named } = context;
  const { plans } = planned;
  if (!context.json) context.out(gcText(planned, { width, color, named }));
  if (dryRun || plans.length === 0) {
    if (context.json) context.out(json(planned));
    else context.out(plans.length === 0 ? "nothing to remove\n" : `${gcSentence(plans, false)}\n`);
    return 0;
  }
  const answer = await confirm(context, `${gcSentence(plans, false)}. Remove?`, options);
  if (answer !== "yes") {
    if (answer === "no") context.err("nothing was removed\n");
    return answer === "no" ? 0 : NEEDS_CONFIRMATION;
  }
  const done = executeGc(ports, planned);
  if (context.json) context.out(json(done));
  else {
    for (const { run, why } of done.failed) context.err(`not removed  ${run}: ${why}\n`);
    if (done.plans.length > 0) context.out(`${gcSentence(done.plans, true)}\n`);
  }
  return done.failed.length === 0 ? 0 : SOME_FAILED;
}

/** A run of the future is the newest until then: it is put before now. */
async function repairOrderCommand(
  context: CliContext,
  references: readonly string[],
  options: GcOptions,
): Promise<number> {
  if (references.length > 0 || options.policy !== undefined) {
    throw new AfterlogError("AL001", "--order is about all runs whose clock was ahead", {
      help: ["see them first:  afterlog gc --order -n"],
    });
  }
  const ports = portsOf(context);
  const runs = findRunsAhead(ports);
  const many = runs.length === 1 ? "1 run" : `${formatCount(runs.length)} runs`;
  if (!context.json) {
    for (const { run, started } of runs) context.out(`${run}  began ${started} by its clock\n`);
  }
  const isDone =
    options.dryRun !== true &&
    runs.length > 0 &&
    (await confirm(context, `Put ${many} before now?`, options));
  if (isDone === "yes") repairOrder(ports, runs);
  if (context.json)
    context.out(`${JSON.stringify({ schema: 1, repaired: isDone === "yes", runs })}\n`);
  else if (runs.length === 0) context.out("no run is more than a day ahead of the clock\n");
  else
    context.out(
      isDone === "yes" ? `${many} put before now\n` : `${many} would be put before now\n`,
    );
  return isDone === "unasked" ? NEEDS_CONFIRMATION : 0;
}

/** What `rm` moved to the trash goes for good, and with it the versions that were kept for it. */
async function emptyTrashCommand(
  context: CliContext,
  references: readonly string[],
  options: GcOptions,
): Promise<number> {
  if (references.length > 0 || options.policy !== undefined) {
    throw new AfterlogError("AL001", "--trash empties the whole trash", {
      help: ["keep a run of it:  afterlog rm --undo RUN", "see it first:  afterlog gc --trash -n"],
    });
  }
  const ports = portsOf(context);
  const { runs } = readTrash(ports);
  const dryRun = options.dryRun === true;
  const bytes = formatBytes(runs.reduce((sum, run) => sum + run.bytes, 0));
  const what = `${runs.length === 1 ? "1 run" : `${formatCount(runs.length)} runs`}, ${bytes}`;
  if (!context.json) for (const run of runs) context.out(`${describe(run)}\n`);
  if (dryRun || runs.length === 0) {
    if (context.json) context.out(`${JSON.stringify({ schema: 1, dry_run: true, runs })}\n`);
    else context.out(runs.length === 0 ? "the trash is empty\n" : `${what} would go for good\n`);
    return 0;
  }
  const answer = await confirm(context, `${what} would go for good. Remove?`, options);
  if (answer !== "yes") {
    if (answer === "no") context.err("nothing was removed\n");
    return answer === "no" ? 0 : NEEDS_CONFIRMATION;
  }
  const done = emptyTrash(ports);
  if (context.json) context.out(`${JSON.stringify({ ...done, dry_run: false })}\n`);
  else {
    for (const [run, why] of Object.entries(done.failed))
      context.err(`not removed  ${run}: ${why}\n`);
    const { length } = done.runs;
    context.out(
      `${formatCount(length)} run${length === 1 ? "" : "s"} and ${formatCount(done.versions)} version${done.versions === 1 ? "" : "s"} removed for good\n`,
    );
  }
  return Object.keys(done.failed).length === 0 ? 0 : SOME_FAILED;
}

async function confirm(
  context: CliContext,
  question: string,
  { yes }: GcOptions,
): Promise<"yes" | "no" | "unasked"> {
  if (yes === true) return "yes";
  if (context.prompt === undefined || context.json) {
    context.err("this needs a yes: there is no terminal to ask on\n  help: add --yes\n");
    return "unasked";
  }
  const answer = await context.prompt(`? ${question} [y/N] › `);
  return /^y/i.test(answer.trim()) ? "yes" : "no";
}
