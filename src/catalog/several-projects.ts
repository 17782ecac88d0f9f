/**
 * @file Several projects in one query: the tables of each, below one another, with a column `project` in
 * front (FlorDB §4.2: `projid` tells the projects of one database apart).
 *
 * Each project keeps its own index. They are copied and attached, so that no project waits for a
 * query of another.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogOptions } from "./catalog.ts";
import { copyCatalog } from "./catalog.ts";
import { openAttached } from "./database.ts";
import type { Result } from "./result.ts";
import { runQuery } from "./result.ts";
import { identifier, literal } from "./schema.ts";
import { checkReadOnly, TABLES } from "./user-sql.ts";
import { refusingSql } from "./questions/where-condition.ts";

export interface NamedStore {
  /** What the column `project` says. */
  readonly project: string;
  readonly store: string;
}

/** A result over several projects. Close it: it holds copies of their indexes. */
export interface ProjectsResult {
  readonly rows: Result;
  close(): void;
}

/** Runs a query of the user over all tables of these projects. Throws AL020. */
export async function queryProjects(
  projects: readonly NamedStore[],
  sql: string,
  options: CatalogOptions = {},
): Promise<ProjectsResult> {
  const folder = mkdtempSync(join(tmpdir(), "afterlog-projects-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const files = projects.map((_, at) => join(folder, `${at}.duckdb`));
    for (const [at, { store }] of projects.entries()) {
      await copyCatalog(store, files[at] ?? "", options);
    }
    const connection = await openAttached(files, (aliases) =>
      TABLES.map((table) => {
        const parts = projects.map(({ project }, at) => {
          const source = `${identifier(aliases[at] ?? "")}.main.${identifier(table)}`;
          return `SELECT ${literal(project)} AS project, * FROM ${source}`;
        });
        return `CREATE VIEW main.${identifier(table)} AS ${parts.join("\nUNION ALL BY NAME ")}`;
      }),
    );
    const close = (): void => {
      connection.close();
      remove();
    };
    try {
      await checkReadOnly(connection, sql, sql);
      const rows = await refusingSql(sql, TABLES, () => runQuery(connection, sql));
      return { rows, close };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    remove();
    throw error;
  }
}
