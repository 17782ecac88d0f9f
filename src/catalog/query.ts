/** @file SQL of the user, in the sandbox: one statement that reads. */
import type { Connection } from "./database.ts";
import type { Result } from "./result.ts";
import { runQuery } from "./result.ts";
import { refusingSql, sqlError } from "./where.ts";

const TABLES = ["runs", "args", "logs", "loops", "items", "checkpoints", "profile", "frame"];

/** Throws AL020 unless `sql` is exactly one SELECT (or DESCRIBE, SHOW, EXPLAIN). */
export async function checkReadOnly(connection: Connection, sql: string): Promise<void> {
  const kinds = await refusingSql(sql, TABLES, () => connection.statements(sql));
  if (kinds.length !== 1) {
    throw sqlError(sql, kinds.length === 0 ? "it holds no query" : "it holds several statements", [
      "give one query",
    ]);
  }
  if (kinds[0] === "other") {
    throw sqlError(sql, "only queries that read are allowed", [`tables: ${TABLES.join(", ")}`]);
  }
}

/** Runs a query of the user. Throws AL020 with DuckDB's reason. */
export async function queryReadOnly(connection: Connection, sql: string): Promise<Result> {
  await checkReadOnly(connection, sql);
  return refusingSql(sql, TABLES, () => runQuery(connection, sql));
}
