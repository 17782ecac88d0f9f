/** Replays as a user starts them: the same values as if the statement had been there. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Plan } from "../../src/format/index.ts";
import type { Place } from "./training.ts";
import { eventsOf, NAMES, STATEMENTS, Training, trainWith } from "./training.ts";

// Ten processes or so a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 300_000 });

/** What the program logs when it has the statements from the beginning. */
let fromScratch: ReadonlyMap<Place, readonly unknown[]>;
beforeAll(async () => {
  const places = Object.keys(STATEMENTS) as Place[];
  using truth = new Training();
  truth.add(...places);
  await truth.record();
  fromScratch = new Map(places.map((place) => [place, truth.logged(NAMES[place])]));
});

describe("a replay gives what the run would have logged", () => {
  it.each<[Place, number, string, number]>([
    ["prefix", 1, "prefix", 0],
    ["suffix", 1, "suffix", 0],
    ["outer", 2, "outer", 0],
    ["inner", 1, "inner", 1],
    ["inner", 2, "inner", 1],
  ])("%s with -j %i", async (place, jobs, scan, share) => {
    using project = await Training.recorded();
    project.add(place);
    const name = NAMES[place];
    const plan = (await project.json("plan", name, "-j", String(jobs))) as Plan;
    expect(plan.runs).toMatchObject([{ scan, share }]);
    const { code, stdout } = await project.afterlog("replay", name, "--yes", "-j", String(jobs));
    expect(code).toBe(0);
    expect(stdout).toMatch(/✔ \d+ cells? filled/);
    const rows = await project.frame(name);
    expect(rows.map((row) => row[name])).toEqual(fromScratch.get(place));
    const origins = new Set(rows.map((row) => JSON.stringify(row["origin"])));
    // A value before all loops has nothing to be compared with.
    const check = place === "prefix" ? "unchecked" : "verified";
    expect([...origins]).toEqual([JSON.stringify({ [name]: { from: "hindsight", check } })]);
  });

  it("for several names at once, and the steps that are asked for only", async () => {
    using project = await Training.recorded();
    project.add("inner", "outer");
    const where = "epoch = 2 and step between 3 and 4";
    const plan = (await project.json("plan", "norm", "--where", where)) as Plan;
    expect(plan).toMatchObject({
      runs: [{ scan: "inner", ranges: [{ epoch: [2, 2], step: [3, 4] }] }],
      where,
    });
    const executed = plan.runs[0]?.units.reduce((sum, unit) => sum + unit.iterations, 0);
    expect(executed).toBeLessThanOrEqual(5);
    expect((await project.afterlog("replay", "norm", "-y", "-w", where)).code).toBe(0);
    const rows = await project.frame("norm");
    expect(rows.map((row) => row["norm"])).toEqual(fromScratch.get("inner")?.slice(15, 17));
    expect((await project.afterlog("replay", "norm", "-y")).code).toBe(0);
    // What is there is not computed again: no step is executed for the other name.
    const rest = (await project.json("plan", "norm", "best")) as Plan;
    expect(rest.runs).toMatchObject([{ scan: "outer", share: 0 }]);
    expect((await project.afterlog("replay", "norm", "best", "-y")).code).toBe(0);
    const all = await project.frame("norm", "best");
    expect(all.map((row) => row["norm"])).toEqual(fromScratch.get("inner"));
    expect(new Set(all.map((row) => row["best"]))).toEqual(new Set(fromScratch.get("outer")));
  });

  it("and with --json says which rows meet a condition on what was asked", async () => {
    using project = await Training.recorded();
    project.add("outer");
    const all = fromScratch.get("outer") as number[];
    const least = all.toSorted((a, b) => a - b)[1] ?? NaN;
    const words = ["replay", "best", "-y", "--json", "--where", `best >= ${least}`];
    const { code, stdout } = await project.afterlog(...words);
    expect(code).toBe(0);
    const [matching] = eventsOf(stdout).filter(({ kind }) => kind === "matching");
    const rows = (matching as unknown as { rows: { best: number }[] }).rows;
    expect(rows.map(({ best }) => best)).toEqual(all.filter((best) => best >= least));
  });

  it("exits with 3 where it did not do again what was recorded", async () => {
    const read = 'total += process.getBuiltinModule("node:fs").readFileSync("data.txt").length';
    const program = trainWith().replace("total += state.w[0]!", read);
    using project = new Training({
      "train.ts": program,
      "data.txt": "1",
      ".gitignore": "data.txt",
    });
    await project.record();
    project.write("data.txt", "more than there was");
    project.write("train.ts", program.replace("//outer", STATEMENTS.outer));
    const { code, stderr } = await project.afterlog("replay", "best", "-y", "--from-start");
    expect(stderr).toContain("warning[AL051]");
    expect(code).toBe(3);
  });
});

