/**
 * @file Files that were cut off or have flipped bits: what is read is what was written, or an error
 * of code AL040. Never another value.
 */
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CheckpointRecord } from "../../src/format/index.ts";
import {
  CheckpointReader,
  listCheckpoints,
  openCheckpoint,
  readManifest,
  runPaths,
  verifyCheckpoints,
} from "../../src/store/index.ts";
import { seededRandom } from "../support/draws.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import type { RestoredState } from "../support/recorded.ts";
import { readLog, restoreFrom } from "../support/recorded.ts";

const SEED = 1_115_2026;
/** Small and large tensors, one that never changes, one without bytes, and structure. */
const PROGRAM = (elements: number): string => `
import * as al from "afterlog";
const state = al.checkpointing({
  w: new Float64Array(${elements}),
  frozen: Float32Array.from({ length: 3000 }, (_, i) => i),
  small: Int16Array.of(1, -2, 3),
  tiny: Uint8Array.of(8),
  none: new Float32Array(0),
  history: [],
  words: new Map([["a", 1n], ["b", new Date(5)]]),
});
for (let round = 0; round < 4; round++) {
  for (const epoch of al.loop("epoch", al.range(2))) {
    state.w.fill(Math.random());
    state.small[0]++;
    state.history.push({ round, epoch, x: Math.random() });
    al.log("x", state.w[0]);
  }
}
`;

let project: TestProject;
let scratch: string;
const recorded = { small: "", large: "" };

beforeAll(async () => {
  project = TestProject.apart({ fast: true });
  scratch = mkdtempSync(join(tmpdir(), "afterlog-damage-"));
  for (const [name, elements] of [
    ["small", 1000],
    ["large", 150_000],
  ] as const) {
    const before = new Set(project.runs);
    project.write("train.mjs", PROGRAM(elements));
    const { code, stderr } = await project.train({ env: WITHOUT_GIT });
    if (code !== 0) throw new Error(stderr);
    recorded[name] = project.runs.find((run) => !before.has(run)) ?? "";
  }
});

afterAll(() => {
  project[Symbol.dispose]();
  rmSync(scratch, { recursive: true, force: true });
});

/** A copy of a run to damage. */
function copyRun(run: string): string {
  const copy = mkdtempSync(join(scratch, "run-"));
  cpSync(run, copy, { recursive: true });
  return copy;
}

function fileOf(run: string, record: CheckpointRecord): string {
  return join(runPaths.checkpoints(run), record.file);
}

/** The last checkpoint, which names an earlier file for what did not change. */
function lastOf(run: string): CheckpointRecord {
  const record = listCheckpoints(run).at(-1);
  if (!record) throw new Error("no checkpoint");
  expect(record.holds).toHaveLength(1);
  return record;
}

type Outcome = { readonly state: RestoredState } | { readonly code: unknown };

/** Reads all of a checkpoint as the product does: the state, or the code of the error. */
function attempt(open: () => CheckpointReader): Outcome {
  try {
    using reader = open();
    reader.verify();
    return { state: restoreFrom(reader) };
  } catch (error) {
    return { code: (error as { code?: unknown }).code ?? error };
  }
}

/** With the index at hand, and with the file alone, as `restore` reads it. */
function bothWays(run: string, record: CheckpointRecord): Outcome[] {
  const file = fileOf(run, record);
  return [attempt(() => openCheckpoint(run, record)), attempt(() => new CheckpointReader(file))];
}

/** Right or an error; the quick comparison first, because there are thousands. */
function expectRightOrDamaged(outcome: Outcome, good: Outcome, where: string): void {
  if (!isDeepStrictEqual(outcome, good)) expect(outcome, where).toEqual({ code: "AL040" });
}

/** Parts of a checkpoint file, as offsets. */
function regions(file: string): { [name: string]: readonly [from: number, to: number] } {
  using reader = new CheckpointReader(file);
  const { dataStart, tensors } = reader.header;
  const size = readFileSync(file).byteLength;
  const json = readFileSync(file).subarray(8, dataStart).toString();
  const found: { [name: string]: readonly [number, number] } = {
    length: [0, 8],
    header: [8, 8 + json.trimEnd().length],
    "spaces after the header": [8 + json.trimEnd().length, dataStart],
    "anywhere in the data": [dataStart, size],
  };
  for (const { name, offset, bytes } of tensors) {
    if (bytes > 0) found[name] = [dataStart + offset, dataStart + offset + bytes];
  }
  return found;
}

