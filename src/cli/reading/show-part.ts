/** @file `afterlog show RUN --part …`: what of a run is long, by itself. */
import type { ChecksReport, CodeReport, ConsoleReport, PerformanceReport } from "../../app/read.ts";
import { RUN_PARTS, runPart } from "../../app/read.ts";
import { portsOf } from "../command-ports.ts";
import type { CliContext } from "../context.ts";
import { formatBytes, formatCount, formatDuration, formatShare } from "../terminal/format-units.ts";
import { displayText, printLong } from "../terminal/output.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";
import { renderTable } from "../terminal/text-table.ts";

export async function showPart(
  context: CliContext,
  reference: string,
  word: string,
): Promise<number> {
  const part = runPart(word);
  const ports = portsOf(context);
  const print = async (report: object, text: () => string): Promise<number> => {
    if (context.json) context.out(`${JSON.stringify(report, undefined, 2)}\n`);
    else await printLong(context, text());
    return 0;
  };
  if (part === "code") {
    const report = await RUN_PARTS.code(ports, reference);
    return print(report, () => codeText(context, report));
  }
  if (part === "console") {
    const report = await RUN_PARTS.console(ports, reference);
    return print(report, () => consoleText(report));
  }
  if (part === "checks") {
    const report = await RUN_PARTS.checks(ports, reference);
    return print(report, () => checksText(context, report));
  }
  const report = await RUN_PARTS.performance(ports, reference);
  return print(report, () => performanceText(context, report));
}

/** Before each line how often it was executed, as far as it logs or is a loop. */
function codeText({ color }: CliContext, { files }: CodeReport): string {
  const { bold, dim } = createColors(color);
  const parts = files.map(({ file, text, lines }) => {
    const title = bold(onOneLine(file));
    if (text === null) return `${title}  ${dim("its version does not have it")}`;
    const hits = new Map(
      lines.map(({ line, values, iterations }) => [line, formatCount(values + iterations)]),
    );
    const rows = text.replace(/\n$/, "").split("\n");
    const width = String(rows.length).length;
    const hitWidth = Math.max(0, ...[...hits.values()].map((hit) => hit.length));
    const numbered = rows.map((row, at) => {
      const hit = (hits.get(at + 1) ?? "").padStart(hitWidth);
      return `${hit}  ${dim(String(at + 1).padStart(width))}  ${row}`;
    });
    return [title, ...numbered].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}

function consoleText({ stdout, stderr }: ConsoleReport): string {
  const lines = [stdout, stderr].flatMap(({ text }) =>
    text === "" ? [] : text.replace(/\n$/, "").split("\n"),
  );
  return lines.length === 0 ? "it wrote nothing\n" : `${lines.join("\n")}\n`;
}

function checksText({ columns: width, color, named }: CliContext, report: ChecksReport): string {
  if (report.replays.length === 0) return "it was not replayed\n";
  const columns = ["REPLAY", "NAMES", "SCAN", "EQUAL", "CLOSE", "DIFFERENT", "FIRST DIFFERENCE"];
  const rows = report.replays.map(({ replay, names, scan, compared, first_difference: first }) => [
    replay,
    names.join(", "),
    scan,
    formatCount(compared.equal),
    formatCount(compared.close),
    formatCount(compared.different),
    first === null
      ? ""
      : `${first.name} at ${first.path}: ${displayText(first.recorded as string)} → ${displayText(first.replayed as string)}`,
  ]);
  const table = columns.map((title, at) => {
    return { title, align: at > 2 && at < 6 ? "right" : "left" } as const;
  });
  return renderTable(table, rows, { width, color, named });
}

function performanceText(
  { columns: width, color, named }: CliContext,
  { overhead, iterations, frequency, checkpoints }: PerformanceReport,
): string {
  const ms = (value: number): string => formatDuration(value);
  const columns = [
    { title: "ITERATION", align: "left" },
    { title: "DATA", align: "right" },
    { title: "COMPUTE", align: "right" },
    { title: "CHECKPOINTS", align: "right" },
  ] as const;
  const rows = iterations.map(({ loop, entry, from, to, ...times }) => [
    `${loop}${entry > 0 ? `#${entry}` : ""} ${from === to ? from : `${from}..${to}`}`,
    ms(times.dataMs),
    ms(times.computeMs),
    ms(times.checkpointMs),
  ]);
  const bytes = checkpoints.reduce((sum, one) => sum + one.bytes, 0);
  const lines = [
    ...(overhead
      ? [
          `overhead     ${formatShare(overhead.share)}${overhead.budget === null ? "" : ` of ${formatShare(overhead.budget)}`}`,
        ]
      : []),
    `checkpoints  ${formatCount(checkpoints.length)}, ${formatBytes(bytes)}`,
    ...frequency.map(
      ({ block, interval, iterationMs, blockedMs }) =>
        `interval     every ${formatCount(interval)} of ${block}: an iteration takes ${ms(iterationMs)}, a checkpoint blocks ${ms(blockedMs)}`,
    ),
  ].map(onOneLine);
  return `${lines.join("\n")}\n\n${renderTable(columns, rows, { width, color, named })}`;
}
