/** @file `afterlog export [WHAT] --out FILE`: tables, frames and queries as CSV, JSON or Parquet. */
import { extname, join, resolve } from "node:path";
import type { ExportFormat, ExportJob, ExportSource } from "../../app/read.ts";
import { exportData } from "../../app/read.ts";
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";

const FORMATS: readonly ExportFormat[] = ["csv", "json", "parquet"];

/** What can be exported by name alone. */
const TABLES = [
  "runs",
  "args",
  "logs",
  "loops",
  "items",
  "checkpoints",
  "profile",
  "files",
  "ancestry",
  "alerts",
] as const;

type ExportOptions = OptionsOf<"export">;

/** Writes what `words` name: `[]` all tables, `logs`, `frame NAME…` or `query SQL`. */
export async function exportCommand(
  context: CliContext,
  words: readonly string[],
  options: ExportOptions,
): Promise<number> {
  const { where, grain, force } = options;
  await exportData(
    portsOf(context),
    { jobs: jobsOf(context, words, options), where, grain, force },
    { put: (text) => context.data(text), wrote: (file) => context.err(`wrote ${file}\n`) },
  );
  return 0;
}

function jobsOf(
  context: CliContext,
  words: readonly string[],
  options: ExportOptions,
): ExportJob[] {
  const source = parseSource(words);
  const out = options.out === undefined || options.out === "-" ? undefined : options.out;
  if (source === undefined) {
    if (out === undefined) throw usage("say where to:  afterlog export --out FOLDER");
    const folder = resolve(context.cwd, out);
    const format = parseFormat(options.format ?? "parquet");
    return TABLES.map((name) => ({
      source: { kind: "table", name },
      format,
      file: join(folder, `${name}.${format}`),
    }));
  }
  const file = out === undefined ? undefined : resolve(context.cwd, out);
  const given = options.format ?? (file === undefined ? "csv" : extname(file).slice(1));
  const format = parseFormat(
    context.json && options.format === undefined && !file ? "json" : given,
  );
  if (file === undefined && format === "parquet") {
    throw usage("Parquet needs a file:  --out FILE.parquet");
  }
  return [{ source, format, file }];
}

function parseSource(words: readonly string[]): ExportSource | undefined {
  const [what, ...rest] = words;
  if (what === undefined) return undefined;
  if (what === "frame") {
    if (rest.length === 0) throw usage("name the columns:  afterlog export frame NAME… --out FILE");
    return { kind: "frame", names: rest };
  }
  if (what === "query") {
    if (rest.length !== 1 || rest[0] === undefined) {
      throw usage('give one query:  afterlog export query "SELECT …" --out FILE');
    }
    return { kind: "query", sql: rest[0] };
  }
  const name = what === "ls" ? "runs" : what;
  if ((TABLES as readonly string[]).includes(name) && rest.length === 0)
    return { kind: "table", name };
  throw usage(`cannot export ${JSON.stringify(words.join(" "))}`);
}

function parseFormat(text: string): ExportFormat {
  const format = text === "pq" ? "parquet" : text.toLowerCase();
  const found = FORMATS.find((known) => known === format);
  if (found) return found;
  throw usage(
    text === "" ? "the file name does not tell the format" : `no format ${JSON.stringify(text)}`,
  );
}

function usage(message: string): AfterlogError {
  return new AfterlogError("AL001", message, {
    help: [
      "afterlog export frame loss accuracy --out frame.csv",
      `afterlog export ${TABLES.join("|")} --out FILE.parquet`,
      `afterlog export query "SELECT …" --format json`,
      "formats: csv, json, parquet; without WHAT, all tables go into the folder --out",
    ],
  });
}
