/**
 * @file The iterators that loops draw from: who they are, how far they have come, and which of them
 * outlive the loop entry that used them (semantics, "Iterators").
 */
import { isDeepStrictEqual } from "node:util";
import type { IteratorPosition } from "../../format/index.ts";
import { describeError, formatPath, valueToJson } from "../../format/index.ts";
import { holdPosition } from "../../loader/index.ts";
import type { LoopFrame, TrackedIterator } from "./loop-frame.ts";
import { framePath } from "../log/recorder.ts";

/** Iterators that may be handed to a loop again; the oldest are forgotten beyond this. */
const OUTLIVING_MAX = 64;

/** Datasets of one iteration that a restore can find; a program makes few. */
const FOUND_MAX = 256;

/** Of loops without an iterator. */
const NO_ITERATOR = {};

/**
 * Methods that make an iterator which nobody else has: no other loop will be handed it. A table of such
 * iterators, weak or not, would hold what they go through until all of the memory is collected: a
 * collection of what is young takes all for alive that something old leads to.
 */
const FRESH = new Set<unknown>(
  [[], new Uint8Array(), new Map(), new Set(), ""].map((native) => native[Symbol.iterator]),
);

interface Resumable {
  state(): unknown;
  restore(state: unknown): void;
}

/** Datasets made in the present iteration of a loop, or at top level. */
interface MadeDatasets {
  readonly index: number;
  count: number;
  readonly byName: Map<string, Resumable>;
}

export class Iterators {
  readonly #tracked = new WeakMap<object, TrackedIterator>();
  /** Not weak: a synchronous training is one job, in which nothing weak is ever let go. */
  readonly #outliving = new Map<object, TrackedIterator>();
  readonly #names = new WeakMap<object, string>();
  readonly #made = new WeakMap<object, MadeDatasets>();
  readonly #first: number;
  #count: number;
  /** Of asides under way: datasets that left their start in them, with the way back. */
  readonly #startedAside: Map<object, () => void>[] = [];

  /** `first`: the first number that has not been given. */
  constructor(first = 0) {
    this.#first = first;
    this.#count = first;
  }

  /** A dataset was made in the present iteration of `frame`; `hold`: it will be looked for. */
  made(dataset: Resumable, frame: LoopFrame | undefined, hold: boolean): void {
    const place = frame ?? this;
    const index = frame?.index ?? 0;
    let made = this.#made.get(place);
    if (made?.index !== index) {
      made = { index, count: 0, byName: new Map() };
      this.#made.set(place, made);
    }
    const name = `${formatPath(framePath(frame))}/${made.count++}`;
    this.#names.set(dataset, name);
    if (hold && made.byName.size < FOUND_MAX) made.byName.set(name, dataset);
  }