describe("a checkpoint cut off", () => {
  const cut = (run: string, lengths: readonly number[]): void => {
    const record = lastOf(run);
    const file = fileOf(run, record);
    const whole = readFileSync(file);
    for (const length of lengths) {
      writeFileSync(file, whole.subarray(0, length));
      expect(bothWays(run, record), `${length} bytes`).toEqual([
        { code: "AL040" },
        { code: "AL040" },
      ]);
    }
  };

  test("at every 512 bytes of a small one, and around its first bytes and its last", () => {
    const run = copyRun(recorded.small);
    const size = readFileSync(fileOf(run, lastOf(run))).byteLength;
    const steps = Array.from({ length: Math.ceil(size / 512) }, (_, index) => index * 512);
    cut(run, [...steps, 1, 7, 8, 9, size - 1]);
  });

  test("at random places of a large one", () => {
    const run = copyRun(recorded.large);
    const random = seededRandom(SEED);
    const size = readFileSync(fileOf(run, lastOf(run))).byteLength;
    cut(
      run,
      Array.from({ length: 40 }, () => Math.floor(random() * size)),
    );
  });

  test.each([
    ["longer by a byte", (whole: Buffer) => Buffer.concat([whole, Buffer.of(0)])],
    ["longer by itself", (whole: Buffer) => Buffer.concat([whole, whole])],
    ["only zeros", (whole: Buffer) => Buffer.alloc(whole.byteLength)],
    [
      "a header never written",
      (whole: Buffer) => Buffer.concat([Buffer.alloc(4096), whole.subarray(4096)]),
    ],
    ["text", () => Buffer.from("not a checkpoint at all\n")],
    ["an empty header", () => Buffer.from("\u0002\0\0\0\0\0\0\0{}", "latin1")],
  ])("%s", (_, change) => {
    const run = copyRun(recorded.small);
    const record = lastOf(run);
    const file = fileOf(run, record);
    writeFileSync(file, change(readFileSync(file)));
    expect(bothWays(run, record)).toEqual([{ code: "AL040" }, { code: "AL040" }]);
  });

  test("missing altogether", () => {
    const run = copyRun(recorded.small);
    const record = lastOf(run);
    rmSync(fileOf(run, record));
    expect(attempt(() => openCheckpoint(run, record))).toEqual({ code: "AL040" });
  });
});

