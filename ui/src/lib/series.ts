/** Points of charts as the server sends them (docs/http.md). */
import { askBytes } from "./api.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Of one run: what is drawn of its values, and what holds of all of them. */
export interface Series {
  readonly run: string;
  readonly count: number;
  readonly notNumbers: number;
  readonly notFinite: number;
  readonly summary: {
    readonly first: Point;
    readonly last: Point;
    readonly min: Point;
    readonly max: Point;
    readonly hindsight: number;
  } | null;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** 1: in hindsight. */
  readonly hindsight: Uint8Array;
}

export interface SeriesAnswer {
  readonly name: string;
  /** What counts the points. */
  readonly x: string;
  readonly series: readonly Series[];
}

interface Header extends Omit<SeriesAnswer, "series"> {
  readonly origins: readonly string[];
  readonly series: readonly (Pick<Series, "run" | "count" | "summary"> & {
    readonly not_numbers: number;
    readonly not_finite: number;
    readonly points: number;
    readonly x: number;
    readonly y: number;
    readonly origins: number;
  })[];
}

export interface SeriesQuestion {
  readonly name: string;
  readonly runs: readonly string[];
  readonly px: number;
  /** What of the axis is looked at; undefined: all. */
  readonly window?: readonly [from: number, to: number] | undefined;
}

export async function loadSeries(
  { name, runs, px, window }: SeriesQuestion,
  signal?: AbortSignal,
): Promise<SeriesAnswer> {
  const list = runs.map(encodeURIComponent).join(",");
  const part = window ? `&from=${window[0]}&to=${window[1]}` : "";
  const query = `runs=${list}&name=${encodeURIComponent(name)}&px=${Math.round(px)}${part}`;
  return decodeSeries(await askBytes(`/series?${query}`, signal));
}

export function decodeSeries(bytes: ArrayBuffer): SeriesAnswer {
  const length = new DataView(bytes).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length))) as Header;
  const start = Math.ceil((4 + length) / 8) * 8;
  const series = header.series.map(({ run, count, summary, points, ...own }): Series => ({
    run,
    count,
    summary,
    notNumbers: own.not_numbers,
    notFinite: own.not_finite,
    x: new Float64Array(bytes, start + own.x, points),
    y: new Float64Array(bytes, start + own.y, points),
    hindsight: new Uint8Array(bytes, start + own.origins, points).map((origin) =>
      header.origins[origin]?.startsWith("hindsight") ? 1 : 0,
    ),
  }));
  return { name: header.name, x: header.x, series };
}
