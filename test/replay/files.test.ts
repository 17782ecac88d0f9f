/** The files of a replaying program: reads are those of the run, writes reach no original. */
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Course } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { replay } from "../support/replay.ts";
import type { Replayed } from "../support/replay.ts";

const SKIP: Course = { entry: "epoch=end", do: "skip", restore: "epoch=end.safetensors" };

function program(parts: { before?: string; body?: string; after?: string }): string {
  return `
import fs, { readFileSync, writeFileSync, existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import * as al from "afterlog";
const state = al.checkpointing({ w: [0] });
${parts.before ?? ""}
for (const epoch of al.loop("epoch", al.range(3))) {
  state.w[0] += epoch;
  ${parts.body ?? ""}
}
${parts.after ?? ""}
al.log("end", state.w[0]);
`;
}

/** Records the program, then replays it in a copy of the project that lies in the store. */
async function replayed(
  files: { readonly [name: string]: string },
  parts: Parameters<typeof program>[0],
  between: (project: TestProject, tree: string) => void,
): Promise<Replayed & { original: (name: string) => string }> {
  using project = new TestProject({ "train.mjs": program(parts), ...files });
  const { code, stderr } = await project.afterlog("run", "train.mjs");
  expect(code, stderr).toBe(0);
  const tree = join(project.folder, ".afterlog/trees/t1");
  for (const name of ["train.mjs", ...Object.keys(files)]) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    cpSync(join(project.folder, name), join(tree, name));
  }
  symlinkSync(join(project.folder, "node_modules"), join(tree, "node_modules"));
  between(project, tree);
  const result = await replay(project, "train.mjs", [SKIP], { root: tree });
  const originals = new Map(
    Object.keys(files).map((name) => [name, readFileSync(join(project.folder, name), "utf8")]),
  );
  return { ...result, original: (name) => originals.get(name) ?? "" };
}

const asLink = (project: TestProject, tree: string, file = "data.txt"): void => {
  rmSync(join(tree, file));
  symlinkSync(join(project.folder, file), join(tree, file));
};
const PROMISED = `const { exec } = await import("node:child_process");
const { promisify } = await import("node:util");`;
const nothing = (): void => undefined;

