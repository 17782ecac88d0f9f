/** The command line: what it takes from flags, environment and file, and what it refuses. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Directive } from "../../src/format/index.ts";
import { MAIN, TestProject } from "../support/project.ts";

const TRAIN = `
import * as al from "afterlog";
for (const i of al.loop("i", al.range(3))) {
  al.log("x", i);
  // Too large to be recorded and given again.
  const [bits] = crypto.getRandomValues(new Uint32Array(1000));
  al.log("about", 1 + bits / 2 ** 32 / 10);
  if (i === 1 && process.env.FAIL === "1") process.exit(1);
}`;

class Project extends TestProject {
  constructor(file?: string) {
    super({ "train.mjs": TRAIN, ...(file === undefined ? {} : { "afterlog.toml": file }) });
  }

  get budget(): number | null | undefined {
    return this.manifest.overhead?.budget;
  }

  get directive(): Directive {
    return this.manifest.directive as Directive;
  }
}

test("a flag counts more than the environment, that more than the file", async () => {
  using project = new Project('[record]\noverhead = 0.1\nkeep = "every:2"\nconsole = false\n');
  await project.afterlog("run", "train.mjs");
  expect(project.budget).toBe(0.1);
  expect(project.directive).toMatchObject({ overhead: 0.1, keep: "every:2", console: false });
  const env = { AFTERLOG_OVERHEAD: "20%", AFTERLOG_KEEP: "All", AFTERLOG_SEED: "7" };
  await project.start([MAIN, "run", "train.mjs"], env).finished;
  expect(project.budget).toBe(0.2);
  expect(project.directive).toMatchObject({ overhead: 0.2, keep: "All", seed: "7" });
  await project.start([MAIN, "run", "--overhead", "Inf", "train.mjs"], env).finished;
  expect(project.directive).toMatchObject({ overhead: "inf", keep: "All" });
  expect(project.manifest.seed).toBe("7");
});

test("a run that goes on keeps what it began with, unless a flag says otherwise", async () => {
  using project = new Project("[record]\noverhead = 0.1\n");
  const failing = { FAIL: "1", AFTERLOG_OVERHEAD: "" };
  expect((await project.start([MAIN, "run", "train.mjs"], failing).finished).code).toBe(1);
  const first = project.manifest.run;
  project.write("afterlog.toml", "[record]\noverhead = 0.3\n");
  const again = { FAIL: "1", AFTERLOG_OVERHEAD: "0.4" };
  const { stderr } = await project.start([MAIN, "run", "--resume", "train.mjs"], again).finished;
  expect(stderr).toContain(`run ${first} resumes`);
  expect(project.budget).toBe(0.1);
  await project.afterlog("run", "--resume", "--overhead", "0.5", "train.mjs");
  expect([project.manifest.run, project.budget]).toEqual([first, 0.5]);
});

test("what is wrong is refused before anything starts", async () => {
  using project = new Project("[record]\nkep = 'all'\n");
  const done = await project.start([MAIN, "run", "train.mjs"], { AFTERLOG_MODE: "of" }).finished;
  expect(done.code).toBe(2);
  expect(done.stderr).toBe(`error[AL008]: afterlog.toml:2: record.kep is not a setting
  AFTERLOG_MODE=of is none of: record, off
  help: did you mean  keep = …  in [record]
  help: did you mean  AFTERLOG_MODE=off
  help: see all settings:  afterlog config
`);
  expect(existsSync(join(project.folder, ".afterlog"))).toBe(false);
});

test("how far values may differ that are close is a setting", async () => {
  using project = new Project();
  await project.afterlog("run", "train.mjs");
  expect((await project.afterlog("check")).code).toBe(3);
  project.write("afterlog.toml", "[replay]\ntolerance = 0.5\n");
  expect(await project.afterlog("check")).toMatchObject({ code: 0 });
});
