/** Runs that Python recorded, as the engine reads them; and runs of Node, as Python reads them. */
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openCheckpoint, listCheckpoints, verifyCheckpoints } from "../../src/store/index.ts";
import { readStrictly } from "../format/strict-safetensors.ts";
import { MAIN, TestProject } from "../support/project.ts";
import { ask, INTERPRETERS, PACKAGES, python, TORCH } from "../support/python.ts";
import { logged } from "../support/replay.ts";
import { needs } from "../support/needs.ts";

const LOOPS = `
import sys
import afterlog as al

lr = al.arg("lr", 0.1)
how = al.arg("how", "")
state = al.checkpointing(w=bytearray(5000), hist=[], best={"at": None})
for epoch in al.loop("epoch", range(al.arg("epochs", 3))):
    for name in al.loop("part", ["a", "é"]):
        state.w[epoch] += 1
        al.log("loss", lr / (1 + state.w[epoch]))
    state.hist.append(epoch)
    if epoch == 1 and how == "raise":
        raise ValueError("no")
    if epoch == 1 and how == "exit":
        sys.exit(7)
    if epoch == 1 and how == "SystemExit":
        raise SystemExit(9)
    if epoch == 1 and how == "interrupt":
        raise KeyboardInterrupt
    if epoch == 1 and how == "break":
        break
    al.log("odd", [-0.0, float("nan"), 2**70, "\\ud800", {"$": 1}, {1: 2}, None, True])
al.log("end", len(state.hist))
`;

describe.each(INTERPRETERS)("recorded with %s", (command) => {
  test("the engine reads it", async () => {
    using project = new TestProject({ "train.py": LOOPS });
    const env = { AFTERLOG_OVERHEAD: "inf" };
    const { code, stderr } = await python(project, command, ["train.py", "lr=0.5"], env);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^afterlog: run train-\S+ · 13 checkpoints /);
    const { manifest } = project;
    expect(manifest).toMatchObject({ status: "done", language: "python", exitCode: 0 });
    expect(Object.keys(manifest.sources)).toEqual(["train.py"]);
    expect(manifest.version?.private).toBe(true);
    const values = logged(project.records).filter(({ name }) => name === "loss");
    const paths = [0, 1, 2].flatMap((epoch) =>
      [0, 1].map((part) => ({
        path: `epoch=${epoch},part=${part}`,
        name: "loss",
        value: 0.5 / (2 + part),
      })),
    );
    expect(values).toEqual(paths);
    const { good, bad } = verifyCheckpoints(project.run);
    expect(bad).toEqual([]);
    expect(good.map(({ file }) => file)).toEqual([
      ...[0, 1, 2].flatMap((epoch) => [
        `epoch=${epoch},part=0.safetensors`,
        `epoch=${epoch},part=1.safetensors`,
        `epoch=${epoch},part=end.safetensors`,
        `epoch=${epoch}.safetensors`,
      ]),
      "epoch=end.safetensors",
    ]);
    // A tool that knows only docs/format.md agrees.
    const script = join(import.meta.dirname, "../format/read_run.py");
    execFileSync(command, [script, project.run], { encoding: "utf8" });
  });

  test.each([
    ["raise", 1, "failed", 1],
    ["exit", 7, "failed", 7],
    ["SystemExit", 9, "failed", 1],
    ["break", 0, "done", 0],
    ["interrupt", null, "interrupted", null],
  ])("left by %s", async (how, code, status, exitCode) => {
    using project = new TestProject({ "train.py": LOOPS });
    const finished = await python(project, command, ["train.py", `how=${how}`]);
    expect(finished.code).toBe(code);
    expect(project.manifest).toMatchObject({ status, exitCode });
    expect(project.records.at(-1)?.k === "seal").toBe(status !== "interrupted");
    const exits = project.records.filter((record) => record.k === "exit");
    const epoch = exits.find((record) => record.k === "exit" && record.loop === "epoch");
    // What an exception has left was running when the process ended.
    expect(epoch).toEqual(
      how === "break" ? expect.objectContaining({ how: "break", iterations: 2 }) : undefined,
    );
  });

  test("the commands show it", async () => {
    using project = new TestProject({ "train.py": LOOPS });
    const ran = await project.afterlog("run", "--python", command, "train.py", "epochs=2");
    expect({ code: ran.code, text: ran.stderr }).toMatchObject({
      code: 0,
      text: expect.stringContaining("2 × epoch") as unknown,
    });
    const frame = await project.afterlog("frame", "loss", "end", "--json");
    const rows = JSON.parse(frame.stdout) as { [name: string]: unknown }[];
    expect(rows.map((row) => [row["epoch"], row["part"], row["end"]])).toEqual([
      [0, "a", 2],
      [0, "é", 2],
      [1, "a", 2],
      [1, "é", 2],
    ]);
    const shown = await project.afterlog("show", "@");
    expect(shown.stdout).toContain("train.py epochs=2");
    const ls = await project.afterlog("ls");
    expect(ls.stdout).toContain("train-");
  });
});

