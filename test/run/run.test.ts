import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { MAIN, TestProject } from "../support/project.ts";

const LOG_X = 'import * as al from "afterlog";\nal.log("x", ';

describe("what can be run, without a build", () => {
  test.each<[string, { [name: string]: string }, string, unknown[]]>([
    ["TypeScript", { "t.ts": `${LOG_X}(1 as number satisfies number));` }, "t.ts", [1]],
    ["JavaScript module", { "t.mjs": `${LOG_X}2);` }, "t.mjs", [2]],
    ["JavaScript by its syntax", { "t.js": `${LOG_X}3);` }, "t.js", [3]],
    ["CommonJS", { "t.cjs": 'const al = require("afterlog");\nal.log("x", 4);' }, "t.cjs", [4]],
    [
      "TypeScript in a package that says commonjs",
      { "package.json": '{"type":"commonjs"}', "t.ts": `${LOG_X}5 as number);` },
      "t.ts",
      [5],
    ],
    [
      "imports with .js, .ts and no extension, and of a folder",
      {
        "t.ts":
          'import * as al from "afterlog";\nimport { a } from "./a.js";\nimport { b } from "./b";\nimport { c } from "./c/index.ts";\nimport { d } from "./d";\nal.log("x", a + b + c + d);',
        "a.ts": "export const a: number = 1;",
        "b.ts": "export const b: number = 2;",
        "c/index.ts": "export const c: number = 3;",
        "d/index.ts": "export const d: number = 4;",
      },
      "t.ts",
      [10],
    ],
    [
      "enums and parameter properties",
      {
        "t.ts": `enum E { A = 6 }\nclass C { constructor(readonly v: number) {} }\n${LOG_X}new C(E.A).v);`,
      },
      "t.ts",
      [6],
    ],
    [
      "CommonJS in TypeScript",
      {
        "t.ts":
          'const al = require("afterlog");\nconst { h } = require("./h");\nconst n: number = require.main === module ? h : 0;\nal.log("x", n);',
        "h.ts": "const h: number = 8;\nmodule.exports = { h };",
      },
      "t.ts",
      [8],
    ],
    [
      "CommonJS that requires TypeScript of every kind",
      {
        "t.js":
          'const al = require("afterlog");\nal.log("x", require("./a.ts").a + require("./b.cts").b + require("./c.js").c + require("./d.mts").d);',
        "a.ts": "export const a: number = 1;",
        "b.cts": "enum E { B = 2 }\nexports.b = E.B as number;",
        "c.ts": 'import * as al from "afterlog";\nal.log("inner", 1);\nexport const c: number = 4;',
        "d.mts": "export const d: number = 8;",
      },
      "t.js",
      [15],
    ],
    [
      "a module that imports names of CommonJS in TypeScript",
      {
        "t.ts": 'import * as al from "afterlog";\nimport { c } from "./c.cts";\nal.log("x", c);',
        "c.cts":
          'const { d } = require("./d.cts") as { d: number };\nexports.c = d + (1 as number);',
        "d.cts": "exports.d = 8 as number;",
      },
      "t.ts",
      [9],
    ],
    [
      "a thread in TypeScript",
      {
        "t.ts": `import { Worker } from "node:worker_threads";\nimport * as al from "afterlog";\nconst w = new Worker(new URL("./w.ts", import.meta.url));\nw.on("message", (n: number) => al.log("x", n));`,
        "w.ts": `import { parentPort } from "node:worker_threads";\nimport { n } from "./n";\nparentPort?.postMessage(n as number);`,
        "n.ts": "export const n: number = 10;",
      },
      "t.ts",
      [10],
    ],
    [
      "a forked process in TypeScript",
      {
        "t.ts": `import { fork } from "node:child_process";\nimport * as al from "afterlog";\nfork("./f.ts").on("message", (n: number) => al.log("x", n));`,
        "f.ts": `const n: number = 11;\nprocess.send?.(n);\nprocess.disconnect();`,
      },
      "t.ts",
      [11],
    ],
    ["top-level await", { "t.ts": `${LOG_X}await Promise.resolve(7));` }, "t.ts", [7]],
  ])("%s", async (_, files, program, expected) => {
    using project = new TestProject(files);
    const { code, stderr } = await project.afterlog("run", program);
    expect(stderr).not.toContain("error");
    expect(code).toBe(0);
    expect(project.logged("x")).toEqual(expected);
  });

  test("a forked process that logs records a run of its own", async () => {
    using project = new TestProject({
      "t.ts": `import { fork } from "node:child_process";\nimport * as al from "afterlog";\nal.log("parent", 1 as number);\nfork("./f.ts");`,
      "f.ts": `import * as al from "afterlog";\nal.log("child", 2 as number);`,
    });
    const { code, stderr } = await project.afterlog("run", "t.ts");
    expect([code, stderr.includes("rror")]).toEqual([0, false]);
    const logged = readdirSync(join(project.folder, ".afterlog/runs")).map((run) => {
      const log = readFileSync(join(project.folder, ".afterlog/runs", run, "log.jsonl"), "utf8");
      return [run.split("-")[0], /"name":"parent"/.test(log), /"name":"child"/.test(log)];
    });
    expect(logged).toHaveLength(2);
    expect(logged).toContainEqual(["f", false, true]);
    expect(logged).toContainEqual(["t", true, false]);
  });

  test("sources that are required are noted as those that are imported", async () => {
    using project = new TestProject({
      "t.ts": 'require("./h");\nrequire("afterlog").log("x", 1);',
      "h.ts": "exports.h = 1 as number;",
    });
    await project.afterlog("run", "t.ts");
    expect(Object.keys(project.manifest.sources).toSorted()).toEqual(["h.ts", "t.ts"]);
  });

  test("afterlog need not be installed in the project", async () => {
    using project = new TestProject({ "sub/t.ts": `${LOG_X}1);`, "sub/package.json": "{}" });
    const { code } = await project.afterlog("run", "sub/t.ts");
    expect(code).toBe(0);
  });

  test("a stack trace has the lines and columns of the source", async () => {
    const source =
      "interface T { a: number }\nconst f = (t: T): never => {\n  throw new Error(String(t.a));\n};\nf({ a: 1 });\n";
    using project = new TestProject({ "t.ts": source });
    const { code, stderr } = await project.afterlog("run", "t.ts");
    expect(code).toBe(1);
    expect(stderr).toMatch(/t\.ts:3:9/);
    expect(project.manifest.status).toBe("failed");
    expect(readFileSync(join(project.run, "stderr.log"), "utf8")).toMatch(/t\.ts:3:9/);
  });
});

