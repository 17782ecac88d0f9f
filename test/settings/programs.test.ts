/** Programs that record themselves: what they take from environment and file, and say of it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { JOINT_INVARIANT_DEFAULTS } from "../../src/materialize/index.ts";
import type { Finished } from "../support/process.ts";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS, python } from "../support/python.ts";

const [PYTHON = "python3"] = INTERPRETERS;

const FILES = {
  "train.mjs": `
    import * as al from "afterlog";
    import { createRequire } from "node:module";
    for (const i of al.loop("i", al.range(2))) al.log("x", i);
    const loaded = Object.keys(createRequire(import.meta.url).cache);
    console.log("toml", loaded.some((file) => file.includes("smol-toml")));`,
  "train.py": `
import sys
import afterlog as al
for i in al.loop("i", range(2)):
    al.log("x", i)
print("toml", str("tomllib" in sys.modules).lower())`,
};

class Project extends TestProject {
  constructor(file?: string) {
    super({ ...FILES, ...(file === undefined ? {} : { "afterlog.toml": file }) });
  }

  execute(program: string, env: NodeJS.ProcessEnv = {}): Promise<Finished> {
    return program.endsWith(".py")
      ? python(this, PYTHON, [program], env)
      : this.start([program], env).finished;
  }

  warnings({ stderr }: Finished): string[] {
    return stderr.split("\n").filter((line) => line.startsWith("afterlog: warning"));
  }
}

describe.each(Object.keys(FILES))("%s", (program) => {
  test("without a file no reader of TOML is loaded, and nothing is said", async () => {
    using project = new Project();
    const done = await project.execute(program);
    expect([done.code, done.stdout, project.warnings(done)]).toEqual([0, "toml false\n", []]);
    expect(project.manifest.overhead?.budget).toBe(JOINT_INVARIANT_DEFAULTS.overheadMax);
  });

  test("the file counts, and the environment more", async () => {
    using project = new Project('[record]\noverhead = "2%"\n');
    const done = await project.execute(program);
    expect([done.code, project.warnings(done)]).toEqual([0, []]);
    expect(project.manifest.overhead?.budget).toBe(0.02);
    await project.execute(program, { AFTERLOG_OVERHEAD: "0.5" });
    expect(project.manifest.overhead?.budget).toBe(0.5);
  });

  test.each([
    [
      "[record]\nkep = 'all'\noverhead = 0.02",
      0.02,
      "afterlog.toml:2: record.kep is not a setting",
    ],
    ["[record]\noverhead = 2", 0.0667, "afterlog.toml:2: record.overhead = 2 is not a share"],
    ["[record]\nkeep = all\noverhead = 0.02", 0.0667, "afterlog.toml:2: keep: a text stands in"],
  ])("what is wrong in the file is said once: %j", async (file, budget, warning) => {
    using project = new Project(file);
    const done = await project.execute(program);
    expect(done.code).toBe(0);
    expect(project.warnings(done)).toEqual([
      expect.stringContaining(`afterlog: warning: ${warning}`),
    ]);
    expect(project.manifest.overhead?.budget).toBe(budget);
  });

  test.each([
    ["OFF", []],
    ["none", ["AFTERLOG_MODE=none is none of: record, off; nothing is recorded"]],
  ])("AFTERLOG_MODE=%s records nothing", async (mode, warnings) => {
    using project = new Project("[record\n");
    const done = await project.execute(program, { AFTERLOG_MODE: mode });
    expect(done.code).toBe(0);
    expect(project.warnings(done)).toEqual(warnings.map((text) => `afterlog: warning: ${text}`));
    expect(existsSync(join(project.folder, ".afterlog"))).toBe(false);
  });
});
