/**
 * @file `afterlog gc [RUN…] --policy P`: removes checkpoints that the policy does not keep. It never
 * guesses: without a policy there is nothing to do; it says first what would become slower.
 */
import type { Connection } from "../catalog/index.ts";
import { literal } from "../catalog/index.ts";
import type { KeepPolicy, LeftOut } from "../format/index.ts";
import { AfterlogError, parsePath } from "../format/index.ts";
import { learnCosts } from "../planner/index.ts";
import { pastReplays } from "../replayer/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import type { GcPlan, LoggedFacts } from "../app/index.ts";
import { busyRuns, entryKey, executeGc, planGc } from "../app/index.ts";
import { gcObject, gcSentence, gcText } from "./gc-view.ts";
import { parsePolicy, POLICY_HELP } from "../app/index.ts";
import { requireProject, withCatalog } from "./project.ts";
import { NEEDS_CONFIRMATION } from "./replay-session.ts";
import { readRunNames, resolveRun } from "../app/index.ts";

type GcOptions = OptionsOf<"gc">;

/** Exit code when something could not be removed. */
const SOME_FAILED = 3;

export async function gcCommand(
  context: CliContext,
  references: readonly string[],
  options: GcOptions,
): Promise<number> {
  if (options.policy === undefined) {
    throw new AfterlogError("AL001", "nothing to do without a policy; gc never guesses", {
      notes: ["see first what would go:  afterlog gc --policy peak:accuracy --dry-run"],
      help: POLICY_HELP,
    });
  }
  const { policy, text } = parsePolicy("--policy", options.policy);
  const { plans, leftOut } = await planAll(context, references, policy);
  const facts = { policy: text, dryRun: options.dryRun === true };
  const { columns: width, color } = context;
  if (!context.json) context.out(gcText(plans, leftOut, { width, color }));
  if (options.dryRun === true || plans.length === 0) {
    if (context.json) context.out(`${JSON.stringify(gcObject(plans, leftOut, facts))}\n`);
    else context.out(plans.length === 0 ? "nothing to remove\n" : `${gcSentence(plans, false)}\n`);
    return 0;
  }
  const answer = await confirm(context, plans, options);
  if (answer !== "yes") {
    if (answer === "no") context.err("nothing was removed\n");
    return answer === "no" ? 0 : NEEDS_CONFIRMATION;
  }
  return executeAll(context, plans, (done, failed) => {
    if (context.json) {
      context.out(`${JSON.stringify(gcObject(done, [...leftOut, ...failed], facts))}\n`);
      return;
    }
    for (const { run, why } of failed) context.err(`not removed  ${run}: ${why}\n`);
    if (done.length > 0) context.out(`${gcSentence(done, true)}\n`);
  });
}

function executeAll(
  context: CliContext,
  plans: readonly GcPlan[],
  report: (done: readonly GcPlan[], failed: readonly LeftOut[]) => void,
): number {
  const project = requireProject(context);
  const nowMs = new Date().getTime();
  const failed: LeftOut[] = [];
  // The user may have thought for a while.
  const busy = busyRuns(project);
  const done = plans.filter((plan) => {
    const why = busy.get(plan.run) ?? executeGc(project, plan, nowMs);
    if (why !== undefined) failed.push({ run: plan.run, why });
    return why === undefined;
  });
  report(done, failed);
  return failed.length === 0 ? 0 : SOME_FAILED;
}

async function confirm(
  context: CliContext,
  plans: readonly GcPlan[],
  { yes }: GcOptions,
): Promise<"yes" | "no" | "unasked"> {
  if (yes === true) return "yes";
  if (context.prompt === undefined || context.json) {
    context.err("this needs a yes: there is no terminal to ask on\n  help: add --yes\n");
    return "unasked";
  }
  const answer = await context.prompt(`? ${gcSentence(plans, false)}. Remove? [y/N] › `);
  return /^y/i.test(answer.trim()) ? "yes" : "no";
}

async function planAll(
  context: CliContext,
  references: readonly string[],
  policy: KeepPolicy,
): Promise<{ plans: GcPlan[]; leftOut: LeftOut[] }> {
  const project = requireProject(context);
  const costs = learnCosts(pastReplays(project.store));
  const question = { project, policy, costs, nowMs: new Date().getTime() };
  return withCatalog(context, async ({ connection }) => {
    const plans: GcPlan[] = [];
    const leftOut: LeftOut[] = [];
    const busy = busyRuns(project);
    for (const run of await runsOf(connection, references)) {
      const logged = await readLogged(connection, run, policy);
      const blind = policy.kind === "peak" && logged.peak === undefined;
      const why = busy.get(run) ?? (blind ? `it has no ${policy.name}` : undefined);
      if (why !== undefined) {
        leftOut.push({ run, why });
        continue;
      }
      const plan = planGc(question, run, logged);
      if (plan.freedBytes > 0) plans.push(plan);
    }
    return { plans, leftOut };
  });
}

/** Those named, each once; all that are no replays if none is. */
async function runsOf(connection: Connection, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) {
    const all = await readRunNames(connection);
    return all.filter(({ kind }) => kind !== "replay").map(({ run }) => run);
  }
  const runs = new Set<string>();
  for (const reference of references) runs.add(await resolveRun(connection, reference));
  return [...runs];
}

async function readLogged(
  connection: Connection,
  run: string,
  policy: KeepPolicy,
): Promise<LoggedFacts> {
  const loops = await connection.rows(`SELECT path, loop, entry, (t / 1000)::DOUBLE AS ms
    FROM loops WHERE run = ${literal(run)}`);
  const entered = loops.map((row): [string, number] => {
    const around = parsePath(String(row["path"])) ?? [];
    return [entryKey(around, String(row["loop"]), Number(row["entry"])), Number(row["ms"])];
  });
  return { entered: new Map(entered), peak: await readPeak(connection, run, policy) };
}

/** Where the best value was logged, in hindsight too, unless its replay was not sound. */
async function readPeak(
  connection: Connection,
  run: string,
  policy: KeepPolicy,
): Promise<LoggedFacts["peak"]> {
  if (policy.kind !== "peak") return undefined;
  const order = policy.best === "max" ? "DESC" : "ASC";
  const [row] = await connection.rows(`SELECT path FROM frame
    WHERE run = ${literal(run)} AND name = ${literal(policy.name)}
      AND number IS NOT NULL AND NOT isnan(number) AND "check" IS DISTINCT FROM 'diverged'
    ORDER BY number ${order}, seq LIMIT 1`);
  return row && parsePath(String(row["path"]));
}
