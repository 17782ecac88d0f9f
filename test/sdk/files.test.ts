/** @file Which files a run read, wrote and was made of, with the command line and without. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TestProject } from "../support/project.ts";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What the log says of files, without numbers and times. */
function fileRecords(project: TestProject): object[] {
  return project.records.flatMap((record) => {
    if (record.k !== "file") return [];
    const { op, file, path, hash } = record;
    return [{ op, file, path, ...(hash === undefined ? {} : { hash }) }];
  });
}

const read = (file: string, text: string): object => ({
  op: "read",
  file,
  path: [],
  hash: `sha256:${sha256(text)}`,
});
const write = (file: string): object => ({ op: "write", file, path: [] });
const sealed = (file: string, text: string): object => ({ ...read(file, text), op: "sealed" });

interface FileRow {
  readonly what: string;
  readonly body: string;
  readonly expected: readonly object[];
}

const BEFORE: readonly FileRow[] = [
  {
    what: "read, then changed, before the first call",
    body: `fs.readFileSync("data.txt"); fs.writeFileSync("data.txt", "new"); al.log("x", 1);`,
    expected: [read("data.txt", "data"), write("data.txt"), sealed("data.txt", "new")],
  },
  {
    what: "read by a promise, by a stream and by name",
    body: `await promises.readFile("data.txt");
for await (const _ of fs.createReadStream("other.txt"));
readFileSync("third.txt"); al.log("x", 1);`,
    expected: [read("data.txt", "data"), read("other.txt", "other"), read("third.txt", "third")],
  },
  {
    what: "in the store, or of a package: of no interest",
    body: `fs.mkdirSync(".afterlog/mine", { recursive: true }); fs.writeFileSync(".afterlog/mine/x", "");
fs.readFileSync("node_modules/afterlog/package.json"); al.log("x", 1);`,
    expected: [],
  },
  {
    what: "read before and after the first call: once",
    body: `fs.readFileSync("data.txt"); al.log("x", 1); fs.readFileSync("data.txt");`,
    expected: [read("data.txt", "data")],
  },
];

const OPENED: readonly FileRow[] = [
  ...["r", "rs", ""].map((flags) => opened(JSON.stringify(flags), ["read"])),
  ...["r+", "rs+", "a+"].map((flags) => opened(JSON.stringify(flags), ["read", "write"])),
  ...["a", "as"].map((flags) => opened(JSON.stringify(flags), ["write"])),
  opened("fs.constants.O_RDONLY", ["read"]),
  opened("fs.constants.O_RDWR", ["read", "write"]),
  opened("fs.constants.O_WRONLY", ["write"]),
];

function opened(flags: string, ops: readonly ("read" | "write")[]): FileRow {
  const given = flags === '""' ? "" : `, ${flags}`;
  const expected = ops.map((op) => (op === "read" ? read("data.txt", "data") : write("data.txt")));
  if (ops.includes("write")) expected.push(sealed("data.txt", "data"));
  const body = `al.log("x", 1); fs.closeSync(fs.openSync("data.txt"${given}));`;
  return { what: `opened${given}`, body, expected };
}

const TRUNCATED: readonly FileRow[] = [
  '"w"',
  '"w+"',
  "fs.constants.O_RDWR | fs.constants.O_TRUNC",
].map((flags) => ({
  what: `emptied by ${flags}`,
  body: `al.log("x", 1); fs.closeSync(fs.openSync("data.txt", ${flags}));`,
  expected: [write("data.txt"), sealed("data.txt", "")],
}));

describe("files", () => {
  test.each([...BEFORE, ...OPENED, ...TRUNCATED])("$what", async ({ body, expected }) => {
    using project = new TestProject({
      "package.json": "{}",
      "data.txt": "data",
      "other.txt": "other",
      "third.txt": "third",
      "train.mjs": `import * as al from "afterlog";
import fs, { promises, readFileSync } from "node:fs";
${body}
`,
    });
    const ended = await project.start(["train.mjs"], { PATH: "/nonexistent" }).finished;
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: 0, stdout: "" });
    expect(fileRecords(project)).toEqual(expected);
  });

  test("nothing is recorded: the program reads what it reads", async () => {
    using project = new TestProject({
      "package.json": "{}",
      "train.mjs": `import * as al from "afterlog";
import { readFileSync } from "node:fs";
console.log(readFileSync("package.json", "utf8"), al.arg("x", 1));
`,
    });
    const ended = await project.start(["train.mjs"], { AFTERLOG_MODE: "off" }).finished;
    expect(ended).toMatchObject({ code: 0, stdout: "{} 1\n", stderr: "" });
  });
});

