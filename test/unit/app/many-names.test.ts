/**
 * @file `ls` and `diff` of runs with thousands of names: what they ask of the index, counted. Their work grows
 * with the values that there are, and by nothing faster.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ports } from "../../../src/app/index.ts";
import { diffRuns, listedRuns, listRuns } from "../../../src/app/read.ts";
import type { Catalog, Connection } from "../../../src/catalog/index.ts";
import { openCatalog } from "../../../src/catalog/index.ts";
import type { CatalogProject } from "../../support/catalog.ts";
import { makeProject } from "../../support/catalog.ts";
import { makeRun } from "../../support/make-runs.ts";

interface Size {
  readonly runs: number;
  readonly names: number;
}

const SIZES = {
  small: { runs: 4, names: 10 },
  names: { runs: 4, names: 1000 },
  runs: { runs: 200, names: 10 },
} as const;
type Sizes = keyof typeof SIZES;

const projects = new Map<Sizes, CatalogProject>();
beforeAll(() => {
  for (const size of Object.keys(SIZES) as Sizes[]) {
    const project = makeProject();
    projects.set(size, project);
    const { runs, names }: Size = SIZES[size];
    for (let run = 0; run < runs; run++) {
      makeRun(project.store, {
        run: `train-${String(run).padStart(4, "0")}`,
        body: (log) => {
          log.arg("lr", 1 / (1 + run));
          log.loop("epoch", 2, (epoch) => {
            for (let name = 0; name < names; name++) log.log(`norm/${name}`, name + epoch + run);
          });
        },
      });
    }
  }
});
afterAll(() => projects.forEach((project) => project[Symbol.dispose]()));

interface Counted {
  queries: number;
  /** Of the texts of the queries. */
  sqlBytes: number;
  cells: number;
}

/** A connection that counts what passes it. */
function counting(connection: Connection, counted: Counted): Connection {
  const note = (sql: string): void => {
    counted.queries += 1;
    counted.sqlBytes += sql.length;
  };
  return {
    ...connection,
    run: (sql, parameters) => (note(sql), connection.run(sql, parameters)),
    rows: async (sql, parameters) => {
      note(sql);
      const rows = await connection.rows(sql, parameters);
      counted.cells += rows.reduce((sum, row) => sum + Object.keys(row).length, 0);
      return rows;
    },
    columns: async (sql, parameters) => {
      note(sql);
      const columns = await connection.columns(sql, parameters);
      counted.cells += columns.reduce((sum, column) => sum + column.length, 0);
      return columns;
    },
    stream: async (sql) => {
      note(sql);
      const result = await connection.stream(sql);
      counted.cells += result.columnCount;
      return result;
    },
  };
}

async function count(size: Sizes, work: (ports: Ports) => Promise<unknown>): Promise<Counted> {
  const { root, store } = projects.get(size) ?? makeProject();
  const counted = { queries: 0, sqlBytes: 0, cells: 0 };
  const catalog = await openCatalog(store);
  const lent: Catalog = { ...catalog, connection: counting(catalog.connection, counted) };
  try {
    const lendCatalog: Ports["lendCatalog"] = (_store, use) => use(lent);
    await work({ cwd: root, env: {}, now: () => new Date(), lendCatalog });
  } finally {
    catalog.close();
  }
  return counted;
}

test.each<[string, (ports: Ports) => Promise<unknown>]>([
  ["ls", async (ports) => listedRuns(await listRuns(ports, {}))],
  ["ls of a screen", (ports) => listRuns(ports, { limit: 3 })],
  ["ls --sort-by", (ports) => listRuns(ports, { sortBy: "norm/7:desc", limit: 3 })],
  ["ls -w", (ports) => listRuns(ports, { where: '"norm/7" > 3', limit: 3 })],
  ["diff", (ports) => diffRuns(ports, { run: "@" })],
])("%s", async (_, work) => {
  const small = await count("small", work);
  for (const size of ["names", "runs"] as const) {
    const large = await count(size, work);
    const growth = (SIZES[size].names * SIZES[size].runs) / (SIZES.small.names * SIZES.small.runs);
    // The text may name the runs that it is limited to, as numbers, and nothing else that is many.
    expect([size, large.queries]).toEqual([size, small.queries]);
    expect(large.sqlBytes).toBeLessThan(small.sqlBytes + 2 * 6 * SIZES[size].runs + 100);
    expect(large.cells).toBeLessThan(small.cells * growth);
  }
});

test("a screen of runs is read without the values of the others", async () => {
  const { cells: screen } = await count("runs", (ports) => listRuns(ports, { limit: 3 }));
  const { cells: all } = await count("runs", (ports) => listRuns(ports, {}));
  expect(screen).toBeLessThan(all / 10);
});
