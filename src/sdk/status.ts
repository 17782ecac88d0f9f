/**
 * @file What the command line shows while a run records: a line of JSON on file descriptor 3,
 * a few times a second, and one at the end. Keeps a short history of each name for sparklines.
 */
import { writeSync } from "node:fs";
import type { LoopStatus, StatusLine, StatusMetrics } from "../format/index.ts";
import { STATUS_FD } from "../format/index.ts";

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

export class Status {
  readonly #series = new Map<string, Series>();
  readonly #run: string;
  readonly #live: boolean;
  #sentAt = 0;
  #alone = false;

  constructor(run: string, live: boolean) {
    this.#run = run;
    this.#live = live;
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

  /** Whoever started us is gone. */
  get alone(): boolean {
    return this.#alone;
  }

  /** Whether it is time for the next line. */
  due(now: number): boolean {
    return this.#live && now - this.#sentAt >= INTERVAL_MS;
  }

  begin(commit: string | null, dirty: number): void {
    this.#send({ kind: "begin", run: this.#run, commit, dirty });
  }

  live(loops: readonly LoopStatus[]): void {
    this.#sentAt = performance.now();
    this.#send({ kind: "live", loops, metrics: this.#metrics() });
  }

  end(facts: Omit<Extract<StatusLine, { kind: "end" }>, "kind" | "metrics">): void {
    this.#send({ kind: "end", ...facts, metrics: this.#metrics() });
  }

  #metrics(): StatusMetrics {
    return [...this.#series].map(([name, { last, points }]) => {
      return { name, last: Number.isFinite(last) ? last : String(last), points };
    });
  }

  #send(line: StatusLine): void {
    if (this.#live) this.#alone = !sendStatus(line);
  }
}

/** Writes a line to whoever started us; false if nobody is there to read it. */
export function sendStatus(line: StatusLine): boolean {
  try {
    writeSync(STATUS_FD, `${JSON.stringify(line)}\n`);
    return true;
  } catch (error) {
    // The run goes on, and its files hold everything.
    return (error as NodeJS.ErrnoException).code !== "EPIPE";
  }
}
