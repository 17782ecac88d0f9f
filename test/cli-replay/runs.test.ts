/** What is done with runs besides asking them: why, check, restore, fork; replays stopped half-way. */
import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { MAIN } from "../support/project.ts";
import { eventsOf, Training } from "./training.ts";

// Ten processes or so a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 300_000 });

describe("afterlog why", () => {
  it("tells a recorded value from one in hindsight, and what the mark rests on", async () => {
    using project = await Training.recorded();
    const { run } = project.manifest;
    project.add("outer");
    expect((await project.afterlog("replay", "best", "-y")).code).toBe(0);
    const recorded = await project.afterlog("why", "@", "accuracy", "epoch=1");
    expect(recorded.stdout).toContain("recorded by the run itself");
    const hindsight = await project.afterlog("why", `${run}@epoch=1`, "best");
    expect(hindsight.stdout).toMatch(/hindsight: replay r1/);
    expect(hindsight.stdout).toContain('train.ts:16  al.log("best", state.w[1]! + total)');
    expect(hindsight.stdout).toMatch(/check +verified: \d+ of \d+ values on the way equal/);
    const object = (await project.json("why", "@", "best", "epoch=2")) as { check: string };
    expect(object).toMatchObject({ run, origin: "hindsight", check: "verified", line: 16 });
    const none = await project.afterlog("why", "@", "best", "epoch=9");
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain("has no value of best at epoch=9");
  });
});

const SHAKY = `import * as al from "afterlog";
import { readdirSync } from "node:fs";
let total = 0;
for (const step of al.loop("step", al.range(4))) {
  total += step * readdirSync("data").length + Math.random();
  al.log("loss", total);
}
`;

describe("afterlog check", () => {
  it("finds that a run does again what it did", async () => {
    using project = await Training.recorded();
    for (const jobs of ["1", "2"]) {
      const { code, stdout } = await project.afterlog("check", "@", "-j", jobs);
      expect(stdout).toMatch(/✔ .* (\d+) of \1 values equal the record/);
      expect(code).toBe(0);
    }
  });

  it("names the first difference and what it may come from", async () => {
    using project = new Training({ "shaky.ts": SHAKY, "data/a": "", ".gitignore": "data\n" });
    expect((await project.afterlog("run", "shaky.ts")).code).toBe(0);
    project.write("data/b", "");
    const { code, stdout } = await project.afterlog("check", "@", "--explain");
    // What came later than the run is not seen by a replay of it.
    expect({ code, stdout }).toMatchObject({ code: 0 });
    // Too large to be recorded and given again.
    const bytes = "crypto.getRandomValues(new Uint32Array(1000))[0]!";
    project.write("shaky.ts", SHAKY.replace(/step \* readdir.*length/, bytes));
    expect((await project.afterlog("run", "shaky.ts")).code).toBe(0);
    const shaken = await project.afterlog("check", "@", "--explain");
    expect(shaken.code).toBe(3);
    expect(shaken.stdout).toContain("error[AL051]");
    expect(shaken.stdout).toMatch(/loss @ step \d: recorded \S+, replayed /);
    expect(shaken.stdout).toContain("likely: crypto.getRandomValues() at shaky.ts:5");
  });

  it("says so if the program cannot be executed again", async () => {
    using project = new Training();
    using elsewhere = new Training();
    const mark = JSON.stringify(join(elsewhere.folder, "mark"));
    project.write(
      "once.ts",
      `import { existsSync } from "node:fs";
      for (let step = 0; step < 2; step++) console.log("loss", step / 2);
      if (existsSync(${mark})) throw new Error("not again");`,
    );
    expect((await project.afterlog("run", "once.ts")).code).toBe(0);
    elsewhere.write("mark", "");
    const { code, stdout } = await project.afterlog("check", "@");
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/✘ /);
    expect(stdout).not.toContain("✔");
  });
});

/** Reads a safetensors file by its specification alone. */
const READ = `
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + size])
meta = header.pop("__metadata__")
assert all(isinstance(value, str) for value in meta.values())
end = 0
for name, spec in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
    assert spec["data_offsets"][0] == end, name
    end = spec["data_offsets"][1]
assert 8 + size + end == len(data)
start, stop = header["w"]["data_offsets"]
print(json.dumps([header["w"]["dtype"], header["w"]["shape"],
    struct.unpack("<4d", data[8 + size + start:8 + size + stop]), meta["path"]]))
`;

describe("afterlog restore", () => {
  it("writes a complete file that others can read", async () => {
    using project = await Training.recorded();
    const read = (file: string): unknown =>
      JSON.parse(execFileSync("python3", ["-c", READ, join(project.folder, file)]).toString());
    const made = await project.afterlog("restore", "@@epoch=1", "--out", "model.safetensors");
    expect(made).toMatchObject({ code: 0 });
    const [dtype, shape, values, path] = read("model.safetensors") as [
      string,
      number[],
      number[],
      string,
    ];
    expect([dtype, shape, path]).toEqual(["F64", [4], "epoch=1"]);
    expect(values[1]).toBe(project.logged("accuracy")[1]);
    const again = await project.afterlog("restore", "@", "--out", "model.safetensors");
    expect(again.stderr).toMatch(/error\[AL042\].*exists already/);
    await project.afterlog("restore", "@@end", "--out", "model.safetensors", "--force");
    expect(read("model.safetensors")).toMatchObject({ 3: "epoch=end" });
    const missing = await project.afterlog("restore", "@@epoch=8", "--out", "x.safetensors");
    expect(missing.stderr).toMatch(/error\[AL035\]: .* has no checkpoint at epoch=8/);
    expect(existsSync(join(project.folder, "x.safetensors"))).toBe(false);
  });
});

