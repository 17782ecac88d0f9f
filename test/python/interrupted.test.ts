/** `--auto-resume` and `--grace` with a Python program: the numbers are those of an undisturbed run. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { MAIN, TestProject } from "../run/harness.ts";
import { INTERPRETERS } from "./harness.ts";

const PROGRAM = `
import os
import random
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
            if epoch == 2:
                raise RuntimeError("boom")
            os.kill(os.getpid(), 9)
al.log("f1", state.v[0])
`;
const RUN = ["run", "--python", INTERPRETERS[0] ?? "python3", "--seed", "5", "--overhead", "inf"];

test("goes on by itself after a crash, and when told after SIGTERM", async () => {
  using whole = new TestProject({ "train.py": PROGRAM });
  expect((await whole.afterlog(...RUN, "train.py")).code).toBe(0);
  const truth = whole.logged("f1");

  using crashed = new TestProject({ "train.py": PROGRAM, "crash-2": "", "crash-4": "" });
  const { code, stderr } = await crashed.afterlog(...RUN, "--auto-resume", "3", "train.py");
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain("exit code 137: goes on in 2 s (2 of 3)");
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
  expect(said).toMatch(/goes on after epoch=/);
  expect(stopped.logged("f1")).toEqual(truth);
});
