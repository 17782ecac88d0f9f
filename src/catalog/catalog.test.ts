import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogBuilder } from "../../test/support/make-runs.ts";
import { makeRun, Raw, trainingRun, writeManifest } from "../../test/support/make-runs.ts";
import { makeProject } from "../../test/support/catalog.ts";
import { runPaths } from "../store/index.ts";
import type { IndexingProgress, IndexingWatcher } from "./catalog.ts";
import { openCatalog } from "./catalog.ts";
import { openDatabase } from "./database.ts";

const tensor = (shape: number[], item?: unknown): Raw =>
  new Raw(
    JSON.stringify({
      $: "tensor",
      dtype: "F32",
      shape,
      offset: 0,
      bytes: 4,
      crc32: "00000000",
      stats: {
        count: 1,
        nan: 0,
        min: 0,
        max: 1,
        mean: 0.5,
        std: 0,
        ...(item !== undefined && { item }),
      },
    }),
  );

describe("values", () => {
  const rows: [
    what: string,
    value: unknown,
    type: string,
    number: unknown,
    text: unknown,
    value: unknown,
  ][] = [
    ["a number", 0.1, "number", 0.1, null, null],
    ["minus zero", -0, "number", -0, null, null],
    ["the least double", 5e-324, "number", 5e-324, null, null],
    ["the greatest double", Number.MAX_VALUE, "number", Number.MAX_VALUE, null, null],
    ["2^60", 2 ** 60, "number", 2 ** 60, null, null],
    ["NaN", NaN, "number", NaN, null, null],
    ["Infinity", Infinity, "number", Infinity, null, null],
    ["-Infinity", -Infinity, "number", -Infinity, null, null],
    ["a text", "adam", "text", null, "adam", null],
    ["a text of digits", "3", "text", null, "3", null],
    ["an empty text", "", "text", null, "", null],
    ["a text with everything", 'a"\\\n\t\u0000é🙂', "text", null, 'a"\\\n\t\u0000é🙂', null],
    ["true", true, "boolean", null, null, "true"],
    ["null", null, "null", null, null, null],
    ["undefined", undefined, "null", null, null, null],
    ["a small bigint", 7n, "bigint", 7, null, "7"],
    ["a bigint that no double holds", 2n ** 53n + 1n, "bigint", null, null, "9007199254740993"],
    ["a bigint of 60 digits", 10n ** 60n + 1n, "bigint", null, null, String(10n ** 60n + 1n)],
    ["an object", { a: [1, "x"] }, "json", null, null, '{"a":[1,"x"]}'],
    ["a tensor", tensor([64, 10]), "json", null, null, tensor([64, 10]).json],
    ["a tensor of one element", tensor([], 0.25), "number", 0.25, null, null],
    ["a tensor of one NaN", tensor([1], { $: "float", v: "NaN" }), "number", NaN, null, null],
    ["a lone surrogate", "\ud800", "json", null, null, '{"$":"utf16","v":"ANg="}'],
  ];
  test("each kind of value has its columns", async () => {
    using project = makeProject();
    makeRun(project.store, {
      run: "r1",
      body: (log) => rows.forEach(([what, value]) => log.log(what, value)),
    });
    const found = await project.ask(
      "SELECT name, type, number, text, value FROM logs ORDER BY seq",
    );
    expect(found).toEqual(
      rows.map(([name, , type, number, text, value]) => ({ name, type, number, text, value })),
    );
  });

  test("a text of 20 MB", async () => {
    using project = makeProject();
    makeRun(project.store, { run: "r1", body: (log) => log.log("x", "é".repeat(10_000_000)) });
    const [row] = await project.ask(
      "SELECT len(text) AS characters, damaged FROM logs JOIN runs USING (run)",
    );
    expect(row).toEqual({ characters: 10_000_000, damaged: null });
  });
});

