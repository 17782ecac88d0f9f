/** `afterlog run --resume`, `--auto-resume` and `--grace`, as a user meets them. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { manifestToJson } from "../../src/format/index.ts";
import { listCheckpoints, openCheckpoint } from "../../src/store/index.ts";
import { SmallDisk } from "../support/small-disk.ts";
import { needs } from "../support/needs.ts";
import type { Finished } from "../support/process.ts";
import { MAIN, TestProject } from "../support/project.ts";

// Several processes a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 120_000 });

const HELPER = "export const gain = (x: number): number => x * Math.random();\n";
/**
 * At `AT` (epoch,step) it does what `ACT` says; files outside of the project are its signals, for a
 * file in it would be state.
 */
const PROGRAM = `import * as al from "afterlog";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { gain } from "./helper.ts";
const epochs = al.arg("epochs", 3);
const state = al.checkpointing({ w: new Float64Array([1, 2]) });
const { AT, ACT, MARK = "" } = process.env;
const cell = new Int32Array(new SharedArrayBuffer(4));
function act(): void {
  // What was taken before is durable by then.
  Atomics.wait(cell, 0, 0, 300);
  if (ACT === "kill") process.kill(process.pid, "SIGKILL");
  if (ACT === "throw") throw new Error("boom");
  if (ACT === "once" && !existsSync(MARK)) {
    console.log("waiting");
    while (!existsSync(MARK)) Atomics.wait(cell, 0, 0, 5);
    throw new Error("boom");
  }
  if (ACT === "hold") {
    console.log("holding");
    while (!existsSync(MARK)) Atomics.wait(cell, 0, 0, 5);
    // That it is asked to stop is known by then.
    Atomics.wait(cell, 0, 0, 400);
  }
}
for (const epoch of al.loop("epoch", al.range(epochs))) {
  for (const step of al.loop("step", al.range(4))) {
    state.w[step % 2]! += gain(step);
    al.log("loss", state.w[0]);
    if (AT === epoch + "," + step) act();
  }
  al.log("accuracy", state.w[1]);
}
al.log("final", [...state.w]);
`;

const FILES = { "train.ts": PROGRAM, "helper.ts": HELPER };

function project(): TestProject {
  return new TestProject(FILES);
}

interface Situation {
  readonly act: "kill" | "throw" | "once" | "hold";
  readonly at?: string;
  readonly mark?: string;
}

function environment({ act, at = "1,2", mark = "" }: Situation): NodeJS.ProcessEnv {
  return { ACT: act, AT: at, MARK: mark };
}

/** Records a run that is killed in its second epoch. */
async function killed(made: TestProject, ...argv: string[]): Promise<string> {
  const words = ["run", "--seed", "7", "--overhead", "inf", "train.ts", ...argv];
  const { code, stderr } = await made.afterlogWith(environment({ act: "kill" }), ...words);
  expect(code, stderr).toBe(137);
  expect(stderr).toContain(`afterlog run --resume=${made.manifest.run} train.ts`);
  return made.manifest.run;
}

/** What readers see: what a rewind supersedes is gone. */
function seen(records: readonly Record[]): Record[] {
  let kept: Record[] = [];
  for (const record of records) {
    if (record.k !== "rewind") kept.push(record);
    else kept = kept.filter((before) => !("seq" in before) || before.seq <= record.seq);
  }
  return kept;
}

/** All that `afterlog frame` and a plain reader of the log see, and the weights of the last file. */
async function outcome(made: TestProject): Promise<{
  readonly frames: string[];
  readonly values: unknown[];
  readonly stateHash: string;
}> {
  const frames: string[] = [];
  for (const name of ["loss", "accuracy", "final"]) {
    const { stdout } = await made.afterlog("frame", name, "--json");
    frames.push(stdout.replaceAll(made.manifest.run, "RUN"));
  }
  const values = seen(made.records).flatMap((record) =>
    record.k === "log" ? [[record.path, record.name, record.value]] : [],
  );
  const last = listCheckpoints(made.run).at(-1);
  if (!last) throw new Error("there is no checkpoint");
  using reader = openCheckpoint(made.run, last);
  reader.verify();
  return { frames, values, stateHash: last.stateHash };
}

