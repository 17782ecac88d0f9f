/**
 * @file A question to a plan (semantics, "Plans and prices"): each run is planned by itself, the
 * processes of all share one pool, and runs are cut so that its workers end together.
 */
import type { LeftOut, Plan, PlannedRun, PlannedUnit } from "../format/index.ts";
import type { SourceModel } from "../languages/index.ts";
import type { Costs } from "./cost.ts";
import type { RunFacts } from "./facts.ts";
import { secondsInterval, pastErrors } from "./learn-costs.ts";
import type { RunQuestion } from "./plan-run.ts";
import { RunPlanner } from "./plan-run.ts";
import { scheduleUnits } from "./schedule-units.ts";
import type { Cutter } from "./split-units.ts";
import { spreadRuns } from "./spread-runs.ts";

/** A run that is asked, its source with the statements in it, and what is asked of it. */
export interface AskedRun extends Omit<RunQuestion, "names"> {
  readonly facts: RunFacts;
  readonly model: SourceModel;
  /** What the plan says of its source. */
  readonly source?: Pick<
    PlannedRun,
    "landing" | "packages" | "probes" | "varying" | "varyingFresh"
  >;
  /** Notes for the user, besides why it takes what it takes. */
  readonly remarks?: readonly string[];
}

type Told = "names" | "where" | "after" | "statements" | "landings";

export interface Question extends Pick<Plan, Told> {
  readonly runs: readonly AskedRun[];
  /** Runs that wait for somebody to look at where a statement lands in them. */
  readonly review: readonly AskedRun[];
  /** Runs that the caller knows to be of no interest: the value is there already. */
  readonly leftOut: readonly LeftOut[];
}

export interface PlanOptions {
  readonly workers: number;
  readonly costs: Costs;
  /** The first process of the newest run is executed before all others. */
  readonly canary?: boolean;
  /** Of each source one run has a control, if one is cheap; yes if it is not given. */
  readonly control?: boolean;
  /** Execute the runs from their start: nothing is restored. */
  readonly fromStart?: boolean;
}

export function planQuestion(question: Question, options: PlanOptions): Plan {
  const { names, where, after, statements, landings } = question;
  const planners = question.runs.map((run) => new AskedRunPlanner(run, names, options));
  const reviewed = question.review.map((run) => new AskedRunPlanner(run, names, options).planned());
  const leftOut = [...planners.map((one) => one.planned()), ...reviewed].flatMap((run) => {
    return isPlanned(run) ? [] : [run];
  });
  const whole = planners.map((one) => one.planned()).filter(isPlanned);
  const pool = {
    workers: options.workers,
    canary: options.canary ? newestPlannedRun(question, whole) : null,
  };
  const runs = withOneControl(question, spreadOverWorkers(question, planners, pool));
  const plan = {
    v: 2 as const,
    names,
    where,
    after,
    statements,
    landings,
    runs,
    review: withOneControl(question, reviewed.filter(isPlanned)),
    left_out: [...question.leftOut, ...leftOut],
    workers: options.workers,
  };
  const { past } = options.costs;
  return { ...plan, ...planTotals(runs, pool, past), past: pastErrors(past) };
}

/** The processes that work side by side, and the run whose first one is executed before. */
interface Pool {
  readonly workers: number;
  readonly canary: string | null;
}

function newestPlannedRun(question: Question, planned: readonly PlannedRun[]): string | null {
  const ids = new Set(planned.map(({ run }) => run));
  const facts = question.runs.map((asked) => asked.facts).filter(({ run }) => ids.has(run));
  return facts.toSorted((a, b) => b.order - a.order)[0]?.run ?? null;
}

/** Runs of one source keep the same from checkpoints: the newest is controlled for all of them. */
function withOneControl({ runs, review }: Question, planned: readonly PlannedRun[]): PlannedRun[] {
  const orders = new Map([...runs, ...review].map(({ facts }) => [facts.run, facts.order]));
  const newest = new Map<PlannedRun["landing"], PlannedRun>();
  const isNewer = (run: PlannedRun, than: PlannedRun | undefined): boolean =>
    !than || (orders.get(run.run) ?? 0) > (orders.get(than.run) ?? 0);
  for (const run of planned) {
    if (run.control && isNewer(run, newest.get(run.landing))) newest.set(run.landing, run);
  }
  return planned.map((run) => {
    const { control: _, ...others } = run;
    return newest.get(run.landing) === run ? run : others;
  });
}

/** Plans one run: by one process, or cut. */
class AskedRunPlanner {
  readonly #asked: AskedRun;
  readonly #options: PlanOptions;
  readonly #planner: RunPlanner;
  readonly #planned: PlannedRun | LeftOut;

  constructor(run: AskedRun, names: readonly string[], options: PlanOptions) {
    const { facts, model, source: _, remarks: __, ...asked } = run;
    this.#asked = run;
    this.#options = options;
    this.#planner = new RunPlanner(facts, model, { names, ...asked }, options);
    this.#planned = this.#told(this.#planner.planned());
  }

  planned(): PlannedRun | LeftOut {
    return this.#planned;
  }

  get cutter(): Cutter | undefined {
    return this.#planner.cutter;
  }

  inPieces(ends: readonly number[]): PlannedRun | LeftOut {
    return ends.length > 1 ? this.#told(this.#planner.inPieces(ends)) : this.#planned;
  }

  #told(planned: PlannedRun | LeftOut): PlannedRun | LeftOut {
    if (!isPlanned(planned)) return planned;
    const { source, remarks = [] } = this.#asked;
    const { control, ...others } = planned;
    const controlled = control && this.#options.control !== false ? { control } : {};
    return { ...others, ...controlled, ...source, notes: [...remarks, ...planned.notes] };
  }
}

