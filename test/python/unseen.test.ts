/** The same of Python as `handsfree/unseen.test.ts`: loops in packages that nobody described. */
import { expect, test } from "vitest";
import { ask, costOf, edit } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";
import { INTERPRETERS } from "../support/python.ts";

/** A package that trains by itself, for 400 ms. */
const PACKAGE = `import time
class Net:
    def __init__(self):
        self.w = 0.5
    def fit(self, rows):
        end = time.perf_counter() + 0.4
        for row in rows:
            self.w += row * 0.1
        while time.perf_counter() < end:
            pass
        return self
    def at(self, x):
        return self.w * x
`;

const program = (probe: string): string => `import sys
sys.path.insert(0, "site-packages")
from slow_fit import Net

class Training:
    def __init__(self):
        self.net = Net()
    def run(self, rows):
        return self.net.fit(rows)

net = Training().run([1, 2, 3])
other = net.fit(
    [1])
total = 0.0
for i in range(300):
    total += net.at(i)
${probe}print("total", total)
`;

test.each(INTERPRETERS)("a long call of a package is said, and priced: %s", async (command) => {
  const files = { "site-packages/slow_fit.py": PACKAGE, ".gitignore": "site-packages\n" };
  using project = new TestProject({ ...files, "train.py": program("") });
  const recorded = await project.afterlog("run", "--python", command, "train.py");
  expect(recorded.code, recorded.stderr).toBe(0);
  const { stdout } = await project.afterlog("show", "--json");
  const [shown] = [JSON.parse(stdout) as { calls: { call: string; ms: number }[] }].flat();
  const said = shown?.calls.map(({ call }) => call).toSorted();
  expect(said).toEqual(["net.fit() at train.py:12", "self.net.fit() at train.py:9"]);

  edit(project, { "train.py": program('print("w", net.w)\n') });
  const answer = await ask(project, ["w"]);
  expect(answer.cells.map(({ value }) => Number(value))).toEqual([1.2000000000000002]);
  const { share, notes } = costOf(answer);
  expect(share, notes.join("\n")).toBeGreaterThan(0.9);
  expect(notes.join("\n")).toMatch(/net\.fit\(\) at train\.py:12 took \d\.\d s and its inside/);
  expect(answer.plan?.seconds).toBeGreaterThan(0.8);
});