describe("the program is left alone", () => {
  test("its output is passed on byte for byte and kept, its exit code returned", async () => {
    const program = `
      process.stdout.write(Buffer.from([0, 255, 10, 13, 27]));
      process.stderr.write("err\\n");
      console.log(JSON.stringify(process.argv.slice(2)), process.env.AFTERLOG_DIRECTIVE);
      process.exitCode = 7;`;
    using project = new TestProject({ "t.mjs": program });
    const { code, stdout, stderr } = await project.afterlog(
      "run",
      "t.mjs",
      "--json",
      "-C",
      "x",
      "a=1",
    );
    expect(code).toBe(7);
    expect(stdout.endsWith('["--json","-C","x","a=1"] undefined\n')).toBe(true);
    expect(stderr.startsWith("err\n")).toBe(true);
    const kept = readFileSync(join(project.run, "stdout.log"));
    expect(kept.subarray(0, 5)).toEqual(Buffer.from([0, 255, 10, 13, 27]));
    expect(readFileSync(join(project.run, "stderr.log"), "utf8")).toBe("err\n");
    expect(project.manifest).toMatchObject({ status: "failed", exitCode: 7 });
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "%s reaches it, and the run reads interrupted",
    async (signal) => {
      const program = `${LOG_X}1);\nconsole.log("ready");\nsetInterval(() => undefined, 1000);`;
      using project = new TestProject({ "t.ts": program });
      const { child, finished } = project.start([
        join(import.meta.dirname, "../../dist/cli/main.js"),
        "run",
        "t.ts",
      ]);
      await new Promise((ready) => child.stdout?.once("data", ready));
      while (!project.logged("x").includes(1)) await sleep(50);
      child.kill(signal);
      const { code } = await finished;
      expect(code).toBe(signal === "SIGINT" ? 130 : 143);
      expect(project.manifest).toMatchObject({ status: "interrupted", signal });
      expect(project.logged("x")).toEqual([1]);
    },
  );

  test("a handler of its own for Ctrl-C decides", async () => {
    const program = `${LOG_X}1);\nprocess.on("SIGINT", () => process.exit(5));\nconsole.log("ready");\nsetInterval(() => undefined, 1000);`;
    using project = new TestProject({ "t.ts": program });
    const { child, finished } = project.start([
      join(import.meta.dirname, "../../dist/cli/main.js"),
      "run",
      "t.ts",
    ]);
    await new Promise((ready) => child.stdout?.once("data", ready));
    child.kill("SIGINT");
    expect((await finished).code).toBe(5);
    expect(project.manifest).toMatchObject({ status: "failed", exitCode: 5 });
  });

  test("its streams can be opened by name, by it and by scripts", async () => {
    const program = `import { writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
writeFileSync("/dev/stdout", "a\\n");
execFileSync("sh", ["-c", "echo b > /dev/stdout; echo c > /dev/stderr"], { stdio: "inherit" });`;
    using project = new TestProject({ "t.mjs": program });
    const { code, stdout, stderr } = await project.afterlog("run", "t.mjs");
    expect([code, stdout]).toEqual([0, "a\nb\n"]);
    expect(stderr.startsWith("c\n")).toBe(true);
    expect(readFileSync(join(project.run, "stdout.log"), "utf8")).toBe("a\nb\n");
  });

  test("the command does not wait for processes that it leaves behind", async () => {
    const program = `import { spawn } from "node:child_process";
const left = spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
left.unref();
console.log(left.pid);`;
    using project = new TestProject({ "t.mjs": program });
    const { child, finished } = project.start([MAIN, "run", "t.mjs"]);
    const ended = new Promise((done) => child.once("exit", done));
    const pid = await new Promise<number>((said) => {
      child.stdout?.once("data", (text: string) => said(Number(text)));
    });
    expect(await ended).toBe(0);
    // It is still there, and holds the pipes of the test if not those of the command.
    process.kill(pid, "SIGKILL");
    expect((await finished).code).toBe(0);
  });

  test("what others write to our channel does not disturb the command", async () => {
    const program = `import { writeSync } from "node:fs";
for (const text of ["no JSON", "null", "7", '{"kind":"other"}', '{"kind":"live"}', "[]"]) writeSync(3, text + "\\n");
${LOG_X}1);`;
    using project = new TestProject({ "t.mjs": program });
    const { code, stderr } = await project.afterlog("run", "t.mjs");
    expect(code).toBe(0);
    expect(stderr).toContain("✔");
    expect(stderr).not.toContain("rror");
  });

  test("processes that it starts do not inherit our directive", async () => {
    const program = `${LOG_X}1);\nimport { execFileSync } from "node:child_process";\nexecFileSync(process.execPath, ["child.mjs"]);`;
    using project = new TestProject({ "t.ts": program, "child.mjs": `${LOG_X}2);` });
    const { code } = await project.afterlog("run", "t.ts");
    expect(code).toBe(0);
  });
});

describe("--json", () => {
  test.each([
    ["done", "", { status: "done", exitCode: 0, signal: null, loops: { i: 2 }, metrics: { n: 1 } }],
    ["failed", "process.exitCode = 3;", { status: "failed", exitCode: 3, signal: null }],
    [
      "killed",
      'process.kill(process.pid, "SIGKILL");',
      { status: "interrupted", exitCode: null, signal: "SIGKILL", overhead: null },
    ],
  ])("%s: the last line of standard error is one object", async (_, act, expected) => {
    const program = `import * as al from "afterlog";
for (const i of al.loop("i", al.range(2))) al.log("n", i);
console.log("mine"); ${act}`;
    using project = new TestProject({ "t.mjs": program });
    const { stdout, stderr } = await project.afterlog("run", "--json", "t.mjs");
    expect(stdout).toBe("mine\n");
    const last = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "") as object;
    expect(last).toMatchObject({ run: project.manifest.run, ...expected });
  });

  test("errors too", async () => {
    using project = new TestProject({});
    const { code, stderr } = await project.afterlog("run", "--json", "t.mjs");
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: "AL002" } });
  });
});