test("loops of any depth, names of any kind", async () => {
  using project = makeProject();
  const names = ["a b", "ü~", "c,d", "e#1", "f=2", "g", "h"];
  makeRun(project.store, {
    run: "r1",
    body: (log) => {
      const nest = (depth: number): void => {
        const name = names[depth];
        if (name === undefined) log.log("x", 1);
        else log.loop(name, 1, () => nest(depth + 1));
      };
      nest(0);
      nest(0);
    },
  });
  const rows = await project.ask("SELECT path, loops, indices, entries FROM logs ORDER BY seq");
  expect(rows).toEqual([
    {
      path: "a%20b=0,%C3%BC%7E=0,c%2Cd=0,e%231=0,f%3D2=0,g=0,h=0",
      loops: names,
      indices: [0, 0, 0, 0, 0, 0, 0],
      entries: [0, 0, 0, 0, 0, 0, 0],
    },
    {
      path: "a%20b#1=0,%C3%BC%7E=0,c%2Cd=0,e%231=0,f%3D2=0,g=0,h=0",
      loops: names,
      indices: [0, 0, 0, 0, 0, 0, 0],
      entries: [1, 0, 0, 0, 0, 0, 0],
    },
  ]);
});

describe("incremental ingestion", () => {
  const values = "SELECT seq, number FROM logs ORDER BY seq";

  test("a recording run is read up to its last complete line", async () => {
    using project = makeProject();
    const { folder, log } = makeRun(project.store, { run: "r1", status: "recording" });
    for (let at = 0; at < 3; at++) {
      log.log("x", at);
      const line = log.lines.at(-1) ?? "";
      appendFileSync(runPaths.log(folder), line.slice(0, 20));
      expect((await project.ask(values)).length).toBe(at);
      appendFileSync(runPaths.log(folder), line.slice(20));
      expect((await project.ask(values)).length).toBe(at + 1);
    }
    log.seal("done");
    appendFileSync(runPaths.log(folder), log.lines.at(-1) ?? "");
    writeManifest(folder, { run: "r1", status: "done" });
    const [run] = await project.ask("SELECT status, damaged, log_lines FROM runs");
    expect(run).toEqual({ status: "done", damaged: null, log_lines: 5 });
  });

  test("what is added in pieces is summarized as what is read at once", async () => {
    using project = makeProject();
    const values = [1, 2n ** 70n, "a", null, NaN, true, 2n, { a: 1 }, undefined, -0];
    const { folder, log } = makeRun(project.store, { run: "r1", status: "recording" });
    for (let piece = 0; piece < 3; piece++) {
      const written = log.lines.length;
      log.loop(`l${piece % 2}`, ["x", piece], (at) => {
        for (const [name, value] of values.entries()) {
          log.log(`n${name % 4}`, at === 0 ? value : values[(name + piece) % values.length]);
        }
      });
      log.log("n0", piece);
      appendFileSync(runPaths.log(folder), log.lines.slice(written).join(""));
      await project.ask("FROM runs");
    }
    const summary = "FROM store.names ORDER BY ALL";
    const times = "SELECT last_t, seconds FROM store.runs";
    const pieces = [await project.ask(summary), await project.ask(times)];
    rmSync(project.index);
    expect(pieces).toEqual([await project.ask(summary), await project.ask(times)]);
    expect(pieces[0]?.length).toBeGreaterThan(8);
  });

  test("is stopped after a batch, the newest runs are in, and the next opener goes on", async () => {
    using project = makeProject();
    const ids = Array.from({ length: 502 }, (_, at) => `r${String(at).padStart(4, "0")}`);
    for (const [at, run] of ids.entries()) {
      const { folder } = makeRun(project.store, { run });
      utimesSync(join(folder, "run.json"), at, at);
    }
    const watch = async (stopAt: number): Promise<readonly IndexingProgress[]> => {
      const stop = new AbortController();
      const told: IndexingProgress[] = [];
      let ended = 0;
      const watchIndexing = (): IndexingWatcher => ({
        signal: stop.signal,
        progress: (state) => {
          told.push(state);
          if (state.runs >= stopAt) stop.abort();
        },
        end: () => (ended += 1),
      });
      const opening = openCatalog(project.store, { watchIndexing });
      if (Number.isFinite(stopAt))
        await expect(opening).rejects.toMatchObject({ name: "AbortError" });
      else (await opening).close();
      expect(ended).toBe(1);
      return told;
    };
    expect((await watch(1)).map(({ runs, runsTotal }) => [runs, runsTotal])).toEqual([
      [0, 502],
      [500, 502],
    ]);
    const kept = await openDatabase(project.index, { kind: "sandbox", allowed: [] });
    const [range] = await kept.rows("SELECT min(run) AS first, max(run) AS last FROM store.runs");
    kept.close();
    expect(range).toEqual({ first: "r0002", last: "r0501" });
    const rest = await watch(Infinity);
    expect(rest.map(({ runs, runsTotal }) => [runs, runsTotal])).toEqual([
      [0, 2],
      [2, 2],
    ]);
  });

  /** Each step is appended and ingested; the last column is what remains. */
  const rewinds: [string, ((log: LogBuilder) => void)[], number[]][] = [
    [
      "in one reading",
      [(log) => [log.log("x", 1), log.log("x", 2), log.rewind(1), log.log("x", 3)]],
      [1, 3],
    ],
    [
      "after a reading",
      [(log) => [log.log("x", 1), log.log("x", 2)], (log) => [log.rewind(1), log.log("x", 3)]],
      [1, 3],
    ],
    [
      "twice, the second further back",
      [
        (log) => [
          log.log("x", 1),
          log.log("x", 2),
          log.rewind(1),
          log.log("x", 3),
          log.rewind(0),
          log.log("x", 4),
        ],
      ],
      [4],
    ],
    [
      "after the seal of a failed run",
      [
        (log) => [log.log("x", 1), log.log("x", 2), log.seal("failed")],
        (log) => [log.rewind(1), log.log("x", 3), log.seal("done")],
      ],
      [1, 3],
    ],
  ];
  test.each(rewinds)("rewind %s", async (_, steps, expected) => {
    using project = makeProject();
    const { folder, log } = makeRun(project.store, { run: "r1", status: "recording" });
    for (const step of steps) {
      const before = log.lines.length;
      step(log);
      appendFileSync(runPaths.log(folder), log.lines.slice(before).join(""));
      await project.ask(values);
    }
    const rows = await project.ask(
      "SELECT number, damaged FROM logs JOIN runs USING (run) ORDER BY seq",
    );
    expect(rows).toEqual(expected.map((number) => ({ number, damaged: null })));
    rmSync(project.index);
    expect((await project.ask(values)).map((row) => row["number"])).toEqual(expected);
    const names = await project.ask("SELECT rows FROM store.names");
    expect(names).toEqual([{ rows: expected.length }]);
  });

  test("runs appear, change their status and disappear", async () => {
    using project = makeProject();
    const runs = "SELECT run, status FROM runs ORDER BY run";
    expect(await project.ask(runs)).toEqual([]);
    const { folder } = makeRun(project.store, { run: "r1", status: "recording" });
    makeRun(project.store, trainingRun("r2", { epochs: 1, steps: 1, lr: 1 }));
    mkdirSync(join(project.store, "runs", "r3"));
    expect(await project.ask(runs)).toEqual([
      { run: "r1", status: "recording" },
      { run: "r2", status: "done" },
    ]);
    writeManifest(folder, { run: "r1", status: "failed" });
    rmSync(join(project.store, "runs", "r2"), { recursive: true });
    expect(await project.ask(runs)).toEqual([{ run: "r1", status: "failed" }]);
    expect(await project.ask("SELECT * FROM logs")).toEqual([]);
  });

  test("a run whose process is gone was interrupted", async () => {
    using project = makeProject();
    const { hostname } = await import("node:os");
    const host = { name: hostname(), platform: "linux", arch: "x64", cpus: 1, memoryBytes: 1 };
    const gone = { ...host, bootId: "another boot", pid: 1, pidStart: "0" };
    makeRun(project.store, { run: "r1", status: "recording", manifest: { host: gone } });
    expect(await project.ask("SELECT status FROM runs")).toEqual([{ status: "interrupted" }]);
  });
});