describe("files of a replay", () => {
  test.each<[string, Parameters<typeof program>[0], typeof asLink, string, string]>([
    ["read as they were", { before: 'readFileSync("data.txt");' }, nothing, "done", ""],
    [
      "changed since the run read them",
      { before: 'readFileSync("data.txt");' },
      (_, tree) => writeFileSync(join(tree, "data.txt"), "other"),
      "diverged",
      "data.txt has changed",
    ],
    [
      "gone since the run read them",
      { before: 'try { readFileSync("data.txt"); } catch {}' },
      (_, tree) => rmSync(join(tree, "data.txt")),
      "diverged",
      "data.txt is missing",
    ],
    [
      "written in a loop that is skipped, and read after it, as the run left it",
      { body: 'writeFileSync("out.txt", String(epoch));', after: 'readFileSync("out.txt");' },
      nothing,
      "done",
      "",
    ],
    [
      "written in a loop that is skipped, and read after it, as somebody left it since",
      { body: 'writeFileSync("out.txt", String(epoch));', after: 'readFileSync("out.txt");' },
      (project) => project.write("out.txt", "other"),
      "insufficient",
      "out.txt was written",
    ],
    [
      "written in a loop that is skipped, and looked for after it",
      { body: 'writeFileSync("out.txt", "x");', after: 'al.log("is", existsSync("out.txt"));' },
      nothing,
      "insufficient",
      "out.txt was written",
    ],
    [
      "written in a loop that is skipped, and listed after it",
      { body: 'writeFileSync("out.txt", "x");', after: 'al.log("n", readdirSync(".").length);' },
      nothing,
      "insufficient",
      "out.txt was written",
    ],
    [
      "written in folders of a folder that is listed after the loop",
      {
        before: 'fs.mkdirSync("o", { recursive: true }); writeFileSync("o/head", "");',
        body: 'fs.mkdirSync(`o/${epoch}`); writeFileSync(`o/${epoch}/w`, "x");',
        after: 'al.log("n", readdirSync("o").length);',
      },
      nothing,
      "insufficient",
      "was written",
    ],
    [
      "begun before a loop that is skipped, and gone on with in it and after it",
      {
        before: 'writeFileSync("m.csv", "head");',
        body: 'fs.appendFileSync("m.csv", "more");',
        after: 'writeFileSync("m.csv", "end", { flag: "a" }); al.log("n", readFileSync("m.csv"));',
      },
      nothing,
      "insufficient",
      "m.csv was written",
    ],
    [
      "removed in a loop that is skipped, and looked for after it",
      {
        before: 'fs.mkdirSync("old", { recursive: true });',
        body: 'if (epoch === 1) fs.rmdirSync("old");',
        after: 'al.log("is", existsSync("old"));',
      },
      nothing,
      "insufficient",
      "old was written",
    ],
    [
      "written in a loop that is skipped, and removed after it",
      { body: 'writeFileSync("tmp.txt", "x");', after: 'fs.unlinkSync("tmp.txt");' },
      nothing,
      "insufficient",
      "tmp.txt was written",
    ],
    [
      "written in a loop that is skipped, and left to another program after it",
      {
        before: 'const { execSync } = await import("node:child_process");',
        body: 'fs.appendFileSync("m.csv", "more");',
        after: 'al.log("n", execSync("cat m.csv | wc -c").toString());',
      },
      nothing,
      "insufficient",
      "m.csv was written",
    ],
    [
      "written in a loop that is skipped, and left to another program by a promise",
      {
        before: PROMISED,
        body: 'fs.appendFileSync("m.csv", "more");',
        after: 'al.log("n", (await promisify(exec)("cat m.csv | wc -c")).stdout);',
      },
      nothing,
      "insufficient",
      "m.csv was written",
    ],
    [
      "not touched, and another program answers by a promise",
      {
        before: PROMISED,
        after: 'if ((await promisify(exec)("echo said")).stdout !== "said\\n") throw new Error();',
      },
      nothing,
      "done",
      "",
    ],
    [
      "written before the loop only, and read after it",
      { before: 'writeFileSync("c.json", "{}");', after: 'al.log("c", readFileSync("c.json"));' },
      nothing,
      "done",
      "",
    ],
    [
      "written in the loop, and anew after it",
      {
        body: 'writeFileSync("m.txt", "x");',
        after: 'writeFileSync("m.txt", "y"); al.log("m", readFileSync("m.txt", "utf8"));',
      },
      nothing,
      "done",
      "",
    ],
    [
      "perhaps written by a program that was started in a loop that is skipped",
      {
        before: 'import { execSync } from "node:child_process";',
        body: 'execSync("echo x >> out.txt");',
        after: 'al.log("lines", readFileSync("out.txt", "utf8").length);',
      },
      nothing,
      "insufficient",
      "by a program that was started",
    ],
    [
      "in an environment that has changed",
      { before: "const scale = Number(process.env.SCALE ?? 1);" },
      () => void (process.env["SCALE"] = "7"),
      "diverged",
      "the environment variable SCALE",
    ],
    [
      "with a statement that looks at a variable as it is now",
      {},
      (_, tree) => appendFileSync(join(tree, "train.mjs"), 'al.log("s", process.env.SCALE);'),
      "diverged",
      "the run did not look at SCALE",
    ],
    [
      "with a key that has been renewed since",
      { before: "const key = process.env.WANDB_API_KEY;" },
      () => void (process.env["WANDB_API_KEY"] = "new"),
      "done",
      "",
    ],
    [
      "made by the run, and looked for before the loop",
      { before: 'if (existsSync("m.txt")) throw 1;', body: 'writeFileSync("m.txt", "x");' },
      nothing,
      "done",
      "",
    ],
  ])("%s", async (_, parts, between, kind, why) => {
    const { outcome } = await replayed({ "data.txt": "data" }, parts, between);
    const renewed = process.env["WANDB_API_KEY"] !== undefined;
    for (const name of ["SCALE", "WANDB_API_KEY"]) delete process.env[name];
    expect(outcome).toMatchObject({ kind, why: expect.stringContaining(why) as string });
    const hint = "the environment variable WANDB_API_KEY is not what it was";
    expect(outcome.hints ?? []).toEqual(renewed ? [hint] : []);
  });

  /** Ways to write a file of this name. */
  const WAYS: { readonly [way: string]: (file: string) => string } = {
    writeFileSync: (file) => `writeFileSync("${file}", "mine");`,
    appendFileSync: (file) => `fs.appendFileSync("${file}", "mine");`,
    "a file descriptor": (file) => `fs.writeSync(fs.openSync("${file}", "r+"), "mine");`,
    "a promise": (file) => `await writeFile("${file}", "mine");`,
    "a stream": (file) =>
      `await new Promise((ok) => fs.createWriteStream("${file}").end("mine", ok));`,
    truncateSync: (file) => `fs.truncateSync("${file}");`,
    chmodSync: (file) => `fs.chmodSync("${file}", 0o600);`,
    rmSync: (file) => `fs.rmSync("${file}");`,
    renameSync: (file) => `fs.renameSync("${file}", "other.txt");`,
    symlinkSync: (file) =>
      `fs.rmSync("${file}"); fs.symlinkSync("x", process.env.AFTERLOG_ORIGINAL + "/${file}");`,
    "a path of the project itself": (file) =>
      `writeFileSync(process.env.AFTERLOG_ORIGINAL + "/${file}", "mine");`,
    "a path through a linked folder": (file) => `writeFileSync("linked/${file}", "mine");`,
  };

  test("no way to write a file reaches an original", async () => {
    const ways = Object.entries(WAYS).map(([way, write], at) => {
      return { way, file: `data-${at}.txt`, statement: write(`data-${at}.txt`) };
    });
    const names = ways.flatMap(({ file }) => [file, `linked/${file}`]);
    const files = Object.fromEntries(names.map((file) => [file, "data"]));
    const before = "process.env.AFTERLOG_ORIGINAL ??= process.cwd();";
    const writes = ways.map(({ statement }) => statement).join("\n");
    const after = `if (process.cwd().includes(".afterlog")) { ${writes} }`;
    const run = await replayed(files, { before, after }, (project, tree) => {
      rmSync(join(tree, "linked"), { recursive: true });
      for (const { file } of ways) asLink(project, tree, file);
      mkdirSync(join(project.folder, "linked"), { recursive: true });
      symlinkSync(join(project.folder, "linked"), join(tree, "linked"));
      process.env["AFTERLOG_ORIGINAL"] = project.folder;
    });
    delete process.env["AFTERLOG_ORIGINAL"];
    expect(run.outcome, run.stderr).toMatchObject({ kind: "done" });
    const left = ways.map(({ way, file }) => {
      return [way, run.original(file), run.original(`linked/${file}`)];
    });
    expect(left).toEqual(ways.map(({ way }) => [way, "data", "data"]));
  });
});
