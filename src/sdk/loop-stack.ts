/**
 * @file The loops that are active, and what happens when one is entered, goes on, and ends.
 *
 * There is one stack: loops that run at the same time (`Promise.all`) would mix their paths, so a
 * loop that goes on after one around it has gone on is refused (AL060).
 */
import { AfterlogError } from "../format/index.ts";
import type { LoopExit } from "../format/index.ts";
import type { Ledger, Materializer } from "../materialize/index.ts";
import type { Checkpointer } from "./checkpointer.ts";
import type { TrackedIterator } from "./loop-frame.ts";
import { LoopFrame } from "./loop-frame.ts";
import type { SeededRandom } from "./random.ts";
import type { Recorder } from "./recorder.ts";
import { framePath } from "./recorder.ts";
import { Range } from "./range.ts";

/** Iterations whose times are written to the profile together. */
const TIMES_MAX = 512;
/** Asking Node what it waits for takes up to 0.3 ms: only entries that last are worth it. */
const LOOK_AFTER_MS = 200;
/** Longest string item that is kept as the iteration's value. */
const ITEM_MAX = 1024;

export interface LoopStackOptions {
  readonly recorder: Recorder;
  readonly checkpointer: Checkpointer;
  readonly materializer: Materializer;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  /** Kinds of work that Node is waiting for. */
  readonly resources: () => readonly string[];
  /** Called at most often enough to redraw a line. */
  readonly moved: (frame: LoopFrame) => void;
}

export class LoopStack {
  readonly #options: LoopStackOptions;
  readonly #iterators = new Map<number, WeakRef<object>>();
  readonly #tracked = new WeakMap<object, TrackedIterator>();
  #iteratorCount = 0;
  readonly #topEntries = new Map<string, number>();
  readonly #blocksWithInner = new Set<string>();
  #outermostEndedAt: { readonly loop: string; readonly at: number } | undefined;
  #top: LoopFrame | undefined;
  /** What Node was waiting for when last looked at. */
  #resources: readonly string[] = [];
  #lookedAt = -Infinity;
  #prefixDone = false;

  constructor(options: LoopStackOptions) {
    this.#options = options;
  }

  get top(): LoopFrame | undefined {
    return this.#top;
  }

  /** When the last outermost loop ended, for the time of what follows it. */
  get outermostEndedAt(): number | undefined {
    return this.#outermostEndedAt?.at;
  }

  /** Iterators of the active loops, and those that outlive an entry. */
  live(): TrackedIterator[] {
    const found = new Map<number, TrackedIterator>();
    for (const [id, reference] of this.#iterators) {
      const iterator = reference.deref();
      const tracked = iterator && this.#tracked.get(iterator);
      if (tracked) found.set(id, tracked);
      else this.#iterators.delete(id);
    }
    for (let frame = this.#top; frame; frame = frame.parent) {
      found.set(frame.iterator.id, frame.iterator);
    }
    return [...found.values()].toSorted((a, b) => a.id - b.id);
  }

