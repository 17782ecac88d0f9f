/** @file Read-only SQL over the tables of `docs/sql.md`, of one project or of several. */
import { basename, resolve } from "node:path";
import type { Cell, NamedStore, Result } from "../../catalog/index.ts";
import { queryProjects, queryReadOnly } from "../../catalog/index.ts";
import type { Table } from "./cells.ts";
import { rowToJson } from "./cells.ts";
import type { Offer } from "../asking/suggest-replay.ts";
import { withAbsent } from "../asking/suggest-replay.ts";
import type { CatalogUse, Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";

export interface SqlQuestion {
  readonly sql: string;
  /** How many rows at most; 0 or undefined: all. */
  readonly limit?: number | undefined;
  /** Folders of the projects that are asked together; absent: the present one, without a column. */
  readonly projects?: readonly string[] | undefined;
}

/** Hands the rows of one query to `take`, which reads them. Throws AL020. */
export async function askSql<T>(
  ports: Ports,
  { sql, limit, projects }: SqlQuestion,
  take: (table: Table) => Promise<T>,
  use: CatalogUse = {},
): Promise<{ readonly value: T; readonly offer: Offer | undefined }> {
  if (projects && projects.length > 0) {
    const stores = namedStores(ports, projects);
    const notice = ports.notice ?? ((): void => undefined);
    const found = await queryProjects(stores, sql, { notice });
    try {
      const table = tableOf(found.rows, limit, () => found.close());
      return { value: await take(table), offer: undefined };
    } finally {
      found.close();
    }
  }
  return withAbsent(ports, { sql }, (absent) =>
    withCatalog(
      ports,
      async (catalog) => {
        const rows = await queryReadOnly(catalog.connection, sql, absent);
        return take(tableOf(rows, limit, () => catalog.close()));
      },
      use,
    ),
  );
}

function tableOf(rows: Result, limit: number | undefined, release: () => void): Table {
  return {
    columns: rows.columns,
    batches: () => limitedRows(rows.batches(), limit),
    toJson: (row) => rowToJson(rows.columns, row),
    release,
  };
}

/** Projects by the names of their folders; by whole paths where two are called the same. */
function namedStores(ports: Ports, folders: readonly string[]): NamedStore[] {
  const { AFTERLOG_DIR: _, ...env } = ports.env;
  const found = new Map(
    folders.map((folder) => {
      const { root, store } = requireProject({ cwd: resolve(ports.cwd, folder), env });
      return [root, store] as const;
    }),
  );
  const names = [...found.keys()].map((root) => basename(root));
  return [...found].map(([root, store], at) => {
    const name = names[at] ?? root;
    return { project: names.indexOf(name) === names.lastIndexOf(name) ? name : root, store };
  });
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
