/**
 * @file Points of charts: read once, kept as long as the run does not change, and thinned to what a chart
 * has pixels for. Of each column of pixels the least, the greatest and the last value are kept, so that no
 * spike is lost.
 */
import type { Ports } from "../app/index.ts";
import type { Series, SeriesRequest } from "../app/read.ts";
import { readSeries, SERIES_ORIGINS } from "../app/read.ts";
import { BinaryBody } from "./binary-body.ts";
import type { RunFeed } from "./run-feed.ts";

/** What is kept of points, at most. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** A series as it was read, its points in the order of the axis. */
export interface KnownSeries extends Series {
  readonly summary: SeriesSummary | null;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Of all points of a series. */
interface SeriesSummary {
  readonly first: Point;
  readonly last: Point;
  readonly min: Point;
  readonly max: Point;
  readonly hindsight: number;
}

interface Kept {
  readonly changed: number;
  /** Null: the run has no value of the name. */
  readonly series: KnownSeries | null;
  readonly bytes: number;
}

export class SeriesCache {
  readonly #ports: Ports;
  readonly #feed: RunFeed;
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(ports: Ports, feed: RunFeed) {
    this.#ports = ports;
    this.#feed = feed;
  }

  /** In the order of the runs; those without a value are left out. */
  async read({ name, runs, x }: SeriesRequest): Promise<readonly KnownSeries[]> {
    const keyOf = (run: string): string => JSON.stringify([run, name, x]);
    const states = new Map(runs.map((run) => [run, this.#feed.changedAt(run) ?? -1]));
    const found = new Map<string, KnownSeries | null>();
    for (const run of runs) {
      const kept = this.#kept.get(keyOf(run));
      if (kept && kept.changed === states.get(run)) {
        this.#keep(keyOf(run), kept);
        found.set(run, kept.series);
      }
    }
    const missing = runs.filter((run) => !found.has(run));
    if (missing.length > 0) {
      const read = await readSeries(this.#ports, { name, runs: missing, x });
      const byRun = new Map(read.map((series) => [series.run, series]));
      for (const run of missing) {
        const own = byRun.get(run);
        const series = own ? known(own) : null;
        const bytes = 500 + (own ? own.x.byteLength * 2 + own.origins.byteLength : 0);
        found.set(run, series);
        this.#keep(keyOf(run), { changed: states.get(run) ?? -1, series, bytes });
      }
    }
    return runs.flatMap((run) => found.get(run) ?? []);
  }

  #keep(key: string, kept: Kept): void {
    this.#bytes += kept.bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES || oldest === key) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

/** A loop may count down, and several values of a run may stand at one place. */
function known(series: Series): KnownSeries {
  const { x, y, origins } = series;
  const isInOrder = x.every((value, at) => at === 0 || value >= (x[at - 1] ?? 0));
  if (isInOrder) return { ...series, summary: summaryOf(series) };
  const order = Uint32Array.from(x, (_, at) => at).sort((a, b) => (x[a] ?? 0) - (x[b] ?? 0));
  const sorted = {
    ...series,
    x: Float64Array.from(order, (at) => x[at] ?? 0),
    y: Float64Array.from(order, (at) => y[at] ?? 0),
    origins: Uint8Array.from(order, (at) => origins[at] ?? 0),
  };
  return { ...sorted, summary: summaryOf(sorted) };
}

function summaryOf({ x, y, origins }: Series): SeriesSummary | null {
  if (y.length === 0) return null;
  let [min, max, hindsight] = [0, 0, 0];
  for (let at = 0; at < y.length; at++) {
    const value = y[at] ?? 0;
    if (value < (y[min] ?? 0)) min = at;
    if (value > (y[max] ?? 0)) max = at;
    if (isHindsight(origins[at] ?? 0)) hindsight += 1;
  }
  const point = (at: number): Point => ({ x: x[at] ?? 0, y: y[at] ?? 0 });
  const ends = { first: point(0), last: point(y.length - 1) };
  return { ...ends, min: point(min), max: point(max), hindsight };
}

function isHindsight(origin: number): boolean {
  return SERIES_ORIGINS[origin]?.startsWith("hindsight") === true;
}

/** What of the axis is looked at, and how many columns of pixels there are for it. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly px: number;
}

/**
 * The places of the points that are drawn: all where there are few, else of each column the least, the
 * greatest and the last; and one on each side, to which the line goes on.
 */
export function thinned({ x, y }: Pick<Series, "x" | "y">, window: Window): Uint32Array {
  const first = Math.max(0, lowerBound(x, window.from) - 1);
  const end = Math.min(x.length, upperBound(x, window.to) + 1);
  if (end - first <= window.px * 3) {
    return Uint32Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  }
  const chosen = new Uint32Array(3 * (window.px + 2));
  const left = Math.max(window.from, x[first] ?? 0);
  // Of points that all stand at one place there is one column.
  const width = (Math.min(window.to, x[end - 1] ?? 0) - left) / window.px || 1;
  const columnOf = (at: number): number =>
    Math.max(-1, Math.min(window.px, Math.floor(((x[at] ?? 0) - left) / width)));
  let count = 0;
  for (let at = first; at < end;) {
    const column = columnOf(at);
    let [min, max, last] = [at, at, at];
    for (; at < end && columnOf(at) === column; at++) {
      if ((y[at] ?? 0) < (y[min] ?? 0)) min = at;
      if ((y[at] ?? 0) > (y[max] ?? 0)) max = at;
      last = at;
    }
    const [low, high] = min < max ? [min, max] : [max, min];
    chosen[count++] = low;
    if (high !== low) chosen[count++] = high;
    if (last !== high) chosen[count++] = last;
  }
  return chosen.subarray(0, count);
}

/** The first place at which a value is not below. */
function lowerBound(values: Float64Array, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first place at which a value is above. */
function upperBound(values: Float64Array, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The bytes of an answer: `docs/http.md` says what they are. */
export function encodeSeries(
  name: string,
  series: readonly KnownSeries[],
  window: Window,
): Uint8Array<ArrayBuffer> {
  const body = new BinaryBody();
  const headers = series.map((own) => {
    const places = thinned(own, window);
    return {
      run: own.run,
      count: own.x.length,
      not_numbers: own.notNumbers,
      not_finite: own.notFinite,
      summary: own.summary,
      points: places.length,
      x: body.add(Float64Array.from(places, (at) => own.x[at] ?? 0)),
      y: body.add(Float64Array.from(places, (at) => own.y[at] ?? 0)),
      origins: body.add(Uint8Array.from(places, (at) => own.origins[at] ?? 0)),
    };
  });
  const x = series[0]?.label ?? "";
  return body.behind({ schema: 1, name, x, origins: SERIES_ORIGINS, series: headers });
}
