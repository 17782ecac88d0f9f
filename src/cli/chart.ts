/**
 * @file A line chart for the terminal: one mark a series, values as they are, no smoothing. Pure.
 */
import pc from "picocolors";
import { formatNumber } from "./format-units.ts";

export interface ChartSeries {
  readonly label: string;
  /** Points in order of x; gaps are left out. */
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface ChartOptions {
  readonly width: number;
  readonly height: number;
  readonly color: boolean;
  readonly title: string;
  readonly xLabel: string;
}

/** Where points of several series meet, so that none vanishes behind another. */
const SEVERAL = "*";
const MARKS = ["●", "▲", "■", "◆", "○", "△", "□", "◇"];

/** Lines of text, with axes and a legend; series beyond the marks repeat them. */
export function lineChart(series: readonly ChartSeries[], options: ChartOptions): string {
  const points = series.flatMap(({ points }) => points);
  if (points.length === 0) return `${options.title}: nothing to draw`;
  const { height, title, xLabel } = options;
  const x = axis(points.map((point) => point.x));
  const y = axis(points.map((point) => point.y));
  const labels = [y.max, (y.min + y.max) / 2, y.min].map(formatNumber);
  const margin = Math.max(...labels.map((label) => label.length)) + 1;
  const width = Math.max(20, options.width - margin - 2);
  const grid = Array.from({ length: height }, () => Array<string>(width).fill(" "));
  const palette = colors(options.color);
  for (const [index, { points }] of series.entries()) {
    const mark = (palette[index % palette.length] ?? String)(MARKS[index % MARKS.length] ?? "●");
    for (const point of points) {
      const row = grid[height - 1 - Math.round(y.share(point.y) * (height - 1))];
      const column = Math.round(x.share(point.x) * (width - 1));
      if (row) row[column] = row[column] === " " || row[column] === mark ? mark : SEVERAL;
    }
  }
  const rows = grid.map((cells, row) => {
    const label =
      row === 0 ? labels[0] : row === height - 1 ? labels[2] : middle(row, height, labels);
    return `${(label ?? "").padStart(margin)} │${cells.join("").trimEnd()}`;
  });
  const from = formatNumber(x.min);
  const to = `${formatNumber(x.max)}  ${xLabel}`;
  const feet = `${" ".repeat(margin + 2)}${from}${to.padStart(Math.max(1, width - from.length))}`;
  const legend = series.map(({ label }, index) => {
    const mark = (palette[index % palette.length] ?? String)(MARKS[index % MARKS.length] ?? "●");
    return `${" ".repeat(margin + 2)}${mark} ${label}`;
  });
  if (grid.some((cells) => cells.includes(SEVERAL))) {
    legend.push(`${" ".repeat(margin + 2)}${SEVERAL} several`);
  }
  return [title, ...rows, `${" ".repeat(margin + 1)}└${"─".repeat(width)}`, feet, ...legend].join(
    "\n",
  );
}

function middle(row: number, height: number, labels: readonly string[]): string | undefined {
  return row === Math.floor((height - 1) / 2) ? labels[1] : undefined;
}

function axis(values: readonly number[]): {
  readonly min: number;
  readonly max: number;
  readonly share: (value: number) => number;
} {
  const finite = values.filter(Number.isFinite);
  const min = finite.length === 0 ? 0 : finite.reduce((a, b) => Math.min(a, b));
  const max = finite.length === 0 ? 1 : finite.reduce((a, b) => Math.max(a, b));
  const span = max - min || 1;
  return { min, max, share: (value) => (Number.isFinite(value) ? (value - min) / span : 0) };
}

function colors(on: boolean): ((text: string) => string)[] {
  const { green, cyan, magenta, yellow, blue, red } = pc.createColors(on);
  return [green, cyan, magenta, yellow, blue, red];
}
