/** @file `afterlog du`: bytes by run and kind. */
import type { DiskKind, DiskUsage } from "../../app/read.ts";
import { DISK_KINDS, measureDisk } from "../../app/read.ts";
import type { CliContext } from "../context.ts";
import { formatBytes } from "../terminal/format-units.ts";
import { printRows } from "../terminal/output.ts";
import { portsOf } from "../command-ports.ts";
import { renderTable } from "../terminal/text-table.ts";

/** Prints what each run takes on disk, the largest first. */
export async function duCommand(context: CliContext): Promise<number> {
  const all = measureDisk(portsOf(context));
  if (context.isTTY && !context.json) {
    context.out(usageTable(all, context));
    return 0;
  }
  const columns = ["run", ...DISK_KINDS, "total"] as const;
  await printRows(context, {
    columns: columns.map((name) => ({ name, kind: "number" as const })),
    batches: async function* () {
      yield all.map((usage) => columns.map((column) => usage[column]));
    },
  });
  return 0;
}

function usageTable(
  all: readonly DiskUsage[],
  { columns: width, color, named }: CliContext,
): string {
  const sum = (kind: DiskKind | "total"): number =>
    all.reduce((total, usage) => total + usage[kind], 0);
  const kinds = DISK_KINDS.filter((kind) => sum(kind) > 0);
  const line = (title: string, size: (kind: DiskKind | "total") => number): string[] => [
    title,
    ...kinds.map((kind) => (size(kind) === 0 ? "" : formatBytes(size(kind)))),
    formatBytes(size("total")),
  ];
  const rows = all.map((usage) => line(usage.run ?? "(project)", (kind) => usage[kind]));
  rows.push(line("total", sum));
  const titles = ["RUN", ...kinds.map((kind) => kind.toUpperCase()), "TOTAL"];
  const columns = titles.map(
    (title, at) => ({ title, align: at === 0 ? "left" : "right" }) as const,
  );
  return renderTable(columns, rows, { width, color, named });
}
