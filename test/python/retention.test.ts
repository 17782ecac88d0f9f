/**
 * Which checkpoints a Python run keeps: the same as one of TypeScript would, and what stays is
 * sound, whatever happens in between. And a run that is killed again and again.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatPath, parseKeep, parsePath } from "../../src/format/index.ts";
import { chooseRemoved, listCheckpoints, verifyCheckpoints } from "../../src/store/index.ts";
import { checkpointsOf, policies, shapes } from "../unit/retention/shapes.ts";
import { count } from "../support/draws.ts";
import { TestProject } from "../support/project.ts";
import type { Finished } from "../support/process.ts";
import { askWith, INTERPRETERS } from "../support/python.ts";
import { logged } from "../support/replay.ts";

const command = INTERPRETERS[0] ?? "python3";

const POLICIES = `
import json, sys
from afterlog.format.keep import KeepPolicy, parse_keep
from afterlog.store.retained import Retained
from afterlog.store.retention_policy import RetentionRequest, choose_removed
FIELDS = "file path kind bytes holds needs step enteredMs atMs".split()
asked = json.loads(sys.stdin.read())
answers = []
for one in asked["requests"]:
    checkpoints = [Retained(*(each[name] for name in FIELDS)) for each in one["checkpoints"]]
    request = RetentionRequest(
        checkpoints, KeepPolicy(**one["policy"]), one["newest"], one["wanted"], one["peak"], one["stepsMax"])
    answers.append([each.file for each in choose_removed(request)])
parsed = [parse_keep(text) for text in asked["texts"]]
print(json.dumps([answers, [policy and policy._asdict() for policy in parsed]]))
`;

test("decides as the TypeScript SDK does", () => {
  const peaks = ["epoch=1,step=1", "epoch=0", "epoch=5", "other=1"].map((text) => parsePath(text));
  const requests = fc.sample(
    fc.record({
      checkpoints: shapes.map(checkpointsOf),
      policy: policies,
      newest: fc.integer({ min: 0, max: 3 }),
      wanted: fc.subarray(["epoch=0", "epoch=1,step=end", "epoch=2"]),
      peak: fc.constantFrom(...peaks),
      stepsMax: fc.constantFrom(2, 5, 1e9),
    }),
    { numRuns: 300, seed: 7 },
  );
  const texts = "all|peak:a:b|peak:loss:min|peak:a:max|peak:|every:5|every:0|20GB|1.5 GiB|500mb|7b"
    .concat("|steps:2GB|steps:|12|1 XB|20 GB |kB|")
    .split("|");
  const [removed, parsed] = askWith(command, POLICIES, { requests, texts }) as [
    string[][],
    unknown[],
  ];
  const expected = requests.map(({ peak, ...request }) =>
    chooseRemoved({ ...request, peak }).map(({ file }) => file),
  );
  expect(removed).toEqual(expected);
  expect(removed.flat().length).toBeGreaterThan(500);
  for (const [index, text] of texts.entries()) {
    const policy = parseKeep(text);
    if (policy) expect(parsed[index]).toMatchObject(policy);
    else expect(parsed[index]).toBeNull();
  }
});

const TRAIN = `
import random
import afterlog as al

state = al.checkpointing(w=bytearray(24000), frozen=bytearray(16000), v=[0.0])
for epoch in al.loop("epoch", range(al.arg("epochs", 5))):
    for step in al.loop("step", range(4)):
        state.v[0] += random.random()
        state.w[step] = int(256 * random.random())
        al.log("loss", state.v[0])
    al.log("accuracy", -((epoch - 2) ** 2))
al.log("f1", [state.v[0], sum(state.w)])
`;

class Training extends TestProject {
  constructor() {
    super({ "train.py": TRAIN });
  }

  record(
    env: NodeJS.ProcessEnv,
    options: readonly string[],
    args: readonly string[] = [],
  ): Promise<Finished> {
    const argv = ["run", "--python", command, "--overhead", "inf", "--seed", "7", ...options];
    return this.afterlogWith(env, ...argv, "train.py", ...args);
  }

  get sound(): string[] {
    const { good, bad } = verifyCheckpoints(this.run);
    assert.deepEqual(bad, []);
    return good.map(({ path }) => formatPath(path));
  }

  /** Checkpoint files that are in no line. */
  get unlisted(): string[] {
    const listed = new Set(listCheckpoints(this.run).map(({ file }) => file));
    const files = readdirSync(join(this.run, "checkpoints"));
    return files.filter((file) => file !== "index.jsonl" && !listed.has(file));
  }
}

