/**
 * @file Which points of a run can be reached by restoring a checkpoint (semantics, "How a point is
 * reached" and "Iterators"). Everything here errs to the safe side: a point that is not certainly
 * reached is reached by executing.
 */
import type { CheckpointRecord, Leg } from "../format/index.ts";
import { formatPath, loopEndOf } from "../format/index.ts";
import type { SourceLoop, SourceModel } from "../languages/index.ts";
import { withAdvice } from "./advice.ts";
import { whyIncomplete } from "./complete.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { allEntries } from "./facts.ts";
import type { LoopMatch } from "./match-loops.ts";

/** A checkpoint that gives the exact state at its point. */
export interface Restorable {
  /** Its path as text, and its file. */
  readonly path: string;
  readonly file: string;
  readonly stateBytes: number;
  /** It stands for its loop alone, and lacks something that those around change. */
  readonly along: boolean;
}

/** An iteration end: the iteration after it can begin from it. */
export interface IterationEnd extends Restorable {
  /** The iteration that can begin. */
  readonly next: number;
  readonly reposition: NonNullable<Leg["reposition"]>;
}

/** What routes are found by. */
export type Points = Pick<RestorablePoints, "iterationEnds" | "loopEnd" | "loopOf">;

/** The points without some checkpoints, known by their paths. */
export function pointsWithout(points: Points, isGone: (path: string) => boolean): Points {
  const isLeft = ({ path }: Restorable): boolean => !isGone(path);
  return {
    iterationEnds: (entry) => points.iterationEnds(entry).filter(isLeft),
    loopEnd: (entry) => [points.loopEnd(entry)].find((end) => end && isLeft(end)),
    loopOf: (entry) => points.loopOf(entry),
  };
}

export class RestorablePoints implements Points {
  readonly #facts: RunFacts;
  readonly #model: SourceModel;
  readonly #match: LoopMatch;
  readonly #hasAround: boolean;
  readonly #parents = new Map<LoopEntry, LoopEntry>();
  readonly #iterationEnds = new Map<string, CheckpointRecord[]>();
  /** Ids of iterators that several entries use, with the numbers of the first and last entry. */
  readonly #shared: ReadonlyMap<number, readonly [first: number, last: number]>;
  readonly #restless = new Map<LoopEntry, boolean>();
  readonly #usableEnds = new Map<LoopEntry, readonly IterationEnd[]>();
  readonly #usableLoopEnds = new Map<LoopEntry, Restorable | undefined>();
  readonly #reasons = new Set<string>();

  /** `hasAround`: whoever restores enters each loop with the right state, and has executed what led to it. */
  constructor(
    facts: RunFacts,
    model: SourceModel,
    match: LoopMatch,
    { hasAround }: { readonly hasAround: boolean },
  ) {
    this.#hasAround = hasAround;
    this.#facts = facts;
    this.#model = model;
    this.#match = match;
    this.#shared = sharedIterators(facts);
    for (const entry of allEntries(facts.entries)) {
      for (const inner of entry.children.values()) {
        for (const child of inner) this.#parents.set(child, entry);
      }
    }
    for (const record of facts.checkpoints.values()) {
      if (record.kind !== "iteration") continue;
      const key = formatPath(loopEndOf(record.path));
      const known = this.#iterationEnds.get(key);
      if (known) known.push(record);
      else this.#iterationEnds.set(key, [record]);
    }
  }

