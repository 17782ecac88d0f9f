/** A version that fails fails alone, with its error and what can be done about it. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { History } from "./history.ts";

vi.setConfig({ testTimeout: 600_000 });

/** `classes`: what the evaluation tells besides the total. */
const train = (classes: string, put = ""): string => `import * as al from "afterlog";

const state = al.checkpointing({ w: new Float64Array(2) });
function evaluate(): any {
  return { total: state.w[0]!${classes} };
}
for (const epoch of al.loop("epoch", al.range(2))) {
  state.w[0]! += Math.random();
  state.w[1]! += Math.random();
  const result = evaluate();
  al.log("total", result.total);
${put}}
`;

const BY_CLASS = ", byClass: { ped: state.w[1]! }";
const STATEMENT = '  al.log("f1_ped", result.byClass.ped);\n';

describe("a version in which the statement throws", () => {
  it("fails alone; its own expression repairs it", async () => {
    using history = new History();
    await history.record({ files: { "train.ts": train("") } });
    await history.record({ files: { "train.ts": train(BY_CLASS) } });
    await history.record({ files: { "train.ts": train(`${BY_CLASS}, extra: 1`) } });
    const [oldest = ""] = history.names;
    history.put({ "train.ts": train(`${BY_CLASS}, extra: 1`, STATEMENT) });
    // That version knows no `byClass`: somebody has to say that it is right all the same.
    expect((await history.afterlog("where", "f1_ped", oldest, "--accept")).code).toBe(0);
    const failed = await history.afterlog("replay", "f1_ped", "--yes");
    expect(failed.code).toBe(3);
    expect((await history.values("f1_ped")).map((own) => own.length)).toEqual([0, 2, 2]);
    expect(failed.stderr).toContain(`✘ ${oldest} (`);
    expect(failed.stderr).toMatch(/train\.ts:12 {2}al\.log\("f1_ped", result\.byClass\.ped\)/);
    expect(failed.stderr).toMatch(/\n +\^{7}\n/);
    const [, commit = ""] = /afterlog where f1_ped ([0-9a-f]{7}) --edit/.exec(failed.stderr) ?? [];
    expect(failed.stderr).toContain(`--skip ${oldest}`);
    const own = 'al.log("f1_ped", result.total * 2)';
    const edited = await history.afterlog("where", "f1_ped", commit, "--edit", own);
    expect(edited.code).toBe(0);
    expect((await history.afterlog("replay", "f1_ped", "--yes")).code).toBe(0);
    const [repaired = []] = await history.values("f1_ped");
    const totals = (await history.rows("total")).filter((row) => row["run"] === oldest);
    expect(repaired).toEqual(totals.map((row) => Number(row["total"]) * 2));
  });
});

const lock = (folder: string): string =>
  JSON.stringify({
    name: "p",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { dependencies: { dep: `file:vendor/${folder}` } },
      "node_modules/dep": { resolved: `vendor/${folder}`, link: true },
      [`vendor/${folder}`]: { name: "dep", version: "1.0.0" },
    },
  });

const importing = (put = ""): string => `import * as al from "afterlog";
import { scale } from "dep";

let x = 1;
for (const epoch of al.loop("epoch", al.range(2))) {
  x *= scale;
  al.log("x", x);
${put}}
`;

/** A version that depends on another package. */
function depending(folder: string, value: number): { readonly [file: string]: string } {
  return {
    "train.ts": importing(`  // ${folder}\n`),
    "package.json": JSON.stringify({
      type: "module",
      dependencies: { dep: `file:vendor/${folder}` },
    }),
    "package-lock.json": lock(folder),
    [`vendor/${folder}/package.json`]:
      '{"name":"dep","version":"1.0.0","type":"module","main":"index.js"}',
    [`vendor/${folder}/index.js`]: `export const scale = ${value};\n`,
  };
}

/** As `npm install` would, but as a copy: the packages of now are not those of the project. */
function install(history: History, folder: string): void {
  const to = join(history.folder, "node_modules/dep");
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  cpSync(join(history.folder, "vendor", folder), to, { recursive: true });
}

