/** @file A temporary project and its catalog, for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CatalogOptions, SqlRow } from "../../src/catalog/index.ts";
import { useCatalog } from "../../src/catalog/index.ts";

export interface CatalogProject extends Disposable {
  readonly root: string;
  readonly store: string;
  readonly index: string;
  /** Rows of a query on an up-to-date catalog, 64-bit integers as numbers. */
  ask(sql: string, options?: CatalogOptions): Promise<SqlRow[]>;
}

export function makeProject(): CatalogProject {
  const root = mkdtempSync(join(tmpdir(), "afterlog-catalog-"));
  const store = join(root, ".afterlog");
  return {
    root,
    store,
    index: join(store, "index.duckdb"),
    ask: async (sql, options = {}) => {
      const rows = await useCatalog(store, options, ({ connection }) => connection.rows(sql));
      return rows.map((row) => {
        const plain = Object.entries(row).map(([key, value]) => {
          return [key, typeof value === "bigint" ? Number(value) : value];
        });
        return Object.fromEntries(plain) as SqlRow;
      });
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