let uninterrupted: ReturnType<typeof outcome> | undefined;

/** The same training without an interruption. */
function truth(): ReturnType<typeof outcome> {
  return (uninterrupted ??= train());
}

async function train(): ReturnType<typeof outcome> {
  using whole = project();
  const words = ["run", "--seed", "7", "--overhead", "inf", "train.ts", "epochs=3"];
  expect((await whole.afterlog(...words)).code).toBe(0);
  return await outcome(whole);
}

function rewinds(made: TestProject): number {
  return made.records.filter(({ k }) => k === "rewind").length;
}

describe("--resume", () => {
  test("goes on as the same run: one mark in the log, and the numbers of an uninterrupted one", async () => {
    const expected = await truth();
    using made = project();
    const run = await killed(made, "epochs=3");
    const { code, stderr } = await made.afterlog("run", "--resume", "train.ts");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`run ${run} resumes after epoch=1,step=`);
    // Its last lines never reached the disk: what they told of is not counted.
    expect(stderr).toContain("again what the killed run had not written to its log");
    expect(made.manifest).toMatchObject({ run, status: "done", exitCode: 0, signal: null });
    expect(made.manifest.overhead?.budget).toBeNull();
    expect(rewinds(made)).toBe(1);
    expect(await outcome(made)).toEqual(expected);
    const shown = JSON.parse((await made.afterlog("show", "@", "--json")).stdout) as {
      seconds: number;
      lost_seconds: number | null;
    };
    // The first part waited for 300 ms; the clock of the log goes on over both.
    expect(shown.seconds).toBeGreaterThan(0.3);
    expect(shown.lost_seconds).toBeNull();
  });

  test("of a program that failed, by its name", async () => {
    const expected = await truth();
    using made = project();
    const words = ["run", "--seed", "7", "--overhead", "inf", "train.ts", "epochs=3"];
    const failed = await made.afterlogWith(environment({ act: "throw" }), ...words);
    expect(failed.code).toBe(1);
    const { run } = made.manifest;
    // Not the end of the loop that the error left: the step that is done again counts as lost.
    const { lost_seconds: lost } = JSON.parse(
      (await made.afterlog("show", "@", "--json")).stdout,
    ) as { lost_seconds: number };
    expect(lost).toBeGreaterThan(0);
    const { code, stderr } = await made.afterlog("run", `--resume=${run.slice(0, -2)}`, "train.ts");
    expect(code, stderr).toBe(0);
    expect(await outcome(made)).toEqual(expected);
  });

  test.each([
    ["there is no run", false],
    ["the newest is done", true],
  ])("%s: a new one is begun, and it says so", async (_, before) => {
    using made = project();
    if (before) expect((await made.afterlog("run", "train.ts")).code).toBe(0);
    const first = before ? made.manifest.run : undefined;
    const { code, stderr } = await made.afterlog("run", "--resume", "train.ts");
    expect(code).toBe(0);
    expect(stderr).toContain("nothing to resume: a new run of train.ts");
    expect(made.manifest.run).not.toBe(first);
    expect(rewinds(made)).toBe(0);
  });

  const refusals: [string, (made: TestProject) => void, string[], string, string][] = [
    [
      "with other arguments",
      () => undefined,
      ["--resume", "train.ts", "epochs=9"],
      "cannot be resumed with other arguments",
      "afterlog fork",
    ],
    [
      "of another program",
      (made) => made.write("other.ts", PROGRAM),
      ["--resume=@", "other.ts"],
      "it ran train.ts",
      "train.ts",
    ],
    [
      "with a program that has changed",
      (made) => made.write("train.ts", `${PROGRAM}// later\n`),
      ["--resume", "train.ts"],
      "train.ts has changed since",
      "diff",
    ],
    [
      "with a statement more in its loop, which another run can go on with",
      (made) =>
        made.write(
          "train.ts",
          PROGRAM.replace('al.log("acc', 'al.log("w", state.w);\n  al.log("acc'),
        ),
      ["--resume", "train.ts"],
      "train.ts has changed since",
      "as a new run:  afterlog fork",
    ],
    [
      "with a module of it that has changed",
      (made) => made.write("helper.ts", HELPER.replace("x *", "2 * x *")),
      ["--resume", "train.ts"],
      "helper.ts has changed since",
      "diff",
    ],
    ["of a run that is not there", () => undefined, ["--resume=nope", "train.ts"], "AL004", "ls"],
    ["so often", () => undefined, ["--auto-resume", "x", "train.ts"], "AL001", "--auto-resume 3"],
    ["so long", () => undefined, ["--grace", "1.5", "train.ts"], "AL001", "--grace 20"],
  ];
  test("not when that would be something else", async () => {
    using made = project();
    await killed(made);
    const before = JSON.stringify(made.records);
    for (const [what, change, argv, message, help] of refusals) {
      for (const [name, text] of Object.entries(FILES)) made.write(name, text);
      change(made);
      const { code, stderr } = await made.afterlog("run", ...argv);
      expect(code, what).not.toBe(0);
      expect(stderr, what).toMatch(/^error\[AL\d+\]/);
      expect(stderr, what).toContain(message);
      expect(stderr.slice(stderr.indexOf("help:")), what).toContain(help);
      expect(made.manifest.status, what).toBe("interrupted");
      expect(JSON.stringify(made.records), what).toBe(before);
    }
  });

  test("not of a run that is done, or is being recorded", async () => {
    using made = project();
    expect((await made.afterlog("run", "train.ts")).code).toBe(0);
    const done = await made.afterlog("run", "--resume=@", "train.ts");
    expect(done).toMatchObject({ code: 1 });
    expect(done.stderr).toMatch(/error\[AL034\].*it is done\n {2}help: .*afterlog fork/);
    using signals = new TestProject({});
    const mark = join(signals.folder, "mark");
    const held = made.start(
      [MAIN, "run", "--overhead", "inf", "train.ts"],
      environment({ act: "hold", mark }),
    );
    await said(held, "holding");
    for (const option of ["--resume", "--resume=@"]) {
      const { code, stderr } = await made.afterlog("run", option, "train.ts");
      expect(code).toBe(1);
      expect(stderr).toMatch(/error\[AL034\].*it is still running\n.*process \d+.*\n {2}help: /);
    }
    const { stdout } = await made.afterlog("show", "@");
    expect(stdout).toMatch(/recovery +killed now: \d.* of work lost/);
    writeFileSync(mark, "");
    expect(await held.finished).toMatchObject({ code: 0 });
  });

  test("by one process only, though two are started at once", async () => {
    const expected = await truth();
    using made = project();
    using signals = new TestProject({});
    await killed(made, "epochs=3");
    const mark = join(signals.folder, "mark");
    const held = environment({ act: "hold", mark, at: "2,0" });
    const both = [0, 1].map(() => made.start([MAIN, "run", "--resume", "train.ts"], held).finished);
    const loser = await Promise.race(both);
    expect(loser.code).toBe(1);
    expect(loser.stderr).toMatch(/cannot be resumed: (?:another process resumes it|it is still)/);
    writeFileSync(mark, "");
    const codes = (await Promise.all(both)).map(({ code }) => code ?? -1);
    expect(codes.toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(rewinds(made)).toBe(1);
    expect(await outcome(made)).toEqual(expected);
  });

  test("though its version is gone: the sources are those that it loaded", async () => {
    const expected = await truth();
    using made = project();
    await killed(made, "epochs=3");
    rmSync(join(made.folder, ".afterlog/git"), { recursive: true });
    const { code, stderr } = await made.afterlog("run", "--resume", "train.ts");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("resumes after epoch=1,step=");
    expect(await outcome(made)).toEqual(expected);
  });

  test("of a run on another machine only if somebody says that it is gone", async () => {
    using made = project();
    await killed(made);
    const { manifest, run } = made;
    const host = { ...manifest.host, name: "elsewhere" };
    const file = join(run, "run.json");
    writeFileSync(file, manifestToJson({ ...manifest, status: "recording", host }));
    const refused = await made.afterlog("run", "--resume", "train.ts");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("it may still be running, on another machine");
    expect(refused.stderr).toContain(`afterlog run --resume=${manifest.run} --force train.ts`);
    const forced = await made.afterlog("run", `--resume=${manifest.run}`, "--force", "train.ts");
    expect(forced.code, forced.stderr).toBe(0);
    expect(made.manifest).toMatchObject({ run: manifest.run, status: "done" });
  });

  test("not of a fork that has no checkpoint: its start is not the program's", async () => {
    using made = project();
    expect((await made.afterlog("run", "--overhead", "inf", "train.ts")).code).toBe(0);
    const parent = made.manifest.run;
    const env = { ...environment({ act: "kill", at: "2,0" }), AFTERLOG_OVERHEAD: "0" };
    await made.afterlogWith(env, "fork", "@@epoch=1");
    expect(made.manifest).toMatchObject({ kind: "fork", status: "interrupted" });
    const { code, stderr } = await made.afterlog("run", "--resume", "train.ts");
    expect(code).toBe(1);
    expect(stderr).toContain("it is a fork without a checkpoint");
    expect(stderr).toContain(`help: fork it again:  afterlog fork ${parent}@`);
  });

  test("says what is not set back: files that it wrote, and its environment", async () => {
    const program = PROGRAM.replace(
      '  al.log("accuracy"',
      '  writeFileSync("best.json", String(epoch));\n$&',
    );
    using made = new TestProject({ ...FILES, "train.ts": program });
    await killed(made);
    const { code, stderr } = await made.afterlog("run", "--resume", "train.ts");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      "warning: files that its loops wrote are as they were left: best.json",
    );
    expect(stderr).toMatch(/warning: the environment variable (?:AT|ACT) is not what it was/);
  });
});