describe("damaged runs are listed with what can be read", () => {
  const training = trainingRun("r1", { epochs: 2, steps: 5, lr: 0.1 });
  /** What is done to the folder of a good run; the damage that is told; values that remain. */
  const rows: [string, (folder: string) => void, RegExp, number][] = [
    [
      "a flipped byte in a value",
      (folder) => flip(runPaths.log(folder), "0.25", 3),
      /checksum/,
      23,
    ],
    [
      "a flipped byte in the JSON",
      (folder) => flip(runPaths.log(folder), '"loss"', 0),
      /checksum.*1 lines/,
      22,
    ],
    [
      "a line that is not UTF-8",
      (folder) => flip(runPaths.log(folder), "loss", 1, 0xff),
      /1 lines/,
      22,
    ],
    [
      "a log cut in a line",
      (folder) => truncateSync(runPaths.log(folder), 1000),
      /ends before its seal/,
      5,
    ],
    ["no log", (folder) => rmSync(runPaths.log(folder)), /ends before its seal/, 0],
    [
      "a flipped byte in run.json",
      (folder) => flip(runPaths.manifest(folder), "train.ts", 0),
      /run.json: its checksum/,
      23,
    ],
    [
      "a run.json cut short",
      (folder) => truncateSync(runPaths.manifest(folder), 100),
      /run.json: its checksum/,
      23,
    ],
    ["no run.json", (folder) => rmSync(runPaths.manifest(folder)), /run.json: missing/, 23],
    [
      "a bad line in the profile",
      (folder) => flip(runPaths.profile(folder), "{", 0),
      /profile.jsonl: 1 lines/,
      23,
    ],
    [
      "a bad line in the checkpoints",
      (folder) => flip(runPaths.checkpointIndex(folder), "{", 0),
      /checkpoints\/index.jsonl: 1/,
      23,
    ],
  ];
  test.each(rows)("%s", async (_, damage, told, count) => {
    using project = makeProject();
    const { folder } = makeRun(project.store, training);
    makeRun(project.store, trainingRun("r2", { epochs: 1, steps: 1, lr: 1 }));
    damage(folder);
    const found = await project.ask(`SELECT runs.run, damaged, count(seq)::INTEGER AS count
      FROM runs LEFT JOIN logs USING (run) GROUP BY ALL ORDER BY run`);
    expect(found).toEqual([
      { run: "r1", damaged: expect.stringMatching(told) as unknown, count },
      { run: "r2", damaged: null, count: 4 },
    ]);
  });
});

