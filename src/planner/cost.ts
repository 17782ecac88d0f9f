/**
 * @file What executing parts of a run costs, from its profile. FlorDB §5.2 estimates four scans:
 * prefix = prefix; suffix = prefix + load + suffix; validation = prefix + N (load + margin);
 * range = prefix + load + (k / N) outer. All four are sums of the same parts, which are given
 * here; the route adds those that it goes through, and a process adds its start (design §3).
 */
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";

/** What the machine that replays costs; `learnCosts` has it from earlier replays. */
export interface Costs {
  /** Process start and our own preparation in seconds, by program; else as the run had it. */
  readonly startS: Readonly<{ [program: string]: number }>;
  /** Bytes of state restored in a second; null: guessed from how fast the run persisted. */
  readonly loadBytesPerS: number | null;
  /** How much longer code takes here than where it was recorded. */
  readonly hostFactor: number;
  /** Seconds to make the tree in which a process runs. */
  readonly treeS: number;
  /** Earlier plans: what they said, and actual by predicted seconds. */
  readonly past: readonly PastPlan[];
}

export interface PastPlan {
  readonly seconds: number;
  readonly ratio: number;
}

/** The program in the id of a run, without time and random letters. */
export function programOf(run: string): string {
  return run.replace(/-\d{8}-\d{6}-[0-9a-z]{4}$/, "");
}

/** Opening a checkpoint and going through its graph, however small it is. */
const LOAD_MIN_MS = 4;
/** Restoring a state of this machine's size, where nothing else is known: 500 MB a second. */
const LOAD_BYTES_PER_MS = 500_000;

/** Milliseconds of one run's parts. */
export class RunCosts {
  readonly #facts: RunFacts;
  readonly #costs: Costs;
  readonly #own = new Map<LoopEntry, Float64Array>();
  readonly #next = new Map<LoopEntry, Float64Array>();
  readonly #totals = new Map<LoopEntry, number>();
  /** Mean milliseconds of an iteration, by the names of the loops around it. */
  readonly #means: ReadonlyMap<string, number>;

  readonly #loads: "timed" | "free";

  /** `free` loads: for a route that restores wherever it can. */
  constructor(facts: RunFacts, costs: Costs, loads: "timed" | "free" = "timed") {
    this.#facts = facts;
    this.#costs = costs;
    this.#loads = loads;
    this.#means = blockMeans(facts);
  }

  /** From the start of a process to the program's first statement. */
  get startMs(): number {
    const { startS, treeS, hostFactor } = this.#costs;
    const { run, times } = this.#facts;
    const program = programOf(run);
    const learned = Object.hasOwn(startS, program) ? startS[program] : undefined;
    const startMs =
      learned === undefined ? (times.start + times.setup) * hostFactor : learned * 1000;
    return startMs + treeS * 1000;
  }

  /** The program's own code outside loops up to the entry of outermost loop `index`. */
  outsideUpTo(index: number): number {
    const { prefix, gaps } = this.#facts.times;
    return this.#scale(prefix + sum(gaps.slice(0, index)));
  }

  /** All of the program's code outside loops. */
  get outsideMs(): number {
    const { prefix, gaps, suffix } = this.#facts.times;
    return this.#scale(prefix + sum(gaps) + suffix);
  }

  loadMs(stateBytes: number): number {
    if (this.#loads === "free") return 0;
    const { loadBytesPerS } = this.#costs;
    const learned = loadBytesPerS === null ? undefined : loadBytesPerS / 1000;
    // What is synced to the disk is written at most as fast as it is read back from its cache.
    const persisted = this.#facts.times.persistBytesPerMs ?? 0;
    const bytesPerMs = learned ?? Math.max(persisted, LOAD_BYTES_PER_MS);
    return LOAD_MIN_MS + stateBytes / bytesPerMs;
  }

  /** Iteration `index` without the loops in it. */
  ownMs(entry: LoopEntry, index: number): number {
    return this.#ownTimes(entry)[index] ?? 0;
  }

  /** Taking items `from` up to, not including, `to` from the iterator. */
  consumeMs(entry: LoopEntry, from: number, to: number): number {
    const sums = this.#nextSums(entry);
    return (sums[to] ?? 0) - (sums[from] ?? 0);
  }

  /** All of the entry as it was recorded. */
  totalMs(entry: LoopEntry): number {
    const known = this.#totals.get(entry);
    if (known !== undefined) return known;
    const own = this.#ownTimes(entry);
    let total = 0;
    for (const ms of own) total += ms;
    for (const inner of entry.children.values()) {
      for (const child of inner) total += this.totalMs(child);
    }
    this.#totals.set(entry, total);
    return total;
  }

  #ownTimes(entry: LoopEntry): Float64Array {
    const known = this.#own.get(entry);
    if (known) return known;
    const { next, head, inner, tail } = entry.times;
    const mean = this.#means.get(blockOf(entry)) ?? 0;
    const own = Float64Array.from({ length: entry.iterations }, (_, index) => {
      const body = this.#bodyMs(entry, index, inner[index]);
      const measured = (next[index] ?? NaN) + (head[index] ?? NaN) + (tail[index] ?? NaN) + body;
      return Number.isNaN(measured) ? this.#scale(mean) : this.#scale(measured);
    });
    this.#own.set(entry, own);
    return own;
  }

  /** Between the inner loops: what is left of the time from the first to the last of them. */
  #bodyMs(entry: LoopEntry, index: number, innerMs = NaN): number {
    const loops = entry.children.get(index);
    if (!loops || Number.isNaN(innerMs)) return innerMs;
    const insideMs = sum(loops.map((child) => this.totalMs(child)));
    return Math.max(0, innerMs - insideMs / this.#costs.hostFactor);
  }

  #nextSums(entry: LoopEntry): Float64Array {
    const known = this.#next.get(entry);
    if (known) return known;
    const sums = new Float64Array(entry.iterations + 1);
    for (let index = 0; index < entry.iterations; index++) {
      const ms = entry.times.next[index] ?? NaN;
      sums[index + 1] = (sums[index] ?? 0) + (Number.isNaN(ms) ? 0 : this.#scale(ms));
    }
    this.#next.set(entry, sums);
    return sums;
  }

  #scale(ms: number): number {
    return ms * this.#costs.hostFactor;
  }
}

/** Names of the loops around an entry and its own: times of one tell about the others. */
export function blockOf({ path, loop }: LoopEntry): string {
  return JSON.stringify([...path.map(([name]) => name), loop]);
}

/** Mean time of an iteration without its inner loops, for those that nobody measured. */
function blockMeans(facts: RunFacts): Map<string, number> {
  const sums = new Map<string, { ms: number; count: number }>();
  for (const entry of allEntries(facts.entries)) {
    const block = blockOf(entry);
    const known = sums.get(block) ?? { ms: 0, count: 0 };
    sums.set(block, known);
    const { next, head, tail } = entry.times;
    for (let index = 0; index < entry.iterations; index++) {
      const ms = (next[index] ?? NaN) + (head[index] ?? NaN) + (tail[index] ?? NaN);
      if (Number.isNaN(ms)) continue;
      known.ms += ms;
      known.count++;
    }
    if (known.count > 0 || entry.elapsedMs === null || entry.children.size > 0) continue;
    known.ms += entry.elapsedMs;
    known.count += entry.iterations;
  }
  return new Map([...sums].map(([block, { ms, count }]) => [block, count === 0 ? 0 : ms / count]));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