function isPlanned(run: PlannedRun | LeftOut): run is PlannedRun {
  return "units" in run;
}

interface PlannedByOne {
  readonly planner: AskedRunPlanner;
  readonly run: PlannedRun;
}

/** Cuts runs where everything is done earlier so. */
function spreadOverWorkers(
  question: Question,
  planners: readonly AskedRunPlanner[],
  pool: Pool,
): readonly PlannedRun[] {
  const planned = planners.flatMap((planner): PlannedByOne[] => {
    const run = planner.planned();
    return isPlanned(run) ? [{ planner, run }] : [];
  });
  const whole = planned.map(({ run }) => run);
  const cut = spreadBeside(planned, withOneControl(question, whole), pool);
  const controlled = withOneControl(question, cut);
  // A run that is cut may have a control that it had not: it takes its part of a worker's time.
  const again = spreadBeside(planned, controlled, pool);
  const isBetter =
    wallSeconds(withOneControl(question, again), pool) < wallSeconds(controlled, pool);
  return isBetter ? again : cut;
}

/** `controlled`: the same runs with the controls that there will be. */
function spreadBeside(
  planned: readonly PlannedByOne[],
  controlled: readonly PlannedRun[],
  { workers, canary }: Pool,
): readonly PlannedRun[] {
  const first = planned.findIndex(({ run }) => run.run === canary);
  const runs = planned.map(({ planner, run }, at) => ({
    ms: run.seconds * 1000,
    cutter: planner.cutter,
    isUrgent: controlled[at]?.control !== undefined,
  }));
  const besides = controlled.flatMap(({ control }) => (control ? [control.seconds * 1000] : []));
  const ends = spreadRuns(runs, { workers, first: first < 0 ? null : first, besides });
  return planned.map(({ planner }, at) => planner.inPieces(ends[at] ?? [])).filter(isPlanned);
}

/** Seconds until everything is done. One process alone needs no other to go before it. */
function wallSeconds(runs: readonly PlannedRun[], { workers, canary }: Pool): number {
  const units = runs.flatMap((run) => run.units);
  const first = units.length > 1 ? runs.find(({ run }) => run === canary)?.units[0] : undefined;
  const controls = runs.flatMap(({ control }) => control ?? []);
  const all = [...controls, ...units.filter((unit) => unit !== first)];
  const controlled = runs.flatMap((run) => (run.control ? run.units.slice(-1) : []));
  const urgent = new Set([...controls, ...controlled].map((unit) => all.indexOf(unit)));
  const seconds = all.map((unit) => unit.seconds);
  return (first?.seconds ?? 0) + scheduleUnits(seconds, workers, urgent).seconds;
}

type Totals = Pick<Plan, "seconds" | "seconds_low" | "seconds_high" | "work">;

function planTotals(runs: readonly PlannedRun[], pool: Pool, past: Costs["past"]): Totals {
  const controls = runs.flatMap(({ control }) => control ?? []);
  const seconds = wallSeconds(runs, pool);
  const { low, high } = secondsInterval(seconds, past);
  const work = [...runs, ...controls].reduce((sum, one) => sum + one.seconds, 0);
  return { seconds, seconds_low: low, seconds_high: high, work };
}

/** What the first process of a replay took. */
export interface CanaryTimes {
  readonly run: string;
  readonly planned: PlannedUnit;
  readonly actual_s: number;
  /** Of this, making the tree, starting and loading; null where it was not measured. */
  readonly fixed_s: number | null;
}

/** One second of code tells how fast this machine is; less is mostly chance. */
const CODE_S_MIN = 0.5;

/** The plan with the times that its first process suggests, where the host differs. */
export function scaleByCanary(plan: Plan, canary: CanaryTimes, costs: Pick<Costs, "past">): Plan {
  const scale = scaleOf(canary);
  const runs = plan.runs.map((run) => {
    const units = run.units.map((unit) => scaledUnit(unit, scale));
    const control = run.control && scaledUnit(run.control, scale);
    return {
      ...run,
      units,
      ...(control ? { control } : {}),
      seconds: units.reduce((sum, { seconds }) => sum + seconds, 0),
    };
  });
  const pool = { workers: plan.workers, canary: canary.run };
  return { ...plan, runs, ...planTotals(runs, pool, costs.past) };
}

interface Scale {
  readonly code: number;
  readonly fixed: number;
}

/** The program's own code and the rest are scaled apart, if there was enough of both. */
function scaleOf({ planned, actual_s, fixed_s }: CanaryTimes): Scale {
  const whole = boundedRatio(actual_s / planned.seconds);
  const code = planned.code_seconds ?? 0;
  const fixed = planned.seconds - code;
  if (fixed_s === null || code < CODE_S_MIN || fixed <= 0) return { code: whole, fixed: whole };
  return { code: boundedRatio((actual_s - fixed_s) / code), fixed: boundedRatio(fixed_s / fixed) };
}

function scaledUnit(unit: PlannedUnit, { code, fixed }: Scale): PlannedUnit {
  const { seconds, code_seconds = 0 } = unit;
  const own = code_seconds * code;
  return { ...unit, seconds: own + (seconds - code_seconds) * fixed, code_seconds: own };
}

/** A process that was held up, or did nothing, says nothing of the others. */
function boundedRatio(ratio: number): number {
  return Number.isFinite(ratio) ? Math.min(10, Math.max(0.1, ratio)) : 1;
}
