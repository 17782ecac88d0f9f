/** @file From what a process left to a run directory, and what the catalog makes of it. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Box, LogRecord } from "../../../src/format/index.ts";
import { hex32 } from "../../../src/format/index.ts";
import type { Judged } from "../../../src/replayer/checking/judge-unit.ts";
import { judgeUnit } from "../../../src/replayer/checking/judge-unit.ts";
import type { ReplayDirective } from "../../../src/replayer/execution/replay-result.ts";
import { writeResult } from "../../../src/replayer/execution/replay-result.ts";
import { readManifest, runPaths, storePaths } from "../../../src/store/index.ts";
import type { LogBuilder } from "../../support/make-runs.ts";
import { makeRun, Raw, trainingRun } from "../../support/make-runs.ts";
import { makeProject } from "../../support/catalog.ts";
import type { CatalogProject } from "../../support/catalog.ts";

const PARENT = "train-20261115-093000-0001";
const SHAPE = { epochs: 2, steps: 2, lr: 0.1 };

/** What a process that went through the whole run would leave, with `probe` at each step. */
function replayed(project: CatalogProject, probe: (log: LogBuilder, step: number) => void): string {
  makeRun(project.store, trainingRun(PARENT, SHAPE));
  const { folder } = makeRun(join(project.root, "unit"), {
    run: "out",
    sealed: false,
    body: (log) => {
      log.loop("epoch", SHAPE.epochs, (epoch) => {
        log.loop("step", SHAPE.steps, (step) => {
          log.log("loss", 1 / (1 + epoch * SHAPE.steps + step));
          probe(log, step);
        });
      });
    },
  });
  return folder;
}

function judge(project: CatalogProject, out: string, ranges: readonly Box[] = []): Judged {
  return judgeUnit({
    parent: storePaths.run(project.store, PARENT),
    out,
    orders: { names: ["x"], probes: [], courses: [] },
    outcome: null,
    ranges,
    have: new Map(),
  });
}

function seal(project: CatalogProject, out: string, judged: Judged): string {
  const directive: ReplayDirective = {
    replay: "r1",
    unit: 0,
    scan: "inner",
    ranges: [],
    names: ["x"],
    statements: [],
    from_checkpoint: null,
    share: 1,
    compared: judged.compared,
    first_difference: judged.first,
    predicted_s: 1,
    actual_s: 1,
    commit: null,
    overlays: "",
    incomplete: null,
  };
  const announced: string[] = [];
  const run = writeResult({
    store: project.store,
    parent: readManifest(storePaths.run(project.store, PARENT)),
    out,
    temporary: join(project.root, "unit/sealed"),
    judged,
    directive,
    started: new Date("2026-11-15T10:00:00Z"),
    ended: new Date("2026-11-15T10:00:01Z"),
    announce: (id) => announced.push(id),
  });
  expect(announced).toEqual([run]);
  return run;
}

function lines(project: CatalogProject, run: string): LogRecord[] {
  const text = readFileSync(runPaths.log(storePaths.run(project.store, run)), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as LogRecord);
}

describe("a result", () => {
  test("is a sealed run with a parent, which the catalog takes without complaint", async () => {
    using project = makeProject();
    const out = replayed(project, (log, step) => log.log("x", step === 0 ? -0 : Number.NaN));
    const run = seal(project, out, judge(project, out));
    expect(run).toMatch(/^train-\d{8}-\d{6}-[0-9a-z]{4}$/);
    const manifest = readManifest(storePaths.run(project.store, run));
    expect(manifest).toMatchObject({ kind: "replay", parent: PARENT, status: "done", name: null });
    const records = lines(project, run);
    expect(records.map(({ k }) => k)).toEqual(["header", "log", "log", "log", "log", "seal"]);
    expect(Object.is(records[1]?.value, -0)).toBe(true);
    expect(records[2]).toMatchObject({
      value: { $: "float", v: "NaN" },
      probe: true,
      check: "verified",
    });
    expect(readdirSync(storePaths.runs(project.store))).toHaveLength(2);
    const known = await project.ask(`SELECT run, parent, damaged FROM runs WHERE kind = 'replay'`);
    expect(known).toEqual([{ run, parent: PARENT, damaged: null }]);
    const cells = await project.ask(
      `SELECT count(*) AS n FROM logs WHERE name = 'x' AND run = '${PARENT}'`,
    );
    expect(cells).toEqual([{ n: 4 }]);
  });

  test("has the bytes of tensors, and says of lost ones that they are", () => {
    using project = makeProject();
    const bytes = Buffer.from(Float32Array.of(1, 2).buffer);
    const tensor = (offset: number): Raw =>
      new Raw(
        JSON.stringify({
          $: "tensor",
          dtype: "F32",
          shape: [2],
          offset,
          bytes: 8,
          crc32: hex32(crc32(bytes)),
          stats: { count: 2, nan: 0, min: 1, max: 2, mean: 1.5, std: 0.5 },
        }),
      );
    const out = replayed(project, (log, step) => log.log("x", tensor(step === 0 ? 4 : 100)));
    writeFileSync(runPaths.values(out), Buffer.concat([Buffer.alloc(4), bytes]));
    const run = seal(project, out, judge(project, out));
    const [, first, second, third] = lines(project, run).map(({ value }) => value);
    expect([first, second, third]).toEqual([
      expect.objectContaining({ offset: 0, bytes: 8 }),
      expect.not.objectContaining({ offset: expect.anything() }),
      expect.objectContaining({ offset: 8 }),
    ]);
    const kept = readFileSync(runPaths.values(storePaths.run(project.store, run)));
    expect(kept).toEqual(Buffer.concat([bytes, bytes]));
  });

  test.each<[string, readonly Box[], number]>([
    ["all", [], 4],
    ["one epoch", [{ epoch: [1, 1] }], 2],
    ["one step of each epoch", [{ step: [1, 1] }], 2],
    ["two boxes", [{ epoch: [0, 0], step: [0, 0] }, { epoch: [1, 1] }], 3],
    ["nothing", [{ epoch: [7, 9] }], 0],
    ["another loop", [{ fold: [0, 0] }], 4],
  ])("of the ranges: %s", (_, ranges, expected) => {
    using project = makeProject();
    const out = replayed(project, (log, step) => log.log("x", step));
    expect(judge(project, out, ranges).cells).toHaveLength(expected);
  });

  test("of a killed process has all but the line that was not written whole", () => {
    using project = makeProject();
    const out = replayed(project, (log, step) => log.log("x", step));
    appendFileSync(runPaths.log(out), '{"k":"log","seq":99,"path":[],"name":"x","site":null,"val');
    expect(judge(project, out).cells).toHaveLength(4);
    writeFileSync(runPaths.log(out), "");
    expect(judge(project, out).cells).toEqual([]);
  });

  test("leaves out what the run has, and what other units gave", () => {
    using project = makeProject();
    const out = replayed(project, (log) => {
      log.log("x", 1);
      log.log("x", 2);
    });
    const path = [
      ["epoch", 0],
      ["step", 0],
    ] as const;
    const options = {
      parent: storePaths.run(project.store, PARENT),
      out,
      orders: { names: ["x", "loss"], probes: [], courses: [] },
      outcome: null,
      ranges: [],
    };
    const have = new Map([[`${JSON.stringify(path)},"name":"x"`, 1]]);
    const { cells, compared } = judgeUnit({ ...options, have });
    expect(cells).toHaveLength(7);
    expect(cells[0]).toMatchObject({ occurrence: 1, record: { path, value: 2 } });
    expect(compared).toEqual({ equal: 4, close: 0, different: 0 });
  });
});
