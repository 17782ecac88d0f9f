/** @file `afterlog affected FILE`: the runs that a data file reached. */
import type { AffectedReport } from "../../app/read.ts";
import { affectedRuns } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { printRows } from "../terminal/output.ts";
import { renderTable } from "../terminal/text-table.ts";
import { onOneLine } from "../terminal/terminal-edge.ts";

/** The exit code is 0 also when no run was reached. */
export async function affectedCommand(
  context: CliContext,
  file: string,
  { run }: OptionsOf<"affected">,
): Promise<number> {
  const report = await affectedRuns(portsOf(context), { file, run });
  if (context.json) {
    context.out(`${JSON.stringify(report)}\n`);
    return 0;
  }
  if (context.isTTY) printTable(context, report);
  else {
    const columns = ["run", "by", "file", "from", "certain"] as const;
    await printRows(context, {
      columns: columns.map((name) => ({ name, kind: "text" as const })),
      batches: async function* () {
        yield report.runs.map((reached) => columns.map((column) => reached[column]));
      },
    });
  }
  printNotes(context, report);
  return 0;
}

function printTable(context: CliContext, { runs }: AffectedReport): void {
  if (runs.length === 0) return;
  const rows = runs.map(({ run, by, file, from, certain }) => {
    const how =
      by === "fork"
        ? `a fork of ${from ?? ""}`
        : `read ${file ?? ""}${from === null ? "" : `, which ${from} wrote`}`;
    return [run, certain ? how : `may have ${how.replace(/^a fork/, "been a fork")}`];
  });
  const columns = ["RUN", "REACHED"].map((title) => ({ title, align: "left" as const }));
  const { columns: width, color, named } = context;
  context.out(renderTable(columns, rows, { width, color, named }));
}

function printNotes(context: CliContext, report: AffectedReport): void {
  const say = (text: string): void => context.err(`${onOneLine(text)}\n`);
  const { file, runs } = report;
  if (runs.length === 0) say(`no run was reached by what ${file} held`);
  const list = (names: readonly string[]): string => names.join("  ");
  if (report.written_by.length > 0) say(`written by: ${list(report.written_by)}`);
  if (report.other_content.length > 0) {
    say(`read it with other content: ${list(report.other_content)}`);
  }
  if (report.started_others.length > 0) {
    say(`! started other programs, whose files nobody knows: ${list(report.started_others)}`);
  }
}
