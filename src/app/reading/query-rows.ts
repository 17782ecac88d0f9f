/** @file The first rows of a query, within a time: what a page shows of it. */
import type { Cell, Connection, Result } from "../../catalog/index.ts";
import {
  cellToJson,
  nameOfColumn,
  queryReadOnly,
  readAbsent,
  readLoggedNames,
} from "../../catalog/index.ts";
import { AfterlogError, isAfterlogError } from "../../format/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";

export interface RowsQuestion {
  readonly sql: string;
  readonly rowsMax: number;
  /** After so long it is interrupted. */
  readonly secondsMax: number;
  /** Who asked is gone. */
  readonly signal?: AbortSignal | undefined;
}

export interface RowsReport {
  readonly columns: readonly { readonly name: string; readonly kind: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** How many more there are. */
  readonly cut: number;
  /** Logged names with cells that are NULL, and how many of the rows above these are. */
  readonly missing: readonly { readonly name: string; readonly cells: number }[];
}

/**
 * Throws AL020, for what takes too long, too. A name that no run has logged is an error here: whether the working
 * tree logs it takes seconds to say, for which everybody else would wait.
 */
export async function queryRows(ports: Ports, question: RowsQuestion): Promise<RowsReport> {
  try {
    return await withCatalog(ports, ({ connection }) => interruptible(connection, question));
  } catch (error) {
    if (!isAfterlogError(error) || error.code !== "AL020") throw error;
    throw await withUnknown(ports, question.sql, error);
  }
}

async function interruptible(connection: Connection, question: RowsQuestion): Promise<RowsReport> {
  const { signal, secondsMax } = question;
  const late = AbortSignal.timeout(secondsMax * 1000);
  const either = signal ? AbortSignal.any([late, signal]) : late;
  const interrupt = (): void => connection.interrupt();
  either.addEventListener("abort", interrupt);
  try {
    return await readRows(connection, question);
  } catch (error) {
    throw late.aborted ? tookTooLong(question) : error;
  } finally {
    either.removeEventListener("abort", interrupt);
  }
}

/** The same error; for names that nobody has logged yet it says how to ask for them. */
async function withUnknown(
  ports: Ports,
  sql: string,
  error: AfterlogError,
): Promise<AfterlogError> {
  const [name] = await withCatalog(ports, ({ connection }) =>
    readAbsent(connection, { sql }),
  ).catch(() => []);
  if (name === undefined) return error;
  const { message, notes, help, data } = error;
  const [first = "", ...rest] = help;
  const ask = `if your program logs it by now, fill it in hindsight:  afterlog plan ${name}`;
  return new AfterlogError("AL020", message, { notes, help: [first, ...rest, ask], data });
}

async function readRows(
  connection: Connection,
  { sql, rowsMax }: RowsQuestion,
): Promise<RowsReport> {
  const logged = new Set(await readLoggedNames(connection));
  const result = await queryReadOnly(connection, sql);
  const { rows, cut } = await firstRows(result, rowsMax);
  const own = await withoutReplays(connection, result, rows);
  const missing = result.columns.flatMap(({ name }, at) => {
    const cells = own.filter((row) => (row[at] ?? null) === null).length;
    return logged.has(nameOfColumn(name)) && cells > 0 ? [{ name: nameOfColumn(name), cells }] : [];
  });
  return {
    columns: result.columns,
    rows: rows.map((row) => row.map(cellToJson)),
    cut,
    missing,
  };
}

/** Where rows are of runs: those of recorded ones. Values of a replay are its parent's. */
async function withoutReplays(
  connection: Connection,
  { columns }: Result,
  rows: readonly Cell[][],
): Promise<readonly Cell[][]> {
  const at = columns.findIndex(({ name }) => name === "run");
  if (at < 0) return rows;
  const found = await connection.rows("SELECT run FROM store.runs WHERE kind = 'replay'");
  const replays = new Set(found.map(({ run }) => run));
  return rows.filter((row) => !replays.has(row[at]));
}

async function firstRows(
  result: Result,
  rowsMax: number,
): Promise<{ readonly rows: readonly Cell[][]; readonly cut: number }> {
  const rows: Cell[][] = [];
  for await (const batch of result.batches()) {
    rows.push(...batch);
    if (rows.length >= rowsMax) break;
  }
  const over = rows.splice(rowsMax).length;
  return { rows, cut: rows.length < rowsMax ? 0 : over + (await result.rest()) };
}

function tookTooLong({ sql, secondsMax }: RowsQuestion): AfterlogError {
  return new AfterlogError("AL020", `it took more than ${secondsMax} s, and was interrupted`, {
    notes: [`in: ${sql.trim()}`],
    help: ["ask for less, or without a limit on the command line:  afterlog query SQL"],
    data: { sql },
  });
}
