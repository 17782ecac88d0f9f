/**
 * @file The cheapest way through a recorded run that visits the asked iterations, each with the
 * state that it had (semantics, "How a point is reached"). A process begins at the program's start
 * with the right state and keeps it: what it does not execute, it restores from a complete
 * checkpoint. So there are only two questions to an entry: how to get *through* it, and how to get
 * to the *final* asked point in it, after which nothing else is needed.
 */
import type { SourceLog } from "../languages/index.ts";
import type { AskedEntries } from "./asked-entries.ts";
import type { RunCosts } from "./cost.ts";
import { timedOf } from "./cost.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import type { IterationEnd, Points, Restorable } from "./restorable-points.ts";

/** Consecutive iterations that are executed. */
export interface RouteLeg {
  readonly from: number;
  /** Null: to the end of the loop. */
  readonly to: number | null;
  readonly restore: IterationEnd | null;
}

/** The way through one loop entry. */
export interface EntryRoute {
  readonly entry: LoopEntry;
  readonly legs: readonly RouteLeg[];
  /** What follows the legs: the loop ends by itself, its end is restored, or the process ends. */
  readonly after: "run" | "stop" | Restorable;
  readonly ms: number;
}

/** What becomes of the loops in one iteration, or at top level, in order. */
export interface BlockRoute {
  readonly loops: readonly {
    readonly entry: LoopEntry;
    /** `halt`: the process ends when it would enter. */
    readonly way: "through" | "final" | "halt";
  }[];
  /** Whether the code after the last of these loops is executed too. */
  readonly toEnd: boolean;
}

export interface RouterOptions {
  readonly facts: RunFacts;
  readonly points: Points;
  readonly costs: RunCosts;
  /** `free`: restores wherever it can; what that takes does not count. */
  readonly loads: "timed" | "free";
}

/** A way from one point of a loop to a later one. */
interface Segment {
  readonly restore: IterationEnd | null;
  readonly ms: number;
}

export class Router {
  readonly #options: RouterOptions;
  readonly #passSums = new Map<LoopEntry, Float64Array>();
  readonly #passes = new Map<LoopEntry, EntryRoute>();

  constructor(options: RouterOptions) {
    this.#options = options;
  }

  /** The cheapest ways for these asked iterations. */
  route(asked: AskedEntries): Route {
    return new Route(this, this.#options, asked);
  }

  /** The cheapest way through an entry of which nothing is asked. */
  pass(entry: LoopEntry): EntryRoute {
    let known = this.#passes.get(entry);
    if (!known) {
      known = this.routeThrough(entry, [], "through", () => 0);
      this.#passes.set(entry, known);
    }
    return known;
  }

  /**
   * The way through `visits`, in order, each costing `visitMs`; then to the end of the loop, or
   * nowhere. Between two visits either everything is executed, or one checkpoint is restored and
   * the rest executed: more than one restore is never cheaper.
   */
  routeThrough(
    entry: LoopEntry,
    visits: readonly number[],
    mode: "through" | "final",
    visitMs: (index: number) => number,
  ): EntryRoute {
    const legs: RouteLeg[] = [];
    let begun: { readonly from: number; readonly restore: IterationEnd | null } = {
      from: 0,
      restore: null,
    };
    let at = 0;
    let ms = 0;
    const close = (to: number | null): void => {
      if (to === null || to >= begun.from) legs.push({ ...begun, to });
    };
    const go = (to: number, segment: Segment): void => {
      ms += segment.ms;
      if (segment.restore) {
        close(at - 1);
        begun = { from: segment.restore.next, restore: segment.restore };
      }
      at = to;
    };
    for (const visit of visits) {
      if (visit > at) go(visit, this.#segment(entry, at, visit));
      ms += visitMs(visit);
      at++;
    }
    if (mode === "final") {
      close(at - 1);
      return { entry, legs, after: "stop", ms };
    }
    const rest = this.#segment(entry, at, entry.iterations);
    const loopEnd = this.#options.points.loopEnd(entry);
    const skipMs = loopEnd ? this.#loadMs(loopEnd) : Infinity;
    if (loopEnd && at < entry.iterations && skipMs <= rest.ms) {
      close(at - 1);
      return { entry, legs, after: loopEnd, ms: ms + skipMs };
    }
    go(entry.iterations, rest);
    close(null);
    // Nothing follows a loop that was running when the process ended.
    return { entry, legs, after: "run", ms: entry.how === null ? Infinity : ms };
  }

  /** From the start of iteration `from` to that of iteration `to`, with nothing asked between. */
  #segment(entry: LoopEntry, from: number, to: number): Segment {
    if (from === to) return { restore: null, ms: 0 };
    const { points, costs } = this.#options;
    const upTo = (n: number): number => this.#walkedMs(entry, n);
    const walkMs = (start: number): number => upTo(to) - upTo(start);
    let best: Segment = { restore: null, ms: walkMs(from) };
    for (const end of points.iterationEnds(entry)) {
      if (end.next <= from || end.next > to || end.next >= entry.iterations) continue;
      // An iterator takes a state only before its first item.
      if (end.reposition === "state" && from > 0) continue;
      const consumed = end.reposition === "consume" ? costs.consumeMs(entry, from, end.next) : 0;
      const ms = this.#loadMs(end) + consumed + walkMs(end.next);
      if (ms <= best.ms) best = { restore: end, ms };
    }
    return best;
  }

  #loadMs({ stateBytes }: Restorable): number {
    const { loads, costs } = this.#options;
    return loads === "free" ? 0 : costs.loadMs(stateBytes);
  }

