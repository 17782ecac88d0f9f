/**
 * @file The loops that are active, and what happens when one is entered, iterates, and ends.
 *
 * There is one stack: loops that run at the same time (`Promise.all`) would mix their paths, so a
 * loop that continues after one around it has continued is recorded no more (AL060).
 */
import { performance } from "node:perf_hooks";
import { AfterlogError, pathElement } from "../../format/index.ts";
import type { CheckpointRecord, LoopExit, LoopPath } from "../../format/index.ts";
import type { Director } from "../replay/director.ts";
import type { Iterators } from "./iterators.ts";
import type { LoopStatement } from "./loop-frame.ts";
import { LoopFrame } from "./loop-frame.ts";
import type { LoopObserver, LoopSource } from "./loop-observer.ts";
import { observersOf } from "./loop-observer.ts";
import type { IterationBatch } from "./iteration-batch.ts";
import { batchSize } from "./iteration-batch.ts";
import { framePath, pathText } from "../log/recorder.ts";
import { Range } from "./range.ts";

export interface LoopStackOptions {
  /** In the order in which they are called. */
  readonly observers: readonly LoopObserver[];
  readonly iterators: Iterators;
  readonly director: Pick<Director, "recordedIterator"> | undefined;
}

export class LoopStack {
  readonly #options: LoopStackOptions;
  readonly #topEntries = new Map<string, number>();
  readonly #loopsWithInner = new Set<string>();
  /** The observers of each event. */
  readonly #observers;
  #top: LoopFrame | undefined;

