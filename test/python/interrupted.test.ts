/**
 * A Python program that is stopped, goes on: by `--auto-resume`, after `--grace` and after Ctrl-C. The
 * numbers are those of an undisturbed run.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Finished } from "../support/process.ts";
import { MAIN, TestProject } from "../support/project.ts";
import { INTERPRETERS, python } from "../support/python.ts";

const PROGRAM = `
import os
import random
import signal
import time
import afterlog as al

state = al.checkpointing(w=bytearray(9000), v=[0.0])
for epoch in al.loop("epoch", range(6)):
    for step in al.loop("step", range(4)):
        state.v[0] += random.random()
        al.log("loss", state.v[0])
        if os.path.exists("slow") and epoch >= 2:
            time.sleep(1)
        if os.path.exists(f"crash-{epoch}") and step == 1:
            os.unlink(f"crash-{epoch}")
            if epoch == 1:
                os.kill(os.getpid(), signal.SIGINT)
            if epoch == 2:
                raise RuntimeError("boom")
            os.kill(os.getpid(), 9)
al.log("f1", state.v[0])
`;
const COMMAND = INTERPRETERS[0] ?? "python3";
const RUN = ["run", "--python", COMMAND, "--seed", "5", "--overhead", "inf"];
const ENV = { AFTERLOG_SEED: "5", AFTERLOG_OVERHEAD: "inf" };

/** What was computed, with nobody in the way. */
async function undisturbed(): Promise<unknown[]> {
  using whole = new TestProject({ "train.py": PROGRAM });
  expect((await whole.afterlog(...RUN, "train.py")).code).toBe(0);
  return whole.logged("f1");
}

test("goes on by itself after a crash, and when told after SIGTERM", async () => {
  const truth = await undisturbed();

  using crashed = new TestProject({ "train.py": PROGRAM, "crash-2": "", "crash-4": "" });
  const { code, stderr } = await crashed.afterlog(...RUN, "--auto-resume", "3", "train.py");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain("exit code 137: resumes in 2 s (2 of 3)");
  expect(crashed.logged("f1")).toEqual(truth);

  using stopped = new TestProject({ "train.py": PROGRAM, slow: "" });
  const argv = [MAIN, ...RUN, "--grace", "20", "train.py"];
  const started = stopped.start(argv);
  await vi.waitFor(
    () => {
      const log = join(stopped.run, "log.jsonl");
      expect(existsSync(log) && readFileSync(log, "utf8")).toContain('["epoch",2],["step",0]');
    },
    { timeout: 40_000, interval: 50 },
  );
  started.child.kill("SIGTERM");
  expect((await started.finished).code).toBe(143);
  rmSync(join(stopped.folder, "slow"));
  const { code: again, stderr: said } = await stopped.afterlog(...RUN, "--resume", "train.py");
  expect({ again, said }).toMatchObject({ again: 0 });
  expect(said).toMatch(/resumes after epoch=/);
  expect(stopped.logged("f1")).toEqual(truth);
});

test("Ctrl-C: says how to go on, and shows what Python shows", async () => {
  const truth = await undisturbed();
  const tracebacks: string[] = [];
  const ways: { [way: string]: (project: TestProject) => Promise<Finished> } = {
    "afterlog run": (project) => project.afterlog(...RUN, "train.py"),
    python3: (project) => python(project, COMMAND, [join(project.folder, "train.py")], ENV),
  };
  for (const [way, start] of Object.entries(ways)) {
    using project = new TestProject({ "train.py": PROGRAM, "crash-1": "" });
    const { code, signal, stderr } = await start(project);
    expect(signal ?? code, way).toBe(way === "python3" ? "SIGINT" : 130);
    const { run } = project.manifest;
    expect(project.manifest).toMatchObject({ status: "interrupted", signal: "SIGINT" });
    expect(stderr).not.toContain("failed");
    expect(stderr).toMatch(/interrupted.* · \d+ checkpoints \d\S* kB · overhead/);
    expect(stderr).toMatch(new RegExp(`resume: +afterlog run --resume=${run} train.py\n`));
    const told = /Traceback[^]*KeyboardInterrupt\n/.exec(stderr)?.[0] ?? stderr;
    tracebacks.push(told.replaceAll(project.folder, ""));

    const again = await project.afterlog("run", `--resume=${run}`, "train.py");
    expect({ code: again.code, stderr: again.stderr }).toMatchObject({ code: 0 });
    expect(project.logged("f1")).toEqual(truth);
  }
  expect(tracebacks[0]).toContain('File "/train.py", line');
  expect(tracebacks[0]).toBe(tracebacks[1]);
});
