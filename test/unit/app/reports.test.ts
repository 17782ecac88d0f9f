/** What `--json` prints is the value that a use case answers, and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ports } from "../../../src/app/index.ts";
import { listReplays } from "../../../src/app/index.ts";
import {
  askFrame,
  askSql,
  diffRuns,
  explainValue,
  listedRuns,
  listRuns,
  measureDisk,
  showRun,
} from "../../../src/app/read.ts";
import type { Catalog } from "../../../src/catalog/index.ts";
import { openCatalog } from "../../../src/catalog/index.ts";
import type { CliContext } from "../../../src/cli/context.ts";
import { diffCommand } from "../../../src/cli/history/diff.ts";
import { duCommand } from "../../../src/cli/reading/du.ts";
import { frameCommand } from "../../../src/cli/reading/frame.ts";
import { lsCommand } from "../../../src/cli/reading/ls.ts";
import { queryCommand } from "../../../src/cli/reading/query.ts";
import { psCommand } from "../../../src/cli/replaying/replays.ts";
import { showCommand } from "../../../src/cli/reading/show.ts";
import { whyCommand } from "../../../src/cli/reading/why.ts";
import type { CatalogProject } from "../../support/catalog.ts";
import { makeProject } from "../../support/catalog.ts";
import { call } from "../../support/command.ts";
import { makeRun, trainingRun } from "../../support/make-runs.ts";

let project: CatalogProject;
let ports: Ports;
beforeAll(() => {
  project = makeProject();
  for (const [at, lr] of [0.1, 0.01].entries()) {
    makeRun(project.store, trainingRun(`train-000${at + 1}`, { epochs: 2, steps: 2, lr }));
  }
  makeRun(project.store, {
    run: "odd-0003",
    status: "failed",
    body: (log) => {
      log.log("score", NaN);
      log.log("big", 2n ** 70n);
    },
  });
  ports = { cwd: project.root, env: {}, now: () => new Date("2026-11-16T12:00:00Z") };
});
afterAll(() => project[Symbol.dispose]());

const SQL = "SELECT run, count(*) AS n FROM logs GROUP BY run ORDER BY run";

async function rowsOf(table: Parameters<Parameters<typeof askSql>[2]>[0]): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const batch of table.batches()) rows.push(...batch.map((row) => table.toJson(row)));
  return rows;
}

type Command = (context: CliContext) => Promise<number>;

test.each<[string, Command, (of: Ports) => unknown]>([
  [
    "ls",
    (context) => lsCommand(context, {}),
    async (of) => {
      return listedRuns(await listRuns(of, {}));
    },
  ],
  [
    "show",
    (context) => showCommand(context, "odd-0003"),
    async (of) => (await showRun(of, "odd-0003")).report,
  ],
  [
    "frame",
    (context) => frameCommand(context, ["loss", "score", "big"], {}),
    async (of) => (await askFrame(of, { names: ["loss", "score", "big"] }, rowsOf)).value,
  ],
  [
    "query",
    (context) => queryCommand(context, SQL, {}),
    async (of) => (await askSql(of, { sql: SQL }, rowsOf)).value,
  ],
  ["du", (context) => duCommand(context), (of) => measureDisk(of)],
  [
    "diff",
    (context) => diffCommand(context, "train-0001", "train-0002", {}),
    async (of) => (await diffRuns(of, { run: "train-0001", other: "train-0002" })).report,
  ],
  [
    "why",
    (context) => whyCommand(context, "train-0002", "loss", "epoch=1,step=0"),
    async (of) =>
      (await explainValue(of, { run: "train-0002", name: "loss", path: "epoch=1,step=0" })).report,
  ],
  ["ps", (context) => psCommand(context, { all: true }), (of) => listReplays(of)],
])("%s", async (_name, command, ask) => {
  const value = await ask(ports);
  const { code, out, err } = await call(project.root, { json: true }, command);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(value)));
});

test("a row of a frame has its run where a loop is called so", async () => {
  using own = makeProject();
  makeRun(own.store, {
    run: "again-0001",
    body: (log) => {
      log.loop("run", 2, () => log.log("w", 1));
    },
  });
  const { value } = await askFrame({ ...ports, cwd: own.root }, { names: ["w"] }, rowsOf);
  expect(value).toMatchObject([
    { run: "again-0001", "run:1": 0, w: 1 },
    { run: "again-0001", "run:1": 1, w: 1 },
  ]);
});

test("an index that somebody keeps open is lent to every use case", async () => {
  const kept = await openCatalog(project.store);
  let lent = 0;
  const lending: Ports = {
    ...ports,
    lendCatalog: async <T>(_store: string, work: (catalog: Catalog) => Promise<T>): Promise<T> => {
      lent += 1;
      return work({ ...kept, close: () => undefined });
    },
  };
  try {
    const [list, shown] = [await listRuns(lending, {}), await showRun(lending, "train-0001")];
    const rows = (await askSql(lending, { sql: SQL }, rowsOf)).value;
    expect(list.runs).toContain(String(shown.details.run["run"]));
    expect(rows).toHaveLength(3);
    expect(lent).toBe(3);
  } finally {
    kept.close();
  }
});

test("what is wrong is an error with a code and help, wherever it is shown", async () => {
  await expect(showRun(ports, "nothing")).rejects.toMatchObject({ code: "AL004" });
  await expect(listRuns(ports, { where: "lr >" })).rejects.toMatchObject({ code: "AL020" });
  const nowhere = { ...ports, cwd: "/" };
  await expect(showRun(nowhere, "@")).rejects.toMatchObject({ code: "AL003" });
});