describe("afterlog fork", () => {
  it.each([
    ["@@epoch=0", []],
    ["@@end", ["epochs=5"]],
    ["@@epoch=1,step=2", ["epochs=5"]],
  ])("%s %j goes on as the run would have", async (point, args) => {
    using truth = new Training();
    await truth.record(...args);
    using project = await Training.recorded();
    const { run: parent } = project.manifest;
    const { code, stderr } = await project.afterlog("fork", point, ...args);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(project.manifest).toMatchObject({ kind: "fork", parent });
    const own = project.logged("loss");
    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual(truth.logged("loss").slice(-own.length));
    expect(project.logged("f1")).toEqual(truth.logged("f1"));
  });

  it("takes other arguments, and refuses other source and unknown points", async () => {
    using project = await Training.recorded();
    const { run } = project.manifest;
    const before = project.logged("loss");
    expect((await project.afterlog("fork", `${run}@epoch=0`, "lr=0.7")).code).toBe(0);
    expect(project.logged("loss")).toHaveLength(12);
    expect(project.logged("loss")).not.toEqual(before.slice(6));
    const typo = await project.afterlog("fork", `${run}@epoch=0`, "lrr=0.7");
    expect(typo).toMatchObject({ code: 2 });
    const nowhere = await project.afterlog("fork", `${run}@epoch=7`);
    expect(nowhere.stderr).toContain("error[AL035]");
    project.add("prefix");
    const changed = await project.afterlog("fork", `${run}@epoch=0`);
    expect(changed.stderr).toMatch(/error\[AL034\].*train\.ts has changed since/);
    expect(changed.stderr).toContain('it differs outside of loop "epoch"');
  });

  it("takes other source inside of the loop, and says what differs", async () => {
    using project = await Training.recorded();
    const { run } = project.manifest;
    const inside = `if (epoch > 0) {
        for (const step of [0, 1]) state.w[step]! *= 0.5 + epochs / 10;
        al.log("halved", state.w[0]!);
      }`;
    project.write("train.ts", project.read("train.ts").replace("//outer", inside));
    expect((await project.afterlog("fork", `${run}@epoch=0`)).code).toBe(0);
    const forked = ["loss", "accuracy", "halved", "f1"].map((name) => project.logged(name));
    const shown = (await project.json("show", "@")) as { [key: string]: unknown };
    expect(shown).toMatchObject({ parent: run, point: "epoch=0" });
    expect(shown["differs"]).toEqual({ args: {}, data: {}, sources: ["train.ts"] });
    await project.record();
    const [loss, accuracy, halved, f1] = ["loss", "accuracy", "halved", "f1"].map((name) =>
      project.logged(name),
    );
    expect(forked).toEqual([loss?.slice(6), accuracy?.slice(1), halved, f1]);
    project.write(
      "train.ts",
      project.read("train.ts").replace(inside, "total += 1; lrs.push(lr);"),
    );
    project.write(
      "train.ts",
      project.read("train.ts").replace("let total", "const lrs = [0];\n$&"),
    );
    const names = await project.afterlog("fork", `${run}@epoch=0`);
    expect(names.stderr).toContain("error[AL034]");
  });
});

const slow = (gate: string): string => `import * as al from "afterlog";
import { existsSync } from "node:fs";
for (const step of al.loop("step", al.range(3))) {
  // While the gate is closed. It lies outside of the project: a path in it would mean the tree.
  while (existsSync(${JSON.stringify(gate)})) await new Promise((done) => setTimeout(done, 10));
  al.log("loss", step);
}
`;

describe("a replay that is stopped", () => {
  it("keeps what is finished and is continued", async () => {
    using project = new Training();
    const gate = `${project.folder}-gate`;
    project.write("slow.ts", slow(gate));
    for (let count = 0; count < 2; count++) {
      expect((await project.afterlog("run", "slow.ts")).code).toBe(0);
    }
    project.write(
      "slow.ts",
      slow(gate).replace('al.log("loss", step);', '$&\n  al.log("sq", step ** 2);'),
    );
    writeFileSync(gate, "");
    const asked = ["replay", "sq", "-y", "-j", "1", "--json"];
    const { child, finished } = project.start([MAIN, ...asked]);
    let seen = "";
    await new Promise<void>((running) => {
      child.stdout?.on("data", (text: string) => {
        seen += text;
        if (seen.includes('"running":1')) running();
      });
    });
    const listed = await project.afterlog("ps");
    expect(listed.stdout).toMatch(/r1 +running/);
    const cancelled = await project.afterlog("cancel", "r1");
    expect(cancelled.stdout).toContain("afterlog resume r1");
    expect(await finished).toMatchObject({ code: 130 });
    rmSync(gate);
    expect(eventsOf(seen).map(({ kind }) => kind)).toContain("plan");
    expect((await project.afterlog("ps")).stderr).toContain("r1 can be continued");
    // One that was started and done since is not what is continued.
    const other = ["replay", "sq", "-y", "--where", "step = 1"];
    expect((await project.afterlog(...other)).code).toBe(0);
    const { code, stdout } = await project.afterlog("resume");
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain("6 cells filled");
    const rows = await project.frame("sq");
    expect(rows.map((row) => row["sq"])).toEqual([0, 1, 4, 0, 1, 4]);
    expect((await project.afterlog("cancel", "r1")).stdout).toContain("is not running");
    expect((await project.afterlog("resume", "r9")).stderr).toContain("error[AL050]");
  });
});
