/**
 * @file The runs of a bisection: which can say whether the condition holds, by what they have or
 * after a replay, and the replay of some of them.
 */
import type { Cell, JudgedRun, JudgedRuns } from "../../catalog/index.ts";
import { judgeRuns, nameOfColumn } from "../../catalog/index.ts";
import type { Plan, PlannedRun } from "../../format/index.ts";
import { isAfterlogError } from "../../format/index.ts";
import type { Quality } from "./bisect-search.ts";
import { makePlan, workersOf } from "./plan.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { ReplayWatcher } from "./replay.ts";
import { startReplay } from "./replay.ts";
import { resolveRun } from "../run-reference.ts";

/** A run that answers, or that may after a replay. */
export interface Candidate {
  readonly run: string;
  /** Undefined: not known, or not any more than that it cannot answer. */
  readonly quality: Quality | undefined;
  /** The last values of the logged names that the condition mentions. */
  readonly values: ReadonlyMap<string, Cell>;
  /** Marks of values in hindsight that are less than verified. */
  readonly marks: readonly string[];
  /** What a replay is planned to take; undefined: it needs none. */
  readonly seconds: number | undefined;
  /** The replay that was made for it. */
  readonly replay: string | null;
  readonly why: string | null;
}

export interface BisectRequest {
  /** SQL that holds for bad runs. */
  readonly condition: string;
  /** References of a run that is good and of one that is bad; the oldest and the newest if not. */
  readonly good?: string | undefined;
  readonly bad?: string | undefined;
  /** Processes at a time. */
  readonly jobs?: number | undefined;
}

export class BisectRuns {
  readonly condition: string;
  readonly good: string | undefined;
  readonly bad: string | undefined;
  readonly workers: number;
  readonly plan: Plan | undefined;
  /** Oldest first; replaced as they answer. */
  readonly candidates: Candidate[];
  /** Runs that cannot answer, and why. */
  readonly skipped: Map<string, string>;
  readonly #ports: Ports;

  private constructor(
    ports: Ports,
    given: Pick<BisectRuns, "condition" | "good" | "bad" | "workers" | "plan">,
    judged: JudgedRuns,
  ) {
    this.#ports = ports;
    this.condition = given.condition;
    this.good = given.good;
    this.bad = given.bad;
    this.workers = given.workers;
    this.plan = given.plan;
    this.skipped = new Map(leftOut(given.plan, judged));
    this.candidates = judged.runs.flatMap((run) => this.#candidate(run));
  }

  /** Reads what is there, and plans what is not. Throws AL004, AL020, AL021. */
  static async read(ports: Ports, request: BisectRequest): Promise<BisectRuns> {
    const { condition } = request;
    const { judged, good, bad } = await withCatalog(ports, async ({ connection }) => {
      const resolved = async (reference: string | undefined): Promise<string | undefined> =>
        reference === undefined ? undefined : resolveRun(connection, reference);
      return {
        judged: await judgeRuns(connection, condition),
        good: await resolved(request.good),
        bad: await resolved(request.bad),
      };
    });
    const plan = await planMissing(ports, judged, request);
    const workers = workersOf(ports, request);
    return new BisectRuns(ports, { condition, good, bad, workers, plan }, judged);
  }

  /** Replays the runs, at once if there are several, and looks again: they are replaced by that. */
  async ask(candidates: readonly Candidate[], session: ReplayWatcher): Promise<Candidate[]> {
    const runs = candidates.map(({ run }) => run);
    const planned = this.plan?.runs.filter(({ run }) => runs.includes(run)) ?? [];
    const replayed = await this.#replay(planned, session);
    const judged = await withCatalog(this.#ports, async ({ connection }) => {
      return (await judgeRuns(connection, this.condition, runs)).runs;
    });
    return candidates.map((candidate) => {
      const own = judged.find(({ run }) => run === candidate.run);
      const answered = answerOf(candidate, own, replayed);
      const { run, quality, why } = answered;
      if (quality === undefined) this.skipped.set(run, why ?? "the replay gave no value");
      this.candidates[this.candidates.indexOf(candidate)] = answered;
      return answered;
    });
  }