const COMMONJS = `"use strict";
const al = require("afterlog");
const { grow } = require("./grow.cjs");
let x = 1;
for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", [2, 3, 5])) {
    x = grow(x) + Math.random() * step;
    al.log("x", x);
  }
  if (epoch === 2 && process.env.THROW) throw new Error("boom");
}
`;

describe("other programs", () => {
  it("of several files in CommonJS, also a run that failed", async () => {
    const grow = "exports.grow = (x) => {\n  return x * 1.5;\n};\n";
    using project = new Training({ "train.cjs": COMMONJS, "grow.cjs": grow });
    const env = { THROW: "1" };
    const failed = await project.afterlogWith(env, "run", "--seed", "3", "train.cjs");
    expect(failed.code).toBe(1);
    const asked =
      'const al = require("afterlog");\n' +
      grow.replace("  return", '  al.log("in", x);\n  return');
    project.write("grow.cjs", asked);
    const { code, stderr } = await project.afterlogWith(env, "replay", "in", "-y");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const rows = await project.frame("in", "x");
    // Each value that goes in came out of the step before.
    expect(rows.map((row) => row["in"])).toEqual([1, ...rows.slice(0, -1).map((row) => row["x"])]);
  });
});

describe("asking", () => {
  it("is no error where a run has the values, and another one failed before its loop", async () => {
    const early = 'if (process.env.EARLY) throw new Error("boom");\n';
    using project = new Training({
      "train.js": `${early}for (let i = 0; i < 3; i++) console.log("loss", i);\n`,
    });
    expect((await project.afterlogWith({ EARLY: "1" }, "run", "train.js")).code).toBe(1);
    expect((await project.afterlog("run", "train.js")).code).toBe(0);
    const { code, stdout, stderr } = await project.afterlog("replay", "loss", "-y");
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/left out: it has the values already/);
    expect(stdout).toMatch(/left out: it never came to the loop/);
    expect(stderr).toContain("nothing to do: the runs that can be replayed have the values");
  });

  it("again for filled cells costs nothing; another expression is another question", async () => {
    using project = await Training.recorded();
    project.add("suffix");
    expect((await project.afterlog("replay", "final", "-y")).code).toBe(0);
    const again = await project.afterlog("replay", "final", "-y");
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain("nothing to do: the cells are filled");
    project.write("train.ts", project.read("train.ts").replace("total * 2", "total * 4"));
    const [before] = await project.frame("final");
    expect((await project.afterlog("replay", "final", "-y")).code).toBe(0);
    const [after] = await project.frame("final");
    expect(after?.["final"]).not.toBe(before?.["final"]);
    const filled = (await project.json("plan", "final")) as Plan;
    expect(filled.runs).toEqual([]);
    // The same words elsewhere are another statement; added ones around it change nothing.
    const text = project.read("train.ts");
    const [statement = ""] = /al\.log\("final".*/.exec(text) ?? [];
    project.write("train.ts", text.replace('al.log("f1"', 'al.log("new", 1);\nal.log("f1"'));
    expect(((await project.json("plan", "final")) as Plan).runs).toEqual([]);
    project.write("train.ts", text.replace(statement, "").replace("//prefix", statement));
    expect(((await project.json("plan", "final")) as Plan).runs).toHaveLength(1);
  });

  it("needs a yes where nobody can be asked", async () => {
    using project = await Training.recorded();
    project.add("suffix");
    const { code, stderr } = await project.afterlog("replay", "final");
    expect(code).toBe(4);
    expect(stderr).toContain("--yes");
  });

  it("tells everything as events", async () => {
    using project = await Training.recorded();
    await project.record("lr=0.2");
    project.add("outer");
    const { stdout, code } = await project.afterlog("replay", "best", "-y", "--json");
    expect(code).toBe(0);
    const events = eventsOf(stdout);
    expect(events.every((event) => event["schema"] === 1)).toBe(true);
    const kinds = events.map(({ kind }) => kind);
    expect(kinds[0]).toBe("plan");
    expect(kinds.at(-1)).toBe("done");
    expect(kinds.filter((kind) => kind === "cell")).toHaveLength(6);
    expect(kinds).toContain("canary");
  });

  it("does not touch the repository or the working tree", async () => {
    using project = new Training();
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=b", ...args], {
        cwd: project.folder,
        encoding: "utf8",
      });
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "first");
    await project.record();
    project.add("inner");
    const state = (): string =>
      git("status", "--porcelain") +
      git("branch", "-a") +
      git("rev-parse", "HEAD") +
      readFileSync(join(project.folder, ".git/index")).toString("hex") +
      project.read("train.ts");
    const before = state();
    expect((await project.afterlog("replay", "norm", "-y")).code).toBe(0);
    expect(state()).toBe(before);
  });

  it("for a statement that is in no file puts it into the replay's tree only", async () => {
    using project = await Training.recorded();
    const before = project.read("train.ts");
    const line = before.split("\n").findIndex((text) => text.includes("//inner")) + 1;
    const point = ["--at", `train.ts:${line}`, "norm = Math.hypot(...state.w)"];
    const { code, stderr } = await project.afterlog("replay", ...point, "-y");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect((await project.frame("norm")).map((row) => row["norm"])).toEqual(
      fromScratch.get("inner"),
    );
    expect(project.read("train.ts")).toBe(before);
  });

  it("applies conditions on the asked name afterwards", async () => {
    using project = await Training.recorded();
    project.add("outer");
    const where = "epoch >= 1 and best > -1e9";
    const plan = (await project.json("plan", "best", "-w", where)) as Plan;
    expect(plan.after).toContain("best");
    expect(plan.runs[0]?.ranges).toEqual([{ epoch: [1, 2] }]);
    const { stdout } = await project.afterlog("replay", "best", "-y", "-w", where);
    expect(stdout).toContain("2 rows with");
  });
});

