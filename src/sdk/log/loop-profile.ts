/**
 * @file How long the parts of a program take: what is before, between and after its outermost loops,
 * and each iteration. Plans are priced by it.
 */
import { performance } from "node:perf_hooks";
import type { LoopClock } from "../loops/loop-clock.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { LoopObserver } from "../loops/loop-observer.ts";
import type { RunParts } from "../run-parts.ts";

/** Iterations whose times are written to the profile together. */
const TIMES_MAX = 512;
/** Iterations that went by unreported are written together up to so long, ms. */
const TOGETHER_MS = 20;

/** Times of iterations not yet written. */
export class UnwrittenTimes {
  from = 0;
  next: number[] = [];
  head: number[] = [];
  inner: number[] = [];
  tail: number[] = [];
  /** How many iterations each number stands for, as their mean. */
  each: number[] = [];
}

export class LoopProfile implements LoopObserver {
  readonly #parts: RunParts;
  #isPrefixWritten = false;
  /** The outermost loop that ended last. */
  #outermost: LoopFrame | undefined;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  entered(frame: LoopFrame): void {
    if (frame.parent) return;
    const { recorder } = this.#parts;
    if (!this.#isPrefixWritten) this.#writePrefix();
    else if (this.#outermost) {
      const { name: after, clock } = this.#outermost;
      const ms = roundMs(performance.now() - clock.leftAt);
      recorder.profile({ k: "gap", after, before: frame.name, ms });
    }
  }

  #writePrefix(): void {
    const { recorder } = this.#parts;
    this.#isPrefixWritten = true;
    recorder.profile({ k: "prefix", ms: roundMs(recorder.now() / 1000) });
  }

  iterationEnded(frame: LoopFrame): void {
    const { clock, times } = frame;
    const { ledger, materializer } = this.#parts;
    noteTimes(times, clock);
    if (times.next.length >= TIMES_MAX) {
      this.#write(frame);
      frame.times = new UnwrittenTimes();
      frame.times.from = times.each.reduce((sum, count) => sum + count, times.from);
    }
    if (frame.hasInner) return;
    ledger.observe(frame.loopKey, clock.bodyMs, materializer.busyMs(clock.bodyAt) / clock.count);
  }

  loopEnded(frame: LoopFrame): void {
    this.#write(frame);
    if (frame.parent) return;
    this.#parts.ledger.settle();
    this.#outermost = frame;
  }

  arrived(frame: LoopFrame): void {
    frame.times.from = frame.index + 1;
  }

  /** The process ends: writes the times of loops that never ended, and what came after the last. */
  finish(innermost: LoopFrame | undefined): void {
    for (let frame = innermost; frame; frame = frame.parent) this.#write(frame);
    // Without a loop, all that the program does is what comes before one.
    if (!this.#isPrefixWritten) this.#writePrefix();
    if (!this.#outermost) return;
    const ms = roundMs(performance.now() - this.#outermost.clock.leftAt);
    this.#parts.recorder.profile({ k: "suffix", ms });
  }

  #write(frame: LoopFrame): void {
    const { from, next, head, inner, tail, each } = frame.times;
    if (next.length === 0) return;
    this.#parts.recorder.iterations(frame, from, {
      next,
      head,
      ...(inner.some((ms) => ms > 0) || tail.some((ms) => ms > 0) ? { inner, tail } : {}),
      ...(each.some((count) => count > 1) ? { each } : {}),
    });
    // A process that ends while other observers handle the loop's end must not write them again.
    next.length = 0;
  }
}

function noteTimes(times: UnwrittenTimes, clock: LoopClock): void {
  const { count, bodyMs } = clock;
  if (count > 1) {
    const [last = 0, lastMs = 0] = [times.each.at(-1), times.head.at(-1)];
    if (last > 1 && last * lastMs < TOGETHER_MS) {
      times.each[times.each.length - 1] = last + count;
      const mean = (last * lastMs + count * bodyMs) / (last + count);
      times.head[times.head.length - 1] = roundMean(mean);
      return;
    }
  }
  const looped = clock.firstInnerAt >= 0;
  const innerMs = Math.max(0, clock.lastInnerAt - clock.firstInnerAt - clock.blockedMs);
  times.each.push(count);
  // The tests between iterations that went by are in their bodies' time.
  times.next.push(count > 1 ? 0 : roundMs(clock.nextMs));
  const headMs = looped ? clock.firstInnerAt - clock.bodyAt : bodyMs;
  times.head.push(count > 1 ? roundMean(headMs) : roundMs(headMs));
  times.inner.push(looped ? roundMs(innerMs) : 0);
  times.tail.push(looped ? roundMs(Math.max(0, clock.endedAt - clock.lastInnerAt)) : 0);
}

/** Milliseconds to the microsecond. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** A mean of many, to the nanosecond. */
function roundMean(ms: number): number {
  return Math.round(ms * 1e6) / 1e6;
}
