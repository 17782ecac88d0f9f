/**
 * @file The only place that opens a DuckDB file.
 *
 * DuckDB guards a file against other processes with a lock that a second open in the same process,
 * or in a worker thread of it, does not see: such an open succeeds and loses rows. So files are
 * opened on the main thread only, and through DuckDB's cache of instances, which gives a second
 * opener the same instance or refuses. For the same reason nothing else may open or copy the file
 * while this process has it open: closing any descriptor of it would drop the lock.
 */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { isMainThread } from "node:worker_threads";
import type * as DuckDB from "@duckdb/node-api";
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";

/**
 * Loads DuckDB with the first file that is opened, by `require`: `import` looks through its 200
 * CommonJS files for their exports first, which takes longer than executing them.
 */
function duckdb(): typeof DuckDB {
  const require = createRequire(import.meta.url);
  return require("@duckdb/node-api") as typeof DuckDB;
}

/** A row, by column name. 64-bit integers arrive as bigint. */
export type SqlRow = { readonly [column: string]: unknown };

/** A text column of a row. */
export function textOf(row: SqlRow, column: string): string | null {
  const value = row[column];
  return typeof value === "string" ? value : null;
}

/** A column of 64-bit floats of a row. */
export function numberOf(row: SqlRow, column: string): number | null {
  const value = row[column];
  return typeof value === "number" ? value : null;
}

/** What a query may need besides its text: values of its `$name` parameters. */
export type Parameters = { readonly [name: string]: string | number | boolean | null };

/** A connection that owns its instance: closing it releases the file. */
export interface Connection {
  run(sql: string, parameters?: Parameters): Promise<void>;
  rows(sql: string, parameters?: Parameters): Promise<SqlRow[]>;
  /** The same by columns, in their order: for results of many rows. */
  columns(sql: string, parameters?: Parameters): Promise<unknown[][]>;
  /** Rows in chunks as DuckDB makes them, for results that may be large. */
  stream(sql: string): Promise<DuckDBResult>;
  /** Ends the query that is under way, which then fails. */
  interrupt(): void;
  /** Kinds of the statements in `sql`; throws DuckDB's own error if it cannot be parsed or bound. */
  statements(sql: string): Promise<StatementKind[]>;
  close(): void;
}

export type StatementKind = "select" | "explain" | "other";

/** How a file is opened. `sandbox`: read-only, and no SQL reaches any file, except these. */
export type OpenMode =
  | { readonly kind: "write" }
  | { readonly kind: "sandbox"; readonly allowed: readonly string[] };