describe("what cannot be replayed", () => {
  it("is left out with the reason", async () => {
    using project = await Training.recorded();
    const text = project.read("train.ts").replace("//inner", 'al.log("norm", seen);');
    // More than additions: what it needs comes from a line that is another one.
    const changed = text.replace("let total = 0;", "let [total, seen] = [0, 1];");
    expect(changed).not.toBe(text);
    project.write("train.ts", changed);
    const { code, stderr } = await project.afterlog("replay", "norm", "-y");
    expect(code).toBe(1);
    expect(stderr).toMatch(/error\[AL034\].*\n.*seen/);
  });

  it("names what it looked for", async () => {
    using project = await Training.recorded();
    project.add("inner");
    const typo = await project.afterlog("plan", "norn");
    expect(typo.code).toBe(1);
    expect(typo.stderr).toMatch(/error\[AL021\]: no log statement named "norn"/);
    expect(typo.stderr).toContain("did you mean norm (train.ts:13)?");
    const where = await project.afterlog("plan", "norm", "-w", "epocj = 3");
    expect(where.stderr).toMatch(/error\[AL020\]/);
    const nameless = await project.afterlog("plan");
    expect(nameless.code).toBe(0);
    expect(nameless.stdout).toContain("norm  train.ts:13");
  });

  it("a statement that throws fails once, with the program's own line", async () => {
    using project = await Training.recorded();
    await project.record();
    project.write(
      "train.ts",
      project.read("train.ts").replace("//outer", 'al.log("bad", (state as any).x.y);'),
    );
    const { code, stderr, stdout } = await project.afterlog("replay", "bad", "-y");
    expect(code).toBe(3);
    expect(stderr).toContain("TypeError: Cannot read properties of undefined (reading 'y')");
    expect(stderr).toContain('train.ts:16  al.log("bad", (state as any).x.y);');
    expect(stdout).toMatch(/1 of (\d) processes failed, \d of \1 parts not executed/);
  });
});