/** Resolves when the program has printed the word. */
function said(started: ReturnType<TestProject["start"]>, word: string): Promise<void> {
  return new Promise((resolve) => {
    started.child.stdout?.on("data", (text: string) => {
      if (text.includes(word)) resolve();
    });
  });
}

describe("--auto-resume", () => {
  test("goes on after a crash, with its own run and not with a newer one", async () => {
    const expected = await truth();
    using made = project();
    using signals = new TestProject({});
    const mark = join(signals.folder, "mark");
    const options = ["--seed", "7", "--overhead", "inf", "--auto-resume", "2"];
    const started = made.start(
      [MAIN, "run", ...options, "train.ts", "epochs=3"],
      environment({ act: "once", mark }),
    );
    await said(started, "waiting");
    const { run } = made.manifest;
    expect((await made.afterlog("run", "train.ts", "epochs=1")).code).toBe(0);
    const other = made.manifest.run;
    writeFileSync(mark, "");
    const { code, stderr } = await started.finished;
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("exit code 1: resumes in 1 s (1 of 2)");
    expect(stderr).toContain(`run ${run} resumes after epoch=1,step=`);
    expect(made.manifest.run).toBe(other);
    const frame = await made.afterlog("frame", "final", "--where", `run = '${run}'`, "--json");
    expect(frame.stdout.replaceAll(run, "RUN")).toBe(expected.frames[2]);
  });

  test("waits longer each time, and gives up with the program's exit code", async () => {
    using made = new TestProject({ "bad.ts": "process.exitCode = 5;\n" });
    const { code, stderr } = await made.afterlog("run", "--auto-resume", "2", "bad.ts");
    expect(code).toBe(5);
    const told = stderr.split("\n").filter((line) => line.startsWith("● exit code"));
    expect(told).toEqual([
      "● exit code 5: resumes in 1 s (1 of 2)",
      "● exit code 5: resumes in 2 s (2 of 2)",
      expect.stringContaining("given up"),
    ]);
    expect(made.manifest.resumed).toHaveLength(2);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("not after %s: somebody meant it", async (signal) => {
    using made = project();
    const started = made.start(
      [MAIN, "run", "--grace", "0", "--auto-resume", "3", "train.ts"],
      environment({ act: "hold", mark: "/nonexistent/mark" }),
    );
    await said(started, "holding");
    started.child.kill(signal);
    const { code, stderr } = await started.finished;
    expect(code).toBe(signal === "SIGINT" ? 130 : 143);
    expect(stderr).not.toContain("resumes in");
    expect(made.manifest).toMatchObject({ status: "interrupted", signal });
  });
});

describe("--grace", () => {
  /** Without a budget there is no checkpoint but that of the end. */
  const WITHOUT = ["--seed", "7", "--overhead", "0"];

  test("SIGTERM: a last checkpoint where it is, from which it goes on", async () => {
    const expected = await truth();
    using made = project();
    using signals = new TestProject({});
    const mark = join(signals.folder, "mark");
    const started = made.start(
      [MAIN, "run", ...WITHOUT, "train.ts", "epochs=3"],
      environment({ act: "hold", mark, at: "0,2" }),
    );
    await said(started, "holding");
    expect(listCheckpoints(made.run)).toEqual([]);
    started.child.kill("SIGTERM");
    while (!existsSync(join(made.run, "stop"))) await new Promise((done) => setTimeout(done, 10));
    writeFileSync(mark, "");
    expect((await started.finished).code).toBe(143);
    expect(made.manifest).toMatchObject({ status: "interrupted", signal: "SIGTERM" });
    expect(existsSync(join(made.run, "stop"))).toBe(false);
    const taken = listCheckpoints(made.run).map(({ path }) => path);
    expect(taken).toHaveLength(1);
    expect(taken[0]?.[0]).toEqual(["epoch", 0]);
    const { code, stderr } = await made.afterlog("run", "--resume", "train.ts");
    expect(code, stderr).toBe(0);
    expect(await outcome(made)).toMatchObject({ values: expected.values });
  });

  test("a step that does not end in time is ended", async () => {
    using made = project();
    const started = made.start(
      [MAIN, "run", ...WITHOUT, "--grace", "1", "train.ts"],
      environment({ act: "hold", mark: "/nonexistent/mark", at: "0,2" }),
    );
    await said(started, "holding");
    started.child.kill("SIGTERM");
    expect((await started.finished).code).toBe(143);
    expect(made.manifest).toMatchObject({ status: "interrupted", signal: "SIGTERM" });
    expect(existsSync(join(made.run, "stop"))).toBe(false);
  });
});

describe("a full disk", needs("mount"), () => {
  test("the run does not go on, nor begin anew unrecorded; with room it does", async () => {
    using made = project();
    using _ = new SmallDisk(join(made.folder, ".afterlog"), { size: "600k" });
    await killed(made);
    const ballast = join(made.folder, ".afterlog/ballast");
    const fill = (bytes: number): void => {
      try {
        writeFileSync(ballast, Buffer.alloc(bytes), { flag: "a" });
      } catch {
        // Full: that was the aim.
      }
    };
    for (const bytes of [1 << 20, 4096, 1]) fill(bytes);
    const refused: Finished = await made.afterlog("run", "--resume", "train.ts");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("error: the run cannot be resumed: ENOSPC");
    const replay = await made.afterlog("replay", "accuracy", "-y");
    expect(replay.stderr).toContain("error[AL042]");
    expect(replay.stderr).toContain("help: make room:  afterlog gc");
    writeFileSync(ballast, "");
    expect((await made.afterlog("run", "--resume", "train.ts")).code).toBe(0);
  });
});
