import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runPaths, storePaths } from "../store/index.ts";
import { makeProject } from "../../test/support/catalog.ts";
import { makeRun, trainingRun, writeManifest } from "../../test/support/make-runs.ts";
import type { LiveIndex } from "./live-index.ts";
import { openLive } from "./live-index.ts";
import { queryReadOnly } from "./user-sql.ts";

const RUNS = 90;
/** The beginning of the ids of runs, in the order of their times. */
const id = (at: number): string => `train-20261116-1105${String(at).padStart(2, "0")}-aaaa`;

async function refreshAll(live: LiveIndex): Promise<string[][]> {
  const batches: string[][] = [];
  for (;;) {
    const { changed, pending } = await live.refresh();
    batches.push([...changed]);
    if (pending === 0) return batches;
  }
}

async function answer(live: LiveIndex, sql: string): Promise<unknown[]> {
  return live.read(async (connection) => {
    const rows: unknown[] = [];
    for await (const batch of (await queryReadOnly(connection, sql)).batches()) rows.push(...batch);
    return rows;
  });
}

test("brings in the newest runs first, in batches, and says the same as the project's index", async () => {
  using project = makeProject();
  for (let at = 0; at < RUNS; at++)
    makeRun(project.store, trainingRun(id(at), { epochs: 2, steps: 3, lr: 0.1 }));
  const live = await openLive(project.store);
  try {
    const batches = await refreshAll(live);
    const newest = Array.from({ length: RUNS }, (_, at) => id(RUNS - 1 - at));
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.flat()).toEqual(newest);
    expect(existsSync(project.index)).toBe(false);
    const sql = "SELECT run, name, path, number, origin FROM frame ORDER BY ALL";
    const own = await live.read((connection) => connection.rows(sql));
    expect(own).toEqual(await project.ask(sql));
    expect(own.length).toBeGreaterThan(RUNS);
    expect(await live.refresh()).toMatchObject({ changed: [], removed: [], pending: 0 });
  } finally {
    await live.close();
  }
  expect(existsSync(live.folder)).toBe(false);
});

test("follows runs that grow, end, are removed, and replays of them", async () => {
  using project = makeProject();
  const body = trainingRun(id(1), { epochs: 2, steps: 3, lr: 0.1 });
  const { folder, log } = makeRun(project.store, { ...body, status: "recording", sealed: false });
  makeRun(project.store, trainingRun(id(0), { epochs: 1, steps: 1, lr: 0.1 }));
  await project.ask("SELECT 1");
  const live = await openLive(project.store);
  try {
    // What the project's index holds is there at once; nobody records the run any more.
    const counts = "SELECT run, count(*)::INTEGER AS n FROM logs GROUP BY run ORDER BY run";
    const before = await live.read((connection) => connection.rows(counts));
    expect(before.map(({ run }) => run)).toEqual([id(0), id(1)]);
    const { length } = log.lines;
    log.log("late", 3);
    appendFileSync(runPaths.log(folder), log.lines.slice(length).join(""));
    expect(await live.refresh([id(1)])).toMatchObject({ changed: [id(1)], removed: [] });
    expect(await answer(live, "SELECT number FROM logs WHERE name = 'late'")).toEqual([[3]]);
    const replay = { run: "r1-a", kind: "replay", parent: id(1) } as const;
    makeRun(project.store, {
      run: "r1-a",
      manifest: replay,
      body: (own) => own.log("asked", 1, { check: "verified" }),
    });
    expect(await live.refresh()).toMatchObject({ changed: [id(1)] });
    expect(await answer(live, "SELECT run, origin FROM logs WHERE name = 'asked'")).toEqual([
      [id(1), "hindsight"],
    ]);
    rmSync(storePaths.run(project.store, "r1-a"), { recursive: true });
    rmSync(storePaths.run(project.store, id(0)), { recursive: true });
    expect(await live.refresh()).toMatchObject({ changed: [id(1)], removed: [id(0)] });
    expect(await answer(live, "SELECT count(*) FROM runs")).toEqual([[1n]]);
    writeManifest(folder, { run: id(1), status: "failed" });
    expect(await live.refresh()).toMatchObject({ changed: [id(1)] });
  } finally {
    await live.close();
  }
});

test("an index that was cut off, or is of another version, is built again", async () => {
  using project = makeProject();
  makeRun(project.store, trainingRun(id(0), { epochs: 1, steps: 1, lr: 0.1 }));
  await project.ask("SELECT 1");
  const bytes = readFileSync(project.index);
  writeFileSync(project.index, bytes.subarray(0, 5000));
  const said: string[] = [];
  const live = await openLive(project.store, { notice: (text) => void said.push(text) });
  try {
    await refreshAll(live);
    expect(await answer(live, "SELECT count(*) FROM runs")).toEqual([[1n]]);
    expect(said.join()).toMatch(/built again/);
  } finally {
    await live.close();
  }
});

test("a person's SQL reaches no file, and writes none", async () => {
  using project = makeProject();
  makeRun(project.store, trainingRun(id(0), { epochs: 1, steps: 1, lr: 0.1 }));
  const live = await openLive(project.store);
  try {
    await refreshAll(live);
    const inside = join(live.folder, "lines");
    const log = runPaths.log(storePaths.run(project.store, id(0)));
    // With whatever reads behind the check: DuckDB itself refuses, in every connection.
    for (const sql of [
      `SELECT * FROM read_text('${log}')`,
      "SELECT * FROM read_text('/etc/hostname')",
      `EXPLAIN ANALYZE COPY (SELECT 1) TO '${log}'`,
      `EXPLAIN ANALYZE COPY (SELECT 1) TO '${project.root}/a.csv'`,
      "CREATE TABLE t AS SELECT 1",
      `ATTACH '${project.root}/a.duckdb'`,
      "SET enable_external_access = true",
      "SET lock_configuration = false",
    ]) {
      await expect(
        live.read((connection) => connection.run(sql)),
        sql,
      ).rejects.toThrow(/./);
      await expect(answer(live, sql), sql).rejects.toMatchObject({ code: "AL020" });
    }
    // What DuckDB lets through, however it is written.
    const trap = `COPY (SELECT 1) TO '${inside}/trap.csv'`;
    for (const before of [
      "",
      "EXPLAIN ANALYZE ",
      "explain (analyze, format json) ",
      "EXPLAIN/**/ANALYZE ",
      "-- a\n/* b */ EXPLAIN /* c */ ANALYZE ",
    ]) {
      await expect(answer(live, before + trap), before).rejects.toMatchObject({ code: "AL020" });
    }
    expect(readdirSync(inside)).toEqual([]);
    expect(readdirSync(project.root)).toEqual([".afterlog"]);
    for (const sql of ["EXPLAIN SELECT 1", "DESCRIBE runs", "SHOW TABLES"])
      expect((await answer(live, sql)).length, sql).toBeGreaterThan(0);
  } finally {
    await live.close();
  }
});
