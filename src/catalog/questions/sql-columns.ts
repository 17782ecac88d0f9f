/**
 * @file Which tables and columns SQL mentions, as DuckDB's own parser sees it, and which of the
 * columns nobody knows yet: a name that only the working tree logs is not a mistake.
 */
import type { Connection } from "../database.ts";
import { CHECKPOINT_COLUMNS, RUN_COLUMNS } from "../frame/value-names.ts";
import { readLoopForms } from "../frame/loop-forms.ts";
import { readArgTypes, readLoggedNames } from "../frame/names.ts";
import { parseCondition } from "./where-condition.ts";

export interface Mentioned {
  /** Tables, without those of another schema. */
  readonly tables: readonly string[];
  readonly columns: readonly string[];
}

/** What a query mentions; nothing if it is no SELECT, or cannot be parsed. */
export async function readMentioned(connection: Connection, sql: string): Promise<Mentioned> {
  const [row] = await connection.rows("SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree", {
    sql,
  });
  const tables = new Set<string>();
  const columns = new Set<string>();
  collectColumns(JSON.parse(String(row?.["tree"])), tables, columns);
  return { tables: [...tables], columns: [...columns] };
}

function collectColumns(node: unknown, tables: Set<string>, columns: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collectColumns(item, tables, columns);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const fields = node as { readonly [key: string]: unknown };
  const { column_names: names, table_name: table } = fields;
  if (fields["class"] === "COLUMN_REF" && Array.isArray(names)) columns.add(String(names.at(-1)));
  if (fields["type"] === "BASE_TABLE" && typeof table === "string") {
    if (["", "main"].includes(String(fields["schema_name"]))) tables.add(table.toLowerCase());
  }
  for (const item of Object.values(fields)) collectColumns(item, tables, columns);
}

/** What is asked for: names and a condition of a frame, or a query. */
export interface ColumnQuestion {
  readonly names?: readonly string[];
  readonly where?: string | undefined;
  readonly sql?: string;
}

/** Names in a question that no run has logged or been given, and that are no column of anything. */
export async function readAbsent(
  connection: Connection,
  question: ColumnQuestion,
): Promise<string[]> {
  const { names = [], where, sql } = question;
  const mentioned = [
    ...names,
    ...(where === undefined ? [] : (await parseCondition(connection, where)).columns),
    ...(sql === undefined ? [] : (await readMentioned(connection, sql)).columns),
  ];
  const views = await connection.rows("SELECT column_name FROM duckdb_columns()");
  const { spellings } = await readLoopForms(connection);
  const known = new Set(
    [
      ...RUN_COLUMNS,
      ...CHECKPOINT_COLUMNS,
      ...(sql === undefined ? [] : views.map((row) => String(row["column_name"]))),
      ...(await readLoggedNames(connection)),
      ...(await readArgTypes(connection)).keys(),
      ...spellings.flatMap((loop) => ["", "#", "_value", "_entry"].map((end) => loop + end)),
    ].map((name) => name.toLowerCase()),
  );
  return [...new Set(mentioned)].filter((name) => !known.has(name.toLowerCase()));
}
