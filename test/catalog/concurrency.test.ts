/** @file Several processes on one index: the built command line against a store that changes. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { appendFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openCatalog } from "../../src/catalog/index.ts";
import { runPaths } from "../../src/store/index.ts";
import { makeRun, trainingRun } from "../support/make-runs.ts";
import { makeProject } from "../support/catalog.ts";

const MAIN = new URL("../../dist/cli/main.js", import.meta.url).pathname;

function start(root: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [MAIN, "-C", root, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
}

async function answerOf(
  child: ChildProcess,
): Promise<{ code: number | null; out: string; err: string }> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (err += text.toString()));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  return { code, out, err };
}

function copies(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("afterlog-index-"));
}

test("readers see every row once while a run records and others ingest", async () => {
  using project = makeProject();
  makeRun(project.store, trainingRun("r1", { epochs: 2, steps: 10, lr: 0.1 }));
  const { folder, log } = makeRun(project.store, { run: "r2", status: "recording" });
  let recorded = 0;
  const recording = { on: true };
  const recorder = (async () => {
    while (recording.on) {
      const before = log.lines.length;
      for (let at = 0; at < 50; at++) log.log("x", recorded + at);
      appendFileSync(runPaths.log(folder), log.lines.slice(before).join(""));
      recorded += 50;
      await sleep(10);
    }
  })();
  const sql = `SELECT count(*)::INTEGER AS rows, count(DISTINCT number)::INTEGER AS distinct_rows,
    max(number)::INTEGER + 1 AS next FROM logs WHERE run = 'r2'`;
  for (let round = 0; round < 3; round++) {
    const least = recorded;
    const answers = await Promise.all(
      [1, 2, 3].map(() => answerOf(start(project.root, "query", sql, "--json"))),
    );
    for (const { code, out, err } of answers) {
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const [row] = JSON.parse(out) as { rows: number; distinct_rows: number; next: number }[];
      expect(row?.rows).toBe(row?.distinct_rows);
      expect(row?.rows).toBe(row?.next ?? 0);
      expect(row?.rows).toBeGreaterThanOrEqual(least);
    }
  }
  recording.on = false;
  await recorder;
  const [row] = await project.ask("SELECT count(*)::INTEGER AS rows FROM logs WHERE run = 'r2'");
  expect(row).toEqual({ rows: recorded });
});

test("an ingestion that is killed leaves an index that is right or is made right", async () => {
  using project = makeProject();
  for (let at = 1; at <= 40; at++) {
    makeRun(project.store, trainingRun(`r${at}`, { epochs: 4, steps: 250, lr: at }));
  }
  const expected = [{ runs: 40, rows: 40 * (4 * 501 + 1) }];
  const sql = "SELECT count(DISTINCT run)::INTEGER AS runs, count(*)::INTEGER AS rows FROM logs";
  for (const delay of [150, 300, 450, 700, 1000]) {
    const child = start(project.root, "ls");
    const ended = answerOf(child);
    await sleep(delay);
    child.kill("SIGKILL");
    await ended;
  }
  expect(await project.ask(sql)).toEqual(expected);
});

test("who cannot get the index answers from a copy of it, and removes that", async () => {
  using project = makeProject();
  makeRun(project.store, trainingRun("r1", { epochs: 1, steps: 10, lr: 0.1 }));
  await project.ask("SELECT 1");
  const holder = spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `const { DuckDBInstance } = await import(${JSON.stringify(import.meta.resolve("@duckdb/node-api"))});
       const held = await DuckDBInstance.create(${JSON.stringify(project.index)});
       process.stdout.write("held");
       setInterval(() => held, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  try {
    await new Promise((done) => holder.stdout.once("data", done));
    makeRun(project.store, trainingRun("r2", { epochs: 1, steps: 10, lr: 0.1 }));
    const before = copies();
    const catalog = await openCatalog(project.store, { patienceMs: 100 });
    const rows = await catalog.connection.rows("SELECT run FROM runs ORDER BY run");
    expect({ rows, isPrivate: catalog.isPrivate }).toEqual({
      rows: [{ run: "r1" }, { run: "r2" }],
      isPrivate: true,
    });
    catalog.close();
    expect(copies().filter((name) => !before.includes(name))).toEqual([]);
  } finally {
    holder.kill("SIGKILL");
  }
});

test("openers in one process take turns, and lose nothing", async () => {
  using project = makeProject();
  for (let at = 1; at <= 6; at++) {
    makeRun(project.store, trainingRun(`r${at}`, { epochs: 2, steps: 5, lr: at }));
  }
  const sql = "SELECT count(*)::INTEGER AS count FROM logs";
  const notices: string[] = [];
  const answer = async (): Promise<unknown> => {
    const catalog = await openCatalog(project.store, { notice: (text) => notices.push(text) });
    const rows = await catalog.connection.rows(sql);
    catalog.close();
    return rows;
  };
  expect(await Promise.all([1, 2, 3].map(answer))).toEqual(
    [1, 2, 3].map(() => [{ count: 6 * 23 }]),
  );
  expect(notices).toEqual([]);
});
