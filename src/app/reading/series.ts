/**
 * @file Logged numbers of runs as arrays of points, for charts that are drawn of a million of them. The points
 * are those of `plotNames`: cells of the frame of the name, by the same axis.
 */
import type { Connection, Frame, NumberColumn } from "../../catalog/index.ts";
import {
  identifier,
  literal,
  NOTHING,
  NUMBER,
  planFrame,
  readNumberColumns,
} from "../../catalog/index.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { axisLabel } from "./plot.ts";

/** Where a point comes from, by its number in `Series.origins`. */
export const SERIES_ORIGINS: readonly string[] = [
  "recorded",
  "imported",
  ...["verified", "restored", "close", "unchecked", "diverged"].map(
    (check) => `hindsight:${check}`,
  ),
];

export interface SeriesRequest {
  readonly name: string;
  /** Whole ids. */
  readonly runs: readonly string[];
  /** A loop, of whose iterations the last values are taken; undefined: the deepest. */
  readonly x?: string | undefined;
}

/** The points of one name of one run, in their order. */
export interface Series {
  readonly run: string;
  /** What counts the points. */
  readonly label: string;
  readonly x: Float64Array<ArrayBuffer>;
  readonly y: Float64Array<ArrayBuffer>;
  /** Places in {@link SERIES_ORIGINS}. */
  readonly origins: Uint8Array<ArrayBuffer>;
  /** Values that are no numbers, and those that are infinite or NaN: they have no place on a chart. */
  readonly notNumbers: number;
  readonly notFinite: number;
}

/** Of the runs that have any value of the name. Throws AL021, AL022. */
export function readSeries(
  ports: Ports,
  { name, runs, x }: SeriesRequest,
): Promise<readonly Series[]> {
  return withCatalog(ports, async ({ connection }) => {
    const list = runs.map(literal).join(", ");
    const where = `run IN (${list === "" ? "NULL" : list})`;
    const frame = await planFrame(connection, { names: [name], where, grain: x });
    const found = await readFrameNumbers(connection, frame, name, runs);
    const isCount = found.loops.length === 1 && found.loops[0]?.states.every(isNumber) === true;
    const label = axisLabel(found.titles, isCount);
    return runs.flatMap((run, at) => seriesOf(found, { run, at, label, isCount }));
  });
}

function isNumber(state: number): boolean {
  return state === NUMBER;
}

interface FrameNumbers {
  /** Places in the runs that were asked for. */
  readonly runs: NumberColumn;
  readonly values: NumberColumn;
  readonly origins: NumberColumn | undefined;
  readonly loops: readonly NumberColumn[];
  readonly titles: readonly string[];
}

async function readFrameNumbers(
  connection: Connection,
  { sql, columns }: Frame,
  name: string,
  runs: readonly string[],
): Promise<FrameNumbers> {
  const position = (column: string, of: readonly string[]): string =>
    `list_position([${of.map(literal).join(", ")}], ${identifier(column)})::INTEGER - 1`;
  const loops = columns.filter(({ kind }) => kind === "loop");
  const own = columns.find(({ kind, of }) => kind === "name" && of === name);
  const origin = columns.find(({ kind, of }) => kind === "origin" && of === name);
  const select = [
    position("run", runs),
    ...[own, ...loops].map((column) => identifier(column?.key ?? "")),
    ...(origin ? [position(origin.key, SERIES_ORIGINS)] : []),
  ];
  const read = await readNumberColumns(connection, `SELECT ${select.join(", ")} FROM (${sql})`);
  const [first, values] = read;
  if (!first || !values) throw new Error("a frame has a column of runs and one of the name");
  return {
    runs: first,
    values,
    loops: read.slice(2, 2 + loops.length),
    origins: read[2 + loops.length],
    titles: loops.map(({ key }) => key),
  };
}

function seriesOf(
  { runs, values, loops, origins }: FrameNumbers,
  of: { run: string; at: number; label: string; isCount: boolean },
): Series[] {
  const first = runs.values.indexOf(of.at);
  if (first < 0) return [];
  // Rows of a run stand together.
  let end = first;
  while (end < runs.values.length && runs.values[end] === of.at) end += 1;
  const axis = of.isCount ? loops[0] : undefined;
  const x = new Float64Array(end - first);
  const y = new Float64Array(end - first);
  const from = new Uint8Array(end - first);
  let count = 0;
  let notNumbers = 0;
  let notFinite = 0;
  for (let row = first; row < end; row++) {
    const state = values.states[row];
    if (state === NOTHING) continue;
    const [across = NaN, value = NaN] = [axis ? axis.values[row] : row - first, values.values[row]];
    if (state !== NUMBER) notNumbers += 1;
    else if (!Number.isFinite(across) || !Number.isFinite(value)) notFinite += 1;
    else {
      x[count] = across;
      y[count] = value;
      from[count] = Math.max(0, origins?.values[row] ?? 0);
      count += 1;
    }
  }
  if (count + notNumbers + notFinite === 0) return [];
  const points = { x: x.slice(0, count), y: y.slice(0, count), origins: from.slice(0, count) };
  return [{ run: of.run, label: of.label, ...points, notNumbers, notFinite }];
}