describe("seeds and arguments", () => {
  const program =
    'import * as al from "afterlog";\nal.log("draws", [Math.random(), Math.random()]);\nal.log("lr", al.arg("lr", 0.1));';

  test("the same seed draws the same, with and without the command line", async () => {
    using project = new TestProject({ "t.mjs": program });
    await project.afterlog("run", "--seed", "42", "t.mjs");
    const [first] = project.logged("draws");
    expect(project.manifest.seed).toBe("42");
    await project.start(["t.mjs"], { AFTERLOG_SEED: "42" }).finished;
    expect(project.logged("draws")).toEqual([first]);
    await project.afterlog("run", "t.mjs");
    expect(project.logged("draws")).not.toEqual([first]);
  });

  test("a drawn seed is recorded, and gives the run again", async () => {
    using project = new TestProject({ "t.mjs": program });
    await project.node("t.mjs");
    const first = project.logged("draws");
    await project.afterlog("run", "--seed", project.manifest.seed, "t.mjs");
    expect(project.logged("draws")).toEqual(first);
  });

  test.each([
    ["abc", true],
    ["-1", true],
    ["1.5", true],
    ["18446744073709551616", true],
    ["18446744073709551615", false],
    ["", false],
  ])("AFTERLOG_SEED=%s", async (seed, warned) => {
    using project = new TestProject({ "t.mjs": program });
    const alone = await project.start(["t.mjs"], { AFTERLOG_SEED: seed }).finished;
    expect(alone.code).toBe(0);
    const warnings = alone.stderr.match(/warning: AFTERLOG_SEED=.* is not a seed/g) ?? [];
    expect(warnings).toHaveLength(warned ? 1 : 0);
    expect(project.manifest.seed).toMatch(/^\d+$/);
    const { code } = await project.start([MAIN, "run", "t.mjs"], { AFTERLOG_SEED: seed }).finished;
    expect(code).toBe(warned ? 2 : 0);
    if (!warned && seed !== "") expect(project.manifest.seed).toBe(seed);
  });

  test.each([
    ["2%", 0.02, false],
    ["0.5", 0.5, false],
    ["", 1 / 15, false],
    ["7", 1 / 15, true],
    ["%", 1 / 15, true],
  ])("AFTERLOG_OVERHEAD=%s", async (share, budget, warned) => {
    using project = new TestProject({ "t.mjs": program });
    const { stderr } = await project.start(["t.mjs"], { AFTERLOG_OVERHEAD: share }).finished;
    expect(project.manifest.overhead?.budget).toBeCloseTo(budget, 3);
    expect(stderr.includes("is not a share")).toBe(warned);
  });

  test("show says once what was turned off", async () => {
    using project = new TestProject({
      "t.mjs":
        'import * as al from "afterlog";\nconst s = al.checkpointing({ n: 0 });\nfor (const i of al.loop("i", al.range(3))) s.n++;',
    });
    await project.start(["t.mjs"], { AFTERLOG_CRASH_AT: "ENOSPC:persist:before-header" }).finished;
    const { stdout } = await project.afterlog("show", "@");
    expect(stdout.match(/checkpoints.*turned off/g)).toHaveLength(1);
  });

  test("a typo is warned about, once, with what was meant", async () => {
    using project = new TestProject({ "t.mjs": program });
    const { code, stderr } = await project.afterlog("run", "t.mjs", "lrr=3", "--batch_size", "4");
    expect(code).toBe(0);
    expect(stderr.match(/argument lrr is not used.*did you mean lr\?/g)?.length).toBe(1);
    expect(stderr).toContain("argument batch_size is not used");
    expect(project.logged("lr")).toEqual([0.1]);
  });
});

