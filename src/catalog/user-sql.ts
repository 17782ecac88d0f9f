/**
 * @file SQL of the user, in the sandbox: one statement that reads.
 *
 * Logged names and arguments are rows of `logs` and `args`. A query that takes them for columns of
 * `runs` or of `frame` gets these tables with such columns: FlorDB §4's dataframe, in SQL.
 */
import { isAfterlogError } from "../format/index.ts";
import type { Connection } from "./database.ts";
import { readLoopForms } from "./frame/loop-forms.ts";
import type { Frame } from "./frame/plan-frame.ts";
import { planFrame } from "./frame/plan-frame.ts";
import { CHECKPOINT_COLUMNS, dottedColumns, GIVING_WAY, RUN_COLUMNS } from "./frame/value-names.ts";
import type { Mentioned } from "./questions/sql-columns.ts";
import { readMentioned } from "./questions/sql-columns.ts";
import { readArgTypes, readLoggedNames } from "./frame/names.ts";
import type { Result } from "./result.ts";
import { runQuery } from "./result.ts";
import { identifier } from "./schema.ts";
import { quoteLoops } from "./questions/index-columns.ts";
import { refusingSql, sqlError } from "./questions/where-condition.ts";

/** The views that people query. */
export const TABLES: readonly string[] =
  "runs args logs loops items checkpoints profile files ancestry alerts frame".split(" ");
/** Nothing but blanks, semicolons and comments, over which DuckDB fails. */
const BLANK = /^(?:[\s;]|--[^\n]*|\/\*[\s\S]*?\*\/)*$/;
/** Columns of the long `frame`, one row a cell: a query that mentions these means that one. */
const LONG_COLUMNS = ["name", "path", "loops", "indices", "entries", "number", "text", "value"];

/**
 * Throws AL020 unless `executed` is exactly one SELECT (or DESCRIBE, SHOW, EXPLAIN). `sql` is what
 * the user wrote: the text to talk about.
 */
export async function checkReadOnly(
  connection: Connection,
  sql: string,
  executed: string,
): Promise<void> {
  if (BLANK.test(executed)) {
    throw sqlError(sql, "it holds no query", ['give one:  "select run, status from runs"']);
  }
  const kinds = await refusingSql(sql, TABLES, () => connection.statements(executed));
  if (kinds.length !== 1) {
    throw sqlError(sql, "it holds several statements", ["give one query"]);
  }
  const reads =
    kinds[0] === "explain" ? await explainsQuery(connection, executed) : kinds[0] !== "other";
  if (!reads) {
    throw sqlError(sql, "only queries that read are allowed", [`tables: ${TABLES.join(", ")}`]);
  }
}

/** `EXPLAIN ANALYZE` executes what it explains: `COPY … TO` would write, even in a transaction that only reads. */
async function explainsQuery(connection: Connection, sql: string): Promise<boolean> {
  const inner = sql.replace(EXPLAIN, "");
  try {
    const kinds = await connection.statements(inner);
    // What is not found by its first word, behind a comment say, is still an EXPLAIN.
    return kinds.length === 1 && kinds[0] === "select";
  } catch {
    return false;
  }
}

const EXPLAIN = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*explain\s+(?:\([^()]*\)\s*)?/i;

/**
 * A query of the user, checked, as it is to be executed: with names as columns where it takes them
 * for such. `absent`: names that no run has logged yet, columns of NULL. Throws AL020.
 */
export async function readableSql(
  connection: Connection,
  asked: string,
  absent: readonly string[] = [],
): Promise<string> {
  const { spellings } = await readLoopForms(connection);
  const sql = quoteLoops(asked, [...spellings, ...dottedColumns(asked)]);
  try {
    await checkReadOnly(connection, sql, sql);
    const meant = await withGivenWay(connection, sql, absent);
    if (meant === undefined) return sql;
    await checkReadOnly(connection, sql, meant);
    return meant;
  } catch (error) {
    if (!isAfterlogError(error)) throw error;
    const widened = await widenToFrame(connection, sql, absent);
    if (widened === undefined) throw error;
    await checkReadOnly(connection, sql, widened);
    return widened;
  }
}

/** Runs a query of the user. Throws AL020 with DuckDB's reason. */
export async function queryReadOnly(
  connection: Connection,
  sql: string,
  absent: readonly string[] = [],
): Promise<Result> {
  const readable = await readableSql(connection, sql, absent);
  return refusingSql(sql, TABLES, () => runQuery(connection, readable));
}

