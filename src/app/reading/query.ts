/** @file Read-only SQL over the tables of `docs/sql.md`. */
import type { Cell } from "../../catalog/index.ts";
import { queryReadOnly } from "../../catalog/index.ts";
import type { Table } from "./cells.ts";
import { rowToJson } from "./cells.ts";
import type { Offer } from "../asking/suggest-replay.ts";
import { withAbsent } from "../asking/suggest-replay.ts";
import type { CatalogUse, Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";

export interface SqlQuestion {
  readonly sql: string;
  /** How many rows at most; 0 or undefined: all. */
  readonly limit?: number | undefined;
}

/** Hands the rows of one query to `take`, which reads them. Throws AL020. */
export async function askSql<T>(
  ports: Ports,
  { sql, limit }: SqlQuestion,
  take: (table: Table) => Promise<T>,
  use: CatalogUse = {},
): Promise<{ readonly value: T; readonly offer: Offer | undefined }> {
  return withAbsent(ports, { sql }, (absent) =>
    withCatalog(
      ports,
      async (catalog) => {
        const rows = await queryReadOnly(catalog.connection, sql, absent);
        return take({
          columns: rows.columns,
          batches: () => limitedRows(rows.batches(), limit),
          toJson: (row) => rowToJson(rows.columns, row),
          release: () => catalog.close(),
        });
      },
      use,
    ),
  );
}

async function* limitedRows(
  batches: AsyncIterable<Cell[][]>,
  limit: number | undefined,
): AsyncIterable<Cell[][]> {
  if (limit === undefined || limit === 0) {
    yield* batches;
    return;
  }
  let left = limit;
  for await (const batch of batches) {
    yield batch.slice(0, left);
    left -= batch.length;
    if (left <= 0) return;
  }
}
