/** @file `afterlog alert add|test|arm|ls|rm|watch`: conditions that runs are held to. */
import { setPriority } from "node:os";
import type { AlertReport } from "../../app/index.ts";
import {
  addAlert,
  armAlert,
  findAlert,
  listAlerts,
  planAlertTest,
  removeAlert,
  startReplay,
  testAlert,
  watchAlerts,
} from "../../app/index.ts";
import type { Plan } from "../../format/index.ts";
import { AfterlogError, nearestName } from "../../format/index.ts";
import { sayWayBack } from "../annotating/way-back.ts";
import { portsOf } from "../command-ports.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import { isConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { untilInterrupted } from "../following/until-interrupted.ts";
import { INTERRUPTED } from "../interrupt.ts";
import { printRows } from "../terminal/output.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";
import { firedText, testText } from "./alert-view.ts";

type AlertOptions = OptionsOf<"alert">;

interface Action {
  /** What must follow it. */
  readonly words: readonly string[];
  readonly options: readonly (keyof AlertOptions)[];
  readonly act: (
    context: CliContext,
    words: readonly string[],
    options: AlertOptions,
  ) => Promise<number>;
}

const ACTIONS: { readonly [action: string]: Action } = {
  add: { words: ["NAME", "CONDITION"], options: ["call", "arm"], act: add },
  test: { words: ["NAME"], options: ["yes", "trust", "jobs"], act: test },
  arm: { words: ["NAME"], options: ["off"], act: arm },
  ls: { words: [], options: [], act: list },
  rm: { words: ["NAME"], options: [], act: remove },
  watch: { words: ["RUN"], options: [], act: watch },
};

export async function alertCommand(
  context: CliContext,
  word: string,
  words: readonly string[],
  options: AlertOptions,
): Promise<number> {
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (!action) {
    const close = nearestName(word, Object.keys(ACTIONS));
    const all = `an alert can be: ${Object.keys(ACTIONS).join(", ")}`;
    throw refused(`alert cannot ${JSON.stringify(word)}`, [
      ...(close === undefined ? [] : [`did you mean  afterlog alert ${close}`]),
      all,
    ]);
  }
  const usage = ["afterlog alert", word, ...action.words].join(" ");
  if (words.length !== action.words.length) {
    const isMore = words.length > action.words.length;
    const quotes = isMore && word !== "ls" ? ["a condition is one word: put it into quotes"] : [];
    throw refused(`${isMore ? "too many words" : "a word is missing"}:  ${usage}`, [
      ...quotes,
      "see  afterlog alert --help",
    ]);
  }
  const foreign = Object.values(ACTIONS)
    .flatMap((other) => other.options)
    .find((name) => options[name] !== undefined && !action.options.includes(name));
  if (foreign !== undefined) {
    throw refused(`--${foreign} says nothing to  ${usage}`, ["see  afterlog alert --help"]);
  }
  return action.act(context, words, options);
}

function refused(message: string, help: readonly string[]): AfterlogError {
  return new AfterlogError("AL001", message, { help: help as [string, ...string[]] });
}

async function add(
  context: CliContext,
  [alert = "", condition = ""]: readonly string[],
  { call, arm: armed = false }: AlertOptions,
): Promise<number> {
  const report = await addAlert(portsOf(context), { alert, condition, call, armed });
  if (say(context, report)) return 0;
  const { missing } = report;
  if (missing.length > 0) {
    context.err(onOneLine(`! no run has logged ${missing.join(", ")} yet`) + "\n");
  }
  const next = armed ? "" : `, and hold runs to it by  afterlog alert arm ${alert}`;
  context.err(`see what it would have done:  afterlog alert test ${alert}${next}\n`);
  return 0;
}

async function arm(
  context: CliContext,
  [alert = ""]: readonly string[],
  { off = false }: AlertOptions,
): Promise<number> {
  const report = armAlert(portsOf(context), alert, !off);
  if (!say(context, report) && !off) {
    context.err(`runs that begin from now on are held to it; ${OFF} ${alert} --off\n`);
  }
  return 0;
}

