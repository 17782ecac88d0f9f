/**
 * Recordings that lie in the repository, read both ways: the engine reads what a Python SDK of
 * each release wrote, and Python of every version reads that and what the TypeScript SDK wrote.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogRecord, Record } from "../../src/format/index.ts";
import { valueFromJson } from "../../src/format/index.ts";
import { openCheckpoint, verifyCheckpoints } from "../../src/store/index.ts";
import { MAIN } from "../support/project.ts";
import { everyInterpreter } from "../support/interpreters.ts";
import { ask } from "../support/python.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const PYTHON = join(FIXTURES, "python");

function runIn(histories: string, release: string): string {
  const runs = join(histories, release, "runs");
  return join(runs, readdirSync(runs)[0] ?? "");
}

function logged(run: string, name: string): LogRecord[] {
  const lines = readFileSync(join(run, "log.jsonl"), "utf8").trimEnd().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record);
  return records.filter((record) => record.k === "log" && record.name === name) as LogRecord[];
}

interface Tensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** Knows nothing but the layout of safetensors: a length, a header, data without holes. */
function parseSafetensors(file: string): Map<string, Tensor & { data: Buffer }> {
  const bytes = readFileSync(file);
  const length = Number(bytes.readBigUInt64LE(0));
  const data = bytes.subarray(8 + length);
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString()) as { [name: string]: Tensor };
  const { __metadata__: metadata, ...tensors } = header;
  for (const text of Object.values(metadata ?? {})) expect(typeof text).toBe("string");
  const byOffset = Object.entries(tensors).toSorted(
    ([, a], [, b]) =>
      a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1],
  );
  let end = 0;
  for (const [, { data_offsets: offsets }] of byOffset) {
    expect(offsets[0]).toBe(end);
    [, end] = offsets;
  }
  expect(end).toBe(data.byteLength);
  return new Map(
    byOffset.map(([name, one]) => [name, { ...one, data: data.subarray(...one.data_offsets) }]),
  );
}

describe.each(readdirSync(PYTHON))("recorded with Python by %s", (release) => {
  const run = runIn(PYTHON, release);

  test("the engine reads its log and its checkpoints", () => {
    expect(logged(run, "odd").map(({ value }) => valueFromJson(value))).toEqual(
      [0, 1].map(() => [
        -0,
        Number.NaN,
        -Infinity,
        "\udfff",
        2n ** 60n,
        2n ** 70n,
        Uint8Array.of(0, 255),
        new Map([[1, "a"]]),
      ]),
    );
    const { good, bad } = verifyCheckpoints(run);
    expect(bad).toEqual([]);
    expect(good.map(({ file }) => file.replace(".safetensors", ""))).toEqual([
      "epoch=0,step=0",
      "epoch=0,step=1",
      "epoch=0,step=end",
      "epoch=0",
      "epoch=1,step=0",
      "epoch=1,step=1",
      "epoch=1,step=end",
      "epoch=1",
      "epoch=end",
    ]);
    const [first, last] = [good[0], good.at(-1)];
    if (!first || !last) throw new Error("no checkpoint");
    using reader = openCheckpoint(run, last);
    const bytes = reader.tensor("bytes");
    const [final] = logged(run, "final");
    expect([bytes.byteLength, bytes[0]]).toEqual([5000, final?.value]);
    const places = reader.structure().places.map(({ key }) => key);
    expect(places).toEqual(expect.arrayContaining(["d0.weights", "d0.bytes", "d0.best"]));
    const tensors = parseSafetensors(join(run, "checkpoints", first.file));
    expect(tensors.get("bytes")).toMatchObject({ dtype: "U8", shape: [5000] });
    expect(tensors.get("bytes")?.data.byteLength).toBe(5000);
    for (const { file } of good) parseSafetensors(join(run, "checkpoints", file));
  });

  test("the commands show it", () => {
    const project = mkdtempSync(join(tmpdir(), "afterlog-golden-"));
    try {
      cpSync(join(run, ".."), join(project, ".afterlog/runs"), { recursive: true });
      const afterlog = (...argv: string[]): string =>
        execFileSync(process.execPath, [MAIN, "-C", project, ...argv], { encoding: "utf8" });
      expect(afterlog("ls", "--json")).toMatch(/"status":"done".*"checkpoints":9,.*"lr":0.25/);
      const out = afterlog("restore", "@@end", "--out", join(project, "end.safetensors"));
      expect(out).toMatch(/bytes +U8 \[5000\]/);
      expect(parseSafetensors(join(project, "end.safetensors")).has("bytes")).toBe(true);
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });
});

/** What Python reads, in its own words; what it logs must be the bytes that lie there. */
const READ = `
import json, sys
from afterlog.format.values import value_from_json, value_to_json
from afterlog.store.checkpoint_index import list_checkpoints
from afterlog.store.checkpoint_reader import open_checkpoint
from afterlog.store.runs import read_manifest
folder, name = sys.argv[1:]
odd, same = [], []
for line in open(folder + "/log.jsonl", encoding="utf-8"):
    record = json.loads(line)
    if record["k"] == "log" and record["name"] == "odd":
        value = value_from_json(record["value"])
        odd = [ascii(item) for item in value]
        again = [json.loads(value_to_json(item)) for item in value]
        same.append(json.dumps(again) == json.dumps(record["value"]))
files = []
for record in list_checkpoints(folder):
    with open_checkpoint(folder, record) as reader:
        reader.verify()
        tensor = reader.tensor(name)
        keys = [place["key"] for place in reader.structure()["places"]]
        files.append([record["file"], len(tensor), keys[0]])
print(json.dumps([read_manifest(folder)["status"], odd, same, files[-1], len(files)]))
`;

describe.each(everyInterpreter().supported)("%s reads", (command) => {
  test("what Python wrote", () => {
    for (const release of readdirSync(PYTHON)) {
      const [status, odd, same, last, count] = ask(
        command,
        READ,
        runIn(PYTHON, release),
        "bytes",
      ) as [string, string[], boolean[], unknown, number];
      expect({ status, same, last, count }).toEqual({
        status: "done",
        same: [true, true],
        last: ["epoch=end.safetensors", 5000, "d0.weights"],
        count: 9,
      });
      expect(odd).toEqual([
        "-0.0",
        "nan",
        "-inf",
        String.raw`'\udfff'`,
        "1152921504606846976",
        "1180591620717411303424",
        String.raw`b'\x00\xff'`,
        "{1: 'a'}",
      ]);
    }
  });

  test("what TypeScript wrote", () => {
    const histories = join(FIXTURES, "histories");
    for (const release of readdirSync(histories)) {
      const run = runIn(histories, release);
      const [status, odd, , last, count] = ask(command, READ, run, "weights") as unknown[];
      expect({ status, last, count }).toEqual({
        status: "done",
        last: ["epoch=end.safetensors", 8000, "d0.weights"],
        count: 7,
      });
      expect(odd).toEqual(
        expect.arrayContaining(["nan", String.raw`'\udfff'`, "1152921504606846976"]),
      );
    }
  });
});
