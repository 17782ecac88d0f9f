/**
 * @file What is asked of some runs, spread over workers: the runs stand in a row, each worker gets as much of it as
 * the others, and a run is cut where one worker ends and the next begins. None is cut where nothing much is
 * gained: each process pays again for its start.
 */
import { scheduleUnits } from "./schedule-units.ts";
import type { Cutter } from "./split-units.ts";

export interface SpreadRun {
  /** What it takes in one process, in milliseconds. */
  readonly ms: number;
  /** Undefined: it is executed as a whole. */
  readonly cutter: Cutter | undefined;
  /** Others wait for its last process. */
  readonly isUrgent: boolean;
}

export interface SpreadOptions {
  readonly workers: number;
  /** The run whose first piece is executed alone, before all others, as short as can be; null: none. */
  readonly first: number | null;
  /** What processes take that belong to no run's pieces. */
  readonly besides: readonly number[];
}

/** Pieces of a run before which its processes end; one alone: it is not cut. */
type Ends = readonly number[];

/** A cut is worth it from here on. */
const WORTH = 0.95;
/** Each halving of the interval in which the best time is looked for plans a few pieces. */
const ROUNDS = 12;

/** For each run the ends of its processes. */
export function spreadRuns(runs: readonly SpreadRun[], options: SpreadOptions): readonly Ends[] {
  const spreading = new Spreading(runs, options);
  const whole = runs.map(({ cutter }) => [cutter?.length ?? 1]);
  return options.workers > 1 ? spreading.best(whole) : whole;
}

class Spreading {
  readonly #runs: readonly SpreadRun[];
  readonly #options: SpreadOptions;

  constructor(runs: readonly SpreadRun[], options: SpreadOptions) {
    this.#runs = runs;
    this.#options = options;
  }

  best(whole: readonly Ends[]): readonly Ends[] {
    // One that goes before all others may be worth it though its own run gains nothing.
    const led = whole.map((ends, at) => (this.#isLed(at) ? [1, ...ends] : ends));
    const [shortest = whole] = [whole, led].toSorted((a, b) => this.#wallMs(a) - this.#wallMs(b));
    const limitMs = this.#wallMs(shortest) * WORTH;
    const filled = this.#search(led, limitMs);
    return filled && this.#wallMs(filled) <= limitMs ? filled : shortest;
  }

  /** Whether the first piece of the run is executed before all else. */
  #isLed(at: number): boolean {
    return at === this.#options.first && (this.#runs[at]?.cutter?.length ?? 0) > 1;
  }

  /** Milliseconds until everything is done. One process alone needs no other to go before it. */
  #wallMs(cuts: readonly Ends[]): number {
    const { workers, first, besides } = this.#options;
    const units = cuts.map((ends, at) =>
      ends.map((end, nth) => this.#ms(at, ends[nth - 1] ?? 0, end)),
    );
    const isAlone = units.flat().length === 1;
    const ledMs = isAlone || first === null ? 0 : (units[first]?.shift() ?? 0);
    const isUrgent = units.flatMap((own, at) =>
      own.map((_, nth) => nth === own.length - 1 && this.#runs[at]?.isUrgent === true),
    );
    const urgent = new Set(besides.keys());
    for (const [at, one] of isUrgent.entries()) if (one) urgent.add(besides.length + at);
    return ledMs + scheduleUnits([...besides, ...units.flat()], workers, urgent).seconds;
  }

  #ms(at: number, start: number, end: number): number {
    const run = this.#runs[at];
    const isWhole = start === 0 && end === (run?.cutter?.length ?? 1);
    return isWhole ? (run?.ms ?? 0) : (run?.cutter?.route(start, end).ms ?? 0);
  }

  /** With the earliest end that was found; undefined: none ends by then. */
  #search(led: readonly Ends[], limitMs: number): readonly Ends[] | undefined {
    const { first, besides, workers } = this.#options;
    const ledMs = first === null ? 0 : this.#ms(first, 0, led[first]?.[0] ?? 1);
    const all = [...besides, ...this.#runs.map(({ ms }) => ms)];
    let low = all.reduce((sum, ms) => sum + ms, -ledMs) / workers;
    let high = limitMs - ledMs;
    if (low > high) return undefined;
    let best = this.#fill(high);
    for (let round = 0; best && round < ROUNDS && high - low > limitMs / 200; round++) {
      const middle = (low + high) / 2;
      const filled = this.#fill(middle);
      if (filled) best = filled;
      if (filled) high = middle;
      else low = middle;
    }
    return best;
  }

  /** One worker after the other gets as much as fits into the time; undefined: there are too few. */
  #fill(ms: number): readonly Ends[] | undefined {
    const { workers, first, besides } = this.#options;
    let used = 1;
    let room = ms - besides.reduce((sum, one) => sum + one, 0);
    const cuts: Ends[] = [];
    for (const [at, run] of this.#runs.entries()) {
      const { length = 1 } = run.cutter ?? {};
      const start = this.#isLed(at) ? 1 : 0;
      const isBefore = at === first && start === 0;
      const restMs = isBefore ? 0 : this.#ms(at, start, length);
      const ends = restMs <= room ? [length] : this.#cut(run, start, { room, ms });
      if (!ends) return undefined;
      // The first of them may have got nothing of what was left.
      const own = ends.filter((end) => end > start);
      used += ends.length - 1;
      if (used > workers) return undefined;
      const lastMs = isBefore ? 0 : this.#ms(at, own.at(-2) ?? start, length);
      room = (ends.length > 1 ? ms : room) - lastMs;
      cuts.push(start > 0 ? [start, ...own] : own);
    }
    return cuts;
  }

  #cut(
    { cutter, ms: wholeMs }: SpreadRun,
    start: number,
    { room, ms }: { readonly room: number; readonly ms: number },
  ): Ends | undefined {
    if (cutter) return cutter.fill(start, (nth) => (nth === 0 ? room : ms));
    // As a whole, by the next worker.
    return wholeMs <= ms ? [0, 1] : undefined;
  }
}
