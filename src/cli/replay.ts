/**
 * @file `afterlog replay NAME…`: shows the plan, asks, executes a canary first, then the rest.
 * Without a terminal nobody can be asked: then `--yes` must say so.
 */
import { makePlan, projectSettings } from "../app/index.ts";
import { cellToJson, planFrame } from "../catalog/index.ts";
import type { Plan } from "../format/index.ts";
import { AfterlogError, withoutTexts } from "../format/index.ts";
import type { Canary } from "../replayer/index.ts";
import { executePlan, scalePlan } from "../replayer/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { formatCount } from "./format-units.ts";
import { planText } from "./plan-view.ts";
import { portsOf, requireProject, withCatalog } from "./project.ts";
import { readPlanFile, readQuestion } from "./question.ts";
import { NEEDS_CONFIRMATION, NEEDS_REVIEW, runSession } from "./replay-session.ts";

type ReplayCommandOptions = OptionsOf<"replay">;

type Start = "canary" | "all" | "no";

export async function replayCommand(
  context: CliContext,
  words: readonly string[],
  given: ReplayCommandOptions,
): Promise<number> {
  const settings = projectSettings(context);
  const canary = given.canary !== false && settings["replay.canary"].value;
  const options = { ...given, canary };
  const plan = await choosePlan(context, words, options);
  if (!context.json) {
    context.out(planText(plan, { width: context.columns, color: context.color }));
  }
  if (plan.runs.length === 0) return nothingToDo(context, plan);
  const start = await confirmStart(context, plan, options);
  if (start === "unasked") return NEEDS_CONFIRMATION;
  if (start === "no") {
    context.err("nothing was started\n");
    return 0;
  }
  const project = requireProject(context);
  const prompt = options.yes === true || context.json ? undefined : context.prompt;
  const { workers } = plan;
  const limit = limitOf(options.maxTime ?? settings["replay.max_time"].value);
  const code = await runSession(context, { project, plan, ...limit }, (session) =>
    executePlan({
      ...session,
      plan,
      workers,
      canary: start === "canary",
      newestFirst: options.newestFirst ?? false,
      ...(prompt
        ? { confirmOthers: (why: string, units: number) => confirmOthers(prompt, why, units) }
        : {}),
      confirmCanary: async (canary) => {
        const goesOn = !prompt || (await confirmRest({ ...session, prompt, canary, plan }));
        return goesOn ? scalePlan(project, plan, canary) : false;
      },
    }),
  );
  if (plan.after !== null) await sayMatching(context, plan);
  return code;
}

/** What could not be asked before the values were there is asked now. */
async function sayMatching(context: CliContext, plan: Plan): Promise<void> {
  const { names, where, after } = plan;
  const found = await withCatalog(context, async ({ connection }) => {
    const { sql } = await planFrame(connection, { names, where: where ?? undefined });
    if (context.json) return connection.rows(sql);
    const [row] = await connection.rows(`SELECT count(*)::DOUBLE AS count FROM (${sql})`);
    return Number(row?.["count"] ?? 0);
  });
  if (typeof found !== "number") {
    // The cells before were all that had to be filled to know these.
    const event = { schema: 1, kind: "matching", where: after, rows: cellToJson(found) };
    context.out(`${JSON.stringify(event)}\n`);
    return;
  }
  const rows = `${formatCount(found)} row${found === 1 ? "" : "s"}`;
  context.out(`  ${rows} with ${after}:  afterlog frame ${names.join(" ")} -w "${where}"\n`);
}

export function limitOf(maxSeconds: number | null): { maxSeconds?: number } {
  return maxSeconds === null ? {} : { maxSeconds };
}

async function choosePlan(
  context: CliContext,
  words: readonly string[],
  options: ReplayCommandOptions,
): Promise<Plan> {
  if (options.plan === undefined) {
    return makePlan(portsOf(context), readQuestion(context, words, options));
  }
  if (words.length > 0 || options.where !== undefined || options.at !== undefined) {
    throw new AfterlogError("AL001", "--plan says already what is asked", {
      help: [`execute it as it is:  afterlog replay --plan ${options.plan}`],
    });
  }
  const plan = readPlanFile(context, options.plan);
  const { jobs = plan.workers, gpus = plan.gpus } = options;
  return { ...plan, workers: jobs, ...(gpus === undefined ? {} : { gpus }) };
}

