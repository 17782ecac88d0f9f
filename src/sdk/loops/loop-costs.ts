/**
 * @file What recording each loop costs, and which one costs too much: one that is entered very often and
 * does little, or calls itself. Pure: times come from the caller, in milliseconds.
 *
 * Only a recording decides by it. Which entries were recorded stands in its log, and whatever repeats
 * the run has the same ones.
 */
import type { LoopPlace, LoopSiteTuple } from "./instrument.ts";

/** What the calls at the boundaries of one loop statement have cost. */
export interface LoopCost {
  readonly place: LoopPlace;
  /** Times that it was entered; of these, in another loop; and as a loop of its own. */
  calls: number;
  nested: number;
  entries: number;
  ms: number;
  /** The program has logged something in it: its iterations are looked at. */
  logged: boolean;
  /** Items of it that are in the log, and how long its last iteration took, ms. */
  items: number;
  bodyMs: number;
}

/** Share of the budget that all boundaries may take together: the rest is for logs and checkpoints. */
const BUDGET_SHARE = 0.5;
/** They may cost so much in any run, ms; and any one of them, once others had that much. */
const FREE_MS = 100;
const OWN_FREE_MS = 25;
/**
 * A loop that was entered less often is not given up: it may be the training itself; and one in another
 * loop, whose iterations may cost more than its entries.
 */
const CALLS_MIN = 64;
const NESTED_MIN = 3;
/** Cost between two looks, ms. */
const LOOK_MS = 5;
/** Longer than a call takes: the process was interrupted. */
const CALL_MS_MAX = 1;
/**
 * An entry that is not recorded, and an iteration that goes by without a call, ms: what is made for them and
 * thrown away, and code that is no longer as quick as it was. Timing them would cost more than they do.
 */
const UNRECORDED_MS = 0.000_6;
const ITERATION_MS = { plain: 0.000_02, of: 0.000_035 } as const;

const NOTHING = { calls: 0, nested: 0, entries: 0, ms: 0, logged: false, items: 0, bodyMs: 0 };

export class LoopCosts {
  readonly #costs = new Map<LoopSiteTuple, LoopCost>();
  /** All loops together that were not given up, and those that were. */
  #totalMs = 0;
  #givenUpMs = 0;
  #lookAtMs = FREE_MS;

  of(place: LoopPlace): LoopCost {
    let cost = this.#costs.get(place.site);
    if (!cost) this.#costs.set(place.site, (cost = { place, ...NOTHING }));
    return cost;
  }

  /**
   * One call at a boundary of a loop took so long; undefined: of a loop that the program asked for.
   * Answers what of it is booked.
   */
  book(cost: LoopCost | undefined, ms: number): number {
    const own = Math.min(Math.max(0, ms), CALL_MS_MAX);
    this.#totalMs += own;
    if (cost) cost.ms += own;
    return own;
  }

  /** A loop was entered that is none of its own where it stands. */
  bookUnrecorded(cost: LoopCost): number {
    return this.book(cost, UNRECORDED_MS);
  }

  /** So many iterations went by without a call. */
  bookIterations(cost: LoopCost, count: number, kind: keyof typeof ITERATION_MS): number {
    const ms = count * ITERATION_MS[kind];
    cost.ms += ms;
    this.#totalMs += ms;
    return ms;
  }

  /** Whether they cost enough by now to look whether it is too much. */
  get isDue(): boolean {
    return this.#totalMs > this.#lookAtMs;
  }

  /** The loop to give up now; undefined: none. `programMs`: what the program's own work took so far. */
  tooCostly(budget: number, programMs: number): LoopCost | undefined {
    this.#lookAtMs = this.#totalMs + LOOK_MS;
    if (budget === Infinity) return undefined;
    const shareMs = BUDGET_SHARE * budget * programMs;
    // What was spent on loops that are over is spent: others do not get as much once more, each by itself.
    const isTooMuch = this.#totalMs > FREE_MS + shareMs;
    if (!isTooMuch && this.#totalMs + this.#givenUpMs <= FREE_MS + shareMs) return undefined;
    let dearest: LoopCost | undefined;
    for (const cost of this.#costs.values()) {
      const isOften = cost.calls >= CALLS_MIN || cost.nested >= NESTED_MIN;
      if (isOften && !cost.logged && cost.ms > (dearest?.ms ?? 0)) dearest = cost;
    }
    return isTooMuch || (dearest?.ms ?? 0) > OWN_FREE_MS + shareMs ? dearest : undefined;
  }

  /** It costs nothing from now on. */
  giveUp({ place, ms }: LoopCost): void {
    this.#costs.delete(place.site);
    this.#totalMs -= ms;
    this.#givenUpMs += ms;
    this.#lookAtMs = this.#totalMs;
  }
}
