/**
 * @file Which iterations a question asks for: the recorded entries of the loops around its
 * statements, limited to the asked indices. What the planner must visit is this and nothing else.
 */
import type { Box } from "../format/index.ts";
import type { SourceLog } from "../languages/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import type { RestorablePoints } from "./restorable-points.ts";

/** Indices that are asked for; `all` of what was recorded. */
export type AskedBoxes = readonly Box[] | "all";

/** What is asked of one loop entry. */
export interface AskedEntry {
  /** Iterations in which a statement itself is asked for, or something in an inner loop. */
  readonly visits: readonly number[];
  /** Of these, the ones in whose body a statement stands that is asked for. */
  readonly targets: Indices;
  /** The statements in the body. */
  readonly statements: readonly SourceLog[];
  /** It is executed as a whole, for what is gathered in it; absent: only what is visited. */
  readonly whole?: true;
}

/** Indices in ascending order; a `Set` takes 2^24 at most, and loops have more iterations. */
export class Indices {
  readonly list: readonly number[];

  constructor(list: readonly number[]) {
    this.list = list;
  }

  get size(): number {
    return this.list.length;
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.list[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return this.list[low] === index;
  }
}

export interface AskedEntries {
  /** Statements outside of all loops. */
  readonly outside: readonly SourceLog[];
  readonly entries: ReadonlyMap<LoopEntry, AskedEntry>;
  /** Statements for which a loop entry was recorded (or that need none). */
  readonly placed: ReadonlySet<SourceLog>;
}

export function findAsked(
  facts: RunFacts,
  points: RestorablePoints,
  statements: readonly SourceLog[],
  boxes: AskedBoxes,
): AskedEntries {
  const outside = statements.filter(({ chain }) => chain.length === 0);
  const search = new Search(points);
  search.placed = new Set(outside);
  const inside = statements.filter(({ chain }) => chain.length > 0);
  for (const entry of facts.entries) search.visit(entry, inside, boxes === "all" ? [{}] : boxes);
  return { outside, entries: search.entries, placed: search.placed };
}

class Search {
  readonly #points: RestorablePoints;
  readonly entries = new Map<LoopEntry, AskedEntry>();
  placed = new Set<SourceLog>();

  constructor(points: RestorablePoints) {
    this.#points = points;
  }

  /** `live`: statements whose chain leads here; `boxes`: those that the way to here fits. */
  visit(entry: LoopEntry, live: readonly SourceLog[], boxes: readonly Box[]): boolean {
    const id = this.#points.loopOf(entry)?.id;
    const here = live.filter(({ chain }) => id !== undefined && chain[entry.depth] === id);
    if (here.length === 0) return false;
    const statements = here.filter(({ chain }) => chain.length === entry.depth + 1);
    for (const statement of statements) this.placed.add(statement);
    const targets = new Indices(statements.length > 0 ? indicesIn(entry, boxes) : []);
    const others: number[] = [];
    const deeper = here.filter(({ chain }) => chain.length > entry.depth + 1);
    if (deeper.length > 0) {
      for (const [index, inner] of entry.children) {
        const fitting = boxes.filter((box) => isInBox(box, entry.loop, index));
        // Not `some`: every inner entry must be looked at.
        const asked = inner.filter((child) => this.visit(child, deeper, fitting));
        if (asked.length > 0 && !targets.has(index)) others.push(index);
      }
    }
    if (targets.size + others.length === 0) return false;
    const visits = others.length === 0 ? targets.list : sortedIndices([...targets.list, ...others]);
    this.entries.set(entry, { visits, targets, statements });
    if (here.some(({ carries }) => carries?.depth === entry.depth + 1)) {
      for (const index of visits) this.#visitAll(entry.children.get(index) ?? []);
    }
    return true;
  }

  /** All that an iteration does is needed by what it gathers. */
  #visitAll(entries: readonly LoopEntry[]): void {
    for (const entry of entries.filter(({ iterations }) => iterations > 0)) {
      const visits = indicesIn(entry, [{}]);
      const { statements = [] } = this.entries.get(entry) ?? {};
      this.entries.set(entry, { visits, targets: new Indices(visits), statements, whole: true });
      for (const inner of entry.children.values()) this.#visitAll(inner);
    }
  }
}

function sortedIndices(indices: readonly number[]): number[] {
  return indices.toSorted((a, b) => a - b);
}

/** Whether iteration `index` of the loop is in the box, as far as the box speaks of it. */
function isInBox(box: Box, loop: string, index: number): boolean {
  const range = Object.hasOwn(box, loop) ? box[loop] : undefined;
  return range === undefined || (index >= range[0] && index <= range[1]);
}

function indicesIn({ iterations, loop }: LoopEntry, boxes: readonly Box[]): number[] {
  if (boxes.length === 0) return [];
  const indices: number[] = [];
  for (let index = 0; index < iterations; index++) {
    if (boxes.some((box) => isInBox(box, loop, index))) indices.push(index);
  }
  return indices;
}

/**
 * The same with only the last place in a loop that is asked: of each loop around it the last iteration, and all
 * that is gathered there.
 */
export function lastAsked(
  { outside, placed, ...asked }: AskedEntries,
  outermost: readonly LoopEntry[],
): AskedEntries {
  const entries = new Map<LoopEntry, AskedEntry>();
  const keepWhole = (entry: LoopEntry, own: AskedEntry): void => {
    entries.set(entry, own);
    for (const child of [...entry.children.values()].flat()) {
      const inner = asked.entries.get(child);
      if (inner) keepWhole(child, inner);
    }
  };
  const keepLast = (loops: readonly LoopEntry[]): void => {
    for (const loop of loops) {
      const gathered = asked.entries.get(loop);
      if (gathered?.whole) keepWhole(loop, gathered);
    }
    const entry = loops.findLast((loop) => asked.entries.has(loop));
    const own = entry && asked.entries.get(entry);
    const last = own?.visits.at(-1);
    if (!own || own.whole || last === undefined) return;
    const targets = new Indices(own.targets.has(last) ? [last] : []);
    entries.set(entry, { ...own, visits: [last], targets });
    keepLast(entry.children.get(last) ?? []);
  };
  keepLast(outermost);
  return { outside, entries, placed };
}