/** All cells are there, or no run can be replayed. */
function nothingToDo(context: CliContext, plan: Plan): number {
  if (plan.review.length > 0) return needsReview(context, plan);
  const filled = plan.left_out.filter((one) => one.filled === true);
  if (plan.left_out.length > filled.length) {
    const reasons = [...new Set(plan.left_out.map(({ run, why }) => `${run}: ${why}`))];
    throw new AfterlogError("AL034", "no run that is asked can be replayed", {
      notes: reasons.slice(0, 8),
      help: [`see where the statement would go:  afterlog where ${plan.names[0] ?? ""}`],
      data: { left_out: plan.left_out },
    });
  }
  if (context.json) {
    context.out(`${JSON.stringify({ schema: 1, kind: "plan", plan: withoutTexts(plan) })}\n`);
  }
  const names = plan.names.join(" ");
  context.err(
    filled.length > 0
      ? `nothing to do: the cells are filled · afterlog frame ${names}\n`
      : "nothing to do: no run has what is asked for\n",
  );
  return 0;
}

/** What is left waits for somebody to look at it; the plan says where. */
function needsReview(context: CliContext, plan: Plan): number {
  if (context.json) {
    context.out(`${JSON.stringify({ schema: 1, kind: "plan", plan: withoutTexts(plan) })}\n`);
  }
  context.err("nothing was started: look at the landings first\n");
  return NEEDS_REVIEW;
}

/** Canary first, all at once, or not at all; `unasked` if nobody can be asked. */
async function confirmStart(
  context: CliContext,
  plan: Plan,
  options: ReplayCommandOptions,
): Promise<Start | "unasked"> {
  const units = plan.runs.reduce((sum, run) => sum + run.units.length, 0);
  const first: Start = options.canary === false || units < 2 ? "all" : "canary";
  if (options.yes === true) return first;
  if (context.prompt === undefined || context.json) {
    context.err("this needs a yes: there is no terminal to ask on\n  help: add --yes\n");
    return "unasked";
  }
  if (first === "all") {
    const answer = await context.prompt("? Start?  [y]es  [N]o › ");
    return /^[ya]/i.test(answer.trim()) ? "all" : "no";
  }
  const answer = (await context.prompt("? Start?  [c]anary first  [a]ll  [N]o › ")).trim();
  if (/^[cy]/i.test(answer)) return "canary";
  return /^a/i.test(answer) ? "all" : "no";
}

async function confirmOthers(
  prompt: (question: string) => Promise<string>,
  why: string,
  units: number,
): Promise<boolean> {
  const what = units === 1 ? "the other version" : `${formatCount(units)} runs of other versions`;
  const answer = await prompt(`? It failed (${why.split("\n")[0]}). Go on with ${what}? [y/N] › `);
  return /^y/i.test(answer.trim());
}

async function confirmRest(options: {
  readonly say: (text: string) => void;
  readonly prompt: (question: string) => Promise<string>;
  readonly canary: Canary;
  readonly plan: Plan;
}): Promise<boolean> {
  const { canary, plan, prompt } = options;
  const others = plan.runs.reduce((sum, run) => sum + run.units.length, 0) - 1;
  const isSound = canary.first_difference === null && canary.cells.length > 0;
  if (canary.likely_cause !== null) options.say(`        likely: ${canary.likely_cause}`);
  const what = others === 1 ? "the other one" : `the other ${others}`;
  const answer = isSound
    ? await prompt(`? Looks right. Go on with ${what}? [Y/n] › `)
    : await prompt(`? Go on with ${what} all the same? [y/N] › `);
  return isSound ? !/^n/i.test(answer.trim()) : /^y/i.test(answer.trim());
}
