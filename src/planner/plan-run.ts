/**
 * @file One recorded run and a question to what is executed again (semantics, "Scans").
 *
 * Where the source does not tell for certain where a statement runs, everything is executed: right
 * values at a higher price, and a note that says why.
 */
import type { Box, LeftOut, PlannedRun, PlannedUnit, Scan, UnseenCall } from "../format/index.ts";
import type { CarriedValue, SourceLog, SourceModel } from "../languages/index.ts";
import type { AskedEntries, AskedBoxes } from "./asked-entries.ts";
import { AskedChain } from "./asked-chain.ts";
import { findAsked } from "./asked-entries.ts";
import { controlRoute } from "./plan-control.ts";
import type { Costs } from "./cost.ts";
import { RunCosts } from "./cost.ts";
import { CountedValues } from "./counted-values.ts";
import type { PlannedRoute } from "./route-courses.ts";
import { Innermost, wholeRoute } from "./route-courses.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";
import { RoutePlanner } from "./route-planner.ts";
import type { LoopMatch } from "./match-loops.ts";
import { RestorablePoints } from "./restorable-points.ts";
import { describeUnseen, UnseenCalls } from "./unseen-calls.ts";
import type { UnitWork } from "./split-units.ts";
import { Cutter } from "./split-units.ts";

/** What is asked of one run. */
export interface RunQuestion {
  readonly names: readonly string[];
  /** Where the model says that the names may be logged. */
  readonly placements: readonly SourceLog[];
  readonly asked: AskedBoxes;
  /** From places of the recorded text to loops of the model. */
  readonly match: LoopMatch;
}

export interface RunPlanOptions {
  readonly costs: Costs;
  /** Execute the whole run: an answer from checkpoints was not enough. */
  readonly fromStart?: boolean;
}

/** Notes that a user reads. */
const NOTES_MAX = 5;

/** One run, by one process. */
export function planRun(
  facts: RunFacts,
  model: SourceModel,
  question: RunQuestion,
  options: RunPlanOptions,
): PlannedRun | LeftOut {
  return new RunPlanner(facts, model, question, options).planned();
}

export class RunPlanner {
  readonly #facts: RunFacts;
  readonly #model: SourceModel;
  readonly #question: RunQuestion;
  readonly #points: RestorablePoints;
  readonly #asked: AskedEntries;
  readonly #routes: RoutePlanner;
  readonly #costs: RunCosts;
  readonly #counted: CountedValues;
  /** Why there is nothing to execute, or why all of it is. */
  readonly #absent: LeftOut | undefined;
  readonly #doubt: string | undefined;
  readonly #cutter: Cutter | undefined;

  constructor(facts: RunFacts, model: SourceModel, question: RunQuestion, options: RunPlanOptions) {
    this.#facts = facts;
    this.#model = model;
    this.#points = new RestorablePoints(facts, model, question.match, { hasAround: true });
    this.#counted = new CountedValues(facts, model, this.#points, question.placements);
    const { placements } = this.#counted;
    this.#question = { ...question, placements };
    this.#asked = findAsked(facts, this.#points, placements, question.asked);
    this.#costs = new RunCosts(facts, options.costs);
    this.#routes = new RoutePlanner({ facts, points: this.#points, costs: this.#costs });
    const isOver = facts.status !== "recording";
    this.#doubt = options.fromStart ? "the whole run is executed" : this.#whyWhole();
    this.#absent = isOver
      ? this.#doubt === undefined
        ? this.#whyAbsent()
        : undefined
      : { run: facts.run, why: "it is still being recorded" };
    const isCut = !this.#absent && this.#doubt === undefined;
    this.#cutter = isCut ? this.#makeCutter() : undefined;
  }

