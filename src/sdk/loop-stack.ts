/**
 * @file The loops that are active, and what happens when one is entered, goes on, and ends.
 *
 * There is one stack: loops that run at the same time (`Promise.all`) would mix their paths, so a
 * loop that goes on after one around it has gone on is refused (AL060).
 */
import { performance } from "node:perf_hooks";
import { AfterlogError, pathElement } from "../format/index.ts";
import type { IteratorPosition, LoopExit, LoopPath } from "../format/index.ts";
import type { Ledger, Materializer } from "../materialize/index.ts";
import type { Checkpointer } from "./checkpointer.ts";
import { Iterators } from "./iterators.ts";
import type { LoopStatement } from "./loop-frame.ts";
import { LoopFrame } from "./loop-frame.ts";
import { mayPass } from "./passing.ts";
import type { SeededRandom } from "./random.ts";
import type { Recorder } from "./recorder.ts";
import { framePath, pathText } from "./recorder.ts";
import { Range } from "./range.ts";

/** Iterations whose times are written to the profile together. */
const TIMES_MAX = 512;
/** Iterations that went by unasked are written together up to so long, ms. */
const TOGETHER_MS = 20;
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
  /** The first number of an iterator that has not been given. */
  readonly firstIterator: number;
  /** The number that the iterator of a loop entry has in the record, by the path of its end. */
  readonly recordedIterator: (end: LoopPath) => number | undefined;
  /** Kinds of work that Node is waiting for. */
  readonly resources: () => readonly string[];
  /** Called at most often enough to redraw a line. */
  readonly moved: (frame: LoopFrame, now: number) => void;
}

/** What a loop goes through. */
export interface LoopSource {
  readonly iterable: object;
  readonly iterator: object;
  /** Draws before the iterator was made. */
  readonly drawsBefore: number;
}

export class LoopStack {
  readonly #options: LoopStackOptions;
  readonly #iterators: Iterators;
  readonly #topEntries = new Map<string, number>();
  readonly #blocksWithInner = new Set<string>();
  /** Iterations of outermost loops, by name. */
  readonly iterations: Map<string, number> = new Map();
  #outermostEndedAt: { readonly loop: string; readonly at: number } | undefined;
  #top: LoopFrame | undefined;
  /** What Node was waiting for when last looked at. */
  #resources: readonly string[] = [];
  #lookedAt = -Infinity;
  #prefixDone = false;

  constructor(options: LoopStackOptions) {
    this.#options = options;
    this.#iterators = new Iterators(options.firstIterator);
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
    frame.chunk += passed;
    frame.iterator.delivered += passed;
    frame.pathText = undefined;
    frame.entries = undefined;
    this.#count(frame, passed);
    this.#options.checkpointer.passed(frame, passed);
  }