test("a checkpoint has the tensors that were in memory", needs("torch"), async () => {
  using project = new TestProject({
    "train.py": `
import torch
import afterlog as al
model = torch.nn.Linear(40, 50)
kinds = "float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128"
kinds += " float8_e4m3fn float8_e5m2 uint16 uint32 uint64"
state = {
    kind: [torch.ones(shape).to(getattr(torch, kind)) for shape in [(3,), (), (0, 2), (50, 41)]]
    for kind in kinds.split() if hasattr(torch, kind)
}
state["größe \\"\\n"] = torch.arange(5000)[10::3]
state["__metadata__"] = torch.ones(6, 7).t()
with al.checkpointing(model=model, state=state, __pad=torch.ones(1)):
    for epoch in al.loop("epoch", range(2)):
        model.bias.data += 1
        state["int8"][0] += 1
        al.log("bias", model.bias)
`,
  });
  const env = { AFTERLOG_OVERHEAD: "inf" };
  const { code } = await python(project, TORCH ?? "", ["train.py"], env);
  expect(code).toBe(0);
  const records = listCheckpoints(project.run);
  expect(records.map(({ holds }) => holds)).toEqual([
    [],
    ["epoch=0.safetensors"],
    expect.any(Array),
  ]);
  const last = records.at(-1);
  if (!last) throw new Error("no checkpoint");
  using reader = openCheckpoint(project.run, last);
  expect(reader.names).toEqual(expect.arrayContaining(["model.bias", "model.weight"]));
  const logs = project.records.filter((record) => record.k === "log");
  const { value } = logs.at(-1) as { value: { offset: number; bytes: number } };
  const values = readFileSync(join(project.run, "values.bin"));
  const bias = values.subarray(value.offset, value.offset + value.bytes);
  expect(Buffer.from(reader.tensor("model.bias")).equals(bias)).toBe(true);

  const whole = join(project.folder, "whole.safetensors");
  expect((await project.afterlog("restore", "@@end", "--out", whole)).code).toBe(0);
  const files = records.map(({ file }) => join(project.run, "checkpoints", file));
  const read = [...files, whole].map((file) => readStrictly(readFileSync(file)));
  expect(read.at(-1)?.get("model.weight")).toMatchObject({ dtype: "F32", shape: [50, 40] });
  expect(read.at(-1)?.get("state.complex64.3")).toMatchObject({ dtype: "F32", shape: [50, 41, 2] });
});

test("the source is kept by the command, before the interpreter starts, or else by Python", async () => {
  using project = new TestProject({ "train.py": "import afterlog as al\nal.log('a', 1)\n" });
  const own = INTERPRETERS[0] ?? "python3";
  // It is asked for its version, by `-c`, before.
  const late = `[ "$1" = -c ] || touch "$LATE"\nexec ${own} "$@"`;
  project.write("python", `#!/bin/sh\n${late}\n`);
  chmodSync(join(project.folder, "python"), 0o755);
  const record = async (file: string, argv: readonly string[]): Promise<string[]> => {
    const env = { LATE: file, PYTHONPATH: PACKAGES };
    const [command = "", ...words] = argv;
    expect((await project.start(words, env, { command }).finished).code).toBe(0);
    const { version } = project.manifest;
    expect(version).toMatchObject({ private: true, folder: ".", large: [], warnings: [] });
    const gitDir = join(project.folder, ".afterlog/git");
    const asked = ["--git-dir", gitDir, "ls-tree", "--name-only", version?.ref ?? ""];
    rmSync(join(project.folder, file));
    const listed = execFileSync("git", asked, { encoding: "utf8" }).split("\n");
    rmSync(project.run, { recursive: true });
    return listed.filter((name) => name.endsWith(".txt"));
  };
  const run = [process.execPath, MAIN, "run", "--python", "./python", "train.py"];
  expect(await record("1.txt", run)).toEqual([]);
  expect(await record("2.txt", ["./python", "train.py"])).toEqual(["2.txt"]);
});

test("Python reads what Node wrote", async () => {
  using project = new TestProject({
    "t.mjs": `
import * as al from "afterlog";
const state = al.checkpointing({ w: new Float32Array(3000), v: new Float64Array([1, 2]) });
for (const epoch of al.loop("epoch", al.range(al.arg("epochs", 2)))) {
  state.w[epoch] += 1;
  al.log("loss", state.w[epoch]);
}
`,
  });
  await project.start(["t.mjs", "epochs=3"], { AFTERLOG_OVERHEAD: "inf" }).finished;
  const code = `
import json, sys
from afterlog.record.replay.recorded_run import RecordedRun
from afterlog.store.checkpoint_index import list_checkpoints
from afterlog.store.checkpoint_reader import open_checkpoint
from afterlog.store.runs import read_manifest
folder = sys.argv[1]
run, files = RecordedRun(folder), []
for record in list_checkpoints(folder):
    with open_checkpoint(folder, record) as reader:
        reader.verify()
        places = [place["key"] for place in reader.structure()["places"]]
        files.append([record["file"], places, reader.tensor("w").cast("f")[1]])
entry = run.entries["epoch=end"]
print(json.dumps([read_manifest(folder)["run"], run.args, entry.how, entry.iterations, files]))
`;
  expect(ask(INTERPRETERS[0] ?? "python3", code, project.run)).toEqual([
    project.manifest.run,
    { epochs: 3 },
    "exhausted",
    3,
    [
      ["epoch=0.safetensors", ["d0.w", "d0.v"], 0],
      ["epoch=1.safetensors", ["d0.w", "d0.v"], 1],
      ["epoch=2.safetensors", ["d0.w", "d0.v"], 1],
      ["epoch=end.safetensors", ["d0.w", "d0.v"], 1],
    ],
  ]);
});
