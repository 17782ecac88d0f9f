/**
 * @file Calls of packages that take long: their loops are not the run's, so all that is known of their
 * inside is how long it took. Plans are priced by it (`planner/unseen-calls.ts`).
 */
import { performance } from "node:perf_hooks";
import { UNSEEN_MIN_MS } from "../../format/index.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { LoopObserver } from "../loops/loop-observer.ts";
import type { RunParts } from "../run-parts.ts";
import { roundMs } from "./loop-profile.ts";
import { framePath } from "./recorder.ts";

/** A call in rewritten source. */
export type TimedSiteTuple = readonly [line: number, name: string];

/** A call under way. */
export interface TimedCall {
  readonly site: number;
  readonly at: number;
  readonly frame: LoopFrame | undefined;
  /** Outermost loops, and loops of any depth, that had been entered. */
  readonly loops: number;
  readonly entries: number;
  /** What outermost loops, and calls that were recorded, had taken, ms. */
  readonly known: number;
}

/** A call that was made so often and was never long is not timed any more. */
const SHORT_MAX = 256;

export class UnseenCalls implements LoopObserver {
  readonly #parts: RunParts;
  readonly #frame: () => LoopFrame | undefined;
  #loops = 0;
  #entries = 0;
  #knownMs = 0;
  #enteredAt = 0;

  constructor(parts: RunParts, frame: () => LoopFrame | undefined) {
    this.#parts = parts;
    this.#frame = frame;
  }

  entered(frame: LoopFrame): void {
    this.#entries++;
    if (frame.parent) return;
    this.#loops++;
    this.#enteredAt = performance.now();
  }

  loopEnded(frame: LoopFrame): void {
    if (!frame.parent) this.#knownMs += performance.now() - this.#enteredAt;
  }

  /** What is called before and after the calls of a file, each by its number. */
  forFile(
    file: string,
    sites: readonly TimedSiteTuple[],
  ): {
    since: (site: number) => TimedCall | undefined;
    took: <T>(since: TimedCall | undefined, value: T) => T;
  } {
    const short = new Uint32Array(sites.length);
    return {
      since: (site) => ((short[site] ?? 0) > SHORT_MAX ? undefined : this.#begin(site)),
      took: (call, value) => {
        if (!call) return value;
        const ms = this.#msOf(call);
        const { site } = call;
        const [line = 0, name = ""] = sites[site] ?? [];
        if (ms < UNSEEN_MIN_MS) short[site] = (short[site] ?? 0) + 1;
        else this.#write(call, { call: name, file, line, ms: roundMs(ms) });
        return value;
      },
    };
  }

  #begin(site: number): TimedCall {
    const frame = this.#frame();
    const entered = { loops: this.#loops, entries: this.#entries, known: this.#knownMs };
    return { site, at: performance.now(), frame, ...entered };
  }

  /** Without what is known already: the loops of the run in it. */
  #msOf({ at, frame, known, entries }: TimedCall): number {
    // The iterations around it have the time of loops that were entered in it.
    if (frame && entries !== this.#entries) return 0;
    return performance.now() - at - (this.#knownMs - known);
  }

  #write(
    { frame, loops }: TimedCall,
    call: { readonly call: string; file: string; line: number; ms: number },
  ): void {
    this.#knownMs += call.ms;
    const path = frame ? framePath(frame) : [];
    this.#parts.recorder.profile({ k: "call", path, loops, ...call });
  }
}