  /** Why checkpoints that were looked at cannot be used, for the user, and what would mend it. */
  get reasons(): readonly string[] {
    return [...this.#reasons].map(withAdvice);
  }

  loopOf(entry: LoopEntry): SourceLoop | undefined {
    return this.#match(entry.site, entry.loop);
  }

  /** The loop end that lets the whole entry be skipped. */
  loopEnd(entry: LoopEntry): Restorable | undefined {
    if (this.#usableLoopEnds.has(entry)) return this.#usableLoopEnds.get(entry);
    const found = this.#findLoopEnd(entry);
    this.#usableLoopEnds.set(entry, found);
    return found;
  }

  #findLoopEnd(entry: LoopEntry): Restorable | undefined {
    const record = this.#facts.checkpoints.get(entry.key);
    if (!record || !this.#isSteerable(entry)) return undefined;
    if (entry.how !== "exhausted" && entry.how !== "break") {
      if (entry.how !== null) this.#reasons.add(leftEarly(entry));
      return undefined;
    }
    const isUsable = this.#isUsable(record, entry, undefined, true);
    return isUsable ? this.#restorable(record, entry, true) : undefined;
  }

  /** Iteration ends of the entry from which the next iteration can begin, in order. */
  iterationEnds(entry: LoopEntry): readonly IterationEnd[] {
    const known = this.#usableEnds.get(entry);
    if (known) return known;
    const found = this.#isSteerable(entry) ? this.#findIterationEnds(entry) : [];
    this.#usableEnds.set(entry, found);
    return found;
  }

  #findIterationEnds(entry: LoopEntry): IterationEnd[] {
    const ends: IterationEnd[] = [];
    for (const record of this.#iterationEnds.get(entry.key) ?? []) {
      const index = record.path.at(-1)?.[1];
      // An iteration must follow: from where the loop only ends, its loop end leads on.
      if (typeof index !== "number" || index + 1 >= entry.iterations) continue;
      const end = this.#asIterationEnd(record, entry, index);
      if (end) ends.push(end);
    }
    return ends.toSorted((a, b) => a.next - b.next);
  }

  #asIterationEnd(
    record: CheckpointRecord,
    entry: LoopEntry,
    index: number,
  ): IterationEnd | undefined {
    const reposition = this.#reposition(record, entry);
    if (!reposition || !this.#isUsable(record, entry, entry.iterator)) return undefined;
    return { ...this.#restorable(record, entry, false), next: index + 1, reposition };
  }

  /**
   * The end of iteration `index`, also of the last one, for runs that continue beyond the record. After
   * the last one a loop over a range or an array that ran out is as its loop end has it.
   */
  endOf(entry: LoopEntry, index: number): IterationEnd | undefined {
    if (!this.#isSteerable(entry)) return undefined;
    const records = this.#iterationEnds.get(entry.key) ?? [];
    const own = records.find(({ path }) => path.at(-1)?.[1] === index);
    const end = own && this.#asIterationEnd(own, entry, index);
    const isLast = index + 1 === entry.iterations && entry.how === "exhausted";
    const loopEnd = isLast ? this.#facts.checkpoints.get(entry.key) : undefined;
    // The test of a plain loop, which may change anything, lies between the two.
    const isTested = this.loopOf(entry)?.iterator === "state";
    const after = !end && !isTested && loopEnd && this.#asIterationEnd(loopEnd, entry, index);
    return end ?? (after && after.reposition === "index" ? after : undefined);
  }

  /** Whether orders can be given for it, and it leaves nothing running. */
  #isSteerable(entry: LoopEntry): boolean {
    const loop = this.loopOf(entry);
    if (!loop || loop.form === "other" || entry.outlasts) return false;
    if (loop.concurrent) {
      this.#reasons.add(`several calls may be in loop "${entry.loop}" at the same time`);
      return false;
    }
    // A replay that had skipped something would leave them alone elsewhere.
    const [off] = this.#facts.loopsOff ?? [];
    if (off !== undefined) {
      this.#reasons.add(off);
      return false;
    }
    if (!this.#isRestless(entry)) return true;
    this.#reasons.add(`loop "${entry.loop}" starts work that it does not await`);
    return false;
  }

  /** Work that was not awaited may still change things after a restore. */
  #isRestless(entry: LoopEntry): boolean {
    const known = this.#restless.get(entry);
    if (known !== undefined) return known;
    // A plain loop always says how it is left: this one was still running.
    const goesOn = entry.how === "closed" && this.loopOf(entry)?.form === "plain";
    const restless =
      goesOn ||
      entry.pending.length > 0 ||
      [...entry.children.values()].some((inner) => inner.some((child) => this.#isRestless(child)));
    this.#restless.set(entry, restless);
    return restless;
  }

  /** `isOver`: for what follows the loop. */
  #isUsable(
    record: CheckpointRecord,
    entry: LoopEntry,
    ownIterator?: number,
    isOver = false,
  ): boolean {
    const why = this.#whyUnusable(record, entry, ownIterator, isOver);
    if (why !== undefined) this.#reasons.add(why);
    return why === undefined;
  }

  #whyUnusable(
    record: CheckpointRecord,
    entry: LoopEntry,
    ownIterator: number | undefined,
    isOver: boolean,
  ): string | undefined {
    // What it `needs` is not asked for: its loop is always entered with the right state.
    const why = this.#whyLacking(record, entry, isOver, this.#hasAround);
    return why ?? this.#whyIteratorLost(record, ownIterator);
  }

  /** `hasAround`: of what the loop itself changes, not those around it. */
  #whyLacking(
    record: CheckpointRecord,
    entry: LoopEntry,
    isOver: boolean,
    hasAround: boolean,
  ): string | undefined {
    const rest = { model: this.#model, rewritten: this.#facts.rewritten, isOver, hasAround };
    const active = this.#around(entry).map((loop) => this.loopOf(loop));
    const { still = [] } = hasAround ? record : {};
    return whyIncomplete(record, active, rest) ?? this.#whyAudited(entry, still);
  }

  #restorable(record: CheckpointRecord, entry: LoopEntry, isOver: boolean): Restorable {
    const { path, file, stateBytes } = record;
    const along = this.#whyLacking(record, entry, isOver, false) !== undefined;
    return { path: formatPath(path), file, stateBytes, along };
  }

  /** The audit of the run, or of one before it, saw the analysis miss a change. */
  #whyAudited(entry: LoopEntry, still: readonly string[]): string | undefined {
    for (const around of this.#around(entry)) {
      const { loop, site } = around;
      // What the loop itself was seen to leave alone, those around have changed, and that is executed.
      const isStill = (key: string): boolean => around !== entry && still.includes(key);
      const found = this.#facts.audit?.find((finding) => {
        return finding.loop === loop && finding.file === site?.file && !isStill(finding.key);
      });
      if (!found) continue;
      const { name, file, line } = found;
      return `${name} (${file}:${line}) changes in loop "${loop}" and was not captured, as the audit found`;
    }
    return undefined;
  }

  /** An iterator that is used after the checkpoint must be set to where it stood. */
  #whyIteratorLost(record: CheckpointRecord, ownIterator?: number): string | undefined {
    for (const [id, [first, last]] of this.#shared) {
      const straddles = first <= record.seq && record.seq < last;
      if (!straddles || id === ownIterator) continue;
      const position = record.iterators.find((known) => known.id === id);
      if (position?.state === undefined) {
        return "an iterator is used by several loop entries and has no state()";
      }
    }
    return undefined;
  }

  #around(entry: LoopEntry): LoopEntry[] {
    const parent = this.#parents.get(entry);
    return parent ? [...this.#around(parent), entry] : [entry];
  }

  /** How the iterator gets to where the checkpoint was taken; undefined: only by executing. */
  #reposition(record: CheckpointRecord, entry: LoopEntry): IterationEnd["reposition"] | undefined {
    const loop = this.loopOf(entry);
    if (!loop) return undefined;
    if (loop.counted === true) {
      this.#reasons.add(
        `enumerate() counts the iterations of loop "${entry.loop}": write loop("${entry.loop}", enumerate(…))`,
      );
      return undefined;
    }
    // Where a plain loop stands comes with the state, at any time: there is nothing to drop.
    if (entry.ranged || loop.iterator === "index" || loop.iterator === "state") return "index";
    const position = record.iterators.find(({ id }) => id === entry.iterator);
    if (position?.state !== undefined) return "state";
    // Of an entry that never ended there is what its checkpoints say.
    const draws = entry.draws ?? record.draws ?? null;
    if (loop.iterator === "independent" && drawsFirst(draws, loop)) return "consume";
    this.#reasons.add(`the iterator of loop "${entry.loop}" cannot be set to its position`);
    return undefined;
  }
}

