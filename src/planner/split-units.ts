/**
 * @file Cutting the asked iterations of one run into processes that work side by side (Flor §5.4:
 * hindsight parallelism). A process that begins in the middle gets there on its own, so the cuts
 * are made where it can: where an iteration end is, or where the loops of the iteration before are
 * skipped. And only if everything is done earlier for it.
 */
import type { Box } from "../format/index.ts";
import type { AskedEntries, AskedEntry } from "./asked-entries.ts";
import { limitAsked } from "./asked-entries.ts";
import type { PlannedRoute } from "./route-courses.ts";
import type { LoopEntry } from "./facts.ts";

/** The work of one process, and the cells that it is to keep. */
export interface UnitWork {
  readonly route: PlannedRoute;
  readonly ranges: readonly Box[];
}

export interface SplitOptions {
  readonly asked: AskedEntries;
  /** Outermost loop entries of the run. */
  readonly entries: readonly LoopEntry[];
  /** The question's ranges. */
  readonly boxes: readonly Box[];
  readonly workers: number;
  /** The first piece is executed alone, before the others: it is cut as short as can be. */
  readonly canary: boolean;
  readonly plan: (asked: AskedEntries) => PlannedRoute;
  /** Iterations of an entry that a process can begin with, in order. */
  readonly beginnings: (entry: LoopEntry) => readonly number[];
}

/** A cut is worth it from here on: each process pays again for its start. */
const WORTH = 0.95;
/** Each halving of the interval in which the best time is looked for plans a few pieces. */
const ROUNDS = 12;

/** At most `workers` pieces that together do what is asked. */
export function splitUnits(options: SplitOptions): UnitWork[] {
  const whole = { route: options.plan(options.asked), ranges: options.boxes };
  const entry = options.workers > 1 || options.canary ? cuttableEntry(options) : undefined;
  const asked = entry && options.asked.entries.get(entry);
  if (!entry || !asked) return [whole];
  const cutter = new Cutter(options, entry, asked);
  const cut = options.canary ? cutter.led(whole.route.ms) : cutter.best(whole.route.ms * WORTH);
  return cut ?? [whole];
}

/** The outermost entry of which several iterations are asked, if all that is asked is in it. */
function cuttableEntry({ asked, entries }: SplitOptions): LoopEntry | undefined {
  if (asked.outside.length > 0) return undefined;
  let loops = entries.filter((entry) => asked.entries.has(entry));
  for (;;) {
    const [entry, other] = loops;
    const known = entry && asked.entries.get(entry);
    if (!entry || !known || known.whole || other) return undefined;
    if (known.visits.length > 1) return hasPlainPath(entry) ? entry : undefined;
    const [only = 0] = known.visits;
    if (known.targets.has(only)) return undefined;
    const inner = entry.children.get(only) ?? [];
    loops = inner.filter((child) => asked.entries.has(child));
  }
}

/** A range names loops: nested loops of one name cannot be told apart in it. */
function hasPlainPath({ path, loop }: LoopEntry): boolean {
  return new Set([...path.map(([name]) => name), loop]).size === path.length + 1;
}

class Cutter {
  readonly #options: SplitOptions;
  readonly #entry: LoopEntry;
  readonly #visits: readonly number[];
  /** Positions in the visits at which a piece may begin. */
  readonly #starts: readonly number[];
  readonly #planned = new Map<string, PlannedRoute>();

  constructor(options: SplitOptions, entry: LoopEntry, { visits }: AskedEntry) {
    this.#options = options;
    this.#entry = entry;
    this.#visits = visits;
    this.#starts = startsOf(visits, options.beginnings(entry));
  }