describe("the index is derived: whatever happens to it, the answer is right", () => {
  const rows: [string, (index: string) => void | Promise<void>][] = [
    ["deleted", (index) => rmSync(index)],
    ["empty", (index) => writeFileSync(index, "")],
    ["garbage", (index) => writeFileSync(index, Buffer.alloc(300_000, "garbage"))],
    ["cut to a header", (index) => truncateSync(index, 4096)],
    ["cut in half", (index) => truncateSync(index, Math.floor(readFileSync(index).byteLength / 2))],
    ["with a foreign log beside it", (index) => writeFileSync(`${index}.wal`, "not a log")],
    ["of an older schema", (index) => change(index, "UPDATE store.meta SET version = 0")],
    ["without its tables", (index) => change(index, "DROP SCHEMA store CASCADE")],
    [
      "a foreign database",
      async (index) => {
        rmSync(index);
        await change(index, "CREATE TABLE theirs AS SELECT 1 AS x");
      },
    ],
  ];
  test.each(rows)("%s", async (_, damage) => {
    using project = makeProject();
    makeRun(project.store, trainingRun("r1", { epochs: 3, steps: 50, lr: 0.1 }));
    const sql =
      "SELECT name, count(*) AS count, sum(number) AS sum FROM logs GROUP BY name ORDER BY name";
    const expected = await project.ask(sql);
    await damage(project.index);
    expect(await project.ask(sql)).toEqual(expected);
    expect(await project.ask(sql)).toEqual(expected);
  });

  test("with any one byte flipped", async () => {
    using project = makeProject();
    makeRun(project.store, trainingRun("r1", { epochs: 3, steps: 500, lr: 0.1 }));
    const sql =
      "SELECT name, count(*) AS count, sum(number) AS sum FROM logs GROUP BY name ORDER BY name";
    const expected = await project.ask(sql);
    const good = readFileSync(project.index);
    for (let at = 0; at < 12; at++) {
      const bytes = Buffer.from(good);
      const place = Math.floor((good.byteLength * at) / 12) + at * 37;
      bytes[place] = (bytes[place] ?? 0) ^ 0x10;
      writeFileSync(project.index, bytes);
      expect(await project.ask(sql), `byte ${place}`).toEqual(expected);
    }
  });
});

function flip(file: string, word: string, at: number, to?: number): void {
  const bytes = readFileSync(file);
  const place = bytes.indexOf(word) + at;
  bytes[place] = to ?? (bytes[place] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

async function change(index: string, sql: string): Promise<void> {
  const connection = await openDatabase(index, { kind: "write" });
  await connection.run(sql);
  connection.close();
}
