/**
 * @file A line chart for the terminal, drawn in Braille dots (two by four to a character). Every
 * point lies on its line, nothing is smoothed or left out; each line begins and ends with a mark of
 * its own, so that colour is not the only difference. Pure.
 */
import { formatNumber } from "./format-units.ts";
import { createColors } from "./terminal-edge.ts";

export interface ChartSeries {
  readonly label: string;
  /** Points in order of x. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface ChartOptions {
  readonly width: number;
  readonly height: number;
  readonly color: boolean;
  readonly title: string;
  readonly xLabel: string;
}

const MARKS = ["●", "▲", "■", "◆", "○", "△", "□", "◇"];
/** Bits of the dots of a Braille character, by column and row. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const BRAILLE = 0x2800;

interface ChartCell {
  dots: number;
  paint: (text: string) => string;
  mark: string | undefined;
}

/** Lines of text, with axes and a legend; series beyond the marks repeat them. */
export function lineChart(series: readonly ChartSeries[], options: ChartOptions): string {
  const shown = series.map(({ label, points }) => ({
    label,
    points: points.filter(isFinitePoint),
  }));
  const points = shown.flatMap(({ points }) => points);
  if (points.length === 0) return `${options.title}: nothing to draw`;
  const x = chartAxis(points.map((point) => point.x));
  const y = chartAxis(points.map((point) => point.y));
  const middle = formatNumber((y.min + y.max) / 2);
  // One value has its line in the middle.
  const labels =
    y.min === y.max ? ["", middle, ""] : [formatNumber(y.max), middle, formatNumber(y.min)];
  const margin = Math.max(...labels.map((label) => label.length)) + 1;
  const width = Math.max(20, options.width - margin - 2);
  const canvas = new Canvas(width, options.height);
  const paints = chartColors(options.color);
  const legend = shown.map(({ label, points }, index) => {
    const paint = paints[index % paints.length] ?? String;
    const mark = MARKS[index % MARKS.length] ?? "●";
    const at = points.map((point) => canvas.dotAt(x.share(point.x), y.share(point.y)));
    canvas.draw(at, paint, mark);
    return `${" ".repeat(margin + 2)}${paint(mark)} ${label}`;
  });
  const rows = canvas.rows().map((row, at) => {
    return `${labelOf(at, options.height, labels).padStart(margin)} │${row}`;
  });
  const from = formatNumber(x.min);
  const to = `${x.min === x.max ? "" : formatNumber(x.max)}  ${options.xLabel}`;
  const feet = `${" ".repeat(margin + 2)}${from}${to.padStart(Math.max(1, width - from.length))}`;
  const bottom = `${" ".repeat(margin + 1)}└${"─".repeat(width)}`;
  return [options.title, ...rows, bottom, feet, ...legend].join("\n");
}

function isFinitePoint({ x, y }: { readonly x: number; readonly y: number }): boolean {
  return Number.isFinite(x) && Number.isFinite(y);
}

function labelOf(row: number, height: number, labels: readonly string[]): string {
  if (row === 0) return labels[0] ?? "";
  if (row === height - 1) return labels[2] ?? "";
  return row === Math.floor((height - 1) / 2) ? (labels[1] ?? "") : "";
}

interface Dot {
  readonly column: number;
  readonly row: number;
}

class Canvas {
  readonly #width: number;
  readonly #height: number;
  readonly #cells: ChartCell[][];

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
    this.#cells = Array.from({ length: height }, () =>
      Array.from({ length: width }, () => ({ dots: 0, paint: String, mark: undefined })),
    );
  }

  /** The dot for a place given as shares of width and height, the latter from below. */
  dotAt(across: number, up: number): Dot {
    return {
      column: Math.round(across * (2 * this.#width - 1)),
      row: Math.round((1 - up) * (4 * this.#height - 1)),
    };
  }

  draw(points: readonly Dot[], paint: ChartCell["paint"], mark: string): void {
    for (const [index, to] of points.entries()) this.#line(points[index - 1] ?? to, to, paint);
    for (const end of [points[0], points.at(-1)]) {
      const cell = end && this.#cell(end);
      if (cell) Object.assign(cell, { mark, paint });
    }
  }

  rows(): string[] {
    return this.#cells.map((row) =>
      row
        .map(({ dots, paint, mark }) => {
          if (mark !== undefined) return paint(mark);
          return dots === 0 ? " " : paint(String.fromCodePoint(BRAILLE + dots));
        })
        .join("")
        .trimEnd(),
    );
  }

  #line(from: Dot, to: Dot, paint: ChartCell["paint"]): void {
    const steps = Math.max(Math.abs(to.column - from.column), Math.abs(to.row - from.row), 1);
    for (let step = 0; step <= steps; step++) {
      const column = Math.round(from.column + ((to.column - from.column) * step) / steps);
      const row = Math.round(from.row + ((to.row - from.row) * step) / steps);
      const cell = this.#cell({ column, row });
      if (!cell) continue;
      cell.dots |= DOTS[column % 2 === 0 ? 0 : 1][row % 4] ?? 0;
      cell.paint = paint;
    }
  }

  #cell({ column, row }: Dot): ChartCell | undefined {
    return this.#cells[Math.floor(row / 4)]?.[Math.floor(column / 2)];
  }
}

function chartAxis(values: readonly number[]): {
  readonly min: number;
  readonly max: number;
  readonly share: (value: number) => number;
} {
  const min = values.reduce((a, b) => Math.min(a, b));
  const max = values.reduce((a, b) => Math.max(a, b));
  const span = max - min;
  return { min, max, share: (value) => (span === 0 ? 0.5 : (value - min) / span) };
}

function chartColors(on: boolean): ((text: string) => string)[] {
  const { green, cyan, magenta, yellow, blue, red } = createColors(on);
  return [green, cyan, magenta, yellow, blue, red];
}
