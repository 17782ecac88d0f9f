/** @file Loops that a program names and runs at the same time: it goes on, and what it logged can be checked. */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { warnings } from "../support/recorded.ts";

const PROGRAMS = {
  "train.mjs": `import * as al from "afterlog";
const run = async (name) => {
  for await (const i of al.loop(name, [0, 1, 2])) {
    al.log("of " + name, i);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
};
for (const round of al.loop("round", al.range(2))) {
  await Promise.all([run("a"), run("b")]);
  console.log(round);
}
for (const i of al.loop("last", [0])) al.log("at last", i);
`,
  "train.py": `import asyncio
import afterlog as al

async def run(name):
    for i in al.loop(name, range(3)):
        al.log("of " + name, i)
        await asyncio.sleep(0.001)

async def both():
    await asyncio.gather(run("a"), run("b"))

for round in al.loop("round", range(2)):
    asyncio.run(both())
    print(round)
for i in al.loop("last", [0]):
    al.log("at last", i)
`,
};

test.each(Object.keys(PROGRAMS))("in %s", async (file) => {
  using project = new TestProject(PROGRAMS);
  const ran = await project.afterlog("run", file);
  expect(ran.code, ran.stderr).toBe(0);
  expect(ran.stdout).toBe("0\n1\n");
  expect(warnings(ran.stderr)).toEqual([
    expect.stringContaining("loop b turned off: it runs at the same time as another loop"),
  ]);
  const checked = await project.afterlog("check", "@");
  expect(checked.stdout).toMatch(/(\d+) of \1 values equal the record/);
});
