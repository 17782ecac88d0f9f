/** What a person reads about a Python run when something is not as it should be. */
import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAIN, TestProject } from "../support/project.ts";
import { INTERPRETERS } from "../support/python.ts";

const RUN = [MAIN, "run", "--python", INTERPRETERS[0] ?? "python3", "--overhead", "inf"];

test("a disk that fails is told, and nobody is asked to declare something", async () => {
  const program = `
import afterlog as al
w = bytearray(9000)
for epoch in al.loop("epoch", range(4)):
    w[epoch] += 1
`;
  using project = new TestProject({ "train.py": program });
  const env = { AFTERLOG_CRASH_AT: "ENOSPC:persist:before-data#2" };
  const { code, stderr } = await project.start([...RUN, "train.py"], env).finished;
  expect(code).toBe(0);
  expect(stderr).toContain("checkpoints turned off: OSError: injected at persist");
  expect(stderr).not.toContain("declare");
  const { stdout } = await project.afterlog("show", "@");
  expect(stdout).toContain("! checkpoints turned off: OSError: injected at persist");
});

test("where a fork cannot begin, those points are named at which it can", async () => {
  const program = `
import afterlog as al
total, rest = 0, None
for epoch in al.loop("epoch", range(4)):
    total += next(rest) if rest else 1
    rest = (n for n in range(3)) if epoch % 2 == 0 else None
al.log("total", total)
`;
  using project = new TestProject({ "train.py": program });
  expect((await project.start([...RUN, "train.py"]).finished).code).toBe(0);
  const { code, stderr } = await project.afterlog("fork", "@@epoch=2");
  expect(code).toBe(1);
  expect(stderr).toContain("cannot be continued at epoch=2");
  expect(stderr).toMatch(/rest .* could not be captured/);
  expect(stderr).toContain("it can be at: epoch=1  epoch=3\n");
});

test("a Python that is gone is told, and that of now takes its place", async () => {
  const program = `
import afterlog as al
total = 0.5
for epoch in al.loop("epoch", range(3)):
    total *= 3
    al.log("total", total)
`;
  using project = new TestProject({ "train.py": program });
  const gone = join(project.folder, "node_modules/gone-python3");
  symlinkSync(execFileSync("which", [INTERPRETERS[0] ?? ""], { encoding: "utf8" }).trim(), gone);
  const words = [MAIN, "run", "--python", gone, "--overhead", "inf", "train.py"];
  expect((await project.start(words).finished).code).toBe(0);
  expect(project.manifest.interpreter).toBe(gone);
  rmSync(gone);
  const asked = ["--at", "train.py:6", "half = total / 2"];
  const { code, stdout, stderr } = await project.afterlog("replay", "-y", ...asked);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout + stderr).toMatch(/gone-python3, its Python, is gone: .*python3 is used/);
  expect(stdout + stderr).toContain("3 verified");
  const forked = await project.afterlog("fork", "@@epoch=1");
  expect(forked.code, forked.stderr).toBe(0);
  expect(forked.stderr).toMatch(/gone-python3 is gone: .*python3 is used/);
});

test("a missing statement is spelled as its program logs", async () => {
  using project = new TestProject({
    "train.py": 'import afterlog as al\nfor i in al.loop("i", range(2)):\n    al.log("n", i)\n',
    "plain.py": 'for i in range(2):\n    print("n", i * 2)\n',
  });
  for (const [file, call] of [
    ["plain.py", "print"],
    ["train.py", "al.log"],
  ] as const) {
    expect((await project.start([...RUN, file]).finished).code).toBe(0);
    const { stderr } = await project.afterlog("plan", "missing");
    expect(stderr).toContain(`add  ${call}("missing", …)  to ${file}, then`);
  }
});