test.each([
  ["peak:accuracy", ["epoch=2", "epoch=4", "epoch=end"], ["epoch=1", "epoch=2,step=end"]],
  ["every:2", ["epoch=1", "epoch=1,step=end", "epoch=3"], ["epoch=0,step=end", "epoch=0"]],
  ["steps:60kB", ["epoch=0", "epoch=0,step=end", "epoch=3"], ["epoch=0,step=1"]],
])("--keep %s", async (policy, there, gone) => {
  using project = new Training();
  const { code, stderr } = await project.record({}, ["--keep", policy]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).not.toContain("warning");
  const kept = project.sound;
  expect(kept).toEqual(expect.arrayContaining(there));
  for (const path of gone) expect(kept).not.toContain(path);
  expect(project.unlisted).toEqual([]);
});

test("a name that nothing logs removes nothing, and is said; gc takes what is too many", async () => {
  using project = new Training();
  const { stderr } = await project.record({ AFTERLOG_KEEP: "peak:acuracy" }, []);
  expect(stderr).toContain("nothing logged acuracy: every checkpoint is kept");
  expect(project.sound).toHaveLength(31);
  const tried = await project.afterlog("gc", "--policy", "peak:accuracy", "--dry-run");
  expect(tried.stdout).toContain("would be freed");
  expect(project.sound).toHaveLength(31);
  expect((await project.afterlog("gc", "--policy", "peak:accuracy", "--yes")).code).toBe(0);
  expect(project.sound).toEqual(expect.arrayContaining(["epoch=2", "epoch=4", "epoch=end"]));
  expect(project.sound.length).toBeLessThan(10);
});

/** What readers see: records that a later part of the run supersedes are dropped. */
function seen(project: TestProject): unknown[] {
  let records: TestProject["records"] = [];
  for (const record of project.records) {
    if (record.k !== "rewind") records = [...records, record];
    else records = records.filter((one) => "seq" in one && one.seq <= record.seq);
  }
  return logged(records);
}

/** Each is a process of its own, and takes seconds. */
const KILLS = count(7, { long: 20 });

describe(`killed ${KILLS} times`, () => {
  const points = [
    "persist:before-data",
    "persist:before-header-sync",
    "persist:before-rename",
    "persist:before-index",
    "persist:after-index",
    "retention:before-lines",
    "retention:before-unlink",
  ];
  test("it goes on each time, with the numbers that it would have had", async () => {
    const args = ["epochs=24"];
    using whole = new Training();
    expect((await whole.record({}, [], args)).code).toBe(0);
    using project = new Training();
    const keep = ["--keep", "peak:accuracy"];
    for (let kill = 0; kill < KILLS; kill++) {
      const point = points[kill % points.length] ?? "";
      const env = { AFTERLOG_CRASH_AT: `${point}#${3 + (kill % 4)}` };
      const again = kill > 0 && existsSync(join(project.folder, ".afterlog/runs"));
      const { code } = await project.record(env, again ? ["--resume"] : keep, args);
      expect({ kill, point, code }).toEqual({ kill, point, code: 137 });
      expect(verifyCheckpoints(project.run).bad).toEqual([]);
    }
    const { code, stderr } = await project.record({}, ["--resume"], args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    assert.equal(project.manifest.status, "done");
    expect(project.manifest.resumed?.length).toBe(KILLS);
    expect(seen(project)).toEqual(logged(whole.records));
    expect(project.sound).toEqual(expect.arrayContaining(["epoch=2", "epoch=23", "epoch=end"]));
    expect(project.sound.length).toBeLessThan(12);
  }, 180_000);
});
