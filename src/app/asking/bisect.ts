/**
 * @file The first run for which a condition holds, in the order of the runs. Values that are there
 * cost nothing; others are replayed one run at a time, about log2 N of them, and stay in the frame.
 * In two steps: the price, then the search.
 */
import { cellToJson } from "../../catalog/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { ReplayEvent } from "../../replayer/index.ts";
import { headCommit, listCheckpoints, readManifest, storePaths } from "../../store/index.ts";
import type { BisectRequest, Candidate } from "./bisect-runs.ts";
import { BisectRuns } from "./bisect-runs.ts";
import type { Quality, SearchResult } from "./bisect-search.ts";
import { mostAsked, searchFirstBad } from "./bisect-search.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import type { ReplayWatcher } from "./replay.ts";

/** What a bisection takes at most. */
export interface BisectPrice {
  readonly between: number;
  readonly replays: number;
  readonly seconds: number;
  /** Of replaying all of them. */
  readonly all: number;
  readonly workers: number;
}

/** What was found, as JSON. */
export interface BisectReport {
  readonly schema: 1;
  readonly condition: string;
  readonly first_bad: {
    readonly run: string;
    readonly started: string;
    readonly commit: string | null;
    /** The user's own commit. */
    readonly head: ReturnType<typeof headCommit>;
    /** Files that were changed since. */
    readonly dirty: number | null;
  };
  readonly last_good: string;
  readonly between: number;
  /** Between these two, without an answer: the first bad one may be among them. */
  readonly untold: readonly string[];
  /** Runs that were replayed, in order. */
  readonly replayed: readonly {
    readonly run: string;
    readonly quality: Quality | null;
    readonly replay: string | null;
    readonly why: string | null;
  }[];
  readonly runs: Readonly<{
    [run: string]: {
      readonly quality: Quality;
      readonly values: Readonly<{ [name: string]: unknown }>;
    };
  }>;
  /** Runs that cannot answer, and why. */
  readonly skipped: Readonly<{ [run: string]: string }>;
}

export type BisectOutcome =
  | {
      readonly kind: "found";
      readonly report: BisectReport;
      /** The last good run has a checkpoint of its end. */
      readonly hasEnd: boolean;
    }
  /** One end is not what it must be: the oldest run is bad already, or the newest still good. */
  | { readonly kind: "one-sided"; readonly end: "good" | "bad"; readonly candidate: Candidate }
  /** By the signal; what was learned is kept. */
  | { readonly kind: "stopped" };

export type BisectEvent =
  | { readonly kind: "answer"; readonly candidate: Candidate }
  | { readonly kind: "replay"; readonly event: ReplayEvent };

export type BisectSession = Omit<ReplayWatcher, "emit"> & {
  readonly emit: (event: BisectEvent) => void;
};

interface Range {
  readonly good: number;
  readonly bad: number;
}

/** A bisection that was prepared, with its price; nothing is executed before `search`. */
export class Bisection {
  readonly runs: BisectRuns;
  readonly price: BisectPrice;
  readonly #ports: Ports;
  readonly #range: Range;

  private constructor(ports: Ports, runs: BisectRuns) {
    this.#ports = ports;
    this.runs = runs;
    this.#range = chooseRange(runs);
    this.price = priceOf(runs, this.#range);
  }

  /** Throws AL004, AL020, AL021, AL034, and AL036 if there are no two runs that can answer. */
  static async prepare(ports: Ports, request: BisectRequest): Promise<Bisection> {
    return new Bisection(ports, await BisectRuns.read(ports, request));
  }

  /** Finds the first bad run. Throws AL034, AL036. */
  async search(session: BisectSession): Promise<BisectOutcome> {
    const looked: Candidate[] = [];
    try {
      const result = await search(this.runs, this.#range, async (asked) => {
        const answers = await this.#ask(asked, session);
        looked.push(...answers);
      });
      if ("candidate" in result) return { kind: "one-sided", ...result };
      return this.#found(result, looked);
    } catch (error) {
      if (error instanceof Stopped) return { kind: "stopped" };
      throw error;
    }
  }

