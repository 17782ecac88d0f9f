/**
 * @file What the command line shows while a run records: a line of JSON on file descriptor 3,
 * a few times a second, and one at the end. Keeps a short history of each name for sparklines.
 */
import { writeSync } from "node:fs";
import type { LoopStatus, StatusLine, StatusMetrics } from "../format/index.ts";
import { STATUS_FD } from "../format/index.ts";
import type { LoopFrame } from "./loops/loop-frame.ts";
import type { LoopObserver } from "./loops/loop-observer.ts";
import { roundMs } from "./log/loop-profile.ts";

const INTERVAL_MS = 200;
/** Names followed, and points kept of each. */
const NAMES_MAX = 12;
const POINTS_MAX = 64;

/** A number's history, thinned by keeping every n-th point. */
interface Series {
  last: number;
  count: number;
  every: number;
  points: number[];
}

export interface StatusOptions {
  readonly run: string;
  readonly live: boolean;
  /** Whoever started us is gone. */
  readonly abandoned: (frame: LoopFrame) => void;
}

export class Status implements LoopObserver {
  readonly #options: StatusOptions;
  readonly #series = new Map<string, Series>();
  /** Iterations of outermost loops, by name. */
  readonly #iterations = new Map<string, number>();
  #sentAt = 0;
  #alone = false;

  constructor(options: StatusOptions) {
    this.#options = options;
  }

  metric(name: string, value: number): void {
    let series = this.#series.get(name);
    if (!series) {
      if (this.#series.size >= NAMES_MAX) return;
      series = { last: value, count: 0, every: 1, points: [] };
      this.#series.set(name, series);
    }
    series.last = value;
    if (!Number.isFinite(value)) return;
    if (series.count++ % series.every !== 0) return;
    series.points.push(value);
    if (series.points.length < POINTS_MAX) return;
    series.points = series.points.filter((_, index) => index % 2 === 0);
    series.every *= 2;
  }

  iterationBegan(frame: LoopFrame): void {
    this.batchEnded(frame, 1);
    this.moved(frame);
  }

  batchEnded({ parent, name }: LoopFrame, count: number): void {
    if (!parent) this.#iterations.set(name, (this.#iterations.get(name) ?? 0) + count);
  }

  /** Something has happened in the loop: says where the loops stand, if it is time to. */
  moved(frame: LoopFrame): void {
    if (!this.#options.live) return;
    const now = performance.now();
    if (now - this.#sentAt < INTERVAL_MS) return;
    const loops: LoopStatus[] = [];
    for (let at: LoopFrame | undefined = frame; at; at = at.parent) {
      const { name, index, length = null, clock } = at;
      loops.unshift({ loop: name, index, length, ms: roundMs(now - clock.enteredAt) });
    }
    this.#sentAt = performance.now();
    this.#send({ kind: "live", loops, metrics: this.#metrics() });
    if (this.#alone) this.#options.abandoned(frame);
  }

  begin(commit: string | null, dirty: number): void {
    this.#send({ kind: "begin", run: this.#options.run, commit, dirty });
  }

  end(facts: Omit<Extract<StatusLine, { kind: "end" }>, "kind" | "metrics" | "loops">): void {
    const loops = Object.fromEntries(this.#iterations);
    this.#send({ kind: "end", ...facts, loops, metrics: this.#metrics() });
  }

  #metrics(): StatusMetrics {
    return [...this.#series].map(([name, { last, points }]) => {
      return { name, last: Number.isFinite(last) ? last : String(last), points };
    });
  }

  #send(line: StatusLine): void {
    if (this.#options.live) this.#alone = !sendStatus(line);
  }
}

/** Writes a line to whoever started us; false if nobody is there to read it. */
export function sendStatus(line: StatusLine): boolean {
  try {
    writeSync(STATUS_FD, `${JSON.stringify(line)}\n`);
    return true;
  } catch (error) {
    // The run continues, and its files hold everything.
    return (error as NodeJS.ErrnoException).code !== "EPIPE";
  }
}
