/** `python -m pkg.train`: replayed as a module of its package, relative imports and all. */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS, python } from "../support/python.ts";

const PROGRAM = `
import afterlog as al
from .data import SCALE, Counter
from pkg.data import Counter as same

assert same is Counter and __package__ == "pkg", __package__
counter = Counter()
for epoch in al.loop("epoch", range(3)):
    for step in al.loop("step", range(4)):
        counter.add(SCALE)
    al.log("loss", counter.total)
`;
const DATA = `
SCALE = 0.5


class Counter:
    def __init__(self):
        self.total = 0.0

    def add(self, amount):
        self.total += amount
`;

test("a run that was started as a module answers later", async () => {
  using project = new TestProject({
    "pkg/__init__.py": "",
    "pkg/data.py": DATA,
    "pkg/train.py": PROGRAM,
  });
  const [command = "python3"] = INTERPRETERS;
  const env = { AFTERLOG_OVERHEAD: "inf" };
  const { code, stderr } = await python(project, command, ["-m", "pkg.train"], env);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(project.manifest).toMatchObject({ program: "pkg/train.py", module: "pkg.train" });
  const forked = await project.afterlog("fork", "@@epoch=1");
  expect({ code: forked.code, stderr: forked.stderr }).toMatchObject({ code: 0 });
  expect(project.logged("loss")).toEqual([6]);
  project.write("pkg/train.py", `${PROGRAM}    al.log("half", counter.total / 2)\n`);
  const filled = await project.afterlog("replay", "half", "--yes");
  expect({ code: filled.code, stderr: filled.stderr }).toMatchObject({ code: 0 });
  expect(filled.stdout).toMatch(/3 cells filled[\s\S]*marks: 3 verified/);
  expect(filled.stdout).toContain("  0.0 % of the recorded iterations executed again");
});
