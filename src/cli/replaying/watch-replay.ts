/**
 * @file One session of a replay on the command line, begun or continued: signals, what is shown
 * meanwhile, what is said at the end, and the exit code.
 */
import type { ReplayWatcher } from "../../app/index.ts";
import type { Plan } from "../../format/index.ts";
import { plainToJson } from "../../format/index.ts";
import type { ReplayEvent, ReplayState, UnitState } from "../../replayer/index.ts";
import type { CliContext } from "../context.ts";
import { Interrupt, INTERRUPTED } from "../interrupt.ts";
import { differenceText, summaryText } from "./replay-summary.ts";
import { failureText } from "./failure-view.ts";
import { ReplayView } from "./replay-view.ts";
import { silentNames, uncheckedNames } from "./silent-names.ts";
import { createColors } from "../terminal/terminal-edge.ts";

export const SOME_FAILED = 3;
export const NEEDS_CONFIRMATION = 4;
export const NEEDS_REVIEW = 5;

export interface WatchOptions {
  readonly plan: Plan;
  readonly maxSeconds?: number | undefined;
  /** It waits after its canary for another command. */
  readonly awaitGo?: boolean | undefined;
  /** What is said at the end, if it is not how many cells were filled. */
  readonly summarize?: (state: ReplayState) => string;
}

/** What a session gives to whoever starts the replay. */
export interface TerminalWatcher extends ReplayWatcher {
  /** Says something without getting in the way of the progress line. */
  readonly say: (text: string) => void;
}

/** Starts the replay, watches it, and says how it ended; answers the exit code. */
export async function watchReplay(
  context: CliContext,
  options: WatchOptions,
  start: (session: TerminalWatcher) => Promise<ReplayState>,
): Promise<number> {
  const { plan, maxSeconds } = options;
  const { stderr } = process;
  const isLive = stderr.isTTY && context.prompt !== undefined && !context.json;
  const view = new ReplayView(context, {
    plan,
    live: isLive,
    columns: () => stderr.columns || 80,
  });
  const interrupt = new Interrupt(() => view.line("stopping: what is finished is kept"));
  let announced = false;
  const emit = (event: ReplayEvent): void => {
    if (context.json) context.out(`${plainToJson(event)}\n`);
    else view.take(event);
    if (event.kind === "canary" && options.awaitGo && !context.json) {
      view.line(`it waits: go on with  afterlog go ${event.replay}`);
    }
    if (!announced && !context.json) view.line(hint(event.replay, context));
    announced = true;
  };
  try {
    const { signal } = interrupt;
    const state = await start({ emit, signal, maxSeconds, say: (text) => view.line(text) });
    view.end();
    if (!context.json) {
      const { errColor: color } = context;
      if (view.failures.length > 0) {
        context.err(`${failureText(view.failures, { replay: state.replay, plan, color })}\n`);
      }
      if (options.summarize) context.out(options.summarize(state));
      else {
        context.out(
          summaryText(state, plan, {
            marks: view.marks,
            color: context.color,
            filled: view.filled,
            columns: context.isTTY ? context.columns : undefined,
          }),
        );
        const said = [...silentNames(plan, state), ...uncheckedNames(state)]
          .map((text) => `${createColors(color).yellow("!")} ${text}\n`)
          .join("");
        context.err(questionFailures(state, color) + said + differencesOf(state, color));
      }
    }
    const isDifferent = state.units.some(({ first_difference }) => first_difference !== null);
    const code = exitCode(state, signal.aborted);
    // Values are kept, with their mark; but whoever asks in a script must not take them for sound.
    const isMissing = state.units.some(({ cells, failures }) => failures && cells === 0);
    return code === 0 && (isDifferent || isMissing) ? SOME_FAILED : code;
  } finally {
    view.end();
    interrupt.release();
  }
}

function hint(replay: string, { errColor }: CliContext): string {
  const { dim } = createColors(errColor);
  return dim(`replay ${replay} · Ctrl-C is safe, continue with: afterlog resume ${replay}`);
}

function exitCode({ status, units }: ReplayState, isInterrupted: boolean): number {
  if (isInterrupted || status === "stopped") return INTERRUPTED;
  if (status !== "failed") return 0;
  const failed = units.filter((unit) => unit.status === "failed");
  return failed.every(({ review }) => review) ? NEEDS_REVIEW : SOME_FAILED;
}

/** What the question threw: there its values are missing. */
function questionFailures({ units }: ReplayState, color: boolean): string {
  const { yellow } = createColors(color);
  const failures = units.flatMap((unit) => unit.failures ?? []);
  const [first] = failures;
  if (first === undefined) return "";
  const told = units.map((unit) => unit.failureCount ?? unit.failures?.length ?? 0);
  const others = told.reduce((sum, count) => sum + count, -1);
  const times = others === 1 ? "once more" : `${others} more times`;
  const more = others > 0 ? `, and ${times}` : "";
  return `${yellow("!")} ${first}${more}: there is no value where it did\n`;
}

/** Runs that did not do again what they did: a warning with all that is known. */
function differencesOf(state: ReplayState, color: boolean): string {
  const { yellow, bold } = createColors(color);
  const byRun = new Map<string, UnitState>();
  for (const unit of state.units) {
    // What is asked changed it: that was said.
    if (unit.first_difference && !unit.review && !byRun.has(unit.run)) byRun.set(unit.run, unit);
  }
  return [...byRun.values()]
    .map((unit) => differenceText(unit).replace(/^warning\[\w+\]/, (head) => bold(yellow(head))))
    .join("");
}