  /** The shortest first piece, and then the others. */
  led(wholeMs: number): UnitWork[] | undefined {
    if (this.#starts.length < 2) return undefined;
    const first = this.#piece(0, 1);
    // One that goes before all runs may be worth it though its own run gains nothing.
    const limitMs = this.#options.workers > 1 ? wholeMs * WORTH - first.route.ms : 2 * wholeMs;
    const others = this.best(limitMs, 1);
    return others && [first, ...others];
  }

  /** The pieces from a start on with the earliest end, if there are some that end by `limitMs`. */
  best(limitMs: number, from = 0): UnitWork[] | undefined {
    let low = 0;
    let high = limitMs;
    let best = this.#within(high, from);
    if (!best) return undefined;
    for (let round = 0; round < ROUNDS && high - low > limitMs / 200; round++) {
      const middle = (low + high) / 2;
      const pieces = this.#within(middle, from);
      if (pieces) {
        best = pieces;
        high = Math.max(...pieces.map(({ route }) => route.ms));
      } else low = middle;
    }
    return best;
  }

  /** As many visits as fit into the time, piece by piece; undefined: not enough workers. */
  #within(ms: number, from: number): UnitWork[] | undefined {
    const pieces: UnitWork[] = [];
    for (let start = from; start < this.#starts.length;) {
      const end = this.#furthest(start, ms);
      if (end === undefined || pieces.length === this.#options.workers) return undefined;
      pieces.push(this.#piece(start, end));
      start = end;
    }
    return pieces;
  }

  #piece(start: number, end: number): UnitWork {
    return { route: this.#route(start, end), ranges: this.#ranges(start, end) };
  }

  /** The last start at which the piece may end; a longer piece never takes less time. */
  #furthest(start: number, ms: number): number | undefined {
    if (this.#route(start, start + 1).ms > ms) return undefined;
    let fits = start + 1;
    let beyond = this.#starts.length + 1;
    while (beyond - fits > 1) {
      const middle = Math.floor((fits + beyond) / 2);
      if (this.#route(start, middle).ms <= ms) fits = middle;
      else beyond = middle;
    }
    return fits;
  }

  #route(start: number, end: number): PlannedRoute {
    const key = `${start}-${end}`;
    let known = this.#planned.get(key);
    if (!known) {
      const [first, last] = this.#span(start, end);
      known = this.#options.plan(limitAsked(this.#options.asked, this.#entry, first, last));
      this.#planned.set(key, known);
    }
    return known;
  }

  /** First and last visited iteration of the piece. */
  #span(start: number, end: number): readonly [first: number, last: number] {
    const from = this.#starts[start] ?? 0;
    const to = (this.#starts[end] ?? this.#visits.length) - 1;
    return [this.#visits[from] ?? 0, this.#visits[to] ?? 0];
  }

  /** The question's ranges inside the piece. */
  #ranges(start: number, end: number): Box[] {
    const span = this.#span(start, end);
    const around = this.#entry.path.map(([name, index]): [string, readonly [number, number]] => {
      return [name, [Number(index), Number(index)]];
    });
    const piece: Box = Object.fromEntries([...around, [this.#entry.loop, span]]);
    const { boxes } = this.#options;
    if (boxes.length === 0) return [piece];
    return boxes.map((box) => intersectBoxes(box, piece)).filter((box) => box !== undefined);
  }
}

/** Positions of the visits before which, after the last start, there is such an iteration. */
function startsOf(visits: readonly number[], ends: readonly number[]): number[] {
  const starts = [0];
  let at = 0;
  for (const [position, visit] of visits.entries()) {
    const before = visits[position - 1] ?? -1;
    let found = false;
    for (; at < ends.length && (ends[at] ?? Infinity) <= visit; at++) {
      found ||= (ends[at] ?? 0) > before;
    }
    if (found && position > 0) starts.push(position);
  }
  return starts;
}

function intersectBoxes(box: Box, other: Box): Box | undefined {
  const both: { [loop: string]: readonly [number, number] } = { ...box };
  for (const [loop, [first, last]] of Object.entries(other)) {
    const [from, to] = Object.hasOwn(box, loop) ? (box[loop] ?? [first, last]) : [first, last];
    both[loop] = [Math.max(first, from), Math.min(last, to)];
    if (Math.max(first, from) > Math.min(last, to)) return undefined;
  }
  return both;
}

/** Seconds until the last of these processes ends (list scheduling, longest processing time first). */
export function makespan(seconds: readonly number[], workers: number): number {
  const busy = Array.from({ length: Math.max(1, workers) }, () => 0);
  for (const unit of seconds.toSorted((a, b) => b - a)) {
    const free = busy.indexOf(Math.min(...busy));
    busy[free] = (busy[free] ?? 0) + unit;
  }
  return Math.max(...busy);
}