  /** By one process; or why nothing is executed. */
  planned(): PlannedRun | LeftOut {
    if (this.#absent) return this.#absent;
    return this.#cutter ? this.inPieces([this.#cutter.length]) : this.#whole(this.#doubt ?? "");
  }

  /** Undefined where it is executed as a whole, or not at all. */
  get cutter(): Cutter | undefined {
    return this.#cutter;
  }

  /** Why it is not known where the statements run; undefined: it is. */
  #whyWhole(): string | undefined {
    const { placements } = this.#question;
    const vague = placements.find(({ certain, name }) => !certain || name === null);
    if (vague) {
      const where = `${vague.file}:${vague.line}`;
      if (vague.uncalled) {
        return `nothing is seen to call the function around ${where}, so it may log nothing: the whole run is executed`;
      }
      return vague.name === null
        ? `the name that ${where} logs is computed: the whole run is executed`
        : `it is not certain when ${where} runs: the whole run is executed`;
    }
    const given = this.#inGivenUp();
    if (given !== undefined) return given;
    const carrying = placements.find(({ carries }) => carries?.depth === 0)?.carries;
    if (carrying) return `${describeCarried(carrying)}: the whole run is executed`;
    const changing = placements.find(({ changes }) => changes);
    if (changing) {
      const where = `${changing.file}:${changing.line}`;
      return `what ${where} logs may change the program when it is evaluated: the whole run is executed`;
    }
    if (this.#unplaced() && this.#unmatched()) {
      const loop = this.#unmatched()?.loop ?? "";
      return `loop "${loop}" is not found in the source: the whole run is executed`;
    }
    const beyond = [...this.#asked.entries].find(([entry, { visits }]) => {
      return (visits.at(-1) ?? 0) >= entry.iterations;
    });
    return beyond && `loop "${beyond[0].loop}" loops in its iterator: the whole run is executed`;
  }

  /** A loop that was given up has entries that nobody knows of: all of the run is executed for them. */
  #inGivenUp(): string | undefined {
    const { givenUp = [] } = this.#facts;
    const { placements } = this.#question;
    const loop = this.#model.loops.find(({ id, name }) => {
      return givenUp.includes(name ?? "") && placements.some(({ chain }) => chain.includes(id));
    });
    return loop && `loop "${loop.name}" was given up while recording: the whole run is executed`;
  }

  /** Why there is nothing to execute; undefined: there is. */
  #whyAbsent(): LeftOut | undefined {
    const { run } = this.#facts;
    if (this.#question.placements.length === 0) return { run, why: "nothing logs it" };
    if (this.#asked.outside.length > 0 || this.#asked.entries.size > 0) return undefined;
    if (this.#asked.placed.size === 0) {
      return { run, why: "it never entered the loop in which the statement stands" };
    }
    return { run, why: "it has no iteration in the range that is asked for" };
  }

  #unplaced(): SourceLog | undefined {
    return this.#question.placements.find((placement) => !this.#asked.placed.has(placement));
  }

  #unmatched(): LoopEntry | undefined {
    for (const entry of allEntries(this.#facts.entries)) {
      if (!this.#points.loopOf(entry)) return entry;
    }
    return undefined;
  }

  /** Everything is executed. */
  #whole(note: string): PlannedRun {
    const route = this.#routes.whole();
    const unseen = describeUnseen(route.calls);
    const planned = this.#planned("inner", [unitOf(route, this.#boxes)], [note, ...unseen]);
    return { ...planned, share: 1 };
  }

  #makeCutter(): Cutter {
    const chain = new AskedChain(this.#asked, this.#facts.entries, {
      iterations: (entry) => this.#beginnings(entry),
      isSkippable: (entry) => this.#points.loopEnd(entry) !== undefined,
      loopId: (entry) => this.#points.loopOf(entry)?.id,
    });
    return new Cutter(chain, (asked) => this.#routes.best(asked));
  }

  /**
   * Only what is asked for is executed, and what cannot be restored on the way to it; by processes that end before
   * these pieces of the cutter.
   */
  inPieces(ends: readonly number[]): PlannedRun {
    const pieces = this.#cutter?.works(ends) ?? [];
    const unitFor = ({ route, part }: UnitWork): PlannedUnit => {
      const courses = this.#counted.withPassed(route.courses);
      return { ...unitOf(route, this.#boxes), ...(part ? { part } : {}), courses };
    };
    const units = pieces.map((piece) => this.#withRestores(unitFor(piece)));
    const executed = units.reduce((sum, { iterations }) => sum + iterations, 0);
    const executedMs = pieces.reduce((sum, { route }) => sum + route.innermostMs, 0);
    const costlier = executed > this.#askedIterations();
    const calls = new Set(pieces.flatMap(({ route }) => route.calls));
    const reasons = costlier ? this.#points.reasons : [];
    const notes = [...this.#gathered(), ...describeUnseen(calls), ...reasons];
    const control = controlRoute({
      asked: this.#asked,
      entries: this.#facts.entries,
      routes: this.#routes,
      planned: pieces.map(({ route }) => route),
    });
    return {
      ...this.#planned(this.#scan(), units, notes),
      share: this.#share(executed, executedMs, calls),
      ...(control ? { control: unitFor({ route: control, part: pieces.at(-1)?.part }) } : {}),
    };
  }

  /**
   * Iterations that a process can begin with, in order: from a checkpoint, or by executing what is around the
   * loops of the one before, which it skips.
   */
  #beginnings(entry: LoopEntry): number[] {
    const restored = this.#points.iterationEnds(entry).map(({ next }) => next);
    const along = [...entry.children].flatMap(([index, inner]) => {
      return inner.every((child) => this.#points.loopEnd(child)) ? [index + 1] : [];
    });
    return [...new Set([...restored, ...along])].toSorted((a, b) => a - b);
  }

  /** Why inner loops are executed of which nothing is asked. */
  #gathered(): string[] {
    const values = this.#question.placements.flatMap(({ carries }) => carries ?? []);
    const notes = [...this.#asked.entries.keys()].flatMap(({ depth, loop }) => {
      const own = values.filter((one) => one.depth === depth + 1);
      return own.map((one) => {
        return `${describeCarried(one)}: whole iterations of loop "${loop}" are executed`;
      });
    });
    return [...new Set(notes)];
  }

  #withRestores(unit: PlannedUnit): PlannedUnit {
    const skipped = new Set(
      unit.courses.filter((course) => course.do === "skip").map(({ entry }) => entry),
    );
    const { entries } = this.#facts;
    const isRestored = entries.length > 0 && entries.every(({ key }) => skipped.has(key));
    return isRestored ? { ...unit, restores: true } : unit;
  }

  get #boxes(): readonly Box[] {
    const { asked } = this.#question;
    return asked === "all" ? [] : asked;
  }

  #askedIterations(): number {
    let count = 0;
    for (const [entry, { targets }] of this.#asked.entries) {
      for (const at of targets.list) count += this.#routes.innermost.iterationsOf(entry, at, at);
    }
    return count;
  }

  /** Named by the innermost place that is asked for. */
  #scan(): Scan {
    const targets = [...this.#asked.entries].filter(([, { targets }]) => targets.size > 0);
    const { innermost } = this.#routes;
    if (targets.some(([entry]) => innermost.has(entry))) return "inner";
    if (targets.length > 0) return "outer";
    const [first] = this.#facts.entries;
    const id = first && this.#points.loopOf(first)?.id;
    const isPrefix = this.#asked.outside.every(({ before }) => {
      return !first || (id !== undefined && before.includes(id));
    });
    return isPrefix ? "prefix" : "suffix";
  }

  /**
   * Of the time that the iterations of innermost loops took when they were recorded; calls whose inside
   * nobody sees count beside them.
   */
  #share(executed: number, executedMs: number, calls: ReadonlySet<UnseenCall>): number {
    const { innermost } = this.#routes;
    const recordedMs = innermost.allMs(this.#facts, this.#costs);
    const isAll = executed >= innermost.iterations;
    // Where nothing was measured, by their number.
    const ofTime = recordedMs > 0 ? executedMs / recordedMs : executed / innermost.iterations;
    const ofLoops = executed === 0 ? 0 : isAll ? 1 : Math.min(1, ofTime);
    const unseenMs = msOf(this.#routes.unseen.all);
    if (unseenMs === 0) return ofLoops;
    const { entries } = this.#facts;
    const allMs = entries.reduce((ms, entry) => ms + this.#costs.totalMs(entry), 0);
    const inside = this.#routes.unseen.all.filter(({ path }) => path.length > 0);
    const loopsMs = Math.max(0, allMs - msOf(inside));
    return (ofLoops * loopsMs + msOf(calls)) / (loopsMs + unseenMs);
  }

  #planned(
    scan: Scan,
    units: readonly PlannedUnit[],
    notes: readonly string[],
  ): Omit<PlannedRun, "share"> {
    const { run } = this.#facts;
    return {
      run,
      scan,
      ranges: this.#boxes,
      seconds: units.reduce((sum, { seconds }) => sum + seconds, 0),
      from_checkpoint: units[0]?.checkpoints[0] ?? null,
      notes: notes.slice(0, NOTES_MAX),
      units,
    };
  }
}

/** It comes from other iterations, or the question changes it in others than it looks at it. */
function describeCarried({ name }: CarriedValue): string {
  return `what became of ${name} before may matter, and no checkpoint holds it`;
}

function msOf(calls: Iterable<UnseenCall>): number {
  let total = 0;
  for (const { ms } of calls) total += ms;
  return total;
}

function unitOf(route: PlannedRoute, ranges: readonly Box[]): PlannedUnit {
  const { courses, iterations, checkpoints, ms, codeMs } = route;
  const [seconds, code_seconds] = [ms / 1000, codeMs / 1000];
  return { ranges, courses, seconds, code_seconds, iterations, checkpoints };
}

/** The same unit with all of the run executed, for when restoring was not enough. */
export function wholeUnit(
  facts: RunFacts,
  { ranges, part }: Pick<PlannedUnit, "ranges" | "part">,
  costs: Costs,
): PlannedUnit {
  const innermost = new Innermost(facts);
  const unseen = new UnseenCalls(facts);
  const run = { facts, innermost, unseen, costs: new RunCosts(facts, costs) };
  return { ...unitOf(wholeRoute(run), ranges), ...(part ? { part } : {}) };
}
