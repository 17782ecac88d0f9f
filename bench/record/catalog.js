// @ts-check
/**
 * @file Reading many runs back: the frame against the same query written by hand on the same
 * tables, and `afterlog ls` against a Node process that opens the index and closes it.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openCatalog, planFrame, runQuery } from "../../build/catalog/index.js";
import { storePaths } from "../../build/store/index.js";
import { bestRatio, interleave, makeResult, median, ratios } from "../measure.js";
import { EPOCHS, LOGS_PER_RUN, makeRuns, STEPS } from "./make-runs.js";

/** @import { BenchOptions, Result } from "../measure.js" */
/** @import { Catalog } from "../../build/catalog/index.js" */

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Frames of three names, and how one would write them. The last value at a path wins. */
const FRAMES = [
  {
    title: "three names of a step",
    names: ["loss", "grad", "rate"],
    rows: EPOCHS * STEPS,
    sql: `SELECT r.run, l.i1 AS epoch, l.i2 AS step,
        arg_max(number, seq) FILTER (l.name = 'loss') AS loss,
        arg_max(number, seq) FILTER (l.name = 'grad') AS grad,
        arg_max(number, seq) FILTER (l.name = 'rate') AS rate
      FROM store.logs l JOIN store.runs r USING (no)
      WHERE l.shape = 'epoch,step' AND l.name IN ('loss', 'grad', 'rate')
      GROUP BY ordinal, r.run, l.i1, l.i2 ORDER BY ordinal, l.i1, l.i2`,
  },
  {
    title: "an argument and two names of an epoch",
    names: ["lr", "accuracy", "val_loss"],
    rows: EPOCHS,
    sql: `SELECT r.run, l.i1 AS epoch, any_value(a.number) AS lr,
        arg_max(l.number, l.seq) FILTER (l.name = 'accuracy') AS accuracy,
        arg_max(l.number, l.seq) FILTER (l.name = 'val_loss') AS val_loss
      FROM store.logs l JOIN store.runs r USING (no)
        JOIN store.args a ON a.no = l.no AND a.name = 'lr'
      WHERE l.shape = 'epoch' AND l.name IN ('accuracy', 'val_loss')
      GROUP BY ordinal, r.run, l.i1 ORDER BY ordinal, l.i1`,
  },
];

/**
 * @param {BenchOptions} options
 * @returns {Promise<Result[]>}
 */
export async function benchCatalog({ quick, folder, progress }) {
  const runs = quick ? 20 : 1000;
  const { store, facts } = await prepareStore(folder, runs, progress);
  /** @type {Result[]} */
  const results = [];
  for (const frame of FRAMES) {
    progress(frame.title);
    results.push(await frameOf(frame, { store, folder, runs, quick, facts }));
  }
  results.push(await listOf({ store, folder, runs, quick }));
  return results;
}

/**
 * Makes the runs and ingests them.
 * @param {string} folder
 * @param {number} runs
 * @param {(text: string) => void} progress
 */
async function prepareStore(folder, runs, progress) {
  const store = join(folder, ".afterlog");
  progress(`making ${runs} runs`);
  makeRuns(store, runs);
  progress("ingesting");
  const started = performance.now();
  (await openCatalog(store)).close();
  const seconds = (performance.now() - started) / 1000;
  const facts = {
    "ingestion s": seconds,
    "records a second": (runs * LOGS_PER_RUN) / seconds,
    "index MB": statSync(storePaths.index(store)).size / 1e6,
  };
  return { store, facts };
}

/**
 * @param {typeof FRAMES[number]} frame
 * @param {{ store: string, folder: string, runs: number, quick: boolean, facts: object }} where
 */
async function frameOf({ title, names, rows, sql }, { store, folder, runs, quick, facts }) {
  const catalog = await openCatalog(store);
  const { connection } = catalog;
  /** @param {() => Promise<string>} query */
  const fetched = (query) => async () => {
    const started = performance.now();
    const chunks = await connection.stream(await query());
    let count = 0;
    for (let chunk = await chunks.fetchChunk(); chunk; chunk = await chunks.fetchChunk()) {
      if (chunk.rowCount === 0) break;
      count += chunk.rowCount;
    }
    assert.equal(count, runs * rows);
    return performance.now() - started;
  };
  const arms = {
    frame: fetched(async () => (await planFrame(connection, { names })).sql),
    hand: fetched(async () => sql),
  };
  await sameValues(catalog, names, sql);
  for (const arm of Object.values(arms)) await arm();
  const rounds = await interleave(quick ? 3 : 7, arms);
  catalog.close();
  const commandMs = command(["-C", folder, "frame", ...names, "--json"]);
  return makeResult({
    name: `frame: ${title}, ${runs} runs, ${runs * LOGS_PER_RUN} records / by hand`,
    values: rounds.frame,
    ratios: ratios(rounds.frame, rounds.hand),
    unit: "ms",
    goal: { atMost: 2 },
    detail: {
      "by hand ms": median(rounds.hand),
      "ratio of the best rounds": bestRatio(rounds.frame, rounds.hand),
      rows: runs * rows,
      "afterlog frame --json > /dev/null, s": commandMs / 1000,
      ...facts,
    },
  });
}

/**
 * The two queries must say the same, or the comparison says nothing.
 * @param {Catalog} catalog
 * @param {readonly string[]} names
 * @param {string} sql
 */
async function sameValues({ connection }, names, sql) {
  const frame = await planFrame(connection, { names });
  const sums = names.map((name) => `sum("${name}")`).join(", ");
  /** @type {number[][]} */
  const found = [];
  for (const query of [frame.sql, sql]) {
    const result = await runQuery(connection, `SELECT ${sums} FROM (${query})`);
    for await (const rows of result.batches()) found.push(...rows.map((row) => row.map(Number)));
  }
  const [own = [], hand = []] = found;
  for (const [at, sum] of own.entries()) {
    assert.ok(Math.abs(sum - (hand[at] ?? NaN)) <= 1e-9 * Math.abs(sum), names[at]);
  }
}

/** @param {{ store: string, folder: string, runs: number, quick: boolean }} where */
async function listOf({ store, folder, runs, quick }) {
  const open = `import("@duckdb/node-api").then(async ({ DuckDBInstance }) => {
    const config = { access_mode: "READ_ONLY" };
    const instance = await DuckDBInstance.create(${JSON.stringify(storePaths.index(store))}, config);
    (await instance.connect()).closeSync();
    instance.closeSync();
  })`;
  const arms = {
    ls: () => command(["-C", folder, "ls"]),
    json: () => command(["-C", folder, "ls", "--json"]),
    opened: () => node(["-e", open]),
    bare: () => node(["-e", "0"]),
  };
  for (const arm of Object.values(arms)) arm();
  const rounds = await interleave(quick ? 3 : 15, arms);
  return makeResult({
    name: `afterlog ls, ${runs} runs, warm index / node that opens the index`,
    values: rounds.ls,
    ratios: ratios(rounds.ls, rounds.opened),
    unit: "ms",
    goal: { atMost: 3 },
    detail: {
      "node that opens the index, ms": median(rounds.opened),
      "node -e 0, ms": median(rounds.bare),
      "ratio of the best rounds": bestRatio(rounds.ls, rounds.opened),
      "ls --json ms": median(rounds.json),
    },
  });
}

/** @param {readonly string[]} argv */
function command(argv) {
  return node([CLI, ...argv]);
}

/**
 * Milliseconds of a Node process, its output thrown away.
 * @param {readonly string[]} argv
 */
function node(argv) {
  const started = performance.now();
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  execFileSync(process.execPath, argv, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  return performance.now() - started;
}
