/**
 * @file `afterlog export [WHAT] --out FILE`: tables, frames and queries as CSV, JSON or Parquet.
 *
 * DuckDB writes CSV and Parquet itself, into a file beside the target that is renamed when whole:
 * an export that fails leaves nothing half-written.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import type { Catalog, Connection } from "../catalog/index.ts";
import { literal, planFrame, readableSql, refusingSql, runQuery } from "../catalog/index.ts";
import { AfterlogError, describeError } from "../format/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { readFrame } from "./frame.ts";
import type { Rows, PrintOptions } from "./output.ts";
import { jsonLines } from "./output.ts";
import { withCatalog } from "./project.ts";

const FORMATS = ["csv", "json", "parquet"] as const;
type Format = (typeof FORMATS)[number];

/** What can be exported by name alone. */
const TABLES = ["runs", "args", "logs", "loops", "items", "checkpoints", "profile"] as const;

type ExportOptions = OptionsOf<"export">;

/** Writes what `words` name: `[]` all tables, `logs`, `frame NAME…` or `query SQL`. */
export async function exportCommand(
  outer: CliContext,
  words: readonly string[],
  options: ExportOptions,
): Promise<number> {
  const { jobs, part } = describeTarget(outer, words, options);
  const work = async ({ connection }: Catalog, context: CliContext): Promise<number> => {
    for (const job of jobs) await writeJob(context, connection, job, { part, options });
    return 0;
  };
  for (const { file } of jobs) if (file !== undefined) makeFolder(file);
  // Tried now, so that a place that cannot be written is found before any work.
  attempt(part, () => {
    writeFileSync(part, "");
    rmSync(part);
  });
  try {
    return await withCatalog(outer, work, [part]);
  } finally {
    rmSync(part, { force: true });
  }
}

function makeFolder(file: string): void {
  attempt(file, () => mkdirSync(dirname(file), { recursive: true }));
}

function attempt(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new AfterlogError("AL042", `${file} cannot be written: ${describeError(error)}`, {
      help: ["give another place:  --out FILE"],
      cause: error,
    });
  }
}

type Source =
  | { readonly kind: "table"; readonly name: string }
  | { readonly kind: "frame"; readonly names: readonly string[] }
  | { readonly kind: "query"; readonly sql: string };

interface Job {
  readonly source: Source;
  readonly format: Format;
  /** `undefined`: standard output. */
  readonly file: string | undefined;
}

interface Target {
  readonly jobs: readonly Job[];
  /** The file that is written first, and then takes its proper name or goes to the output. */
  readonly part: string;
}

function describeTarget(
  context: CliContext,
  words: readonly string[],
  options: ExportOptions,
): Target {
  const source = parseSource(words);
  const out = options.out === undefined || options.out === "-" ? undefined : options.out;
  if (source === undefined) {
    if (out === undefined) throw usage("say where to:  afterlog export --out FOLDER");
    const folder = resolve(context.cwd, out);
    const format = parseFormat(options.format ?? "parquet");
    const jobs = TABLES.map((name) => ({
      source: { kind: "table", name } as const,
      format,
      file: join(folder, `${name}.${format}`),
    }));
    return { jobs, part: join(folder, ".afterlog-export.part") };
  }
  const file = out === undefined ? undefined : resolve(context.cwd, out);
  const given = options.format ?? (file === undefined ? "csv" : extname(file).slice(1));
  const format = parseFormat(
    context.json && options.format === undefined && !file ? "json" : given,
  );
  if (file === undefined && format === "parquet") {
    throw usage("Parquet needs a file:  --out FILE.parquet");
  }
  const part =
    file === undefined
      ? join(tmpdir(), `afterlog-export-${randomUUID()}.part`)
      : join(dirname(file), `.${basename(file)}.part`);
  return { jobs: [{ source, format, file }], part };
}

function parseSource(words: readonly string[]): Source | undefined {
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

function parseFormat(text: string): Format {
  const format = text === "pq" ? "parquet" : text.toLowerCase();
  const found = FORMATS.find((one) => one === format);
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

async function writeJob(
  context: CliContext,
  connection: Connection,
  job: Job,
  how: { readonly part: string; readonly options: ExportOptions },
): Promise<void> {
  const { part, options } = how;
  if (job.format === "json") await writeJson(context, connection, job, how);
  else {
    const sql = await selectOf(connection, job.source, options);
    const settings =
      job.format === "csv" ? "FORMAT csv, HEADER" : "FORMAT parquet, COMPRESSION zstd";
    await refusingSql(sqlOf(job.source, options), [], () =>
      connection.run(`COPY (${sql}\n) TO ${literal(part)} (${settings})`),
    );
    if (job.file === undefined) copyToOutput(context, part);
  }
  if (job.file === undefined) return;
  finish(part, job.file);
  context.err(`wrote ${job.file}\n`);
}

function sqlOf(source: Source, options: ExportOptions): string {
  return source.kind === "query" ? source.sql : (options.where ?? "");
}

/** The SELECT of what is exported, checked. */
async function selectOf(
  connection: Connection,
  source: Source,
  options: ExportOptions,
): Promise<string> {
  switch (source.kind) {
    case "query":
      return (await readableSql(connection, source.sql)).replace(/;\s*$/, "");
    case "frame": {
      const { names } = source;
      const frame = await planFrame(connection, {
        names,
        where: options.where,
        grain: options.grain,
      });
      return frame.sql;
    }
    case "table": {
      const where = options.where === undefined ? "" : ` WHERE (${options.where}\n)`;
      return `SELECT * FROM main.${source.name}${where}`;
    }
  }
}

/** JSON is what `--json` prints: numbers that JSON lacks are strings, not `null`. */
async function writeJson(
  context: CliContext,
  connection: Connection,
  job: Job,
  { part, options }: { readonly part: string; readonly options: ExportOptions },
): Promise<void> {
  const { rows, toObject } = await startRows(connection, job.source, options);
  const descriptor = job.file === undefined ? undefined : openSync(part, "w");
  const put = (text: string): void => {
    if (descriptor === undefined) context.out(text);
    else writeSync(descriptor, text);
  };
  try {
    put("[");
    for await (const text of jsonLines(
      rows.columns,
      rows.batches(),
      toObject ? { toObject } : {},
    )) {
      put(text);
    }
    put("\n]\n");
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

async function startRows(
  connection: Connection,
  source: Source,
  options: ExportOptions,
): Promise<{ readonly rows: Rows; readonly toObject?: NonNullable<PrintOptions["toObject"]> }> {
  if (source.kind === "frame") {
    return readFrame(connection, {
      names: source.names,
      where: options.where,
      grain: options.grain,
    });
  }
  const sql = await selectOf(connection, source, options);
  const rows = await refusingSql(sqlOf(source, options), [], () => runQuery(connection, sql));
  return { rows };
}

function copyToOutput(context: CliContext, part: string): void {
  const descriptor = openSync(part, "r");
  const decoder = new TextDecoder();
  const block = Buffer.allocUnsafe(1024 * 1024);
  try {
    for (let read = readSync(descriptor, block); read > 0; read = readSync(descriptor, block)) {
      context.out(decoder.decode(block.subarray(0, read), { stream: true }));
    }
  } finally {
    closeSync(descriptor);
  }
}

function finish(part: string, file: string): void {
  const descriptor = openSync(part, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(part, file);
}
