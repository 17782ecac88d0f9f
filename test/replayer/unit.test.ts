/** @file One process of a replay: how it is started, and how it ends. */
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runUnit, unitPaths } from "../../build/replayer/index.js";
import type { UnitResult } from "../../build/replayer/index.js";
import { TestProject } from "../support/project.ts";

const PROGRAM = `import * as al from "afterlog"; for (const i of al.loop("i", al.range(3))) al.log("i", i);`;

/** Records a program, then runs another text in its place. */
async function replay(
  recorded: string,
  replayed: string,
  options: { readonly argv?: readonly string[]; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ project: TestProject; unit: string; result: UnitResult }> {
  const project = new TestProject({ "sub/train.mjs": recorded, "tree/sub/train.mjs": replayed });
  const { code, stderr } = await project.afterlog("run", "sub/train.mjs", ...(options.argv ?? []));
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const unit = join(project.folder, ".afterlog/replays/r1/units/0");
  mkdirSync(unit, { recursive: true });
  const result = await runUnit({
    tree: { root: join(project.folder, "tree") },
    orders: { v: 1, parent: project.run, names: ["x"], probes: [], courses: [], args: {} },
    manifest: project.manifest,
    store: join(project.folder, ".afterlog"),
    folder: unit,
    env: { ...process.env, ...options.env },
  });
  return { project, unit, result };
}

test("runs with the recorded arguments and folder, a place of its own for temporary files, and no settings of ours", async () => {
  const tell = `import { realpathSync } from "node:fs";
    console.log(JSON.stringify([process.argv.slice(2), process.cwd(), realpathSync(process.env.TMPDIR), process.env.TMPDIR, process.env.AFTERLOG_OVERHEAD ?? null]));`;
  const { project, unit, result } = await replay(PROGRAM, `${PROGRAM}\n${tell}`, {
    argv: ["rate=3"],
    env: { AFTERLOG_OVERHEAD: "0.5" },
  });
  using _ = project;
  expect(result).toMatchObject({ exitCode: 0, signal: null, stopped: false });
  expect(result.outcome).toMatchObject({ kind: "done" });
  expect(JSON.parse(readFileSync(unitPaths.stdout(unit), "utf8"))).toEqual([
    ["rate=3"],
    join(project.folder, "tree"),
    realpathSync(unit) + "/tmp",
    expect.toSatisfy((name: string) => dirname(name) === tmpdir() && !existsSync(name)),
    null,
  ]);
  expect(existsSync(unitPaths.process(unit))).toBe(false);
});

test.each<[string, string, Partial<UnitResult>]>([
  ["throws", "throw new Error('oh');", { exitCode: 1, stderr: expect.stringContaining("oh") }],
  ["cannot be parsed", "let let = 1", { exitCode: 1 }],
  ["is killed", "process.kill(process.pid, 'SIGKILL');", { signal: "SIGKILL", outcome: null }],
])("a program that %s", async (_, text, expected) => {
  const { project, result } = await replay(PROGRAM, text);
  using __ = project;
  expect(result).toMatchObject(expected);
});

test("what the program left running is ended with it", async () => {
  const leave = `import { spawn } from "node:child_process";
    const left = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"], { stdio: "ignore" });
    left.unref();
    console.log(left.pid);`;
  const { project, unit, result } = await replay(PROGRAM, `${PROGRAM}\n${leave}`);
  using _ = project;
  expect(result.outcome?.kind).toBe("done");
  const pid = Number(readFileSync(unitPaths.stdout(unit), "utf8"));
  const isGone = (): boolean => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") ?? true;
    } catch {
      return true;
    }
  };
  await expect.poll(isGone, { timeout: 10_000 }).toBe(true);
});
