/**
 * @file What executing parts of a run costs, from its profile. FlorDB §5.2 estimates four scans:
 * prefix = prefix; suffix = prefix + load + suffix; validation = prefix + N (load + margin);
 * range = prefix + load + (k / N) outer. All four are sums of the same parts, which are given
 * here; the route adds those that it goes through, and a process adds its start (semantics,
 * "Scans").
 */
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";
import type { WarmUp } from "./warm-up.ts";
import { excessOf, steadyMs, warmUpOf } from "./warm-up.ts";

/** What the machine that replays costs; `learnCosts` has it from earlier replays. */
export interface Costs {
  /** Process start and our own preparation in seconds, by program; else as the run had it. */
  readonly startS: Readonly<{ [program: string]: number }>;
  /** Bytes of state restored in a second; null: guessed from how fast the run persisted. */
  readonly loadBytesPerS: number | null;
  /** How much longer code takes here than where it was recorded, by that machine (`machineOf`); absent: as long. */
  readonly hostFactors: Readonly<{ [machine: string]: number }>;
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
  readonly #hostFactor: number;
  readonly #own = new Map<LoopEntry, Float64Array>();
  readonly #next = new Map<LoopEntry, Float64Array>();
  readonly #totals = new Map<LoopEntry, number>();
  readonly #steady = new Map<LoopEntry, Float64Array>();
  readonly #warmUps = new Map<string, WarmUp | undefined>();
  /** Entries of each loop, by the names of the loops around it. */
  readonly #blocks: ReadonlyMap<string, readonly LoopEntry[]>;
  /** Mean milliseconds of an iteration of each. */
  readonly #means = new Map<string, number>();

  constructor(facts: RunFacts, costs: Costs) {
    this.#facts = facts;
    this.#costs = costs;
    const { machine = "" } = facts;
    const { hostFactors } = costs;
    this.#hostFactor = Object.hasOwn(hostFactors, machine) ? (hostFactors[machine] ?? 1) : 1;
    this.#blocks = entriesByBlock(facts);
  }

  /** From the start of a process to the program's first statement. */
  get startMs(): number {
    const { startS, treeS } = this.#costs;
    const { run, times } = this.#facts;
    const program = programOf(run);
    const learned = Object.hasOwn(startS, program) ? startS[program] : undefined;
    const startMs = learned === undefined ? this.#scale(times.start + times.setup) : learned * 1000;
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
    const { loadBytesPerS } = this.#costs;
    const learned = loadBytesPerS === null ? undefined : loadBytesPerS / 1000;
    // What is synced to the disk is written at most as fast as it is read back from its cache.
    const persisted = this.#facts.times.persistBytesPerMs ?? 0;
    const bytesPerMs = learned ?? Math.max(persisted, LOAD_BYTES_PER_MS);
    return LOAD_MIN_MS + stateBytes / bytesPerMs;
  }

  /** Iteration `index` without the loops in it, once its loop has run for a while. */
  ownMs(entry: LoopEntry, index: number): number {
    return this.#steadyTimes(entry)[index] ?? this.usualMs(entry);
  }

  /** The same for iterations `from` to `to` together. */
  ownMsOf(entry: LoopEntry, from: number, to: number): number {
    const times = this.#steadyTimes(entry);
    const beyond = Math.max(0, to + 1 - Math.max(from, times.length));
    let ms = beyond * this.usualMs(entry);
    for (let index = from; index <= Math.min(to, times.length - 1); index++)
      ms += times[index] ?? 0;
    return ms;
  }

  /** The same for an iteration that nobody measured. */
  usualMs(entry: LoopEntry): number {
    return this.#scale(this.#mean(blockOf(entry)));
  }

  /** What `count` iterations take longer because only `done` of their loop have run before. */
  warmUpMs(entry: LoopEntry, done: number, count: number): number {
    return excessOf(this.#warmUp(blockOf(entry)), done, count);
  }

  #steadyTimes(entry: LoopEntry): Float64Array {
    const known = this.#steady.get(entry);
    if (known) return known;
    const warmUp = this.#warmUp(blockOf(entry));
    const times = this.#ownTimes(entry).map((ms, index) => steadyMs(warmUp, entry, index, ms));
    this.#steady.set(entry, times);
    return times;
  }

