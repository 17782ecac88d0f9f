/**
 * @file The iterators that loops draw from: who they are, how far they have come, and which of them
 * outlive the loop entry that used them (design §3, Iterators).
 */
import type { IteratorPosition } from "../format/index.ts";
import { describeError, valueToJson } from "../format/index.ts";
import type { LoopFrame, TrackedIterator } from "./loop-frame.ts";

/** Iterators that may be handed to a loop again; the oldest are forgotten beyond this. */
const OUTLIVING_MAX = 64;

interface Resumable {
  state(): unknown;
  restore(state: unknown): void;
}

export class Iterators {
  readonly #tracked = new WeakMap<object, TrackedIterator>();
  /** Not weak: a synchronous training is one job, in which nothing weak is ever let go. */
  readonly #outliving = new Map<object, TrackedIterator>();
  #count: number;

  /** `first`: the first number that has not been given. */
  constructor(first = 0) {
    this.#count = first;
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
    let tracked = this.#tracked.get(key);
    if (!tracked) {
      const id = known ?? this.#count++;
      tracked = { id, created, delivered: 0, over: false, key, resumable };
      this.#tracked.set(key, tracked);
    }
    tracked.over = false;
    if (resumable || iterable === iterator) this.#keep(key, tracked);
    return tracked;
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

  #keep(key: object, tracked: TrackedIterator): void {
    this.#outliving.delete(key);
    this.#outliving.set(key, tracked);
    const [oldest] = this.#outliving.keys();
    if (this.#outliving.size > OUTLIVING_MAX && oldest) this.#outliving.delete(oldest);
  }
}

function positionOf(tracked: TrackedIterator, inEntry: number): IteratorPosition {
  const { id, created, delivered, over, resumable } = tracked;
  const position = { id, created, delivered, inEntry, over };
  if (!resumable) return position;
  try {
    return { ...position, state: JSON.parse(valueToJson(resumable.state())) as unknown };
  } catch (error) {
    return { ...position, absent: describeError(error) };
  }
}

function asResumable(value: object): Resumable | undefined {
  const { state, restore } = value as Partial<Resumable>;
  const both = typeof state === "function" && typeof restore === "function";
  return both ? (value as Resumable) : undefined;
}
