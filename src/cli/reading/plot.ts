/** @file `afterlog plot NAME…`: logged numbers as a chart on the terminal. */
import { plotNames } from "../../app/read.ts";
import type { PlotReport, PlotSeries } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { lineChart } from "../terminal/chart.ts";
import { formatCount } from "../terminal/format-units.ts";
import { noteText } from "../terminal/wrap-text.ts";
import { portsOf } from "../command-ports.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";
import { offerCells, printOffer } from "./suggest-replay.ts";

/** Lines that can be told apart: the others are counted. */
const SERIES_MAX = 8;
const ROWS = 16;

export async function plotCommand(
  context: CliContext,
  names: readonly string[],
  { where, x }: OptionsOf<"plot">,
): Promise<number> {
  const answer = await plotNames(portsOf(context), { names, where, x });
  const report = answer.value;
  if (context.json) context.out(`${JSON.stringify(report)}\n`);
  else if (report.series.length === 0) context.err("no values\n");
  else {
    context.out(`${chartText(report, names, context)}\n`);
    for (const note of [...leftOut(report), ...answer.notes]) {
      context.err(`${noteText(note, context.columns)}\n`);
    }
  }
  await offerCells(context, answer.gaps, where);
  printOffer(context, answer.offer);
  return 0;
}

function chartText(
  { series, x }: PlotReport,
  names: readonly string[],
  { columns: width, color }: CliContext,
): string {
  const runs = new Set(series.map(({ run }) => run));
  const label = ({ name, run, points }: PlotSeries): string => {
    const parts = [
      ...(names.length > 1 ? [name] : []),
      ...(runs.size > 1 && run !== null ? [run] : []),
    ];
    const size = `${formatCount(points.length)} point${points.length === 1 ? "" : "s"}`;
    return parts.length === 0 ? size : `${parts.join("  ")}  ${size}`;
  };
  const [only] = runs.size === 1 ? runs : [];
  const title = [names.join(", "), ...(only === undefined || only === null ? [] : [only])].join(
    "  ",
  );
  // The newest runs stand last.
  const shown = series.slice(-SERIES_MAX);
  const lines = shown.map((one) => ({ label: onOneLine(label(one)), points: one.points }));
  const titles = { title: onOneLine(title), xLabel: onOneLine(x) };
  return lineChart(lines, { width, height: ROWS, color, ...titles });
}

function leftOut({ series, not_numbers, not_finite }: PlotReport): string[] {
  const more = series.length - SERIES_MAX;
  const values = (count: number): string =>
    `${formatCount(count)} value${count === 1 ? " is" : "s are"}`;
  return [
    ...(more > 0
      ? [`${formatCount(more)} more lines of older runs are not drawn: choose runs with -w`]
      : []),
    ...(not_finite > 0 ? [`${values(not_finite)} infinite or NaN, and not drawn`] : []),
    ...(not_numbers > 0 ? [`${values(not_numbers)} no number, and not drawn`] : []),
  ];
}