  constructor(options: LoopStackOptions) {
    this.#options = options;
    const { observers } = options;
    this.#observers = {
      entered: observersOf(observers, "entered"),
      iterationBegan: observersOf(observers, "iterationBegan"),
      iterationEnded: observersOf(observers, "iterationEnded"),
      batchEnded: observersOf(observers, "batchEnded"),
      loopEnded: observersOf(observers, "loopEnded"),
      arrived: observersOf(observers, "arrived"),
      batchLimit: observersOf(observers, "batchLimit"),
    };
  }

  /** The innermost loop, at its present iteration. */
  get top(): LoopFrame | undefined {
    const top = this.#top;
    if (top?.batch) this.#endBatch(top, top.batch);
    return top;
  }

  /** The same, at an iteration of some time ago; no loop is disturbed. */
  get lastKnown(): LoopFrame | undefined {
    return this.#top;
  }

  /** The loop has counted iterations itself: brings what is known of it up to date. */
  #endBatch(frame: LoopFrame, batch: IterationBatch): void {
    const count = batch.stop();
    frame.batch = undefined;
    if (count === 0) return;
    frame.index += count;
    frame.clock.count += count;
    frame.iterator.delivered += count;
    frame.pathText = undefined;
    frame.entries = undefined;
    for (const observer of this.#observers.batchEnded) observer.batchEnded(frame, count);
  }

  /** Iterations that the loop may count itself after the present one. */
  batchLimit(frame: LoopFrame): number {
    if (frame.hasInner) return 0;
    const { bodyMs, lastCount } = frame.clock;
    let limit = batchSize(bodyMs, lastCount, frame.context?.isTrivial ?? false);
    for (const observer of this.#observers.batchLimit)
      limit = Math.min(limit, observer.batchLimit(frame));
    return limit;
  }

  enter(statement: LoopStatement, source: LoopSource): LoopFrame {
    const frame = this.#makeFrame(statement, source);
    const { parent } = frame;
    frame.hasInner = this.#loopsWithInner.has(frame.loopKey);
    if (parent) {
      parent.hasInner = true;
      this.#loopsWithInner.add(parent.loopKey);
      if (parent.clock.firstInnerAt < 0) parent.clock.firstInnerAt = frame.clock.enteredAt;
    }
    for (const observer of this.#observers.entered) observer.entered(frame, source);
    this.#top = frame;
    return frame;
  }

  #makeFrame(statement: LoopStatement, { iterable, iterator: made }: LoopSource): LoopFrame {
    const { name } = statement;
    const parent = this.top;
    const entries = parent ? (parent.entries ??= new Map()) : this.#topEntries;
    const entry = entries.get(name) ?? 0;
    entries.set(name, entry + 1);
    const entryPath = framePath(parent);
    const { iterators, director } = this.#options;
    const recorded = director?.recordedIterator(entryPath, name, entry);
    const iterator = statement.plain
      ? iterators.none(entryPath, recorded)
      : iterators.track(iterable, made, entryPath, recorded);
    const itemsKnown = iterable instanceof Range;
    const length = lengthOf(iterable);
    const entryText = parent ? pathText(parent) : "";
    const where = { entry, parent, entryPath, entryText };
    // Not spread into one object: that would take longer than all else here.
    return new LoopFrame(statement, where, { iterator, length, itemsKnown });
  }

  /** The path of the end of a loop of this name, if one were entered now. */
  nextEntry(name: string): LoopPath {
    const parent = this.top;
    const entry = (parent ? parent.entries : this.#topEntries)?.get(name) ?? 0;
    return [...framePath(parent), pathElement(name, "end", entry)];
  }

  /** A loop is not recorded any more: which ones hold others is found out again. */
  forgetInner(): void {
    this.#loopsWithInner.clear();
    for (let frame = this.#top; frame; frame = frame.parent) frame.hasInner = false;
  }

  /** Before the iterator is asked for the next item: the body, if there was one, has ended. */
  endBody(frame: LoopFrame): void {
    this.#unwindTo(frame);
    if (frame.inBody) this.#finishBody(frame, true);
    // The iterator continues where it was: inside loops of its own, perhaps.
    if (frame.suspended) this.#top = frame.suspended;
    frame.suspended = undefined;
  }

  /** The iterator has delivered: iteration `index + 1` begins. */
  beginBody(frame: LoopFrame, item: unknown, nextStartedAt: number): void {
    this.#suspend(frame);
    frame.index++;
    frame.inBody = true;
    frame.iterator.delivered++;
    for (const observer of this.#observers.iterationBegan) observer.iterationBegan(frame, item);
    frame.clock.begin(nextStartedAt);
  }

  /** A replay takes the loop to the end of iteration `index`, without its iterator. */
  moveTo(frame: LoopFrame, index: number): void {
    frame.index = index;
    frame.pathText = undefined;
    frame.entries = undefined;
  }

  /** The iterator is there as well; `restored`: the checkpoint that the state is of. */
  arrived(frame: LoopFrame, restored: CheckpointRecord | undefined): void {
    for (const observer of this.#observers.arrived) observer.arrived(frame, restored);
  }

  /** The loop is left early: its body is over, and its iterator is about to close itself. */
  leave(frame: LoopFrame): void {
    if (frame.ended) return;
    this.#unwindTo(frame);
    if (frame.inBody) this.#finishBody(frame, false);
    if (frame.suspended) this.#top = frame.suspended;
    frame.suspended = undefined;
  }

  /** `isUnwound`: it did not end by itself. */
  exit(frame: LoopFrame, how: LoopExit, isUnwound = false): void {
    if (frame.ended) return;
    this.#unwindTo(frame);
    if (frame.suspended) this.#closeSuspended(frame);
    if (frame.inBody) this.#finishBody(frame, how === "exhausted");
    this.#options.iterators.ended(frame.iterator, how === "exhausted" ? "exhausted" : "closed");
    for (const observer of this.#observers.loopEnded) observer.loopEnded(frame, how, isUnwound);
    frame.ended = true;
    this.#top = frame.parent;
    const now = performance.now();
    frame.clock.leftAt = now;
    if (frame.parent) frame.parent.clock.lastInnerAt = now;
  }

  /** Loops that the iterator has open between two items are put aside while the body runs. */
  #suspend(frame: LoopFrame): void {
    if (this.#top === frame) return;
    for (let open = this.#top; open; open = open.parent) {
      if (open.parent !== frame) continue;
      frame.suspended = this.#top;
      this.#top = frame;
      return;
    }
    throw atOnce(frame);
  }

  /** The loop is left for good: so are the loops inside its iterator. */
  #closeSuspended(frame: LoopFrame): void {
    this.#top = frame.suspended;
    frame.suspended = undefined;
    while (this.#top && this.#top !== frame) this.exit(this.#top, "closed", true);
  }

  /** Makes `frame` the innermost loop: loops left without being closed end here. */
  #unwindTo(frame: LoopFrame): void {
    for (let open = this.#top; open; open = open.parent) {
      if (open !== frame) continue;
      while (this.#top && this.#top !== frame) {
        this.#top.closedBy = frame;
        this.exit(this.#top, "closed", true);
      }
      if (frame.batch) this.#endBatch(frame, frame.batch);
      return;
    }
    throw atOnce(frame);
  }

  #finishBody(frame: LoopFrame, isComplete: boolean): void {
    frame.clock.end();
    for (const observer of this.#observers.iterationEnded)
      observer.iterationEnded(frame, isComplete);
    frame.inBody = false;
    frame.pathText = undefined;
    frame.entries = undefined;
  }
}

function atOnce(frame: LoopFrame): AfterlogError {
  return new AfterlogError("AL060", `loop "${frame.name}" runs at the same time as another loop`, {
    help: ["await one after the other instead of by Promise.all to have both recorded"],
    data: { loop: frame.name },
  });
}

function lengthOf(iterable: object): number | undefined {
  if ("length" in iterable && typeof iterable.length === "number") return iterable.length;
  if ("size" in iterable && typeof iterable.size === "number") return iterable.size;
  return undefined;
}
