/**
 * What a process does with its courses, as `sdk/replay/director.ts` has it, on a made-up run: every
 * statement checks that it finds exactly the state that it found when the run was recorded.
 */
import type { Course, Leg, LoopPath } from "../../../src/format/index.ts";
import { formatPath, pathElement } from "../../../src/format/index.ts";
import type { LoopEntry } from "../../../src/planner/index.ts";
import type { RecordedRun, State } from "./recorded-run.ts";
import { COSTS } from "./recorded-run.ts";

export interface Simulated {
  /** Statements that ran: `epoch=1/0` is the first in that iteration. */
  readonly ran: ReadonlySet<string>;
  readonly iterations: number;
  readonly loads: number;
  /** By the profile of the run and the costs of `recorded-run.ts`. */
  readonly ms: number;
}

class Stop extends Error {}

export function simulate(run: RecordedRun, courses: readonly Course[]): Simulated {
  const process = new SimulatedProcess(run, courses);
  try {
    process.program();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return process;
}

class SimulatedProcess implements Simulated {
  readonly ran = new Set<string>();
  iterations = 0;
  loads = 0;
  ms = 1000 * (COSTS.startS["p"] ?? 0);
  readonly #run: RecordedRun;
  readonly #courses: ReadonlyMap<string, Course>;
  readonly #state = new Map<string, number>();

  constructor(run: RecordedRun, courses: readonly Course[]) {
    this.#run = run;
    this.#courses = new Map(courses.map((course) => [course.entry, course]));
    if (this.#courses.size !== courses.length) throw new Error("an entry has two courses");
  }

  program(): void {
    const { times, entries } = this.#run.facts;
    this.ms += times.prefix;
    this.#statement("/0", "top");
    this.#loops(entries, [], "top");
    this.ms += times.suffix;
  }

  #statement(at: string, name: string): void {
    const expected = this.#run.found.get(at);
    const [now, before] = [stateText(this.#state), stateText(expected ?? new Map())];
    if (now !== before) throw new Error(`${at} found ${now}, recorded ${before}`);
    this.ran.add(at);
    this.#state.set(name, (this.#state.get(name) ?? 0) + 1);
  }

  #loops(entries: readonly LoopEntry[], path: LoopPath, name: string): void {
    for (const [at, entry] of entries.entries()) {
      if (path.length === 0 && at > 0) this.ms += this.#run.facts.times.gaps[at - 1] ?? 0;
      this.#enter(entry);
      this.#statement(`${formatPath(path)}/${at + 1}`, name);
    }
  }

  #enter(entry: LoopEntry): void {
    const course = this.#courses.get(entry.key);
    if (course?.do === "stop") throw new Stop();
    if (course?.do === "skip") return this.#skip(entry, course);
    let leg = 0;
    let restored = -1;
    for (let next = 0; ;) {
      const legs = course?.legs ?? [];
      while (leg < legs.length && isPassed(legs[leg], next)) leg++;
      const present = legs[leg];
      if (present && (next < present.from || (present.restore !== null && restored !== leg))) {
        this.#arrive(entry, present, next);
        restored = leg;
        next = present.from;
        continue;
      }
      if (!present && course?.after === "stop") throw new Stop();
      if (!present && course?.after === "skip") return this.#skip(entry, course);
      if (next === entry.iterations) {
        if (entry.how !== "exhausted") throw new Error(`${entry.key} went beyond the record`);
        return;
      }
      this.#iteration(entry, next);
      next++;
      // Left early: the loop is not asked for another iteration.
      if (next === entry.iterations && entry.how !== "exhausted" && entry.how !== null) return;
    }
  }

  #arrive(entry: LoopEntry, leg: Leg, next: number): void {
    const spec = this.#run.specOf.get(entry);
    if (isRestless(entry)) throw new Error(`${entry.key} leaves work running`);
    if (leg.from >= entry.iterations) throw new Error(`${entry.key} has no ${leg.from}`);
    if (leg.restore === null) throw new Error(`${entry.key} jumps without a checkpoint`);
    if (leg.restore !== `${pathText(entry, leg.from - 1)}.safetensors`) {
      throw new Error(`${leg.restore} is not the end before ${leg.from} of ${entry.key}`);
    }
    if (spec?.iterator === "dependent") throw new Error(`${entry.key} cannot be repositioned`);
    const expected = spec?.iterator === "index" ? "index" : "consume";
    if (leg.reposition !== expected || next > leg.from) throw new Error(`${entry.key}: how?`);
    this.#restore(leg.restore, pathText(entry, leg.from - 1));
  }

  #skip(entry: LoopEntry, course: Course): void {
    if (course.restore !== `${entry.key}.safetensors`) throw new Error(`${entry.key}: which end?`);
    if (entry.how !== "exhausted" && entry.how !== "break") {
      throw new Error(`${entry.key} was left by ${entry.how}: it must not be skipped`);
    }
    if (isRestless(entry)) throw new Error(`${entry.key} leaves work running`);
    this.#restore(course.restore, entry.key);
  }

  #restore(file: string, path: string): void {
    const saved = this.#run.saved.get(file);
    const stateBytes = this.#run.facts.checkpoints.get(path)?.stateBytes ?? NaN;
    this.ms += 4 + stateBytes / 1e6;
    if (!saved) throw new Error(`${file} does not exist`);
    for (const [name, value] of saved) this.#state.set(name, value);
    this.loads++;
  }

  #iteration(entry: LoopEntry, index: number): void {
    const spec = this.#run.specOf.get(entry);
    if (!spec) throw new Error("unknown entry");
    const inner = entry.children.get(index) ?? [];
    if (inner.every(({ iterations }) => iterations === 0)) this.iterations++;
    const path: LoopPath = [...entry.path, lastOf(entry, index)];
    this.ms += entry.times.head[index] ?? NaN;
    const name = `p.ts:0:v${spec.id}`;
    this.#statement(`${formatPath(path)}/0`, name);
    this.#loops(inner, path, name);
  }
}

export function pathText(entry: LoopEntry, index: number): string {
  return formatPath([...entry.path, lastOf(entry, index)]);
}

function lastOf({ loop, entry }: LoopEntry, index: number): LoopPath[number] {
  return pathElement(loop, index, entry);
}

function isRestless({ pending, children }: LoopEntry): boolean {
  return pending.length > 0 || [...children.values()].some((inner) => inner.some(isRestless));
}

function stateText(state: State): string {
  const changed = [...state].filter(([, value]) => value > 0).map((pair) => pair.join(": "));
  return changed.toSorted().join(", ");
}

function isPassed(leg: Leg | undefined, next: number): boolean {
  return leg !== undefined && leg.to !== null && next > leg.to;
}