/** The query with what a program calls as a column of `runs` that gives way; undefined if it has none. */
async function withGivenWay(
  connection: Connection,
  sql: string,
  absent: readonly string[],
): Promise<string | undefined> {
  if (!new RegExp(String.raw`\b(?:${GIVING_WAY.join("|")})\b`, "i").test(sql)) return undefined;
  const { tables, columns } = await readMentioned(connection, sql);
  const known = [
    ...(await readLoggedNames(connection)),
    ...(await readArgTypes(connection)).keys(),
  ];
  const isValue = columns.some((column) => {
    const name = column.toLowerCase();
    return GIVING_WAY.includes(name) && known.some((one) => one.toLowerCase() === name);
  });
  return isValue && tables.includes("runs") ? widenToFrame(connection, sql, absent) : undefined;
}

/** The query with names as columns of `runs` and `frame`; undefined if it mentions none. */
async function widenToFrame(
  connection: Connection,
  sql: string,
  absent: readonly string[],
): Promise<string | undefined> {
  const mentioned = await readMentioned(connection, sql);
  const logged = await readLoggedNames(connection);
  const known = [...logged, ...(await readArgTypes(connection)).keys(), ...absent];
  const values = mentioned.columns.flatMap((column) => {
    const words = [column, column.replace(/_origin$/i, "")].map((word) => word.toLowerCase());
    return known.find((name) => words.includes(name.toLowerCase())) ?? [];
  });
  if (values.length === 0) return undefined;
  const tables: string[] = [];
  if (mentioned.tables.includes("runs")) {
    tables.push(`runs AS (${await wideRuns(connection, values, absent)})`);
  }
  if (mentioned.tables.includes("frame") && !readsLongTable(mentioned, values)) {
    tables.push(`frame AS (${await wideFrame(connection, mentioned, { values, absent })})`);
  }
  return tables.length === 0 ? undefined : withTables(sql, tables);
}

function readsLongTable({ columns }: Mentioned, values: readonly string[]): boolean {
  return columns.some((column) => {
    return LONG_COLUMNS.includes(column.toLowerCase()) && !values.includes(column);
  });
}

/** `runs` with the last value of each name beside its own columns. */
async function wideRuns(
  connection: Connection,
  values: readonly string[],
  absent: readonly string[],
): Promise<string> {
  const names = [...new Set(values)];
  const frame = await planFrame(connection, { names, absent, grain: "run" });
  const columns = names.flatMap((name) => [`f.${identifier(name)}`, originOf(frame, name, "f.")]);
  const hidden = GIVING_WAY.filter((name) => names.some((one) => one.toLowerCase() === name));
  const own = hidden.length === 0 ? "r.*" : `r.* EXCLUDE (${hidden.join(", ")})`;
  return `SELECT ${own}, ${columns.join(", ")}
    FROM main.runs r LEFT JOIN (${frame.sql}) f ON f.run = r.run`;
}

/** Where the cells of a name come from; a frame has a column for it only if that may differ. */
function originOf({ columns }: Frame, name: string, table: string): string {
  const key = identifier(`${name}_origin`);
  const isThere = columns.some(({ kind, of }) => kind === "origin" && of === name);
  if (isThere) return table + key;
  return `CASE WHEN ${table}${identifier(name)} IS NOT NULL THEN 'recorded' END AS ${key}`;
}

/** The frame of the names that are mentioned, and of the columns of `runs` that are. */
async function wideFrame(
  connection: Connection,
  { columns }: Mentioned,
  { values, absent }: { readonly values: readonly string[]; readonly absent: readonly string[] },
): Promise<string> {
  const ofRuns = columns
    .map((column) => column.toLowerCase())
    .filter((column) => column !== "run")
    .filter((column) => [...RUN_COLUMNS, ...CHECKPOINT_COLUMNS].includes(column));
  const names = [...new Set([...values, ...ofRuns])];
  const frame = await planFrame(connection, { names, absent, also: columns });
  const own = frame.columns.filter(({ kind }) => kind !== "origin");
  const keys = own.map(({ key }) => identifier(key));
  const origins = [...new Set(values)].map((name) => originOf(frame, name, ""));
  return `SELECT ${[...keys, ...origins].join(", ")} FROM (${frame.sql})`;
}

/** Puts tables of ours in front of a query, among its own if it begins with some. */
function withTables(sql: string, tables: readonly string[]): string {
  const head = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(sql)?.[0] ?? "";
  const rest = sql.slice(head.length);
  const [own = "", recursive = ""] = /^with\s+(recursive\s+)?/i.exec(rest) ?? [];
  const list = tables.join(",\n");
  return own === ""
    ? `WITH ${list}\n${rest}`
    : `WITH ${recursive}${list},\n${rest.slice(own.length)}`;
}