  enter(
    name: string,
    site: number | null,
    source: { readonly iterable: object; readonly iterator: object; readonly drawsBefore: number },
  ): LoopFrame {
    const parent = this.#top;
    const entries = parent ? (parent.entries ??= new Map()) : this.#topEntries;
    const entry = entries.get(name) ?? 0;
    entries.set(name, entry + 1);
    const iterator = this.#track(source.iterable, source.iterator);
    const { iterable } = source;
    const itemsKnown = iterable instanceof Range;
    const length = lengthOf(iterable);
    const frame = new LoopFrame({ name, entry, site, parent, iterator, length, itemsKnown });
    iterator.over = false;
    const { random, recorder, checkpointer } = this.#options;
    frame.hasInner = this.#blocksWithInner.has(frame.block);
    frame.drawsAtEntry = source.drawsBefore;
    frame.outsideDraws = random.draws - source.drawsBefore;
    frame.drawsSeen = random.draws;
    if (!parent && performance.now() - this.#lookedAt > LOOK_AFTER_MS) this.#look();
    this.#noteGap(frame);
    recorder.emit({
      k: "enter",
      path: framePath(parent),
      loop: name,
      entry,
      site,
      iterator: iterator.id,
      ...(frame.length === undefined ? {} : { length: frame.length }),
      ...(itemsKnown ? { range: { start: iterable.start, step: iterable.step } } : {}),
    });
    if (parent) {
      parent.hasInner = true;
      this.#blocksWithInner.add(parent.block);
      if (parent.firstInnerAt < 0) parent.firstInnerAt = performance.now();
    }
    checkpointer.entered(frame);
    this.#top = frame;
    return frame;
  }

  /** Before the iterator is asked for the next item: the body, if there was one, has ended. */
  endBody(frame: LoopFrame): void {
    this.#reach(frame);
    if (!frame.inBody) return;
    this.#finishBody(frame, true);
  }

  /** The iterator has delivered: iteration `index + 1` begins. */
  beginBody(frame: LoopFrame, item: unknown, nextStartedAt: number): void {
    const { random, recorder, checkpointer, moved } = this.#options;
    frame.index++;
    frame.inBody = true;
    frame.iterator.delivered++;
    if (random.draws > frame.drawsSeen) frame.lastNextDraw = frame.index;
    frame.drawsSeen = random.draws;
    if (!frame.itemsKnown && isScalar(item)) recorder.item(frame, item);
    checkpointer.begun(frame);
    frame.blockedMs = 0;
    frame.firstInnerAt = -1;
    const now = performance.now();
    frame.nextMs = now - nextStartedAt;
    frame.bodyAt = now;
    moved(frame);
  }

  exit(frame: LoopFrame, how: LoopExit): void {
    this.#reach(frame);
    if (frame.inBody) this.#finishBody(frame, how === "exhausted");
    const { random, recorder, checkpointer } = this.#options;
    if (how === "exhausted") frame.iterator.over = true;
    frame.outsideDraws += random.draws - frame.drawsSeen;
    recorder.emit({
      k: "exit",
      path: framePath(frame.parent),
      loop: frame.name,
      entry: frame.entry,
      how,
      iterations: frame.index + 1,
      draws: this.#draws(frame),
      pending: this.#pending(frame),
    });
    this.#writeTimes(frame);
    checkpointer.ended(frame);
    this.#top = frame.parent;
    if (frame.parent) frame.parent.lastInnerAt = performance.now();
    else this.#outermostEndedAt = { loop: frame.name, at: performance.now() };
  }

  /** Times of loops that never ended, for a process that does. */
  flushTimes(): void {
    for (let frame = this.#top; frame; frame = frame.parent) this.#writeTimes(frame);
  }

  /** Makes `frame` the innermost loop: loops left without being closed end here. */
  #reach(frame: LoopFrame): void {
    for (let open = this.#top; open; open = open.parent) {
      if (open !== frame) continue;
      while (this.#top && this.#top !== frame) this.exit(this.#top, "closed");
      return;
    }
    throw new AfterlogError("AL060", `loop "${frame.name}" runs at the same time as another loop`, {
      notes: ["a loop went on after the loop around it had gone on or ended"],
      help: [
        "run loops one after the other: await each instead of Promise.all",
        "or record only one of them: leave al.loop out of the others",
      ],
      data: { loop: frame.name },
    });
  }

  #finishBody(frame: LoopFrame, complete: boolean): void {
    const now = performance.now();
    const bodyMs = Math.max(0, now - frame.bodyAt - frame.blockedMs);
    const { random, ledger, materializer, checkpointer } = this.#options;
    if (random.draws > frame.drawsSeen) frame.firstBodyDraw ??= frame.index;
    frame.drawsSeen = random.draws;
    noteTimes(frame, now, bodyMs);
    if (frame.times.next.length >= TIMES_MAX) this.#writeTimes(frame);
    if (!frame.hasInner) {
      ledger.observe(frame.block, bodyMs, materializer.busyMs(frame.bodyAt));
    }
    if (complete) checkpointer.finished(frame, bodyMs);
    else checkpointer.closed(frame, bodyMs);
    frame.inBody = false;
    frame.pathText = undefined;
    frame.entries = undefined;
  }

  /** Work that was started and not awaited; null when the entry was too short to look. */
  #pending(frame: LoopFrame): string[] | null {
    if (performance.now() - frame.enteredAt < LOOK_AFTER_MS) return null;
    const before = this.#resources;
    this.#look();
    return newResources(before, this.#resources);
  }

  #look(): void {
    this.#resources = this.#options.resources();
    this.#lookedAt = performance.now();
  }