  /** A dataset leaves its start, by a loop or by hand: from now on its position is kept. */
  moved(dataset: Resumable, frame: LoopFrame | undefined): void {
    if (this.#tracked.has(dataset)) return;
    this.#startedAside.at(-1)?.set(dataset, holdOf(dataset));
    this.#begin(dataset, dataset, framePath(frame));
  }

  /**
   * Notes where all of them stand; the answer sets them back, and forgets those that were new: as
   * if nothing had been gone through meanwhile. To be called in the reverse order.
   */
  hold(innermost: LoopFrame | undefined): () => void {
    const count = this.#count;
    const made = this.#made.get(innermost ?? this);
    const madeCount = made?.count ?? 0;
    const known = [...this.#outliving.values()];
    for (let frame = innermost; frame; frame = frame.parent) known.push(frame.iterator);
    const backs = known.map((tracked) => holdTracked(tracked));
    const started = new Map<object, () => void>();
    this.#startedAside.push(started);
    return () => {
      this.#startedAside.pop();
      for (const [dataset, back] of started) {
        back();
        this.#tracked.delete(dataset);
        this.#outliving.delete(dataset);
      }
      for (const back of backs) back();
      this.#count = count;
      if (made) made.count = madeCount;
      else this.#made.delete(innermost ?? this);
    };
  }

  /** The dataset that a position is of, if it was made in an iteration that is under way. */
  find(position: IteratorPosition, innermost: LoopFrame): TrackedIterator | undefined {
    const { made = "", id, created } = position;
    for (let frame: LoopFrame | undefined = innermost; ; frame = frame.parent) {
      const here = this.#made.get(frame ?? this);
      const dataset = here?.index === (frame?.index ?? 0) ? here.byName.get(made) : undefined;
      if (dataset) {
        // The numbers of a run that is continued are its own; those of another run are not ours.
        const known = id < this.#first ? id : undefined;
        return this.#tracked.get(dataset) ?? this.#begin(dataset, dataset, created, known);
      }
      if (!frame) return undefined;
    }
  }

  /** The iterator of a loop that is entered at `created`; `known`: its number in the record. */
  track(
    iterable: object,
    iterator: object,
    created: readonly unknown[],
    known?: number,
  ): TrackedIterator {
    const resumable = asResumable(iterator) ?? asResumable(iterable);
    // A loader makes a new iterator for each pass, but its position is the loader's own.
    const key = resumable ?? iterator;
    if (!resumable && isFresh(iterable)) return untracked(created, known ?? this.#count++);
    const tracked = this.#tracked.get(key) ?? this.#begin(key, resumable, created, known);
    tracked.over = false;
    if (resumable || iterable === iterator) this.#keep(key, tracked);
    return tracked;
  }

  /** What stands for the iterator of a loop that has none: nobody will hand it to a loop again. */
  none(created: readonly unknown[], known?: number): TrackedIterator {
    return untracked(created, known ?? this.#count++);
  }

  /** Its loop entry has ended. One that has nothing more to give is of no interest any more. */
  ended(tracked: TrackedIterator, how: "exhausted" | "closed"): void {
    if (how === "exhausted") tracked.over = true;
    if (tracked.resumable) return;
    const closes = typeof (tracked.key as Partial<Iterator<unknown>>).return === "function";
    if (tracked.over || closes) this.#outliving.delete(tracked.key);
  }

  /** Positions of those that the active loops use, and of those that outlive an entry. */
  positions(innermost: LoopFrame): IteratorPosition[] {
    const found = new Map([...this.#outliving.values()].map((tracked) => [tracked.id, tracked]));
    const inEntry = new Map<number, number>();
    for (let frame: LoopFrame | undefined = innermost; frame; frame = frame.parent) {
      const { iterator } = frame;
      found.set(iterator.id, iterator);
      inEntry.set(iterator.id, iterator.delivered - frame.deliveredBefore);
    }
    return [...found.values()]
      .toSorted((a, b) => a.id - b.id)
      .map((tracked) => positionOf(tracked, inEntry.get(tracked.id) ?? 0));
  }

  #begin(
    key: object,
    resumable: Resumable | undefined,
    created: readonly unknown[],
    known?: number,
  ): TrackedIterator {
    const id = known ?? this.#count++;
    const made = this.#names.get(key);
    const tracked = { id, created, delivered: 0, over: false, made, key, resumable };
    this.#tracked.set(key, tracked);
    if (resumable) this.#keep(key, tracked);
    return tracked;
  }

  #keep(key: object, tracked: TrackedIterator): void {
    this.#outliving.delete(key);
    this.#outliving.set(key, tracked);
    const [oldest] = this.#outliving.keys();
    if (this.#outliving.size > OUTLIVING_MAX && oldest) this.#outliving.delete(oldest);
  }
}

function isFresh(iterable: object): boolean {
  return Symbol.iterator in iterable && FRESH.has(iterable[Symbol.iterator]);
}

function untracked(created: readonly unknown[], id: number): TrackedIterator {
  const made = undefined;
  const resumable = undefined;
  return { id, created, delivered: 0, over: false, made, key: NO_ITERATOR, resumable };
}

function positionOf(tracked: TrackedIterator, inEntry: number): IteratorPosition {
  const { id, created, delivered, over, made, resumable } = tracked;
  const position = {
    id,
    created,
    delivered,
    inEntry,
    over,
    ...(made === undefined ? {} : { made }),
  };
  if (!resumable) return position;
  try {
    return { ...position, state: JSON.parse(valueToJson(resumable.state())) as unknown };
  } catch (error) {
    return { ...position, absent: describeError(error) };
  }
}

function holdTracked(tracked: TrackedIterator): () => void {
  const { delivered, over, resumable } = tracked;
  const back = resumable && holdOf(resumable);
  return () => {
    back?.();
    tracked.delivered = delivered;
    tracked.over = over;
  };
}

/** One of the program's own is asked and set like a program would. */
function holdOf(resumable: Resumable): () => void {
  const back = holdPosition(resumable);
  if (back) return back;
  const state = resumable.state();
  return () => {
    if (!isDeepStrictEqual(resumable.state(), state)) resumable.restore(state);
  };
}

function asResumable(value: object): Resumable | undefined {
  const { state, restore } = value as Partial<Resumable>;
  const both = typeof state === "function" && typeof restore === "function";
  return both ? (value as Resumable) : undefined;
}
