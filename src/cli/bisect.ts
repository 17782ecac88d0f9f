/**
 * @file `afterlog bisect 'f1 < 0.4'`: the first run for which a condition holds, in the order of the
 * runs. Values that are there cost nothing; others are replayed one run at a time, about log2 N of
 * them, and stay in the frame.
 */
import { AfterlogError } from "../format/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import type { Candidate } from "./bisect-runs.ts";
import { BisectRuns } from "./bisect-runs.ts";
import type { Quality } from "../app/index.ts";
import { mostAsked, searchFirstBad } from "../app/index.ts";
import type { Bisected } from "./bisect-view.ts";
import { bisectedObject, bisectedText, priceText, stepText, valuesText } from "./bisect-view.ts";
import { requireProject } from "./project.ts";
import { Interrupt, INTERRUPTED, NEEDS_CONFIRMATION, SOME_FAILED } from "./replay-session.ts";

type BisectOptions = OptionsOf<"bisect">;

/** Thrown to leave the search when the user has had enough; everything learned is kept. */
class Stopped extends Error {}

export async function bisectCommand(
  context: CliContext,
  condition: string,
  options: BisectOptions,
): Promise<number> {
  const runs = await BisectRuns.read(context, condition, options);
  const range = chooseRange(runs, options);
  const price = priceOf(runs, range);
  if (!context.json) context.err(priceText(price, runs));
  if (price.replays > 0 && !(await isConfirmed(context, options))) {
    context.err("nothing was started\n");
    return context.prompt && !context.json ? 0 : NEEDS_CONFIRMATION;
  }
  const interrupt = new Interrupt(() => context.err("stopping: what was learned is kept\n"));
  try {
    const found = await search(context, runs, { range, options, signal: interrupt.signal });
    if (context.json) context.out(`${JSON.stringify(bisectedObject(found, runs))}\n`);
    else context.out(bisectedText(found, runs, context.color));
    return found.untold.length > 0 ? SOME_FAILED : 0;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    context.err("stopped: the same command goes on from here\n");
    return INTERRUPTED;
  } finally {
    interrupt.release();
  }
}

interface Range {
  readonly good: number;
  readonly bad: number;
}

/** The ends of the search: given, or the oldest and the newest run that may answer. */
function chooseRange(runs: BisectRuns, options: BisectOptions): Range {
  const { candidates } = runs;
  const good = runs.good === undefined ? 0 : placeOf(runs, runs.good, "--good");
  const bad = runs.bad === undefined ? candidates.length - 1 : placeOf(runs, runs.bad, "--bad");
  if (good < bad) return { good, bad };
  if (options.good === undefined && options.bad === undefined) throw tooFew(runs);
  const [first, last] = [candidates[good]?.run ?? "", candidates[bad]?.run ?? ""];
  throw new AfterlogError("AL036", `the good run must be older than the bad one`, {
    notes: [good === bad ? `both are ${first}` : `${first} is newer than ${last}`],
    help: [`to find the first good one, turn the condition round:  not (${runs.condition})`],
    data: { good: first, bad: last },
  });
}

function placeOf(runs: BisectRuns, run: string, option: string): number {
  const at = runs.candidates.findIndex((candidate) => candidate.run === run);
  if (at < 0) throw cannotAnswer(runs, run, option);
  return at;
}

function cannotAnswer(runs: BisectRuns, run: string, option: string): AfterlogError {
  const why = runs.skipped.get(run) ?? "it has no value, and no statement that could give it one";
  return new AfterlogError("AL034", `${option} ${run} cannot answer: ${why}`, {
    help: ["name another run that is known to be good or bad"],
    data: { run },
  });
}

function tooFew({ candidates, skipped, condition }: BisectRuns): AfterlogError {
  const notes = [...skipped].slice(0, 8).map(([run, why]) => `${run}: ${why}`);
  const count = candidates.length === 0 ? "no run" : "only one run";
  return new AfterlogError("AL036", `${count} can say whether ${condition}`, {
    notes,
    help: ["a bisection needs at least a good and a bad run:  afterlog ls"],
  });
}

/** What it takes at most: the ends are looked at too, if they are not known. */
function priceOf({ candidates, plan, workers }: BisectRuns, { good, bad }: Range) {
  const known = (at: number): Quality | undefined => candidates[at]?.quality;
  const ends = [good, bad].filter((at) => known(at) === undefined).length;
  const replays = ends + mostAsked({ good, bad, known });
  const seconds = candidates.slice(good, bad + 1).flatMap(({ seconds: own }) => own ?? []);
  const mean = seconds.reduce((sum, one) => sum + one, 0) / Math.max(1, seconds.length);
  const all = plan === undefined ? 0 : plan.seconds;
  // Two ends are replayed at once where two processes can be.
  const rounds = ends === 2 && workers > 1 ? replays - 1 : replays;
  return { between: bad - good - 1, replays, seconds: rounds * mean, all, workers };
}