/** No `next()` drew after a body had drawn; in `for await` a draw may have been either's. */
function drawsFirst(draws: LoopEntry["draws"], loop: SourceLoop): boolean {
  if (draws === null) return false;
  if (loop.awaits !== false) {
    return draws.every(({ lastNext, firstBody }) => lastNext === null && firstBody === null);
  }
  return draws.every(({ lastNext, firstBody }) => {
    return lastNext === null || firstBody === null || lastNext <= firstBody;
  });
}

function leftEarly(entry: LoopEntry): string {
  return entry.how === "throw"
    ? `the iterator of loop "${entry.loop}" threw`
    : `loop "${entry.loop}" was left early by a jump: its last iteration is executed again`;
}

function sharedIterators(
  facts: RunFacts,
): ReadonlyMap<number, readonly [first: number, last: number]> {
  const spans = new Map<number, [first: number, last: number]>();
  const shared = new Map<number, [first: number, last: number]>();
  for (const { iterator, seq } of allEntries(facts.entries)) {
    const span = spans.get(iterator);
    if (!span) {
      spans.set(iterator, [seq, seq]);
      continue;
    }
    span[0] = Math.min(span[0], seq);
    span[1] = Math.max(span[1], seq);
    shared.set(iterator, span);
  }
  return shared;
}
