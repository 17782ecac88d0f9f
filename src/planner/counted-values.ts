/**
 * @file Numbers of a question that only count iterations (`CountedValue`). No checkpoint has them, but the
 * record has how many iterations there were: a process that leaves some out is told what these would have
 * added. Where the record may lack some of them, a counter is a value that is gathered like any other.
 */
import type { Course, Leg, Passed } from "../format/index.ts";
import type { CountedValue, SourceLog, SourceModel } from "../languages/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";
import type { Points } from "./restorable-points.ts";

/** Up to here whole numbers add up exactly in every language. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

/** Loops around a loop of arithmetic that is still one of the run. */
const TRIVIAL_AROUND_MAX = 1;

export class CountedValues {
  readonly #facts: RunFacts;
  readonly #model: SourceModel;
  readonly #points: Pick<Points, "loopOf">;
  readonly #entries: ReadonlyMap<string, LoopEntry>;
  readonly #parents: ReadonlyMap<LoopEntry, LoopEntry>;
  readonly #counters: readonly CountedValue[];
  /** The same with what cannot be counted among what is gathered. */
  readonly placements: readonly SourceLog[];

  constructor(
    facts: RunFacts,
    model: SourceModel,
    points: Pick<Points, "loopOf">,
    placements: readonly SourceLog[],
  ) {
    this.#facts = facts;
    this.#model = model;
    this.#points = points;
    const all = placements.flatMap(({ counts = [] }) => counts);
    const byKey = new Map(all.map((one) => [one.key, one]));
    const entries = byKey.size > 0 ? [...allEntries(facts.entries)] : [];
    this.#entries = new Map(entries.map((entry) => [entry.key, entry]));
    this.#parents = new Map(
      entries.flatMap((entry) => {
        return [...entry.children.values()].flat().map((child) => [child, entry] as const);
      }),
    );
    this.#counters = [...byKey.values()].filter((one) => this.#isKnown(one));
    const known = new Set(this.#counters.map(({ key }) => key));
    this.placements = placements.map((log) => {
      const { counts = [], carries } = log;
      const others = counts.filter(({ key }) => !known.has(key));
      const [first] = [...(carries ? [carries] : []), ...others].toSorted(
        (a, b) => a.depth - b.depth,
      );
      return first ? { ...log, carries: first } : log;
    });
  }

  /** The same courses, with what is counted in iterations that they leave out. */
  withPassed(courses: readonly Course[]): readonly Course[] {
    if (this.#counters.length === 0) return courses;
    return courses.map((course) => {
      const entry = this.#entries.get(course.entry);
      if (!entry) return course;
      let next = 0;
      const legs = course.legs?.map((leg): Leg => {
        const passed = this.#passed(entry, next, leg.from - 1);
        next = (leg.to ?? entry.iterations - 1) + 1;
        return { ...leg, ...passed };
      });
      const isSkipped = course.do === "skip" || course.after === "skip";
      const rest = isSkipped ? this.#passed(entry, next, entry.iterations - 1) : {};
      return { ...course, ...(legs ? { legs } : {}), ...rest };
    });
  }

  #passed(entry: LoopEntry, from: number, to: number): { readonly passed?: Passed } {
    const id = this.#points.loopOf(entry)?.id ?? -1;
    const added = this.#counters.flatMap(({ key, loops, step }) => {
      const at = loops.indexOf(id);
      const count = at < 0 ? 0 : this.#count(entry, loops.slice(at + 1), from, to);
      return count > 0 ? [[key, count * step] as const] : [];
    });
    return added.length > 0 ? { passed: Object.fromEntries(added) } : {};
  }

  /** Iterations of the last of some loops, in some iterations of an entry. */
  #count(entry: LoopEntry, [next, ...inner]: readonly number[], from: number, to: number): number {
    if (next === undefined) return Math.max(0, to - from + 1);
    let count = 0;
    for (const [index, children] of entry.children) {
      if (index < from || index > to) continue;
      for (const child of children) {
        if (this.#points.loopOf(child)?.id !== next) continue;
        count += this.#count(child, inner, 0, child.iterations - 1);
      }
    }
    return count;
  }

  /** Whether the record has each iteration that counts, and each of those did. */
  #isKnown({ loops, start, step }: CountedValue): boolean {
    const known = loops.map((id) => this.#model.loops[id]);
    const [, ...inner] = known;
    const { givenUp = [] } = this.#facts;
    if (known.some((one) => !one || one.concurrent || !/^(?:for|plain)$/.test(one.form)))
      return false;
    if (inner.some((one) => givenUp.includes(one?.name ?? ""))) return false;
    const entriesOf = (id: number | undefined): LoopEntry[] =>
      [...this.#entries.values()].filter((entry) => this.#points.loopOf(entry)?.id === id);
    const around = loops.slice(0, -1).flatMap(entriesOf);
    const counting = entriesOf(loops.at(-1));
    // It may be one that counts.
    const isUnknown = around.some(({ children }) =>
      [...children.values()].flat().some((child) => !this.#points.loopOf(child)),
    );
    const isTrivial = inner.at(-1)?.trivial ?? false;
    const isTooDeep = around.some(({ depth }) => depth + 1 > TRIVIAL_AROUND_MAX);
    if (isUnknown || (isTrivial && isTooDeep)) return false;
    if ([...around, ...counting].some((entry) => entry.outlasts || this.#isInItself(entry))) {
      return false;
    }
    if (counting.some((entry) => isLeftEarly(entry) && !this.#leavesAll(entry, loops)))
      return false;
    const total = counting.reduce((sum, { iterations }) => sum + iterations, 0);
    return Math.abs(start) + Math.abs(step) * total <= EXACT_MAX;
  }

  /** A function that calls itself has as many counters as calls. */
  #isInItself(entry: LoopEntry): boolean {
    const id = this.#points.loopOf(entry)?.id;
    for (let at = this.#parents.get(entry); at; at = this.#parents.get(at)) {
      if (this.#points.loopOf(at)?.id === id) return true;
    }
    return false;
  }

  /** What left it left all loops up to where the counter begins: that iteration is always executed again. */
  #leavesAll(entry: LoopEntry, [outermost]: readonly number[]): boolean {
    if (this.#points.loopOf(entry)?.id === outermost) return true;
    const parent = this.#parents.get(entry);
    const last = parent?.children.get(parent.iterations - 1)?.at(-1);
    if (!parent || last !== entry || !isLeftEarly(parent)) return false;
    return this.#leavesAll(parent, [outermost ?? -1]);
  }
}

/** Its last iteration may have ended before it counted. */
function isLeftEarly({ how }: LoopEntry): boolean {
  return how !== "exhausted" && how !== "break";
}