describe("run ids are names that files and git take", () => {
  test.each([
    ["a..b.mjs", /^a\.b-\d{8}-/],
    [".hid.mjs", /^hid-\d{8}-/],
    ["--x.mjs", /^x-\d{8}-/],
    ["...mjs", /^run-\d{8}-/],
    ["a@{b}.mjs", /^a__b_-\d{8}-/],
    [`${"n".repeat(240)}.mjs`, /^n{60}-\d{8}-/],
    ["größe 1.mjs", /^gr__e_1-\d{8}-/],
  ])("%s", async (file, id) => {
    using project = new TestProject({ [file]: `${LOG_X}1);` });
    const { code, stderr } = await project.start([`./${file}`]).finished;
    expect(code).toBe(0);
    expect(stderr).not.toContain("warning");
    expect(project.manifest.run).toMatch(id);
    expect(project.manifest.version).not.toBeNull();
  });

  test("standard input", async () => {
    using project = new TestProject({});
    const { child, finished } = project.start(["--input-type=module", "-"], {}, { stdin: "pipe" });
    child.stdin?.end(`${LOG_X}1);`);
    expect((await finished).code).toBe(0);
    expect(project.manifest.run).toMatch(/^run-\d{8}-/);
  });
});

describe("bad input", () => {
  test.each<[string, string[], number, string, string]>([
    [
      "a file that is not there",
      ["run", "tran.ts"],
      1,
      "AL002",
      "did you mean  afterlog run train.ts",
    ],
    ["a file of another kind", ["run", "data.csv"], 1, "AL002", "afterlog run takes"],
    ["a notebook", ["run", "look.ipynb"], 1, "AL002", "jupyter nbconvert --to script look.ipynb"],
    ["a seed that is no number", ["run", "--seed", "x", "train.ts"], 2, "AL001", "--seed 42"],
    [
      "a seed of more than 64 bits",
      ["run", "--seed", "18446744073709551616", "train.ts"],
      2,
      "AL001",
      "--seed 42",
    ],
    ["a folder", ["run", "sub"], 1, "AL002", "afterlog run sub/train.ts"],
    [
      "an overhead that is no share",
      ["run", "--overhead", "7", "train.ts"],
      2,
      "AL001",
      "--overhead 2%",
    ],
    ["no file", ["run"], 2, "AL001", "afterlog run --help"],
    ["an unknown option", ["run", "--sed", "1", "train.ts"], 2, "AL001", "--seed"],
    ["an unknown command", ["rn"], 2, "AL001", "run"],
    ["a folder that is not there", ["-C", "nowhere", "ls"], 1, "AL006", "-C path"],
  ])("%s", async (_, argv, exit, code, help) => {
    using project = new TestProject({
      "train.ts": "",
      "data.csv": "",
      "look.ipynb": "{}",
      "sub/train.ts": "",
    });
    const result = await project.afterlog(...argv);
    expect(result.code).toBe(exit);
    expect(result.stderr).toContain(`error[${code}]`);
    expect(result.stderr).toContain(help);
    expect(result.stderr).toContain("help:");
    expect(existsSync(join(project.folder, ".afterlog"))).toBe(false);
  });

  test("elements in TypeScript are not supported, and it says so", async () => {
    using project = new TestProject({ "t.tsx": "console.log(<b>hi</b>);\n" });
    const { code, stderr } = await project.afterlog("run", "t.tsx");
    expect(code).toBe(1);
    expect(stderr).toContain("help: JSX is not supported");
  });

  test("TypeScript that does not parse says where", async () => {
    using project = new TestProject({ "t.ts": "const a: number = ;\n" });
    const { code, stderr } = await project.afterlog("run", "t.ts");
    expect(code).toBe(1);
    expect(stderr).toContain("error[AL002]");
    expect(stderr).toContain("t.ts:1:");
  });
});