  #draws(
    frame: LoopFrame,
  ): { generator: string; lastNext: number | null; firstBody: number | null; outside: number }[] {
    if (this.#options.random.draws === frame.drawsAtEntry) return [];
    const { lastNextDraw: lastNext, firstBodyDraw: firstBody, outsideDraws: outside } = frame;
    return [{ generator: "Math.random", lastNext, firstBody, outside }];
  }

  #track(iterable: object, iterator: object): TrackedIterator {
    const known = this.#tracked.get(iterator);
    if (known) return known;
    const id = this.#iteratorCount++;
    const resumable = resumableOf(iterable);
    const tracked: TrackedIterator = {
      id,
      created: framePath(this.#top),
      delivered: 0,
      over: false,
      state: resumable && ((): unknown => resumable.state()),
    };
    this.#tracked.set(iterator, tracked);
    // One that is its own iterable (a generator) can be handed to a loop again.
    if (iterable === iterator || resumable) this.#iterators.set(id, new WeakRef(iterator));
    return tracked;
  }

  #noteGap(frame: LoopFrame): void {
    if (frame.parent) return;
    const { recorder } = this.#options;
    if (!this.#prefixDone) {
      this.#prefixDone = true;
      recorder.profile({ k: "prefix", ms: round(recorder.now() / 1000) });
    } else if (this.#outermostEndedAt) {
      const { loop, at } = this.#outermostEndedAt;
      recorder.profile({
        k: "gap",
        after: loop,
        before: frame.name,
        ms: round(performance.now() - at),
      });
    }
  }

  #writeTimes(frame: LoopFrame): void {
    const { from, next, head, inner, tail } = frame.times;
    if (next.length === 0) return;
    this.#options.recorder.profile({
      k: "iterations",
      path: framePath(frame.parent),
      loop: frame.name,
      entry: frame.entry,
      from,
      next,
      head,
      ...(frame.hasInner ? { inner, tail } : {}),
    });
    frame.times = { from: from + next.length, next: [], head: [], inner: [], tail: [] };
  }
}

function noteTimes(frame: LoopFrame, now: number, bodyMs: number): void {
  const { times } = frame;
  times.next.push(round(frame.nextMs));
  if (!frame.hasInner) {
    times.head.push(round(bodyMs));
    return;
  }
  const innerAt = frame.firstInnerAt < 0 ? now : frame.firstInnerAt;
  const tailAt = frame.firstInnerAt < 0 ? now : Math.max(innerAt, frame.lastInnerAt);
  times.head.push(round(innerAt - frame.bodyAt));
  times.inner.push(round(Math.max(0, tailAt - innerAt - frame.blockedMs)));
  times.tail.push(round(now - tailAt));
}

function lengthOf(iterable: object): number | undefined {
  if ("length" in iterable && typeof iterable.length === "number") return iterable.length;
  if ("size" in iterable && typeof iterable.size === "number") return iterable.size;
  return undefined;
}

interface Resumable {
  state(): unknown;
  restore(state: unknown): void;
}

function resumableOf(iterable: object): Resumable | undefined {
  const { state, restore } = iterable as Partial<Resumable>;
  const both = typeof state === "function" && typeof restore === "function";
  return both ? (iterable as Resumable) : undefined;
}

/** An item that a table can show. */
function isScalar(item: unknown): boolean {
  if (typeof item === "string") return item.length <= ITEM_MAX;
  return item === null || ["number", "boolean", "bigint"].includes(typeof item);
}

function newResources(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before];
  return after.filter((kind) => {
    const at = left.indexOf(kind);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Milliseconds to the microsecond. */
export function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
