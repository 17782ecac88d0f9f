/**
 * @file Logged numbers as lines over the iterations of a loop, over another number, or over the runs: what
 * `afterlog plot` draws. Each point is a cell of the frame of these names.
 */
import type { Cell } from "../../catalog/index.ts";
import { AfterlogError, isAfterlogError } from "../../format/index.ts";
import type { FrameAnswer, FrameQuestion, FrameTable } from "./frame.ts";
import { askFrame } from "./frame.ts";
import { plainText } from "./cells.ts";
import type { Ports } from "../ports.ts";

export interface PlotRequest {
  readonly names: readonly string[];
  readonly where?: string | undefined;
  /** A loop, whose last values are drawn; `run`; or a name that has numbers. */
  readonly x?: string | undefined;
}

export interface PlotSeries {
  readonly name: string;
  /** Null: the points are of one run each. */
  readonly run: string | null;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** What is drawn, as JSON. */
export interface PlotReport {
  readonly x: string;
  readonly series: readonly PlotSeries[];
  /** Cells that are no numbers, and those that are infinite or NaN: they have no place on a chart. */
  readonly not_numbers: number;
  readonly not_finite: number;
}

/** Reads the points. Throws AL021 where a name has no numbers, and what a frame throws. */
export async function plotNames(
  ports: Ports,
  request: PlotRequest,
): Promise<FrameAnswer<PlotReport>> {
  const { names, where, x } = request;
  const ask = (
    question: Partial<FrameQuestion>,
    xName?: string,
  ): Promise<FrameAnswer<PlotReport>> =>
    askFrame(ports, { names, where, ...question }, (table) => readPoints(table, names, xName));
  if (x === undefined) return ask({});
  try {
    return await ask({ grain: x });
  } catch (error) {
    if (!isAfterlogError(error) || error.code !== "AL022") throw error;
    // No loop is called so: then it is a name.
    return ask({ names: [...new Set([...names, x])] }, x);
  }
}

/** How the place of a row on the axis is found. */
interface Axis {
  readonly label: string;
  /** The column of it; undefined: rows are counted. */
  readonly column: number | undefined;
}

async function readPoints(
  table: FrameTable,
  names: readonly string[],
  xName: string | undefined,
): Promise<PlotReport> {
  const rows: Cell[][] = [];
  for await (const batch of table.batches()) rows.push(...batch);
  const axis = chooseAxis(table, rows, xName);
  const isOfRuns = table.loops.length === 0;
  const columnOf = (name: string): number => {
    return table.columns.findIndex((column, at) => at >= table.keep && column.name === name);
  };
  const columns = names.map(columnOf);
  const series = new Map<string, { name: string; run: string | null; points: Point[] }>();
  const counted = new Map<string, number>();
  const left = { not_numbers: 0, not_finite: 0 };
  for (const row of rows) {
    const run = isOfRuns ? null : plainText(row[0]);
    const nth = counted.get(run ?? "") ?? 0;
    counted.set(run ?? "", nth + 1);
    const x = axis.column === undefined ? nth : numberOf(row[axis.column]);
    for (const [at, name] of names.entries()) {
      const cell = row[columns[at] ?? -1] ?? null;
      if (cell === null || x === undefined) continue;
      const y = numberOf(cell);
      if (y === undefined) left.not_numbers += 1;
      else if (!Number.isFinite(x) || !Number.isFinite(y)) left.not_finite += 1;
      else {
        const key = JSON.stringify([run, name]);
        const own = series.get(key) ?? { name, run, points: [] };
        series.set(key, own);
        own.points.push({ x, y });
      }
    }
  }
  const found = [...series.values()];
  if (found.length === 0 && left.not_numbers > 0) throw noNumbers(names);
  if (xName !== undefined) for (const { points } of found) points.sort((a, b) => a.x - b.x);
  return { x: axis.label, series: found, ...left };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function chooseAxis(
  { columns, loops, keep }: FrameTable,
  rows: readonly (readonly Cell[])[],
  xName: string | undefined,
): Axis {
  if (xName !== undefined) {
    const column = columns.findIndex(({ name }, at) => at >= keep && name === xName);
    return { label: xName, column };
  }
  const titles = loops.map((column) => columns[column]?.name ?? "");
  const [only] = loops;
  // The numbers of a loop inside another begin anew in each of its iterations.
  const isCount =
    loops.length === 1 && rows.every((row) => numberOf(row[only ?? -1]) !== undefined);
  if (isCount) return { label: axisLabel(titles, true), column: only };
  return { label: axisLabel(titles, false), column: undefined };
}

/** What the points of a frame are counted by: its loops, outermost first. `isCount`: one, by its own numbers. */
export function axisLabel(loops: readonly string[], isCount: boolean): string {
  if (loops.length === 0) return "runs, oldest first";
  const around = loops.slice(0, -1);
  const inner = loops.at(-1) ?? "";
  if (isCount) return inner;
  return around.length === 0 ? `${inner}, in order` : `${inner} of all ${around.join(", ")}`;
}

function numberOf(cell: Cell | undefined): number | undefined {
  if (typeof cell === "bigint") return Number(cell);
  return typeof cell === "number" ? cell : undefined;
}

function noNumbers(names: readonly string[]): AfterlogError {
  const [first = ""] = names;
  const what = names.length === 1 ? `${JSON.stringify(first)} has` : `${names.join(", ")} have`;
  return new AfterlogError("AL021", `${what} no numbers to draw`, {
    help: [`see the values:  afterlog frame ${names.join(" ")}`],
  });
}