const OFF = "no more of it by  afterlog alert arm";

async function remove(context: CliContext, [alert = ""]: readonly string[]): Promise<number> {
  const report = removeAlert(portsOf(context), alert);
  if (context.json) {
    say(context, report);
    return 0;
  }
  const { condition, armed, call } = report;
  const words = [alert, shellWord(condition), ...(armed ? ["--arm"] : [])];
  const called = call === null ? [] : ["--call", shellWord(call)];
  context.out(`${alert}  is gone; where it fired stays noted\n`);
  sayWayBack(context, [["alert add", ...words, ...called].join(" ")]);
  return 0;
}

/** Answers true if nothing more is to be said. */
function say(context: CliContext, report: AlertReport): boolean {
  const { alert, condition, armed, call } = report;
  if (context.json) {
    context.out(`${JSON.stringify({ schema: 1, ...report })}\n`);
    return true;
  }
  const calls = call === null ? "" : `  calls  ${call}`;
  context.out(`${onOneLine(`${alert}  ${armed ? "armed" : "not armed"}  ${condition}${calls}`)}\n`);
  return false;
}

async function list(context: CliContext): Promise<number> {
  const all = listAlerts(portsOf(context));
  if (context.json) context.out(`${JSON.stringify(all)}\n`);
  else if (all.length === 0)
    context.err('there is no alert:  afterlog alert add NAME "f1 < 0.4"\n');
  else {
    const names = ["alert", "armed", "condition", "calls"];
    await printRows(context, {
      columns: names.map((name) => ({ name, kind: "text" })),
      batches: async function* () {
        yield all.map(({ alert, armed, condition, call }) => {
          return [alert, armed ? "yes" : "no", condition, call ?? ""];
        });
      },
    });
  }
  return 0;
}

async function test(
  context: CliContext,
  [word = ""]: readonly string[],
  options: AlertOptions,
): Promise<number> {
  const ports = portsOf(context, options);
  // No name holds a blank or a comparison, and no condition is without.
  const condition = /[\s<>=()]/.test(word) ? word : findAlert(ports, word).condition;
  const plan = await planAlertTest(ports, condition, options);
  let code = 0;
  if (plan) {
    const asked = await replay(context, plan, options);
    if (asked === undefined)
      return context.prompt && !context.json
        ? 0
        : (await import("../replaying/watch-replay.ts")).NEEDS_CONFIRMATION;
    if (asked === INTERRUPTED) return INTERRUPTED;
    code = asked;
  }
  const report = await testAlert(ports, condition, plan?.left_out ?? []);
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else context.out(testText(report, context));
  return code;
}

/** Says the price, asks, and replays what is missing; undefined: it was not wanted. */
async function replay(
  context: CliContext,
  plan: Plan,
  options: AlertOptions,
): Promise<number | undefined> {
  // Only this action replays, and needs what belongs to that.
  const { planText } = await import("../replaying/plan-view.ts");
  const { watchReplay } = await import("../replaying/watch-replay.ts");
  const { columns: width, color, named, isTTY } = context;
  const silent = context.json ? { ...context, out: (): void => undefined } : context;
  if (!context.json) context.err(planText(plan, { width, color, named, isTTY }));
  if (!(await isConfirmed(context, "Replay what is missing?", options.yes === true))) {
    context.err("nothing was started\n");
    return undefined;
  }
  return watchReplay(silent, { plan }, (session) =>
    startReplay(portsOf(context, options), { plan }, session),
  );
}

/** Started beside a run: what it says goes where the program's warnings go. */
function watch(context: CliContext, [run = ""]: readonly string[]): Promise<number> {
  // The program comes first.
  setPriority(10);
  return untilInterrupted(async (signal) => {
    for await (const event of watchAlerts(portsOf(context), run, signal)) {
      if (context.json) context.out(`${JSON.stringify(event)}\n`);
      else context.err(`${onOneLine(firedText(event))}\n`);
    }
    return signal.aborted ? INTERRUPTED : 0;
  });
}
