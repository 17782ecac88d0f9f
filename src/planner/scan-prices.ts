/**
 * @file What typical questions to a run would cost with the checkpoints that it has: the worst
 * single step, all outer bodies, everything (FlorDB §5.2). Shown before checkpoints are removed.
 */
import type { SourceLog, SourceModel } from "../languages/index.ts";
import type { AskedEntries, AskedEntry } from "./asked-entries.ts";
import { Indices } from "./asked-entries.ts";
import type { Costs } from "./cost.ts";
import { RunCosts } from "./cost.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";
import { RoutePlanner } from "./route-planner.ts";
import type { LoopMatch } from "./match-loops.ts";
import { RestorablePoints } from "./restorable-points.ts";

/** Predicted seconds; null where the run has nothing of the kind. */
export interface ScanPrices {
  /** One iteration of an innermost loop, the one that costs most. */
  readonly step: number | null;
  /** A statement in the body of every outermost loop that has loops in it. */
  readonly outer: number | null;
  /** A statement in every innermost loop. */
  readonly inner: number | null;
}

/** Steps whose price is asked for: beyond, some are passed over. */
const STEPS_MAX = 2000;

/** A statement at the end of a body. */
const STATEMENT: SourceLog = {
  file: "",
  line: 1,
  column: 1,
  name: "",
  text: "",
  chain: [],
  certain: true,
  before: [],
};

export function priceScans(
  facts: RunFacts,
  model: SourceModel,
  match: LoopMatch,
  costs: Costs,
): ScanPrices {
  return new Pricing(
    facts,
    new RestorablePoints(facts, model, match, { hasAround: true }),
    costs,
  ).prices();
}

class Pricing {
  readonly #facts: RunFacts;
  readonly #points: RestorablePoints;
  readonly #routes: RoutePlanner;
  readonly #parents = new Map<LoopEntry, { readonly entry: LoopEntry; readonly index: number }>();

  constructor(facts: RunFacts, points: RestorablePoints, costs: Costs) {
    this.#facts = facts;
    this.#points = points;
    this.#routes = new RoutePlanner({ facts, points, costs: new RunCosts(facts, costs) });
    for (const entry of allEntries(facts.entries)) {
      for (const [index, inner] of entry.children) {
        for (const child of inner) this.#parents.set(child, { entry, index });
      }
    }
  }

  prices(): ScanPrices {
    const steps = this.#innermost().flatMap((entry) =>
      this.#worstSteps(entry).map((index) => ({ entry, index })),
    );
    const every = Math.ceil(steps.length / STEPS_MAX);
    const stepPrices = steps
      .filter((_, at) => at % every === 0)
      .map(({ entry, index }) => this.#price([[entry, [index]]]) ?? 0);
    const outer = this.#facts.entries.filter((entry) => !this.#routes.innermost.has(entry));
    return {
      step: stepPrices.length === 0 ? null : Math.max(...stepPrices),
      outer: this.#price(outer.map((entry) => [entry, iterationIndices(entry)])),
      inner: this.#price(this.#innermost().map((entry) => [entry, iterationIndices(entry)])),
    };
  }

  /** Those whose way from the outermost loop down is by iterations that were counted. */
  #innermost(): LoopEntry[] {
    return [...allEntries(this.#facts.entries)].filter((entry) => {
      return this.#routes.innermost.has(entry) && this.#isCounted(entry);
    });
  }

  /** A loop inside an iterator may belong to an iteration that never began. */
  #isCounted(entry: LoopEntry): boolean {
    const parent = this.#parents.get(entry);
    return !parent || (parent.index < parent.entry.iterations && this.#isCounted(parent.entry));
  }

  /** After a checkpoint the price rises up to the next one: only the last before each matters. */
  #worstSteps(entry: LoopEntry): number[] {
    const ends = this.#points.iterationEnds(entry).map(({ next }) => next - 1);
    return [...new Set([...ends, entry.iterations - 1])].filter((index) => index >= 0);
  }

  /** Seconds for these iterations; null if there are none. */
  #price(targets: readonly (readonly [LoopEntry, readonly number[]])[]): number | null {
    const entries = new Map<LoopEntry, AskedEntry>();
    for (const [entry, asked] of targets) {
      if (asked.length === 0) continue;
      entries.set(entry, { visits: asked, targets: new Indices(asked), statements: [STATEMENT] });
    }
    if (entries.size === 0) return null;
    const visited = new Map<LoopEntry, Set<number>>();
    for (const entry of entries.keys()) this.#visitAround(entry, visited);
    for (const [entry, visits] of visited) {
      const sorted = [...visits].toSorted((a, b) => a - b);
      entries.set(entry, { visits: sorted, targets: new Indices([]), statements: [] });
    }
    const asked: AskedEntries = { outside: [], entries, placed: new Set() };
    return this.#routes.best(asked).ms / 1000;
  }

  #visitAround(entry: LoopEntry, visited: Map<LoopEntry, Set<number>>): void {
    const parent = this.#parents.get(entry);
    if (!parent) return;
    const known = visited.get(parent.entry) ?? new Set();
    visited.set(parent.entry, known.add(parent.index));
    this.#visitAround(parent.entry, visited);
  }
}

/** Of very many iterations the first: what a question about all of them costs says nothing more. */
const INDICES_MAX = 1_000_000;

function iterationIndices({ iterations }: LoopEntry): number[] {
  return Array.from({ length: Math.min(iterations, INDICES_MAX) }, (_, index) => index);
}
