/** The facts of recorded runs: of real ones, and of logs as a kill or a resumed run leaves them. */
import { appendFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { manifestToJson } from "../../src/format/index.ts";
import type { Manifest } from "../../src/format/index.ts";
import type { LoopEntry } from "../../src/planner/index.ts";
import { allEntries } from "../../src/planner/index.ts";
import { readRunFacts } from "../../src/replayer/index.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";

const PROGRAM = `
import * as al from "afterlog";
const state = al.checkpointing({ w: new Float64Array(4) });
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", [7, 8, 9, 10])) {
    state.w[0] += step;
    al.log("loss", state.w[0]);
    if (epoch === 1 && step === 8) break;
  }
  for (const x of al.loop("eval", [1])) al.log("seen", x);
  for (const x of al.loop("eval", new Set(["a"]))) if (KILL) process.kill(process.pid, "SIGKILL");
}
for (const x of al.loop("last", [])) al.log("never", x);
`;

async function recorded(kill: string): Promise<TestProject> {
  const project = new TestProject({ "train.mjs": PROGRAM.replace("KILL", kill) });
  await project.afterlog("run", "--overhead", "inf", "train.mjs");
  return project;
}

function keys(entries: readonly LoopEntry[]): string[] {
  return [...allEntries(entries)].map(({ key, iterations, how }) => `${key} ${iterations} ${how}`);
}

describe("readRunFacts", () => {
  test("a run that ended: its tree of loop entries, checkpoints and times", async () => {
    using project = await recorded("false");
    const facts = readRunFacts(project.run);
    expect(facts).toMatchObject({ program: "train.mjs", status: "done", lost: [] });
    expect(keys(facts.entries)).toMatchObject([
      "epoch=end 3 exhausted",
      "epoch=0,step=end 4 exhausted",
      "epoch=0,eval=end 1 exhausted",
      "epoch=0,eval#1=end 1 exhausted",
      expect.stringMatching(/^epoch=1,step=end 2 (?:closed|break)$/) as string,
      "epoch=1,eval=end 1 exhausted",
      "epoch=1,eval#1=end 1 exhausted",
      "epoch=2,step=end 4 exhausted",
      "epoch=2,eval=end 1 exhausted",
      "epoch=2,eval#1=end 1 exhausted",
      "last=end 0 exhausted",
    ]);
    expect([...facts.checkpoints.keys()]).toEqual(
      expect.arrayContaining(["epoch=0,step=end", "epoch=0", "epoch=2", "epoch=end"]),
    );
    const [epoch] = facts.entries;
    expect(epoch).toMatchObject({ ranged: true, depth: 0, site: { file: "train.mjs", line: 4 } });
    const times = Object.values(epoch?.times ?? {}) as number[][];
    expect(times.map((list) => list.length)).toEqual([3, 3, 3, 3]);
    expect(times.flat().every((ms) => ms >= 0)).toBe(true);
    expect(facts.times.gaps).toHaveLength(1);
  });

  test("a killed run: loops that never ended came as far as their records say", async () => {
    using project = await recorded("epoch === 1");
    const facts = readRunFacts(project.run);
    expect(facts.status).toBe("interrupted");
    const running = [...allEntries(facts.entries)].filter(({ how }) => how === null);
    // What was not yet flushed when the process was killed is not known.
    expect(running[0]).toMatchObject({ key: "epoch=end" });
    expect(running[0]?.iterations).toBeLessThanOrEqual(2);
    for (const { times, iterations } of running) expect(times.next).toHaveLength(iterations);
  });

  test("a checkpoint whose file is gone or cut is lost, and so are those that need its bytes", async () => {
    using project = await recorded("false");
    const folder = join(project.run, "checkpoints");
    rmSync(join(folder, "epoch=2.safetensors"));
    truncateSync(join(folder, "epoch=0,step=end.safetensors"), 100);
    const { lost, checkpoints } = readRunFacts(project.run);
    expect(lost).toEqual(expect.arrayContaining(["epoch=2", "epoch=0,step=end"]));
    for (const path of lost) expect(checkpoints.has(path)).toBe(false);
    for (const { holds } of checkpoints.values()) {
      expect(holds).not.toContain("epoch=0,step=end.safetensors");
    }
  });
});

/** A run directory with this log, as another writer may have left it. */
class HandmadeRun implements Disposable {
  readonly #project = new TestProject({});
  readonly folder: string = join(this.#project.folder, "run");

  constructor(records: readonly (object | string)[]) {
    mkdirSync(this.folder);
    const host = { name: "elsewhere", bootId: null, pid: 1, pidStart: null };
    const manifest = { format: 1, run: "r", program: "p", status: "done", host, versions: {} };
    const rewriter = { version: 1, rewritten: true, captureMap: null };
    const text = manifestToJson({ ...manifest, rewriter } as unknown as Manifest);
    writeFileSync(join(this.folder, "run.json"), text);
    for (const record of records) {
      const line = typeof record === "string" ? record : `${JSON.stringify(record)}\n`;
      appendFileSync(join(this.folder, "log.jsonl"), line);
    }
  }

  [Symbol.dispose](): void {
    this.#project[Symbol.dispose]();
  }
}

type Path = readonly (readonly [string, number])[];
let seq = 0;
const enter = (loop: string, path: Path = []): object => {
  return { k: "enter", seq: seq++, path, loop, entry: 0, site: null, iterator: 0, t: 0 };
};
const exit = (loop: string, path: Path, iterations: number): object => {
  const rest = { entry: 0, how: "exhausted", iterations, draws: [], pending: null, t: 5000 };
  return { k: "exit", seq: seq++, path, loop, ...rest };
};
const log = (path: Path): object => ({ k: "log", seq: seq++, path, name: "x", value: 1, t: 0 });

describe("logs as they come", () => {
  test.each<[string, () => (object | string)[], string[]]>([
    [
      "the last value tells how far a killed run came",
      () => [enter("a"), log([["a", 0]]), log([["a", 6]]), '{"k":"log","seq":9,"path":[["a",9'],
      ["a=end 7 null"],
    ],
    [
      "what a rewind supersedes is dropped",
      () => {
        const kept = [enter("a"), enter("b", [["a", 0]]), exit("b", [["a", 0]], 2)];
        const from = seq - 1;
        const dropped = [enter("b", [["a", 1]]), log([["a", 1]]), exit("a", [], 2)];
        const rewind = { k: "rewind", path: [["a", 0]], seq: from };
        seq = from + 1;
        return [...kept, ...dropped, rewind, enter("c", [["a", 1]]), exit("c", [["a", 1]], 1)];
      },
      ["a=end 2 null", "a=0,b=end 2 exhausted", "a=1,c=end 1 exhausted"],
    ],
    [
      "lines that are no JSON, and kinds that nobody knows, are passed over",
      () => [enter("a"), "nonsense\n", "null\n", "\n", { k: "later" }, exit("a", [], 1)],
      ["a=end 1 exhausted"],
    ],
  ])("%s", (_, records, expected) => {
    using run = new HandmadeRun(records());
    expect(keys(readRunFacts(run.folder).entries)).toEqual(expected);
  });

  test("a loop inside an iterator outlasts the iteration in which it was entered", () => {
    const inner = exit("shard", [["step", 0]], 1);
    const records = [enter("step"), enter("shard", [["step", 0]]), log([["step", 3]]), inner];
    using run = new HandmadeRun([...records, exit("step", [], 5)]);
    const entries = [...allEntries(readRunFacts(run.folder).entries)];
    expect(entries.map(({ key, outlasts }) => [key, outlasts])).toEqual([
      ["step=end", false],
      ["step=0,shard=end", true],
    ]);
  });

  test("of a loop that a resumed run went on with, not all draws were counted", () => {
    const open = enter("a");
    const rewind = { k: "rewind", path: [], seq: seq - 1 };
    const records = [open, rewind, enter("b", [["a", 1]]), exit("b", [["a", 1]], 1)];
    using run = new HandmadeRun([...records, exit("a", [], 2)]);
    const entries = [...allEntries(readRunFacts(run.folder).entries)];
    expect(entries.map(({ key, draws }) => [key, draws])).toEqual([
      ["a=end", null],
      ["a=1,b=end", []],
    ]);
  });

  test("a hands-free run of Python captures names", needs("python"), async () => {
    using project = new TestProject({ "t.py": "w = 0\nfor epoch in range(2):\n    w += epoch\n" });
    await project.afterlog("run", "t.py");
    expect(readRunFacts(project.run).rewritten).toBe(true);
  });

  test("a folder with a manifest alone has no loops", () => {
    using run = new HandmadeRun([]);
    expect(readRunFacts(run.folder)).toMatchObject({ entries: [], lost: [] });
  });
});
