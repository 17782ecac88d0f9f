/**
 * @file `afterlog replay NAME…`: shows the plan, asks, executes a canary first, then the rest.
 * Without a terminal nobody can be asked: then `--yes` must say so.
 */
import { countMatching, readinessOf, readMatching, startReplay } from "../../app/index.ts";
import { makePlan, projectSettings, readPlanFile } from "../../app/read.ts";
import type { Plan } from "../../format/index.ts";
import { AfterlogError, withoutTexts } from "../../format/index.ts";
import type { Canary } from "../../replayer/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { formatCount } from "../terminal/format-units.ts";
import { planText } from "./plan-view.ts";
import { portsOf } from "../command-ports.ts";
import { readQuestion } from "./question.ts";
import { frameWords } from "./replay-values.ts";
import { NEEDS_CONFIRMATION, NEEDS_REVIEW, watchReplay } from "./watch-replay.ts";

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
    context.out(planText(plan, { width: context.columns, ...context }));
  }
  const readiness = readinessOf(plan);
  if (readiness !== "ready") return nothingToDo(context, plan, readiness);
  const start = await confirmStart(context, plan, options);
  if (start === "unasked") return NEEDS_CONFIRMATION;
  if (start === "no") {
    context.err("nothing was started\n");
    return 0;
  }
  const isAsked = options.yes !== true && options.awaitGo !== true && !context.json;
  const prompt = isAsked ? context.prompt : undefined;
  const maxSeconds = options.maxTime ?? settings["replay.max_time"].value ?? undefined;
  const { newestFirst, awaitGo } = options;
  const code = await watchReplay(context, { plan, maxSeconds, awaitGo }, (session) =>
    startReplay(
      portsOf(context, options),
      {
        plan,
        canary: start === "canary",
        awaitGo,
        newestFirst,
        confirmOthers: prompt && ((why, units) => confirmOthers(prompt, why, units)),
        confirmCanary: prompt && ((canary) => confirmRest({ ...session, prompt, canary, plan })),
      },
      session,
    ),
  );
  if (plan.after !== null) await sayMatching(context, plan);
  return code;
}

/** What could not be asked before the values were there is asked now. */
async function sayMatching(context: CliContext, plan: Plan): Promise<void> {
  const ports = portsOf(context);
  if (context.json) {
    // The cells before were all that had to be filled to know these.
    context.out(`${JSON.stringify(await readMatching(ports, plan))}\n`);
    return;
  }
  const { names, where, after } = plan;
  const count = await countMatching(ports, plan);
  const rows = `${formatCount(count)} row${count === 1 ? "" : "s"}`;
  context.out(`  ${rows} with ${after}:  afterlog frame ${frameWords(names)} -w "${where}"\n`);
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
  const plan = readPlanFile(portsOf(context), options.plan);
  const { jobs = plan.workers, gpus = plan.gpus } = options;
  return { ...plan, workers: jobs, ...(gpus === undefined ? {} : { gpus }) };
}

/** All cells are there, or what is left waits for somebody to look at it; the plan says where. */
function nothingToDo(
  context: CliContext,
  plan: Plan,
  why: Exclude<ReturnType<typeof readinessOf>, "ready">,
): number {
  if (context.json) {
    context.out(`${JSON.stringify({ schema: 1, kind: "plan", plan: withoutTexts(plan) })}\n`);
  }
  const words = frameWords(plan.names);
  switch (why) {
    case "review":
      context.err("nothing was started: look at the landings first\n");
      return NEEDS_REVIEW;
    case "filled":
      context.err(`nothing to do: ${whatIsFilled(plan)} · afterlog frame ${words}\n`);
      return 0;
    case "none":
      context.err("nothing to do: no run has what is asked for\n");
      return 0;
  }
}

function whatIsFilled({ left_out: leftOut }: Plan): string {
  if (leftOut.every(({ filled }) => filled === true)) return "the cells are filled";
  return "the runs that can be replayed have the values";
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
  const answer = (
    await context.prompt("? Start?  [c]anary, one part first  [a]ll  [N]o › ")
  ).trim();
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
