/**
 * @file `afterlog bisect 'f1 < 0.4'`: the first run for which a condition holds, in the order of the
 * runs. Says the price first, and asks.
 */
import type { BisectEvent, BisectOutcome } from "../../app/index.ts";
import { Bisection } from "../../app/index.ts";
import { AfterlogError } from "../../format/index.ts";
import { bisectedText, priceText, stepText, valuesText } from "./bisect-view.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { Interrupt, INTERRUPTED } from "../interrupt.ts";
import { portsOf } from "../command-ports.ts";
import { isConfirmed } from "../confirm.ts";
import { NEEDS_CONFIRMATION, SOME_FAILED } from "../replaying/watch-replay.ts";
import { ReplayView } from "../replaying/replay-view.ts";

type BisectOptions = OptionsOf<"bisect">;

export async function bisectCommand(
  context: CliContext,
  condition: string,
  options: BisectOptions,
): Promise<number> {
  const { good, bad, jobs } = options;
  const bisection = await Bisection.prepare(portsOf(context, options), {
    condition,
    good,
    bad,
    jobs,
  });
  if (!context.json) context.err(priceText(bisection));
  if (
    bisection.price.replays > 0 &&
    !(await isConfirmed(context, "Start?", options.yes === true))
  ) {
    context.err("nothing was started\n");
    return context.prompt && !context.json ? 0 : NEEDS_CONFIRMATION;
  }
  const interrupt = new Interrupt(() => context.err("stopping: what was learned is kept\n"));
  const watch = new Watch(context, bisection);
  try {
    const { signal } = interrupt;
    const outcome = await bisection.search({ signal, emit: (event) => watch.take(event) });
    return report(context, bisection, outcome);
  } finally {
    watch.end();
    interrupt.release();
  }
}

/** Shows how the replay of a run goes, on a terminal, and what the run then says. */
class Watch {
  readonly #context: CliContext;
  readonly #bisection: Bisection;
  readonly #view: ReplayView;
  readonly #isLive: boolean;

  constructor(context: CliContext, bisection: Bisection) {
    const { stderr } = process;
    this.#context = context;
    this.#bisection = bisection;
    this.#isLive = stderr.isTTY && context.prompt !== undefined && !context.json;
    this.#view = new ReplayView(context, {
      live: this.#isLive,
      columns: () => stderr.columns || 80,
    });
  }

  take(event: BisectEvent): void {
    switch (event.kind) {
      case "replay":
        if (this.#isLive && event.event.kind === "progress") this.#view.take(event.event);
        if (event.event.kind === "done") this.#view.end();
        return;
      case "answer": {
        const { runs } = this.#bisection;
        if (!this.#context.json) this.#context.out(stepText(event.candidate, runs, this.#context));
      }
    }
  }

  end(): void {
    this.#view.end();
  }
}

/** Says what was found; answers the exit code. */
function report(context: CliContext, bisection: Bisection, outcome: BisectOutcome): number {
  switch (outcome.kind) {
    case "found":
      if (context.json) context.out(`${JSON.stringify(outcome.report)}\n`);
      else context.out(bisectedText(outcome, bisection.runs, context.color));
      return outcome.report.untold.length > 0 ? SOME_FAILED : 0;
    case "stopped":
      context.err("stopped: the same command continues from here\n");
      return INTERRUPTED;
    case "one-sided":
      throw oneSided(bisection, outcome);
  }
}

/** The condition must not hold at the good end, and must at the bad one. */
function oneSided(
  { runs }: Bisection,
  { candidate, end }: Extract<BisectOutcome, { kind: "one-sided" }>,
): AfterlogError {
  const { condition } = runs;
  const isFirst = end === "good";
  const given = (isFirst ? runs.good : runs.bad) !== undefined;
  const who = given ? `the ${end} run` : isFirst ? "the oldest run" : "the newest run";
  return new AfterlogError("AL036", `${who}, ${candidate.run}, is ${candidate.quality}`, {
    notes: [`a run is bad if  ${condition};  its value is ${valuesText(candidate)}`],
    help: [
      isFirst
        ? "name an older run that is good with --good, or change the condition"
        : "name a run that is bad with --bad, or change the condition",
      `if it went the other way:  afterlog bisect "not (${condition})"`,
    ],
    data: { run: candidate.run, quality: candidate.quality },
  });
}