  #candidate(judged: JudgedRun): Candidate[] {
    if (judged.status === "recording") this.skipped.set(judged.run, STILL_RECORDING);
    if (this.skipped.has(judged.run)) return [];
    const planned = this.plan?.runs.find(({ run }) => run === judged.run);
    if (!isOfRun(judged) && planned) {
      const seconds = planned.seconds;
      const values = new Map<string, Cell>();
      const none = { marks: [], replay: null, why: null };
      return [{ run: judged.run, quality: undefined, values, seconds, ...none }];
    }
    const described = describe(judged);
    if (described.quality !== undefined) return [{ ...described, seconds: undefined }];
    if (judged.holds !== null) this.skipped.set(judged.run, whyUndecided(judged) ?? "");
    return [];
  }

  /** Replays some runs of the plan. */
  async #replay(planned: readonly PlannedRun[], session: ReplayWatcher): Promise<Replayed> {
    const plan = { ...onlyRuns(this.plan, planned), workers: this.workers };
    const state = await startReplay(this.#ports, { plan }, session);
    const failed = state.units.filter(({ status }) => status === "failed");
    const reasons = failed.map(({ run, why }) => [run, why ?? "its replay failed"] as const);
    return { replay: state.replay, failed: new Map(reasons) };
  }
}

interface Replayed {
  readonly replay: string;
  /** What went wrong, by run. */
  readonly failed: ReadonlyMap<string, string>;
}

/** What a candidate says after its replay. */
function answerOf(
  candidate: Candidate,
  judged: JudgedRun | undefined,
  { replay, failed }: Replayed,
): Candidate {
  const failure = failed.get(candidate.run);
  const isTold = judged !== undefined && failure === undefined;
  return {
    ...(isTold ? describe(judged) : { ...candidate, quality: undefined }),
    seconds: undefined,
    replay,
    why: failure ?? (judged ? whyUndecided(judged) : null),
  };
}

/** The plan for what the runs have not, or may have in part only; undefined: they have it all. */
async function planMissing(
  ports: Ports,
  judged: JudgedRuns,
  { jobs }: BisectRequest,
): Promise<Plan | undefined> {
  const open = judged.runs.filter((run) => !isOfRun(run));
  if (open.length === 0) return undefined;
  const columns = [...judged.missing, ...judged.logged.filter((name) => isOpen(open, name))];
  const names = columns.map(nameOfColumn);
  try {
    return await makePlan(ports, { names, jobs, canary: false });
  } catch (error) {
    // Nothing logs it any more: what there is must do.
    const isGone = isAfterlogError(error) && error.code === "AL021" && judged.missing.length === 0;
    if (!isGone) throw error;
    return undefined;
  }
}

function isOpen(runs: readonly JudgedRun[], name: string): boolean {
  return runs.some(({ values, origins }) => {
    return values.get(name) == null || origins.some((origin) => origin.startsWith("hindsight"));
  });
}

/** All its values were logged by the run itself: then its last one is the last there is. */
function isOfRun({ holds, origins }: JudgedRun): boolean {
  return holds !== null && origins.every((origin) => origin === "recorded");
}

function describe(judged: JudgedRun): Omit<Candidate, "seconds"> {
  const isDiverged = judged.origins.includes("hindsight:diverged");
  const holds = isDiverged ? null : judged.holds;
  const marks = judged.origins.flatMap((origin) => {
    const [, mark] = origin.split(":");
    return mark === undefined || mark === "verified" || mark === "restored" ? [] : [mark];
  });
  return {
    run: judged.run,
    quality: holds === null ? undefined : holds ? "bad" : "good",
    values: judged.values,
    marks: [...new Set(marks)],
    replay: null,
    why: null,
  };
}

const STILL_RECORDING = "it is still recording";

function whyUndecided({ holds, origins }: JudgedRun): string | null {
  if (holds === null) return "it has no value: it did not come to the statement";
  return origins.includes("hindsight:diverged")
    ? "its replay did not reproduce what was recorded"
    : null;
}

/**
 * What the plan leaves out, unless the run has logged the answer itself: values that a replay filled
 * there may be of a statement that is not the one asked for.
 */
function* leftOut(plan: Plan | undefined, { runs }: JudgedRuns): Iterable<[string, string]> {
  const told = new Set(runs.filter(isOfRun).map(({ run }) => run));
  for (const { run, why, filled } of plan?.left_out ?? []) {
    if (filled !== true && !told.has(run)) yield [run, why];
  }
  for (const { run } of plan?.review ?? []) {
    if (!told.has(run)) yield [run, "somebody must look at where the statement lands in it"];
  }
}

/** The plan of some of its runs alone. */
function onlyRuns(plan: Plan | undefined, runs: readonly PlannedRun[]): Plan {
  if (!plan) throw new Error("there is no plan");
  const work = runs.reduce((sum, run) => sum + run.seconds, 0);
  const seconds = Math.max(work / Math.max(1, plan.workers), ...runs.map((run) => run.seconds));
  const share = plan.seconds > 0 ? seconds / plan.seconds : 1;
  return {
    ...plan,
    runs,
    review: [],
    left_out: [],
    seconds,
    work,
    seconds_low: plan.seconds_low * share,
    seconds_high: plan.seconds_high * share,
  };
}