  #count({ depth, name }: LoopFrame, iterations: number): void {
    if (depth > 0) return;
    this.iterations.set(name, (this.iterations.get(name) ?? 0) + iterations);
  }

  /** How many iterations may go by: none before one that is to be checkpointed. */
  mayPass(frame: LoopFrame): number {
    if (frame.hasInner || frame.itemWritten || frame.choice !== "no") return 0;
    return mayPass(frame.lastBodyMs, frame.lastChunk, frame.context?.isLight ?? false);
  }

  /** When the last outermost loop ended, for the time of what follows it. */
  get outermostEndedAt(): number | undefined {
    return this.#outermostEndedAt?.at;
  }

  get iterators(): Iterators {
    return this.#iterators;
  }

  /** Where all iterators stand that a checkpoint in `frame` must know. */
  positions(frame: LoopFrame): IteratorPosition[] {
    return this.#iterators.positions(frame);
  }

  enter(statement: LoopStatement, source: LoopSource): LoopFrame {
    const { name } = statement;
    const parent = this.top;
    const entries = parent ? (parent.entries ??= new Map()) : this.#topEntries;
    const entry = entries.get(name) ?? 0;
    entries.set(name, entry + 1);
    const entryPath = framePath(parent);
    const { iterable } = source;
    const end = [...entryPath, pathElement(name, "end", entry)];
    const recorded = this.#options.recordedIterator(end);
    const iterator = statement.plain
      ? this.#iterators.none(entryPath, recorded)
      : this.#iterators.track(iterable, source.iterator, entryPath, recorded);
    const itemsKnown = iterable instanceof Range;
    const length = lengthOf(iterable);
    const entryText = parent ? pathText(parent) : "";
    const where = { entry, parent, entryPath, entryText };
    // Not spread into one object: that would take longer than all else here.
    const frame = new LoopFrame(statement, where, { iterator, length, itemsKnown });
    const { random, recorder, checkpointer } = this.#options;
    frame.hasInner = this.#blocksWithInner.has(frame.block);
    frame.drawsAtEntry = source.drawsBefore;
    frame.outsideDraws = random.draws - source.drawsBefore;
    frame.drawsSeen = random.draws;
    if (!parent && performance.now() - this.#lookedAt > LOOK_AFTER_MS) this.#look();
    this.#noteGap(frame);
    const { start = 0, step = 1 } = itemsKnown ? iterable : {};
    recorder.entered(frame, itemsKnown ? { start, step } : undefined);
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
    if (frame.inBody) this.#finishBody(frame, true);
    // The iterator goes on where it was: inside loops of its own, perhaps.
    if (frame.suspended) this.#top = frame.suspended;
    frame.suspended = undefined;
  }

  /** The iterator has delivered: iteration `index + 1` begins. */
  beginBody(frame: LoopFrame, item: unknown, nextStartedAt: number): void {
    const { random, recorder, checkpointer, moved } = this.#options;
    this.#suspend(frame);
    frame.index++;
    frame.inBody = true;
    frame.chunk = 1;
    frame.iterator.delivered++;
    this.#count(frame, 1);
    if (random.draws > frame.drawsSeen) frame.lastNextDraw = frame.index;
    frame.drawsSeen = random.draws;
    frame.itemWritten = !frame.itemsKnown && isScalar(item);
    if (frame.itemWritten) recorder.item(frame, item);
    checkpointer.begun(frame);
    frame.blockedMs = 0;
    frame.firstInnerAt = -1;
    const now = performance.now();
    frame.nextMs = now - nextStartedAt;
    frame.bodyAt = now;
    moved(frame, now);
  }

  /** The loop is left early: its body is over, and its iterator goes on to close itself. */
  leave(frame: LoopFrame): void {
    if (frame.ended) return;
    this.#reach(frame);
    if (frame.inBody) this.#finishBody(frame, false);
    if (frame.suspended) this.#top = frame.suspended;
    frame.suspended = undefined;
  }

  exit(frame: LoopFrame, how: LoopExit): void {
    if (frame.ended) return;
    this.#reach(frame);
    if (frame.suspended) this.#closeSuspended(frame);
    if (frame.inBody) this.#finishBody(frame, how === "exhausted");
    const { random, recorder, checkpointer } = this.#options;
    this.#iterators.ended(frame.iterator, how === "exhausted" ? "exhausted" : "closed");
    frame.outsideDraws += random.draws - frame.drawsSeen;
    recorder.exited(frame, { how, draws: this.#draws(frame), pending: this.#pending(frame) });
    this.#writeTimes(frame);
    checkpointer.ended(frame);
    frame.ended = true;
    this.#top = frame.parent;
    if (frame.parent) frame.parent.lastInnerAt = performance.now();
    if (frame.parent) return;
    this.#options.ledger.settle();
    this.#outermostEndedAt = { loop: frame.name, at: performance.now() };
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
    while (this.#top && this.#top !== frame) this.exit(this.#top, "closed");
  }

  /** Times of loops that never ended, for a process that does. */
  flushTimes(): void {
    for (let frame = this.#top; frame; frame = frame.parent) this.#writeTimes(frame);
  }

  /** Makes `frame` the innermost loop: loops left without being closed end here. */
  #reach(frame: LoopFrame): void {
    for (let open = this.#top; open; open = open.parent) {
      if (open !== frame) continue;
      while (this.#top && this.#top !== frame) {
        this.#top.closedBy = frame;
        this.exit(this.#top, "closed");
      }
      if (frame.passing) this.#catchUp(frame, frame.passing.stop());
      return;
    }
    throw atOnce(frame);
  }

  #finishBody(frame: LoopFrame, complete: boolean): void {
    const now = performance.now();
    const bodyMs = Math.max(0, now - frame.bodyAt - frame.blockedMs) / frame.chunk;
    const { random, ledger, materializer, checkpointer } = this.#options;
    if (random.draws > frame.drawsSeen) frame.firstBodyDraw ??= frame.index;
    frame.drawsSeen = random.draws;
    noteTimes(frame, now, bodyMs);
    if (frame.times.next.length >= TIMES_MAX) this.#writeTimes(frame);
    if (!frame.hasInner) {
      ledger.observe(frame.block, bodyMs, materializer.busyMs(frame.bodyAt) / frame.chunk);
    }
    if (complete) checkpointer.finished(frame, bodyMs);
    else checkpointer.closed(frame, bodyMs);
    frame.inBody = false;
    frame.lastBodyMs = bodyMs;
    frame.lastChunk = frame.chunk;
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
    const { from, next, head, inner, tail, each } = frame.times;
    if (next.length === 0) return;
    this.#options.recorder.iterations(frame, from, {
      next,
      head,
      ...(inner.some((ms) => ms > 0) || tail.some((ms) => ms > 0) ? { inner, tail } : {}),
      ...(each.some((count) => count > 1) ? { each } : {}),
    });
    const past = each.reduce((sum, count) => sum + count, from);
    frame.times = { from: past, next: [], head: [], inner: [], tail: [], each: [] };
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

function noteTimes(frame: LoopFrame, now: number, bodyMs: number): void {
  const { times, chunk } = frame;
  const [last = 0, lastMs = 0] = [times.each.at(-1), times.head.at(-1)];
  if (chunk > 1 && last > 1 && last * lastMs < TOGETHER_MS) {
    times.each[times.each.length - 1] = last + chunk;
    const mean = (last * lastMs + chunk * bodyMs) / (last + chunk);
    times.head[times.head.length - 1] = roundMean(mean);
    return;
  }
  const looped = frame.firstInnerAt >= 0;
  const innerMs = Math.max(0, frame.lastInnerAt - frame.firstInnerAt - frame.blockedMs);
  times.each.push(chunk);
  // The tests between iterations that went by are in their bodies' time.
  times.next.push(chunk > 1 ? 0 : round(frame.nextMs));
  const headMs = looped ? frame.firstInnerAt - frame.bodyAt : bodyMs;
  times.head.push(chunk > 1 ? roundMean(headMs) : round(headMs));
  times.inner.push(looped ? round(innerMs) : 0);
  times.tail.push(looped ? round(Math.max(0, now - frame.lastInnerAt)) : 0);
}

function lengthOf(iterable: object): number | undefined {
  if ("length" in iterable && typeof iterable.length === "number") return iterable.length;
  if ("size" in iterable && typeof iterable.size === "number") return iterable.size;
  return undefined;
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

/** A mean of many, to the nanosecond. */
function roundMean(ms: number): number {
  return Math.round(ms * 1e6) / 1e6;
}
