/** @file A route as courses for the SDK: what to do at each loop entry that is not simply run. */
import type { Course, Leg, UnseenCall } from "../format/index.ts";
import type { RunCosts } from "./cost.ts";
import { blockOf } from "./cost.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";
import type { Restorable } from "./restorable-points.ts";
import type { UnseenCalls } from "./unseen-calls.ts";
import type { EntryRoute, BlockRoute, Route } from "./find-route.ts";

/** The orders of a process, and what it will execute. */
export interface PlannedRoute {
  readonly courses: readonly Course[];
  /** Iterations that are executed and in which no other loop goes on. */
  readonly iterations: number;
  /** Paths of the checkpoints that are loaded, in order. */
  readonly checkpoints: readonly string[];
  /** Predicted, from the start of the process on, and of this the program's own code. */
  readonly ms: number;
  /** What the executed iterations of innermost loops take. */
  readonly innermostMs: number;
  readonly codeMs: number;
  /** Long calls that are executed again, of which nobody sees the inside. */
  readonly calls: readonly UnseenCall[];
}

/** Which loops are innermost: no other ever went on in one of that name and place. */
export class Innermost {
  readonly #withInner: ReadonlySet<string>;
  /** Iterations in the whole run in which no other loop went on. */
  readonly iterations: number;

  constructor(facts: RunFacts) {
    const entries = [...allEntries(facts.entries)];
    const isOuter = ({ children }: LoopEntry): boolean => [...children.values()].some(goesOn);
    this.#withInner = new Set(entries.filter(isOuter).map(blockOf));
    this.iterations = entries.reduce((sum, entry) => {
      return sum + this.iterationsOf(entry, 0, entry.iterations - 1);
    }, 0);
  }

  has(entry: LoopEntry): boolean {
    return !this.#withInner.has(blockOf(entry));
  }

  /** Those of some iterations in which no other loop goes on: what the others do is counted in these. */
  iterationsOf({ children }: LoopEntry, from: number, to: number): number {
    let count = Math.max(0, to - from + 1);
    if (children.size === 0) return count;
    for (let at = from; at <= to; at++) if (goesOn(children.get(at) ?? [])) count -= 1;
    return count;
  }

  /** What these take. */
  msOf(entry: LoopEntry, from: number, to: number, costs: RunCosts): number {
    const { children } = entry;
    if (children.size === 0) return costs.ownMsOf(entry, from, to);
    let ms = 0;
    for (let at = from; at <= to; at++)
      if (!goesOn(children.get(at) ?? [])) ms += costs.ownMs(entry, at);
    return ms;
  }

  /** What all of them take in the whole run. */
  allMs(facts: RunFacts, costs: RunCosts): number {
    return [...allEntries(facts.entries)].reduce((ms, entry) => {
      return ms + this.msOf(entry, 0, entry.iterations - 1, costs);
    }, 0);
  }
}

/** One that is empty takes nothing from the iteration around it. */
function goesOn(entries: readonly LoopEntry[]): boolean {
  return entries.some(({ iterations }) => iterations > 0);
}

export interface RouteOptions {
  readonly facts: RunFacts;
  readonly innermost: Innermost;
  readonly costs: RunCosts;
  readonly unseen: UnseenCalls;
}

/** The courses of a route. */
export function plannedRoute(route: Route, options: RouteOptions): PlannedRoute {
  const { entries } = options.facts;
  const { costs, unseen } = options;
  const writer = new RouteWriter(route, options);
  const program = route.program();
  writer.blockRoute(program, entries);
  const last = program.loops.at(-1);
  const reached = last ? entries.indexOf(last.entry) : 0;
  writer.calls.push(...unseen.upTo(program.toEnd ? Infinity : reached));
  writer.codeMs += program.toEnd ? costs.outsideMs : costs.outsideUpTo(reached);
  return writer;
}

/** Executes everything that was recorded, and nothing beyond. */
export function wholeRoute({ facts, innermost, costs, unseen }: RouteOptions): PlannedRoute {
  const executed = facts.entries.reduce((ms, entry) => ms + costs.totalMs(entry), 0);
  const running = [...allEntries(facts.entries)].filter(({ how }) => how === null);
  return {
    courses: running.map(({ key, iterations }) =>
      iterations === 0
        ? { entry: key, do: "stop" }
        : {
            entry: key,
            do: "legs",
            legs: [{ from: 0, to: iterations - 1, restore: null }],
            after: "stop",
          },
    ),
    iterations: innermost.iterations,
    innermostMs: innermost.allMs(facts, costs),
    checkpoints: [],
    ms: costs.startMs + costs.outsideMs + executed,
    codeMs: costs.outsideMs + executed,
    calls: unseen.all,
  };
}

