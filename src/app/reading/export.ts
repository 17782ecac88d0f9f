/**
 * @file Tables, frames and queries as CSV, JSON or Parquet.
 *
 * DuckDB writes CSV and Parquet itself, into a file beside the target that is renamed when whole:
 * an export that fails leaves nothing half-written.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
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
import { basename, dirname, join } from "node:path";
import type { Connection } from "../../catalog/index.ts";
import {
  literal,
  parseCondition,
  planFrame,
  readableSql,
  refusingSql,
  runQuery,
} from "../../catalog/index.ts";
import { AfterlogError, describeError } from "../../format/index.ts";
import type { Table } from "./cells.ts";
import { jsonLines, rowToJson } from "./cells.ts";
import { readFrame } from "./frame.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";

export type ExportFormat = "csv" | "json" | "parquet";

export type ExportSource =
  | { readonly kind: "table"; readonly name: string }
  | { readonly kind: "frame"; readonly names: readonly string[] }
  | { readonly kind: "query"; readonly sql: string };

export interface ExportJob {
  readonly source: ExportSource;
  readonly format: ExportFormat;
  /** `undefined`: the text goes to `put`; Parquet needs a file. */
  readonly file: string | undefined;
}

export interface ExportRequest {
  readonly jobs: readonly ExportJob[];
  /** SQL: only rows for which it holds. */
  readonly where?: string | undefined;
  /** Of a frame. */
  readonly grain?: string | undefined;
  /** Overwrites files. */
  readonly force?: boolean | undefined;
}

export interface ExportSink {
  /** Takes what goes to no file. */
  readonly put: (text: string) => void;
  /** Told of each file that is whole. */
  readonly wrote: (file: string) => void;
}

/** Does the jobs, one after the other. Throws AL020, AL021, and AL042 for what cannot be written or is there. */
export async function exportData(
  ports: Ports,
  request: ExportRequest,
  sink: ExportSink,
): Promise<void> {
  const { jobs, force } = request;
  if (force !== true) for (const { file } of jobs) if (file !== undefined) refuseExisting(file);
  const part = partialExportFile(jobs);
  for (const { file } of jobs) if (file !== undefined) makeFolder(file);
  // Tried now, so that a place that cannot be written is found before any work.
  attemptExport(part, () => {
    writeFileSync(part, "");
    rmSync(part);
  });
  let hasPut = false;
  const put = (text: string): void => {
    hasPut = true;
    sink.put(text);
  };
  try {
    await withCatalog(
      ports,
      async ({ connection }) => {
        for (const job of jobs) await writeJob(connection, job, { part, request, put, sink });
      },
      { allowed: [part], isRepeatable: () => !hasPut },
    );
  } finally {
    rmSync(part, { force: true });
  }
}

/** The file that is written first, and then takes its proper name or goes to `put`. */
function partialExportFile([first, second]: readonly ExportJob[]): string {
  if (first?.file === undefined) return join(tmpdir(), `afterlog-export-${randomUUID()}.part`);
  const name = second === undefined ? `.${basename(first.file)}.part` : ".afterlog-export.part";
  return join(dirname(first.file), name);
}

/** Whatever lies there may be data, or a program. */
function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw new AfterlogError("AL042", `${file} exists already`, {
    help: ["name another file, or overwrite it with --force"],
  });
}

function makeFolder(file: string): void {
  attemptExport(file, () => mkdirSync(dirname(file), { recursive: true }));
}

function attemptExport(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new AfterlogError("AL042", `${file} cannot be written: ${describeError(error)}`, {
      help: ["give another place:  --out FILE"],
      cause: error,
    });
  }
}

interface TableWriting {
  readonly part: string;
  readonly request: ExportRequest;
  readonly put: (text: string) => void;
  readonly sink: ExportSink;
}

async function writeJob(connection: Connection, job: ExportJob, how: TableWriting): Promise<void> {
  const { part, request, put, sink } = how;
  if (job.format === "json") await writeJson(connection, job, how);
  else {
    const sql = await selectOf(connection, job.source, request);
    const settings =
      job.format === "csv" ? "FORMAT csv, HEADER" : "FORMAT parquet, COMPRESSION zstd";
    await refusingSql(sqlOf(job.source, request), [], () =>
      connection.run(`COPY (${sql}\n) TO ${literal(part)} (${settings})`),
    );
    if (job.file === undefined) copyOut(part, put);
  }
  if (job.file === undefined) return;
  finishExport(part, job.file);
  sink.wrote(job.file);
}

function sqlOf(source: ExportSource, { where }: ExportRequest): string {
  return source.kind === "query" ? source.sql : (where ?? "");
}

/** The SELECT of what is exported, checked. */
async function selectOf(
  connection: Connection,
  source: ExportSource,
  { where, grain }: ExportRequest,
): Promise<string> {
  switch (source.kind) {
    case "query":
      return (await readableSql(connection, source.sql)).replace(/;\s*$/, "");
    case "frame":
      return (await planFrame(connection, { names: source.names, where, grain })).sql;
    case "table": {
      const only = where === undefined ? "true" : (await parseCondition(connection, where)).sql;
      return `SELECT * FROM main.${source.name} WHERE (${only}\n)`;
    }
  }
}

/** JSON is what `--json` prints: numbers that JSON lacks are strings, not `null`. */
async function writeJson(
  connection: Connection,
  job: ExportJob,
  { part, request, put }: TableWriting,
): Promise<void> {
  const rows = await startRows(connection, job.source, request);
  const descriptor = job.file === undefined ? undefined : openSync(part, "w");
  const write = (text: string): void => {
    if (descriptor === undefined) put(text);
    else writeSync(descriptor, text);
  };
  try {
    write("[");
    for await (const text of jsonLines(rows.batches(), (row) => rows.toJson(row))) write(text);
    write("\n]\n");
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

async function startRows(
  connection: Connection,
  source: ExportSource,
  request: ExportRequest,
): Promise<Pick<Table, "batches" | "toJson">> {
  if (source.kind === "frame") {
    const { where, grain } = request;
    return (await readFrame(connection, { names: source.names, where, grain })).table;
  }
  const sql = await selectOf(connection, source, request);
  const rows = await refusingSql(sqlOf(source, request), [], () => runQuery(connection, sql));
  return { batches: () => rows.batches(), toJson: (row) => rowToJson(rows.columns, row) };
}

function copyOut(part: string, put: (text: string) => void): void {
  const descriptor = openSync(part, "r");
  const decoder = new TextDecoder();
  const block = Buffer.allocUnsafe(1024 * 1024);
  try {
    for (let read = readSync(descriptor, block); read > 0; read = readSync(descriptor, block)) {
      put(decoder.decode(block.subarray(0, read), { stream: true }));
    }
  } finally {
    closeSync(descriptor);
  }
}

function finishExport(part: string, file: string): void {
  const descriptor = openSync(part, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(part, file);
}