  #warmUp(block: string): WarmUp | undefined {
    if (!this.#warmUps.has(block)) {
      const entries = this.#blocks.get(block) ?? [];
      this.#warmUps.set(
        block,
        warmUpOf(entries, (entry) => this.#ownTimes(entry)),
      );
    }
    return this.#warmUps.get(block);
  }

  /** Taking items `from` up to, not including, `to` from the iterator. */
  consumeMs(entry: LoopEntry, from: number, to: number): number {
    const sums = this.#nextSums(entry);
    const timed = sums.length - 1;
    const meanMs = timed === 0 ? 0 : (sums[timed] ?? 0) / timed;
    const upTo = (n: number): number => sums[n] ?? (sums[timed] ?? 0) + (n - timed) * meanMs;
    return upTo(to) - upTo(from);
  }

  /** All of the entry as it was recorded. */
  totalMs(entry: LoopEntry): number {
    const known = this.#totals.get(entry);
    if (known !== undefined) return known;
    const own = this.#ownTimes(entry);
    let total = (entry.iterations - own.length) * this.usualMs(entry);
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
    const own = Float64Array.from({ length: timedOf(entry) }, (_, index) => {
      const body = this.#bodyMs(entry, index, inner[index]);
      const measured = (next[index] ?? NaN) + (head[index] ?? NaN) + (tail[index] ?? NaN) + body;
      return this.#scale(Number.isNaN(measured) ? this.#mean(blockOf(entry)) : measured);
    });
    this.#own.set(entry, own);
    return own;
  }

  #mean(block: string): number {
    const known = this.#means.get(block);
    if (known !== undefined) return known;
    const mean = meanMs(this.#blocks.get(block) ?? []);
    this.#means.set(block, mean);
    return mean;
  }

  /** Between the inner loops: what is left of the time from the first to the last of them. */
  #bodyMs(entry: LoopEntry, index: number, innerMs = NaN): number {
    const loops = entry.children.get(index);
    if (!loops || Number.isNaN(innerMs)) return innerMs;
    const insideMs = sum(loops.map((child) => this.totalMs(child)));
    return Math.max(0, innerMs - insideMs / this.#hostFactor);
  }

  #nextSums(entry: LoopEntry): Float64Array {
    const known = this.#next.get(entry);
    if (known) return known;
    const timed = timedOf(entry);
    const sums = new Float64Array(timed + 1);
    for (let index = 0; index < timed; index++) {
      const ms = entry.times.next[index] ?? NaN;
      sums[index + 1] = (sums[index] ?? 0) + (Number.isNaN(ms) ? 0 : this.#scale(ms));
    }
    this.#next.set(entry, sums);
    return sums;
  }

  #scale(ms: number): number {
    return ms * this.#hostFactor;
  }
}

/** A loop of more iterations than this is not gone through one by one. */
const TIMED_MAX = 100_000;

/** Iterations of which times are kept: the first ones, and those with loops in them. */
export function timedOf({ iterations, children }: LoopEntry): number {
  let timed = Math.min(iterations, TIMED_MAX);
  if (timed < iterations) for (const index of children.keys()) timed = Math.max(timed, index + 1);
  return Math.min(timed, iterations);
}

/** Names of the loops around an entry and its own: times of one tell about the others. */
export function blockOf({ path, loop }: LoopEntry): string {
  // Lengths keep names apart; JSON would be a tenth of planning, as often as this is asked for.
  let block = loop;
  for (const [name] of path) block += ` ${name.length} ${name}`;
  return block;
}

function entriesByBlock(facts: RunFacts): Map<string, LoopEntry[]> {
  const blocks = new Map<string, LoopEntry[]>();
  for (const entry of allEntries(facts.entries)) {
    const block = blockOf(entry);
    const known = blocks.get(block);
    if (known) known.push(entry);
    else blocks.set(block, [entry]);
  }
  return blocks;
}

/** Mean time of an iteration without its inner loops, for those that nobody measured. */
function meanMs(entries: readonly LoopEntry[]): number {
  let [total, count] = [0, 0];
  for (const entry of entries) {
    const { next, head, tail } = entry.times;
    for (let index = 0; index < timedOf(entry); index++) {
      const ms = (next[index] ?? NaN) + (head[index] ?? NaN) + (tail[index] ?? NaN);
      if (Number.isNaN(ms)) continue;
      total += ms;
      count++;
    }
  }
  if (count > 0) return total / count;
  // Without a profile the clock of the log is left, which also counts what recording took.
  const whole = entries.filter(({ elapsedMs, children }) => elapsedMs !== null && !children.size);
  const iterations = sum(whole.map((entry) => entry.iterations));
  return iterations === 0 ? 0 : sum(whole.map(({ elapsedMs }) => elapsedMs ?? 0)) / iterations;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