class RouteWriter implements PlannedRoute {
  readonly courses: Course[] = [];
  readonly checkpoints: string[] = [];
  readonly calls: UnseenCall[] = [];
  iterations = 0;
  innermostMs = 0;
  codeMs = 0;
  #fixedMs: number;
  /** Iterations so far of each loop. */
  readonly #executed = new Map<string, number>();
  readonly #route: Route;
  readonly #innermost: Innermost;
  readonly #costs: RunCosts;
  readonly #unseen: UnseenCalls;

  constructor(route: Route, { innermost, costs, unseen }: RouteOptions) {
    this.#route = route;
    this.#innermost = innermost;
    this.#costs = costs;
    this.#unseen = unseen;
    this.#fixedMs = costs.startMs;
  }

  get ms(): number {
    return this.codeMs + this.#fixedMs;
  }

  /** `recorded`: all the loops that were entered there. */
  blockRoute({ loops }: BlockRoute, recorded: readonly LoopEntry[]): void {
    for (const { entry, way } of loops) {
      if (way === "halt") this.courses.push({ entry: entry.key, do: "stop" });
      else if (way === "through") this.#entryRoute(this.#route.through(entry), way);
      else this.#final(entry, recorded);
    }
  }

  #final(entry: LoopEntry, recorded: readonly LoopEntry[]): void {
    const entryRoute = this.#route.final(entry);
    this.#entryRoute(entryRoute, "final");
    // A loop that is left early does not come back to be stopped: the next one stops instead.
    const isLast = entryRoute.legs.at(-1)?.to === entry.iterations - 1;
    const next = recorded[recorded.indexOf(entry) + 1];
    if (isLast && entry.how !== "exhausted" && next) {
      this.courses.push({ entry: next.key, do: "stop" });
    }
  }

  #entryRoute(entryRoute: EntryRoute, way: "through" | "final"): void {
    const course = courseOf(entryRoute);
    if (course) this.courses.push(course);
    const { entry, legs, after } = entryRoute;
    let position = 0;
    for (const [at, leg] of legs.entries()) {
      if (leg.restore) this.#load(leg.restore);
      if (leg.restore?.reposition === "consume") {
        this.codeMs += this.#costs.consumeMs(entry, position, leg.from);
      }
      position = (leg.to ?? entry.iterations - 1) + 1;
      const isFinal = way === "final" && at === legs.length - 1;
      this.#iterations(entry, leg.from, leg.to ?? entry.iterations - 1, isFinal);
    }
    if (typeof after === "object") this.#load(after);
  }

  #load({ path, stateBytes }: Restorable): void {
    this.checkpoints.push(path);
    this.#fixedMs += this.#costs.loadMs(stateBytes);
  }

  /** Time of iterations without the loops in them. */
  #book(entry: LoopEntry, from: number, to: number): void {
    this.codeMs += this.#costs.ownMsOf(entry, from, to);
    const block = blockOf(entry);
    const done = this.#executed.get(block) ?? 0;
    const count = Math.max(0, to - from + 1);
    this.codeMs += this.#costs.warmUpMs(entry, done, count);
    this.#executed.set(block, done + count);
  }

  #iterations(entry: LoopEntry, from: number, to: number, isFinal: boolean): void {
    this.iterations += this.#innermost.iterationsOf(entry, from, to);
    this.innermostMs += this.#innermost.msOf(entry, from, to, this.#costs);
    this.calls.push(...this.#unseen.inIterations(entry, from, to));
    this.#book(entry, from, to);
    if (entry.children.size === 0) return;
    for (let index = from; index <= to; index++) {
      const loops = entry.children.get(index) ?? [];
      if (isFinal && index === to) {
        this.blockRoute(this.#route.lastIteration(entry, index), loops);
      } else {
        for (const loop of loops) this.#entryRoute(this.#route.through(loop), "through");
      }
    }
  }
}

/** Undefined where the loop runs as the program says. */
function courseOf({ entry, legs, after }: EntryRoute): Course | undefined {
  const { key } = entry;
  const end = typeof after === "object" ? after : undefined;
  const isAlong = end?.along === true || legs.some(({ restore }) => restore?.along === true);
  const along = isAlong ? { along: true as const } : {};
  if (end && legs.length === 0) {
    return { entry: key, do: "skip", restore: end.file, ...along };
  }
  const isWhole = after === "run" && legs.length === 1 && legs[0]?.restore === null;
  if (isWhole) return undefined;
  return {
    entry: key,
    do: "legs",
    legs: legs.map(toLeg),
    ...(typeof after === "object" ? { after: "skip", restore: after.file } : { after }),
    ...along,
  };
}

function toLeg({ from, to, restore }: EntryRoute["legs"][number]): Leg {
  if (!restore) return { from, to, restore: null };
  return { from, to, restore: restore.file, reposition: restore.reposition };
}