/** Opens a DuckDB file. Throws DuckDB's error; see `isBusy` and `isDamaged`. */
export async function openDatabase(file: string, mode: OpenMode): Promise<Connection> {
  assert.ok(isMainThread, "the index is opened on the main thread only");
  const { DuckDBInstance } = duckdb();
  const access = mode.kind === "write" ? "READ_WRITE" : "READ_ONLY";
  const instance = await DuckDBInstance.fromCache(file, { access_mode: access });
  try {
    const connection = await instance.connect();
    if (mode.kind === "sandbox") await closeSandbox(connection, mode.allowed);
    return wrapConnection(instance, connection);
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/**
 * Several files in one sandbox, read-only, under names of their own. `prepare` makes what stands
 * over them.
 */
export async function openAttached(
  files: readonly string[],
  prepare: (aliases: readonly string[]) => readonly string[],
): Promise<Connection> {
  assert.ok(isMainThread, "an index is opened on the main thread only");
  const instance = await duckdb().DuckDBInstance.create(":memory:");
  try {
    const connection = await instance.connect();
    const aliases = files.map((_, at) => `p${at}`);
    for (const [at, file] of files.entries()) {
      await connection.run(`ATTACH '${file.replaceAll("'", "''")}' AS p${at} (READ_ONLY)`);
    }
    for (const statement of prepare(aliases)) await connection.run(statement);
    await closeSandbox(connection, []);
    return wrapConnection(instance, connection);
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

async function closeSandbox(
  connection: DuckDBConnection,
  allowed: readonly string[],
): Promise<void> {
  const locked = await connection.runAndReadAll(
    "SELECT current_setting('lock_configuration') AS locked",
  );
  // An instance that this process has open already is a sandbox already.
  if (locked.getRowObjectsJS()[0]?.["locked"] === true) return;
  if (allowed.length > 0) {
    const list = allowed.map((path) => `'${path.replaceAll("'", "''")}'`).join(", ");
    await connection.run(`SET allowed_paths = [${list}]`);
  }
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
}

function wrapConnection(
  instance: Pick<DuckDBInstance, "closeSync">,
  connection: DuckDBConnection,
): Connection {
  let open = true;
  return {
    run: async (sql, parameters) => {
      await connection.run(sql, parameters && { ...parameters });
    },
    rows: async (sql, parameters) => {
      const reader = await connection.runAndReadAll(sql, parameters && { ...parameters });
      return reader.getRowObjectsJS();
    },
    columns: async (sql, parameters) => {
      const reader = await connection.runAndReadAll(sql, parameters && { ...parameters });
      return reader.getColumnsJS();
    },
    stream: (sql) => connection.stream(sql),
    interrupt: () => connection.interrupt(),
    statements: async (sql) => statementKinds(connection, sql),
    close: () => {
      if (!open) return;
      open = false;
      connection.disconnectSync();
      instance.closeSync();
    },
  };
}

async function statementKinds(connection: DuckDBConnection, sql: string): Promise<StatementKind[]> {
  const { StatementType } = duckdb();
  const extracted = await connection.extractStatements(sql);
  const kinds: StatementKind[] = [];
  for (let at = 0; at < extracted.count; at++) {
    const { statementType } = await extracted.prepare(at);
    if (statementType === StatementType.SELECT) kinds.push("select");
    else kinds.push(statementType === StatementType.EXPLAIN ? "explain" : "other");
  }
  return kinds;
}

/** Another process, or another opener in this one, has the file. */
export function isBusy(error: unknown): boolean {
  return /could not set lock|conflicting lock|different configuration|file handle conflict|database does not exist|write-write conflict|conflict on (update|tuple)/i.test(
    messageOf(error),
  );
}

/** The bytes of the file are not what DuckDB wrote. It may tell only when a block is read. */
export function isDamaged(error: unknown): boolean {
  return /checksum|corrupt|serializ|invalidated because|internal error|not a valid duckdb|truncated|could not read|failed to (load|read)|wal file/i.test(
    messageOf(error),
  );
}

/** The file system refuses: the index cannot be kept where it belongs. */
export function isUnwritable(error: unknown): boolean {
  return /permission denied|read-only file system|no space left|cannot open file.*(denied|read-only)/i.test(
    messageOf(error),
  );
}

/** DuckDB's reason without its stack of prefixes and source excerpt. */
export function duckdbReason(error: unknown): string {
  return messageOf(error).split("\n")[0] ?? "";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A file that no other process opens: it is written here, and read by connections that see the last commit. */
export interface OwnDatabase {
  readonly writer: Connection;
  /** Calls `work` with a connection in a transaction that reads, and ends both. */
  read<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Opens `file`, in which nobody else is interested. SQL of any connection reaches the files in `folder` and no
 * others, and cannot change that. Nothing of worth may lie there: `EXPLAIN ANALYZE COPY … TO` writes
 * into it even in a transaction that only reads.
 */
export async function openOwnDatabase(
  file: string,
  folder: string,
  threads?: number,
): Promise<OwnDatabase> {
  assert.ok(isMainThread, "an index is opened on the main thread only");
  const instance = await duckdb().DuckDBInstance.create(file, { access_mode: "READ_WRITE" });
  try {
    const writer = await instance.connect();
    const path = (text: string): string => `'${text.replaceAll("'", "''")}'`;
    for (const statement of [
      `SET memory_limit = '${OWN_MEMORY}'`,
      ...(threads === undefined ? [] : [`SET threads = ${threads}`]),
      `SET temp_directory = ${path(`${folder}/spill`)}`,
      `SET allowed_directories = [${path(folder)}]`,
      "SET enable_external_access = false",
      "SET lock_configuration = true",
    ])
      await writer.run(statement);
    const none = { closeSync: (): void => undefined };
    return {
      writer: wrapConnection(none, writer),
      read: async (work) => {
        const connection = wrapConnection(none, await instance.connect());
        try {
          await connection.run("BEGIN TRANSACTION READ ONLY");
          return await work(connection);
        } finally {
          // Ends its transaction, whatever became of that.
          connection.close();
        }
      },
      close: () => {
        writer.disconnectSync();
        instance.closeSync();
      },
    };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** What DuckDB may keep of an own index; more goes to the folder. */
const OWN_MEMORY = "512MB";