describe("a version that looks at environment variables", () => {
  const reading = (put: string): string => `import * as al from "afterlog";
const key = process.env.WANDB_API_KEY;
let x = Number(process.env.SCALE ?? 1);
for (const epoch of al.loop("epoch", al.range(2))) {
  x *= 3;
  al.log("x", x);
${put}}
`;

  it("stops where one is another, goes on when it is set back; a key may be renewed", async () => {
    using history = new History();
    await history.record({ files: { "train.ts": reading("") } });
    history.put({ "train.ts": reading('  al.log("twice", x * 2);\n') });
    const renewed = { WANDB_API_KEY: "new" };
    const ask = (argv: readonly string[], env: NodeJS.ProcessEnv) =>
      history.afterlogWith(env, ...argv);
    const stopped = await ask(["replay", "twice", "--yes"], { ...renewed, SCALE: "7" });
    expect(stopped.code).toBe(3);
    expect(stopped.stderr).toContain("the environment variable SCALE is not what it was");
    expect(stopped.stderr).toContain("help: set it as it was, and:  afterlog resume r1\n");
    expect(await history.values("twice")).toEqual([[]]);
    const { code, stderr } = await ask(["resume", "r1"], renewed);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(await history.values("twice")).toEqual([[6, 18]]);
  });
});

describe("a version with other packages", () => {
  it("is said to be one, and --install gives it its own", async () => {
    using history = new History();
    for (const [folder, value] of [
      ["one", 3],
      ["two", 5],
    ] as const) {
      history.put(depending(folder, value));
      install(history, folder);
      await history.record({ files: {} });
    }
    const [oldest = "", newest = ""] = history.names;
    const statement = '  al.log("twice", x * 2);\n';
    history.put({ "train.ts": importing(`  // two\n${statement}`) });
    const plan = await history.plan("twice");
    const notes = new Map(plan.runs.map((run) => [run.run, run.notes.join("\n")]));
    expect(notes.get(oldest)).toContain("another package-lock.json than now");
    expect(notes.get(newest)).toBe("");
    const before = history.repositoryState();
    // What was begun by one that was killed goes; what another is at stays.
    const beginning = (pid: number): string =>
      join(history.folder, `.afterlog/modules/new-${hostname()}-${pid}-aBc123`);
    const [left, other] = [beginning(spawnSync("true").pid), beginning(process.pid)];
    for (const folder of [left, other]) mkdirSync(folder, { recursive: true });
    const done = await history.afterlog("replay", "twice", "--yes", "--install", "--from-start");
    expect([left, other].map((folder) => existsSync(folder))).toEqual([false, true]);
    expect({ code: done.code, stderr: done.code === 0 ? "" : done.stderr }).toMatchObject({
      code: 0,
    });
    expect(await history.values("twice")).toEqual([
      [6, 18],
      [10, 50],
    ]);
    expect(history.repositoryState()).toEqual(before);
  });

  it("may name none", async () => {
    using history = new History();
    const none = { "train.ts": importing().replace(/import .*dep.*/, "const scale = 3;") };
    const empty = { name: "x", version: "1.0.0", type: "module" };
    const lockfile = { ...empty, lockfileVersion: 3, requires: true, packages: { "": empty } };
    const files = {
      "package.json": JSON.stringify(empty),
      "package-lock.json": JSON.stringify(lockfile),
    };
    await history.record({ files: { ...none, ...files } });
    rmSync(join(history.folder, "package-lock.json"));
    const asked = none["train.ts"].replace("}", '  al.log("twice", x * 2);\n}');
    history.put({ "train.ts": asked });
    const { code, stderr } = await history.afterlog("replay", "twice", "--yes", "--install");
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(await history.values("twice")).toEqual([[6, 18]]);
  });

  it("fails alone if they cannot be installed", async () => {
    using history = new History();
    history.put(depending("one", 3));
    install(history, "one");
    await history.record({ files: { "package-lock.json": "{ not json" } });
    await history.record({ files: depending("one", 3) });
    writeFileSync(
      join(history.folder, "train.ts"),
      importing('  // one\n  al.log("twice", x * 2);\n'),
    );
    const { code, stderr } = await history.afterlog("replay", "twice", "--yes", "--install");
    expect(code).toBe(3);
    expect(stderr).toMatch(/the packages of version [0-9a-f]{7} cannot be installed/);
    expect((await history.values("twice")).map((own) => own.length)).toEqual([0, 2]);
  });
});