describe("flipped bits in a checkpoint", () => {
  /** Flips one bit at a time; every reading is right, or an error. Counts the errors. */
  function flip(run: string, from: number, to: number, times: number): number {
    const random = seededRandom(SEED + from);
    const record = lastOf(run);
    const file = fileOf(run, record);
    const whole = readFileSync(file);
    const good = attempt(() => openCheckpoint(run, record));
    expect(good).toHaveProperty("state");
    let errors = 0;
    for (let time = 0; time < times; time++) {
      const at = from + Math.floor(random() * (to - from));
      const bit = Math.floor(random() * 8);
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      writeFileSync(file, flipped);
      for (const outcome of bothWays(run, record)) {
        if ("code" in outcome) errors++;
        expectRightOrDamaged(outcome, good, `byte ${at}, bit ${bit}`);
      }
    }
    writeFileSync(file, whole);
    return errors;
  }

  test("in each part of the file", () => {
    const run = copyRun(recorded.small);
    const parts = Object.entries(regions(fileOf(run, lastOf(run))));
    expect(parts.length).toBeGreaterThan(6);
    for (const [name, [from, to]] of parts) {
      const times = name === "header" ? 400 : 60;
      const errors = flip(run, from, to, times);
      // With the index every flip in the header is seen; in a tensor both ways see it.
      if (/header/.test(name)) expect(errors, name).toBeGreaterThanOrEqual(times);
      else if (!/anywhere/.test(name)) expect(errors, name).toBe(2 * times);
    }
  });

  test("every bit of the length", () => {
    const run = copyRun(recorded.small);
    expect(flip(run, 0, 8, 200)).toBe(400);
  });

  test("in a file that a later checkpoint names", () => {
    const run = copyRun(recorded.small);
    const record = lastOf(run);
    const holder = join(runPaths.checkpoints(run), record.holds[0] ?? "");
    const good = attempt(() => openCheckpoint(run, record));
    const whole = readFileSync(holder);
    const random = seededRandom(SEED);
    for (let time = 0; time < 150; time++) {
      const at = Math.floor(random() * whole.byteLength);
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      writeFileSync(holder, flipped);
      for (const outcome of bothWays(run, record)) {
        expectRightOrDamaged(outcome, good, `byte ${at}`);
      }
    }
    rmSync(holder);
    expect(bothWays(run, record)).toEqual([{ code: "AL040" }, { code: "AL040" }]);
  });

  test("the damaged one is set aside, and the others are as they were", () => {
    const run = copyRun(recorded.large);
    const all = listCheckpoints(run);
    for (const victim of all) {
      const file = fileOf(run, victim);
      const kept = join(scratch, "kept");
      copyFileSync(file, kept);
      writeFileSync(file, readFileSync(file).subarray(0, -4096));
      const { good, bad } = verifyCheckpoints(run);
      const affected = all.filter(
        ({ file: own, holds }) => own === victim.file || holds.includes(victim.file),
      );
      expect(bad.map(({ record }) => record)).toEqual(affected);
      expect(bad.map(({ error }) => (error as { code?: string }).code)).toEqual(
        affected.map(() => "AL040"),
      );
      expect(good).toEqual(all.filter((record) => !affected.includes(record)));
      copyFileSync(kept, file);
    }
    expect(verifyCheckpoints(run)).toEqual({ good: all, bad: [] });
  });
});

describe("flipped bits in the other files of a run", () => {
  /** Calls `check` after each of many flips. */
  function flipEach(file: string, times: number, check: (where: string) => void): void {
    const whole = readFileSync(file);
    const random = seededRandom(SEED);
    for (let time = 0; time < times; time++) {
      // The last bytes are the seal or the checksum: they get their share.
      const near = time % 4 === 0 ? Math.min(120, whole.byteLength) : whole.byteLength;
      const at = whole.byteLength - 1 - Math.floor(random() * near);
      const bit = Math.floor(random() * 8);
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      writeFileSync(file, flipped);
      check(`byte ${at}, bit ${bit}`);
    }
    writeFileSync(file, whole);
  }

  test("checkpoints/index.jsonl: the line is not taken, the others are", () => {
    const run = copyRun(recorded.small);
    const all = listCheckpoints(run);
    flipEach(runPaths.checkpointIndex(run), 400, (where) => {
      const left = listCheckpoints(run);
      // A flipped end of line spoils the two lines that it joins.
      expect(all.length - left.length, where).toBeGreaterThanOrEqual(1);
      expect(all.length - left.length, where).toBeLessThanOrEqual(2);
      for (const record of left) expect(all).toContainEqual(record);
    });
  });

  test("run.json: damaged, whatever bit it was", () => {
    const run = copyRun(recorded.small);
    flipEach(runPaths.manifest(run), 400, (where) => {
      expect(() => readManifest(run), where).toThrow(expect.objectContaining({ code: "AL040" }));
    });
    expect(readManifest(run).status).toBe("done");
  });

  test("log.jsonl: it does not count as sealed any more", () => {
    const run = copyRun(recorded.small);
    expect(readLog(run).sealed).toBe("done");
    flipEach(runPaths.log(run), 400, (where) => {
      expect(readLog(run).sealed, where).toBeUndefined();
    });
  });

  test.each(["manifest", "log", "checkpointIndex"] as const)("cut off: %s", (name) => {
    const run = copyRun(recorded.small);
    const file = runPaths[name](run);
    const whole = readFileSync(file);
    const all = listCheckpoints(run);
    for (let length = 0; length < whole.byteLength; length += 97) {
      writeFileSync(file, whole.subarray(0, length));
      if (name === "manifest") expect(() => readManifest(run)).toThrow("damaged");
      if (name === "log") expect(readLog(run).sealed).toBeUndefined();
      const left = listCheckpoints(run);
      if (name === "checkpointIndex") expect(left).toEqual(all.slice(0, left.length));
    }
  });
});