async function isConfirmed(context: CliContext, { yes }: BisectOptions): Promise<boolean> {
  if (yes === true) return true;
  if (context.prompt === undefined || context.json) {
    context.err("this needs a yes: there is no terminal to ask on\n  help: add --yes\n");
    return false;
  }
  return /^y/i.test((await context.prompt("? Start?  [y]es  [N]o › ")).trim());
}

async function search(
  context: CliContext,
  runs: BisectRuns,
  about: {
    readonly range: Range;
    readonly options: BisectOptions;
    readonly signal: AbortSignal;
  },
): Promise<Bisected> {
  const { candidates } = runs;
  const looked: Candidate[] = [];
  const askAll = async (places: readonly number[]): Promise<void> => {
    const asked = places.flatMap((at) => candidates[at] ?? []);
    const answers = await runs.ask(asked, about.signal);
    if (about.signal.aborted) throw new Stopped();
    looked.push(...answers);
    for (const one of answers) {
      if (!context.json) context.out(stepText(one, runs, context.color));
    }
  };
  const ask = async (at: number): Promise<Quality | undefined> => {
    await askAll([at]);
    return candidates[at]?.quality;
  };
  const known = (at: number): Quality | undefined => candidates[at]?.quality;
  // Both ends must be known, whatever one of them says: they are asked at once.
  const ends = [about.range.good, about.range.bad].filter((at) => known(at) === undefined);
  if (ends.length > 0) await askAll(ends);
  const good = await firstTold(about.range.good, { step: 1, limit: about.range.bad, ask, runs });
  const bad = await firstTold(about.range.bad, { step: -1, limit: good, ask, runs });
  checkEnds(runs, { good, bad }, about.options);
  const result = await searchFirstBad({
    good,
    bad,
    known,
    ask: async (at) => known(at) ?? ask(at),
  });
  const { lastGood, firstBad, untold } = result;
  const project = requireProject(context);
  return {
    project,
    lastGood: candidates[lastGood]?.run ?? "",
    firstBad: candidates[firstBad]?.run ?? "",
    untold: untold.map((at) => candidates[at]?.run ?? ""),
    between: about.range.bad - about.range.good - 1,
    looked,
  };
}

/** The end itself, or the nearest run inwards that can answer; a given end must. */
async function firstTold(
  from: number,
  options: {
    readonly step: 1 | -1;
    readonly limit: number;
    readonly ask: (at: number) => Promise<Quality | undefined>;
    readonly runs: BisectRuns;
  },
): Promise<number> {
  const { step, limit, ask, runs } = options;
  const given = step === 1 ? runs.good : runs.bad;
  for (let at = from; step === 1 ? at < limit : at > limit; at += step) {
    const { quality, replay } = runs.candidates[at] ?? {};
    if ((quality ?? (replay === null ? await ask(at) : undefined)) !== undefined) return at;
    if (given !== undefined) throw cannotAnswer(runs, given, step === 1 ? "--good" : "--bad");
  }
  throw tooFew(runs);
}

/** The condition must not hold at the good end, and must at the bad one. */
function checkEnds(runs: BisectRuns, { good, bad }: Range, options: BisectOptions): void {
  const { candidates, condition } = runs;
  const [first, last] = [candidates[good], candidates[bad]];
  if (!first || !last) throw tooFew(runs);
  const wrong = first.quality === "bad" ? first : last.quality === "good" ? last : undefined;
  if (!wrong) return;
  const isFirst = wrong === first;
  const given = (isFirst ? options.good : options.bad) !== undefined;
  const who = given
    ? `the ${isFirst ? "good" : "bad"} run`
    : isFirst
      ? "the oldest run"
      : "the newest run";
  throw new AfterlogError("AL036", `${who}, ${wrong.run}, is ${wrong.quality}`, {
    notes: [`a run is bad if  ${condition};  its value is ${valuesText(wrong)}`],
    help: [
      isFirst
        ? "name an older run that is good with --good, or change the condition"
        : "name a run that is bad with --bad, or change the condition",
      `if it went the other way:  afterlog bisect "not (${condition})"`,
    ],
    data: { run: wrong.run, quality: wrong.quality },
  });
}
