/** @file The program ends as it would without us, and the run says truthfully how. */
import { describe, expect, test } from "vitest";
import { listCheckpoints, readManifest } from "../../src/store/index.ts";
import type { Finished } from "../support/process.ts";
import { TestProject, WITHOUT_GIT } from "../support/project.ts";
import { ofKind, readLog } from "../support/recorded.ts";

const MODES = ["worker", "inline"] as const;

interface Row {
  readonly what: string;
  /** Follows two logged iterations inside the loop, on line 5. */
  readonly act: string;
  readonly code: number;
  readonly stderr?: RegExp;
}

const ROWS: readonly Row[] = [
  { what: "process.exit(3)", act: "process.exit(3);", code: 3 },
  { what: "process.exit(0)", act: "process.exit(0);", code: 0 },
  { what: "an exit code set", act: "process.exitCode = 4;", code: 4 },
  {
    what: "an uncaught exception",
    act: 'throw new RangeError("my own mistake");',
    code: 1,
    stderr:
      /train\.mjs:5\n.*throw new RangeError[^]*RangeError: my own mistake\n\s+at .*train\.mjs:5/,
  },
  {
    what: "an unhandled rejection",
    act: 'Promise.reject(new TypeError("nobody waits"));',
    code: 1,
    stderr: /TypeError: nobody waits\n\s+at .*train\.mjs:5/,
  },
  { what: "a thrown string", act: 'throw "just text";', code: 1, stderr: /just text/ },
  { what: "an await that never ends", act: "await new Promise(() => {});", code: 13 },
];

const table = ROWS.flatMap((row) => MODES.map((mode) => ({ ...row, mode })));

function program(act: string): string {
  return `import * as al from "afterlog";
const state = al.checkpointing({ n: 0 });
for (const i of al.loop("i", al.range(3))) {
  al.log("n", ++state.n);
  if (i === 1) { ${act} }
}
console.log("end");
`;
}

async function runBoth(
  act: string,
  mode: string,
): Promise<{ plain: Finished; recorded: Finished }> {
  using project = TestProject.apart({ fast: true });
  project.write("train.mjs", program(act));
  const plain = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_MODE: "off" } });
  const recorded = await project.train({ env: { ...WITHOUT_GIT, AFTERLOG_PERSIST: mode } });
  const { code } = plain;
  const status = code === 0 ? "done" : "failed";
  expect(readManifest(project.onlyRun)).toMatchObject({ status, exitCode: code, signal: null });
  const log = readLog(project.onlyRun);
  expect(log).toMatchObject({ sealed: status, damage: [] });
  const values = ofKind(log.records, "log").map(({ value }) => value);
  expect(values.slice(0, 2)).toEqual([1, 2]);
  return { plain, recorded };
}

describe("ends", () => {
  test.each(table)("$what, $mode", async ({ act, mode, code, stderr }) => {
    const { plain, recorded } = await runBoth(act, mode);
    expect(recorded.code).toBe(code);
    expect(plain.code).toBe(code);
    expect(recorded.stdout).toBe(plain.stdout);
    if (stderr) expect(recorded.stderr).toMatch(stderr);
    // Without our own lines, stderr is Node's.
    const theirs = recorded.stderr.split("\n").filter((line) => !line.startsWith("afterlog: "));
    expect(withoutFrames(theirs.join("\n"))).toBe(withoutFrames(plain.stderr));
  });
});

/** Frames of Node and of ours under the user's differ by how the program was reached. */
function withoutFrames(stderr: string): string {
  return stderr.replaceAll(/^\s+at (?!.*train\.mjs).*\n/gm, "");
}

describe("is ended", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("by %s", async (signal) => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
import { writeSync } from "node:fs";
const state = al.checkpointing({ n: 0 });
for (const i of al.loop("i", al.range(2))) al.log("n", ++state.n);
writeSync(3, "looped");
for await (const i of al.loop("wait", al.range(1e9))) {
  al.log("n", ++state.n);
  await new Promise((resolve) => setTimeout(resolve, 1));
}
`,
    );
    const started = project.startTraining({ env: WITHOUT_GIT });
    await started.said("looped");
    while (listCheckpoints(project.onlyRun).length === 0) await new Promise(setImmediate);
    started.child.kill(signal);
    const ended = await started.finished;
    expect(ended).toMatchObject({ code: null, signal });
    expect(readManifest(project.onlyRun).status).toBe("interrupted");
    expect(readLog(project.onlyRun)).toMatchObject({ sealed: undefined, damage: [] });
  });

  test("by its own handler of SIGTERM: its exit code is the run's", async () => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
import { writeSync } from "node:fs";
process.on("SIGTERM", () => { al.log("last", 1); process.exit(0); });
al.log("n", 1);
setTimeout(() => {}, 60_000);
writeSync(3, "ready");
`,
    );
    const started = project.startTraining({ env: WITHOUT_GIT });
    await started.said("ready");
    started.child.kill("SIGTERM");
    expect(await started.finished).toMatchObject({ code: 0, signal: null });
    expect(readManifest(project.onlyRun)).toMatchObject({ status: "done", exitCode: 0 });
    const names = ofKind(readLog(project.onlyRun).records, "log").map(({ name }) => name);
    expect(names).toEqual(["n", "last"]);
  });
});

describe("how the program wants its stack traces is left as it was", () => {
  const same = `JSON.stringify(Object.getOwnPropertyDescriptors(Error), (_, v) => typeof v === "function" ? String(v) : v)`;

  test.each([
    { what: "nothing set", set: "" },
    {
      what: "a function",
      set: "Error.prepareStackTrace = function mine(_, frames) { return frames; };",
    },
    { what: "undefined", set: "Error.prepareStackTrace = undefined;" },
    { what: "no limit", set: "delete Error.stackTraceLimit;" },
    { what: "frozen", set: "Object.freeze(Error);" },
  ])("$what", async ({ set }) => {
    using project = TestProject.apart({ fast: true });
    project.write(
      "train.mjs",
      `import * as al from "afterlog";
al.log("first", 0);
${set}
const before = ${same};
const prepare = Error.prepareStackTrace;
for (const i of al.loop("i", al.range(2))) al.log("x", i);
console.log(before === ${same}, prepare === Error.prepareStackTrace);
`,
    );
    const ended = await project.train({ env: WITHOUT_GIT });
    expect([ended.code, ended.stdout]).toEqual([0, "true true\n"]);
    expect(ofKind(readLog(project.onlyRun).records, "log")).toHaveLength(3);
  });
});
