/** @file A value that nobody can capture: an error when it is declared, a warning when it comes later. */
import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/store/index.ts";
import { listCheckpoints } from "../../src/store/index.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { readLog, warnings } from "../support/recorded.ts";

const VALUES = [
  { what: "a Promise", value: "Promise.resolve(1)", says: /a Promise/ },
  { what: "a local symbol", value: "Symbol('x')", says: /symbol/ },
  { what: "a WeakMap", value: "new WeakMap()", says: /a WeakMap/ },
  { what: "a generator", value: "(function* () {})()", says: /a generator/ },
  { what: "a Proxy", value: "new Proxy({}, {})", says: /a Proxy/ },
  {
    what: "a class with private fields",
    value: "new (class Secret { #x = 1; get x() { return this.#x; } })()",
    says: /Secret, whose private fields/,
  },
] as const;
const FUNCTION = { what: "a function", value: "() => 1", says: /the function/ } as const;

describe("declared", () => {
  test.each(VALUES)("$what", async ({ value, says }) => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
const hidden = ${value};
al.checkpointing({ model: { layers: [{ w: 1 }, { inner: hidden }] } });
console.log("not reached");
`,
    );
    const ended = await project.train({ env: WITHOUT_GIT });
    expect(ended.code).toBe(1);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toContain("AL070");
    expect(ended.stderr).toMatch(/model\.layers(?:\[1\]|\.1)\.inner/);
    expect(ended.stderr).toMatch(says);
    expect(ended.stderr).toContain("train.mjs:3");
    // The repair, as the program's author reads it.
    expect(ended.stderr).toMatch(/leave it out of checkpointing|Symbol\.for|before the loop/);
    expect(readManifest(project.onlyRun)).toMatchObject({ status: "failed", exitCode: 1 });
    expect(readLog(project.onlyRun).sealed).toBe("failed");
  });
});

describe("met later", () => {
  const rows = [...VALUES, FUNCTION].flatMap((row) =>
    (["worker", "inline"] as const).map((mode) => ({ ...row, mode })),
  );
  test.each(rows)("$what, $mode", async ({ value, says, mode }) => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
const state = al.checkpointing({ n: 0, extra: null });
for (let round = 0; round < 5; round++) {
  for (const i of al.loop("i", al.range(3))) {
    al.log("n", ++state.n);
    if (round === 2) state.extra = ${value};
  }
}
console.log("finished");
`,
    );
    const ended = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_PERSIST: mode } });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "finished\n" });
    const said = warnings(ended.stderr).filter((line) => !line.includes("version turned off"));
    expect(said).toEqual([expect.stringMatching(/checkpoints turned off: AL070: .*extra/)]);
    expect(said[0]).toMatch(says);
    const { off, status } = readManifest(project.onlyRun);
    expect(status).toBe("done");
    expect(off.map(({ feature }) => feature)).toEqual(["version", "checkpoints"]);
    expect(listCheckpoints(project.onlyRun)).toHaveLength(2);
    expect(readLog(project.onlyRun)).toMatchObject({ sealed: "done", damage: [] });
  });

  test("a later declaration is not blamed for it", async () => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
const state = al.checkpointing({ n: 0 });
state.n = Promise.resolve();
const other = al.checkpointing({ m: 1 });
for (const i of al.loop("i", al.range(3))) other.m++;
console.log("finished", other.m);
`,
    );
    const ended = await project.train({ env: WITHOUT_GIT });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "finished 4\n" });
    expect(warnings(ended.stderr).join("\n")).toMatch(/checkpoints turned off: AL070: .*n cannot/);
  });

  test("a getter of the program that throws", async () => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
let fail = false;
const state = al.checkpointing({ get x() { if (fail) throw new TypeError("no x"); return 1; } });
for (let round = 0; round < 3; round++) {
  for (const i of al.loop("i", al.range(2))) al.log("n", i);
  fail = true;
}
console.log("finished");
`,
    );
    const ended = await project.train({ env: WITHOUT_GIT });
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "finished\n" });
    expect(warnings(ended.stderr).join("\n")).toContain("no x");
    expect(readLog(project.onlyRun)).toMatchObject({ sealed: "done", damage: [] });
  });
});