  async #ask(asked: readonly Candidate[], session: BisectSession): Promise<Candidate[]> {
    const emit = (event: ReplayEvent): void => session.emit({ kind: "replay", event });
    const answers = await this.runs.ask(asked, { ...session, emit });
    if (session.signal?.aborted) throw new Stopped();
    for (const candidate of answers) session.emit({ kind: "answer", candidate });
    return answers;
  }

  #found(result: SearchResult, looked: readonly Candidate[]): BisectOutcome {
    const { candidates, condition, skipped } = this.runs;
    const project = requireProject(this.#ports);
    const nameOf = (at: number): string => candidates[at]?.run ?? "";
    const [lastGood, firstBad] = [nameOf(result.lastGood), nameOf(result.firstBad)];
    const manifest = readManifest(storePaths.run(project.store, firstBad));
    const { version } = manifest;
    const checkpoints = listCheckpoints(storePaths.run(project.store, lastGood));
    const report: BisectReport = {
      schema: 1,
      condition,
      first_bad: {
        run: firstBad,
        started: manifest.started,
        commit: version?.commit ?? null,
        head: headCommit(project, manifest),
        dirty: version?.dirty ?? null,
      },
      last_good: lastGood,
      between: this.price.between,
      untold: result.untold.map(nameOf),
      replayed: looked.map(({ run, quality, replay, why }) => {
        return { run, quality: quality ?? null, replay, why };
      }),
      runs: Object.fromEntries(candidates.flatMap(answerOf)),
      skipped: Object.fromEntries(skipped),
    };
    return { kind: "found", report, hasEnd: checkpoints.some(({ kind }) => kind === "loop") };
  }
}

/** Thrown to leave the search when somebody has had enough; everything learned is kept. */
class Stopped extends Error {}

function answerOf({ run, quality, values }: Candidate): [string, BisectReport["runs"][string]][] {
  if (quality === undefined) return [];
  const cells = [...values].map(([name, cell]) => [name, cellToJson(cell)] as const);
  return [[run, { quality, values: Object.fromEntries(cells) }]];
}

/** The ends of the search: given, or the oldest and the newest run that may answer. */
function chooseRange(runs: BisectRuns): Range {
  const { candidates } = runs;
  const good = runs.good === undefined ? 0 : placeOf(runs, runs.good, "--good");
  const bad = runs.bad === undefined ? candidates.length - 1 : placeOf(runs, runs.bad, "--bad");
  if (good < bad) return { good, bad };
  if (runs.good === undefined && runs.bad === undefined) throw tooFew(runs);
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
function priceOf({ candidates, plan, workers }: BisectRuns, { good, bad }: Range): BisectPrice {
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

interface WrongEnd {
  readonly end: "good" | "bad";
  readonly candidate: Candidate;
}

async function search(
  runs: BisectRuns,
  range: Range,
  askAll: (asked: readonly Candidate[]) => Promise<void>,
): Promise<SearchResult | WrongEnd> {
  const { candidates } = runs;
  const ask = async (at: number): Promise<Quality | undefined> => {
    await askAll(candidates.slice(at, at + 1));
    return candidates[at]?.quality;
  };
  const known = (at: number): Quality | undefined => candidates[at]?.quality;
  // Both ends must be known, whatever one of them says: they are asked at once.
  const ends = [range.good, range.bad].filter((at) => known(at) === undefined);
  if (ends.length > 0) await askAll(ends.flatMap((at) => candidates[at] ?? []));
  const good = await firstTold(range.good, { step: 1, limit: range.bad, ask, runs });
  const bad = await firstTold(range.bad, { step: -1, limit: good, ask, runs });
  const wrong = wrongEnd(runs, { good, bad });
  if (wrong) return wrong;
  return searchFirstBad({ good, bad, known, ask: async (at) => known(at) ?? ask(at) });
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
function wrongEnd(runs: BisectRuns, { good, bad }: Range): WrongEnd | undefined {
  const [first, last] = [runs.candidates[good], runs.candidates[bad]];
  if (!first || !last) throw tooFew(runs);
  if (first.quality === "bad") return { end: "good", candidate: first };
  return last.quality === "good" ? { end: "bad", candidate: last } : undefined;
}