/** Says of each function of Node's that is watched what others can see of it. */
const LOOK_AT_FUNCTIONS = `
const look = (value, depth) => typeof value !== "function" ? typeof value
  : depth === 0 ? "function"
  : Reflect.ownKeys(value).filter((key) => key !== "prototype").map((key) => [String(key), key === "name" || key === "length"
      ? value[key] : look(value[key], depth - 1)]).sort();
for (const module of [fs, fs.promises, childProcess])
  for (const [name, value] of Object.entries(module))
    if (!/^[A-Z_]/.test(name)) console.log(name, JSON.stringify(look(value, 2)));
`;

describe("watched functions of Node", () => {
  const head = `import fs from "node:fs";
import childProcess, { exec, execFile } from "node:child_process";
import { promisify } from "node:util";
`;
  const use = `console.log(await promisify(exec)("echo said; echo warned >&2"));
console.log(await promisify(execFile)("echo", ["said"]));
console.log(await promisify(fs.exists)("train.mjs"), fs.realpathSync.native("/"));
`;

  test("are to the program what they were", async () => {
    using project = new TestProject({
      "plain.mjs": head + use + LOOK_AT_FUNCTIONS,
      "train.mjs": `import * as al from "afterlog";\n${head}${use}${LOOK_AT_FUNCTIONS}al.log("x", 1);`,
    });
    const plain = await project.node("plain.mjs");
    const watched = await project.afterlog("run", "train.mjs");
    expect(plain.stdout).toContain(`{ stdout: 'said\\n', stderr: 'warned\\n' }`);
    expect(watched.stdout).toBe(plain.stdout);
    expect(fileRecords(project)).toContainEqual(write("*"));
  });
});

/** Each file of the program, by how it comes in. */
const PROGRAM: { readonly [file: string]: string } = {
  "train.mjs": `import * as al from "afterlog";
import { one } from "./lib/one.js";
import config from "./config.json" with { type: "json" };
// import "./unused.js";
/* import "./unused.js"; */
import required from "./required.cjs";
const text = "src/**/*.js"; const site = 'http://x//"';
import {
  two,
} from './lib/two.mjs';
export * from "./lib/three.mjs";
const four = await import("./lib/four.mjs");
al.log("sum", one + two + config.five + four.four + required.six);
process.stdout.write(text.slice(0, 0) + site.slice(0, 0));
`,
  "lib/one.js": 'export { one } from "./deep.js";\nimport "../train.mjs";\n',
  "lib/deep.js": "export const one = 1;\n",
  "lib/two.mjs": 'import "node:fs";\nexport const two = 2;\n',
  "lib/three.mjs": "export const three = 3;\n",
  "lib/four.mjs": "export const four = 4;\n",
  "config.json": '{ "five": 5 }\n',
  "required.cjs": 'exports.six = require("./lib/" + "six.cjs").six;\n',
  "lib/six.cjs": "exports.six = 6;\n",
};
const NOT_LOADED: { readonly [file: string]: string } = {
  "unused.js": "",
  "package.json": "{}",
  "lib/package.json": '{ "type": "module" }\n',
};

describe("sources", () => {
  const expected = Object.fromEntries(
    Object.entries(PROGRAM).map(([file, text]) => [file, sha256(text)]),
  );

  test.each([
    ["node", ["train.mjs"]],
    ["afterlog run", [join(import.meta.dirname, "../../dist/cli/main.js"), "run", "train.mjs"]],
  ])("%s: each file that was loaded, modules of JSON too", async (_, argv) => {
    using project = new TestProject({ ...PROGRAM, ...NOT_LOADED });
    const ended = await project.start(argv).finished;
    expect(ended.code, ended.stderr).toBe(0);
    expect(project.logged("sum")).toEqual([18]);
    expect(project.manifest.sources).toEqual(expected);
  });

  test("they are known from the beginning on, as they were then", async () => {
    using project = new TestProject({
      "package.json": "{}",
      "lib.mjs": "export const one = 1;\n",
      "train.mjs": `import * as al from "afterlog";
import { writeFileSync } from "node:fs";
import { one } from "./lib.mjs";
al.log("one", one);
writeFileSync("lib.mjs", "changed");
if (process.argv[2] === "die") process.kill(process.pid, "SIGKILL");
`,
    });
    const train = readFileSync(join(project.folder, "train.mjs"), "utf8");
    const sources = { "train.mjs": sha256(train), "lib.mjs": sha256("export const one = 1;\n") };
    expect((await project.node("train.mjs", "die")).signal).toBe("SIGKILL");
    expect(project.manifest.sources).toEqual(sources);
  });
});