  /** Milliseconds to execute the first `n` iterations with the loops in them passed. */
  #walkedMs(entry: LoopEntry, n: number): number {
    const sums = this.#sums(entry);
    const timed = sums.length - 1;
    return sums[n] ?? (sums[timed] ?? 0) + (n - timed) * this.#options.costs.usualMs(entry);
  }

  #sums(entry: LoopEntry): Float64Array {
    const known = this.#passSums.get(entry);
    if (known) return known;
    const timed = timedOf(entry);
    const sums = new Float64Array(timed + 1);
    for (let index = 0; index < timed; index++) {
      let ms = this.#options.costs.ownMs(entry, index);
      for (const child of entry.children.get(index) ?? []) ms += this.pass(child).ms;
      sums[index + 1] = (sums[index] ?? 0) + ms;
    }
    this.#passSums.set(entry, sums);
    return sums;
  }
}

/** The ways that one set of asked iterations needs. */
export class Route {
  readonly #router: Router;
  readonly #options: RouterOptions;
  readonly #asked: AskedEntries;
  readonly #through = new Map<LoopEntry, EntryRoute>();

  constructor(router: Router, options: RouterOptions, asked: AskedEntries) {
    this.#router = router;
    this.#options = options;
    this.#asked = asked;
  }

  /** What becomes of the outermost loops. */
  program(): BlockRoute {
    const { outside } = this.#asked;
    return this.#blockRoute(this.#options.facts.entries, outside.length > 0 ? outside : null);
  }

  /** What becomes of the loops in a visited iteration that is the last of the whole way. */
  lastIteration(entry: LoopEntry, index: number): BlockRoute {
    const asked = this.#asked.entries.get(entry);
    const isTarget = asked?.targets.has(index) ?? false;
    return this.#blockRoute(entry.children.get(index) ?? [], isTarget ? asked?.statements : null);
  }

  through(entry: LoopEntry): EntryRoute {
    const asked = this.#asked.entries.get(entry);
    if (!asked) return this.#router.pass(entry);
    let known = this.#through.get(entry);
    if (!known) {
      const visitMs = (index: number): number => this.#iterationMs(entry, index);
      known = this.#router.routeThrough(entry, asked.visits, "through", visitMs);
      this.#through.set(entry, known);
    }
    return known;
  }

  final(entry: LoopEntry): EntryRoute {
    const visits = this.#asked.entries.get(entry)?.visits ?? [];
    const last = visits.at(-1);
    return this.#router.routeThrough(entry, visits, "final", (index) => {
      if (index !== last) return this.#iterationMs(entry, index);
      const { loops } = this.lastIteration(entry, index);
      return this.#options.costs.ownMs(entry, index) + this.#loopsMs(loops);
    });
  }

  /** Up to the last thing that is asked: `statements` if they stand here, else an inner loop. */
  #blockRoute(
    loops: readonly LoopEntry[],
    statements: readonly SourceLog[] | null | undefined,
  ): BlockRoute {
    const lastAsked = loops.findLastIndex((loop) => this.#asked.entries.has(loop));
    const through = (end: number): BlockRoute["loops"] =>
      loops.slice(0, end).map((entry) => ({ entry, way: "through" }));
    const final = loops[lastAsked];
    if (!statements || (final && (final.how === null || this.#follows(final, statements)))) {
      const rest: BlockRoute["loops"] = final ? [{ entry: final, way: "final" }] : [];
      return { loops: [...through(Math.max(0, lastAsked)), ...rest], toEnd: false };
    }
    const halts = loops.findIndex((loop, at) => {
      return at > lastAsked && (loop.how === null || this.#follows(loop, statements));
    });
    const halt = loops[halts];
    if (!halt) return { loops: through(loops.length), toEnd: true };
    return { loops: [...through(halts), { entry: halt, way: "halt" }], toEnd: false };
  }

  /** Whether the loop is entered only after all of the statements have run for the last time. */
  #follows(loop: LoopEntry, statements: readonly SourceLog[]): boolean {
    const id = this.#options.points.loopOf(loop)?.id;
    return id !== undefined && statements.every(({ before }) => before.includes(id));
  }

  #iterationMs(entry: LoopEntry, index: number): number {
    const own = this.#options.costs.ownMs(entry, index);
    const loops = entry.children.get(index);
    return loops ? loops.reduce((ms, loop) => ms + this.through(loop).ms, own) : own;
  }

  #loopsMs(loops: BlockRoute["loops"]): number {
    let ms = 0;
    for (const { entry, way } of loops) {
      if (way === "through") ms += this.through(entry).ms;
      if (way === "final") ms += this.final(entry).ms;
    }
    return ms;
  }
}
