/**
 * @file The loops that are active, and what happens when one is entered, goes on, and ends.
 *
 * There is one stack: loops that run at the same time (`Promise.all`) would mix their paths, so a
 * loop that goes on after one around it has gone on is refused (AL060).
 */
import { performance } from "node:perf_hooks";
import { AfterlogError } from "../../format/index.ts";
import type { LoopExit } from "../../format/index.ts";
import type { Director } from "../replay/director.ts";
import type { Iterators } from "./iterators.ts";
import type { LoopStatement } from "./loop-frame.ts";
import { LoopFrame } from "./loop-frame.ts";
import type { LoopObserver, LoopSource } from "./loop-observer.ts";
import { hearing } from "./loop-observer.ts";
import { mayPass } from "./passing.ts";
import { framePath, pathText } from "../log/recorder.ts";
import { Range } from "./range.ts";

export interface LoopStackOptions {
  /** In the order in which they are told. */
  readonly observers: readonly LoopObserver[];
  readonly iterators: Iterators;
  readonly director: Pick<Director, "recordedIterator"> | undefined;
}

export class LoopStack {
  readonly #options: LoopStackOptions;
  readonly #topEntries = new Map<string, number>();
  readonly #blocksWithInner = new Set<string>();
  /** Who hears what. */
  readonly #on;
  #top: LoopFrame | undefined;

  constructor(options: LoopStackOptions) {
    this.#options = options;
    const { observers } = options;
    this.#on = {
      entered: hearing(observers, "entered"),
      iterationBegan: hearing(observers, "iterationBegan"),
      iterationEnded: hearing(observers, "iterationEnded"),
      iterationsPassed: hearing(observers, "iterationsPassed"),
      loopEnded: hearing(observers, "loopEnded"),
      arrived: hearing(observers, "arrived"),
      batchLimit: hearing(observers, "batchLimit"),
    };
  }

  /** The innermost loop, at its present iteration. */
  get top(): LoopFrame | undefined {
    const top = this.#top;
    if (top?.passing) this.#catchUp(top, top.passing.stop());
    return top;
  }

  /** The same, at an iteration of some time ago; no loop is disturbed. */
  get lastKnown(): LoopFrame | undefined {
    return this.#top;
  }

  /** Iterations have gone by: brings what is known of the loop up to date. */
  #catchUp(frame: LoopFrame, passed: number): void {
    frame.passing = undefined;
    if (passed === 0) return;
    frame.index += passed;
    frame.clock.count += passed;
    frame.iterator.delivered += passed;
    frame.pathText = undefined;
    frame.entries = undefined;
    for (const observer of this.#on.iterationsPassed) observer.iterationsPassed(frame, passed);
  }

  /** How many iterations may go by unreported after the present one. */
  batchLimit(frame: LoopFrame): number {
    if (frame.hasInner) return 0;
    const { bodyMs, lastCount } = frame.clock;
    let limit = mayPass(bodyMs, lastCount, frame.context?.isLight ?? false);
    for (const observer of this.#on.batchLimit) limit = Math.min(limit, observer.batchLimit(frame));
    return limit;
  }

  enter(statement: LoopStatement, source: LoopSource): LoopFrame {
    const frame = this.#makeFrame(statement, source);
    const { parent } = frame;
    frame.hasInner = this.#blocksWithInner.has(frame.block);
    if (parent) {
      parent.hasInner = true;
      this.#blocksWithInner.add(parent.block);
      if (parent.clock.firstInnerAt < 0) parent.clock.firstInnerAt = frame.clock.enteredAt;
    }
    for (const observer of this.#on.entered) observer.entered(frame, source);
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

  /** Before the iterator is asked for the next item: the body, if there was one, has ended. */
  endBody(frame: LoopFrame): void {
    this.#reach(frame);
    if (frame.inBody) this.#finishBody(frame, true);
    // The iterator goes on where it was: inside loops of its own, perhaps.
    if (frame.suspended) this.#top = frame.suspended;
    frame.suspended = undefined;
  }

  /** The iterator has delivered: iteration `index + 1` begins. */
  beginBody(frame: LoopFrame, item: unknown, nextStartedAt: number): void {
    this.#suspend(frame);
    frame.index++;
    frame.inBody = true;
    frame.iterator.delivered++;
    for (const observer of this.#on.iterationBegan) observer.iterationBegan(frame, item);
    frame.clock.begin(nextStartedAt);
  }

  /** A replay takes the loop to the end of iteration `index`, without its iterator. */
  moveTo(frame: LoopFrame, index: number): void {
    frame.index = index;
    frame.pathText = undefined;
    frame.entries = undefined;
  }

  /** The iterator has come there as well; `isRestored`: the state is that of a checkpoint. */
  arrived(frame: LoopFrame, isRestored: boolean): void {
    for (const observer of this.#on.arrived) observer.arrived(frame, isRestored);
  }

  /** The loop is left early: its body is over, and its iterator goes on to close itself. */
  leave(frame: LoopFrame): void {
    if (frame.ended) return;
    this.#reach(frame);
    if (frame.inBody) this.#finishBody(frame, false);
    if (frame.suspended) this.#top = frame.suspended;
    frame.suspended = undefined;
  }

  /** `isUnwound`: it did not end by itself. */
  exit(frame: LoopFrame, how: LoopExit, isUnwound = false): void {
    if (frame.ended) return;
    this.#reach(frame);
    if (frame.suspended) this.#closeSuspended(frame);
    if (frame.inBody) this.#finishBody(frame, how === "exhausted");
    this.#options.iterators.ended(frame.iterator, how === "exhausted" ? "exhausted" : "closed");
    for (const observer of this.#on.loopEnded) observer.loopEnded(frame, how, isUnwound);
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
  #reach(frame: LoopFrame): void {
    for (let open = this.#top; open; open = open.parent) {
      if (open !== frame) continue;
      while (this.#top && this.#top !== frame) {
        this.#top.closedBy = frame;
        this.exit(this.#top, "closed", true);
      }
      if (frame.passing) this.#catchUp(frame, frame.passing.stop());
      return;
    }
    throw atOnce(frame);
  }

  #finishBody(frame: LoopFrame, isComplete: boolean): void {
    frame.clock.end();
    for (const observer of this.#on.iterationEnded) observer.iterationEnded(frame, isComplete);
    frame.inBody = false;
    frame.pathText = undefined;
    frame.entries = undefined;
  }
}

function atOnce(frame: LoopFrame): AfterlogError {
  return new AfterlogError("AL060", `loop "${frame.name}" runs at the same time as another loop`, {
    notes: ["a loop continued after the loop around it had continued or ended"],
    help: [
      "run loops one after the other: await each instead of Promise.all",
      "take no item from a generator that loops before you loop over it",
      "or record only one of them: leave al.loop out of the others",
    ],
    data: { loop: frame.name },
  });
}

function lengthOf(iterable: object): number | undefined {
  if ("length" in iterable && typeof iterable.length === "number") return iterable.length;
  if ("size" in iterable && typeof iterable.size === "number") return iterable.size;
  return undefined;
}
