/** @file What an alert says: when it fires, and what it would have done. Pure. */
import type { AlertEvent, AlertTest, Marked, TestedRun } from "../../app/index.ts";
import type { CliContext } from "../context.ts";
import { formatCount } from "../terminal/format-units.ts";
import { displayText } from "../terminal/output.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";
import { renderTable } from "../terminal/text-table.ts";

/** Runs that are named; more are counted. */
const SHOWN = 8;

const left = (title: string) => ({ title, align: "left" }) as const;
const right = (title: string) => ({ title, align: "right" }) as const;
const GROUPS: readonly Marked[] = ["good", "bad", "unmarked"];

/** `afterlog: alert low: f1 < 0.4 at train-…@epoch=3 (f1 0.31)`. */
export function firedText(event: AlertEvent): string {
  const { run, alert } = event;
  if (event.kind === "failed") return `afterlog: alert ${alert} cannot be looked at: ${event.why}`;
  const { condition, path, values, call } = event;
  const called = call === null ? "" : `; called  ${call}`;
  return `afterlog: alert ${alert}: ${condition} at ${pointOf(run, path)}${valuesOf(values)}${called}`;
}

function pointOf(run: string, path: string | null): string {
  return path === null || path === "" ? run : `${run}@${path}`;
}

function valuesOf(values: Readonly<{ [name: string]: unknown }>): string {
  const texts = Object.entries(values).map(([name, value]) => {
    return `${name} ${displayText(value as Parameters<typeof displayText>[0])}`;
  });
  return texts.length === 0 ? "" : ` (${texts.join(", ")})`;
}

/** What it would have done, the runs that it got wrong, and the same with other numbers. */
export function testText(
  test: AlertTest,
  context: Pick<CliContext, "columns" | "color" | "named">,
): string {
  const { bold, dim, yellow } = createColors(context.color);
  const layout = { width: context.columns, color: context.color, named: context.named };
  const { condition, fired, silent, untold, runs, sweep } = test;
  const titles = [left(""), ...GROUPS.map(right)];
  const row = (name: string, counts: AlertTest["fired"]): string[] => {
    return [name, ...GROUPS.map((group) => formatCount(counts[group]))];
  };
  const isUntold = GROUPS.some((group) => untold[group] > 0);
  const rows = [
    row("fired", fired),
    row("not fired", silent),
    ...(isUntold ? [row("cannot tell", untold)] : []),
  ];
  const wrong = [
    ...listed(
      "false alarm",
      runs.filter(({ marked, fired: f }) => marked === "good" && f === true),
    ),
    ...listed(
      "missed",
      runs.filter(({ marked, fired: f }) => marked === "bad" && f === false),
    ),
    ...listed(
      "fired",
      runs.filter(({ marked, fired: f }) => marked !== "good" && f === true),
    ),
    ...listed(
      "cannot tell",
      runs.filter(({ fired: f }) => f === null),
    ),
  ];
  const isMarked = runs.some(({ marked }) => marked !== "unmarked");
  const parts = [
    `${bold(onOneLine(condition))}\n`,
    renderTable(titles, rows, layout),
    ...(wrong.length === 0 ? [] : [wrong.map((line) => `${onOneLine(line)}\n`).join("")]),
    ...(sweep === null ? [] : [sweepTable(sweep, layout)]),
  ];
  const notes = [
    ...(isMarked
      ? []
      : [`${yellow("!")} no run is marked, so none of this is right or wrong:  ${TAG}`]),
    ...(sweep === null
      ? [dim("other numbers are tried where one value is compared with one number")]
      : []),
  ];
  return parts.join("\n") + notes.map((note) => `${note}\n`).join("");
}

const TAG = "afterlog tag RUN +good";

function listed(why: string, runs: readonly TestedRun[]): string[] {
  const lines = runs.slice(0, SHOWN).map(({ run, path, values, mark, why: reason }) => {
    const said = reason === null ? valuesOf(values) : `: ${reason.split("\n")[0] ?? ""}`;
    return `${why.padEnd(11)}  ${pointOf(run, path)}${said}${mark === null ? "" : `  ${mark}`}`;
  });
  const more = runs.length - SHOWN;
  return more > 0 ? [...lines, `${"".padEnd(11)}  and ${formatCount(more)} more`] : lines;
}

function sweepTable(
  { text, rows }: NonNullable<AlertTest["sweep"]>,
  layout: Parameters<typeof renderTable>[2],
): string {
  const cells = rows.map((row) => {
    const notes = [...(row.current ? ["as it is"] : []), ...(row.best ? ["tells best"] : [])];
    const counts = GROUPS.map((group) => formatCount(row[group]));
    return [String(row.threshold), ...counts, notes.join(", ")];
  });
  return renderTable([right(`fires if ${text}`), ...GROUPS.map(right), left("")], cells, layout);
}
