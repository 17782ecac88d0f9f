import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRun, trainingRun } from "../../test/catalog/make-runs.ts";
import { openCatalog } from "./catalog.ts";

let store = "";
beforeEach(() => {
  store = join(mkdtempSync(join(tmpdir(), "afterlog-catalog-")), ".afterlog");
});
afterEach(() => rmSync(join(store, ".."), { recursive: true, force: true }));

async function ask(sql: string): Promise<unknown[]> {
  const catalog = await openCatalog(store, { notice: (t) => console.log(t) });
  try {
    return await catalog.connection.rows(sql);
  } finally {
    catalog.close();
  }
}

test("smoke", async () => {
  makeRun(store, trainingRun("train-0001", { epochs: 2, steps: 3, lr: 0.1 }));
  for (const t of ["runs", "args", "logs", "loops", "items", "checkpoints", "profile", "frame"]) {
    const rows = await ask(`select * from ${t}`);
    console.log(t, rows.length, rows[rows.length - 1]);
  }
  console.log(await ask("select * from store.names"), await ask("select * from store.runs"));
  expect(1).toBe(1);
});
