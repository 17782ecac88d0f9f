/** Calls that run at the same time and enter the same loops, in one order when recorded and in another when replayed. */
import { expect, test } from "vitest";
import { ask, edit } from "../support/ask.ts";
import { TestProject } from "../support/project.ts";

// What a program can see of it is not compared: only the order differs.
const ODD_FIRST = { TZ: "Etc/GMT-1" };
const EVEN_FIRST = { TZ: "UTC" };

const JAVASCRIPT = (probe: string): string => `
const first = new Date(0).getTimezoneOffset() === 0 ? 0 : 1;
const wait = (n) => new Promise((r) => setTimeout(r, n % 2 === first ? 0 : 60));
const fill = (base, count) => {
  const rows = [];
  for (let k = 0; k < count; k++) rows.push(base * 10 + Math.sign(rows.length));
  return rows;
};
async function load(base) {
  await wait(base);
  const rows = [];
  for (let i = 0; i < 5 + base; i++) rows.push(base + i * JSON.parse("100"));
  return rows;
}
async function main() {
  const [x, y] = await Promise.all([load(1), load(2)]);
  const four = await Promise.all([1, 2, 3, 4].map(async (base) => {
    await wait(base);
    return fill(base, 3 + base);
  }));
  const p = load(3);
  const q = load(4);
  const [a, b] = [await p, await q];
  const c = await Promise.all([wait(1).then(() => fill(5, 3)), wait(2).then(() => fill(6, 4))]);
  const list = (await load(5)).concat(await load(6));
  let w = 0;
  for (let epoch = 0; epoch < 3; epoch++) {
    for (let step = 0; step < 4; step++) w += x[1] * 0.001 + JSON.parse("1");
    ${probe}console.log("w", w);
  }
  console.log("end", w);
}
main();
`;

const PYTHON = (probe: string): string => `
import asyncio, time

def delay(n):
    first = 0 if time.timezone == 0 else 1
    return 0 if n % 2 == first else 0.06

async def load(base):
    await asyncio.sleep(delay(base))
    rows = []
    for i in range(5 + base):
        rows.append(base + i * 100)
    return rows

async def main():
    x, y = await asyncio.gather(load(1), load(2))
    tasks = [asyncio.create_task(load(base)) for base in (3, 4)]
    four = [await task for task in tasks]
    p, q = asyncio.create_task(load(5)), load(6)
    a, b = await p, await q
    w = 0.0
    for epoch in range(3):
        for step in range(4):
            w += x[1] * 0.001 + 1
        ${probe}print("w", w)
    print("end", w)

asyncio.run(main())
`;

const IN_JAVASCRIPT = `console.log("all", [x, y, four, a, b, c, list].flat(3).reduce((sum, v, at) => sum + v * at, 0));\n    `;
const IN_PYTHON = `print("all", sum(v * at for at, v in enumerate([*x, *y, *four[0], *four[1], *a, *b])))\n        `;

test.each<[string, string, (probe: string) => string, string, readonly string[]]>([
  ["JavaScript", "train.mjs", JAVASCRIPT, IN_JAVASCRIPT, [process.execPath]],
  ["Python", "train.py", PYTHON, IN_PYTHON, ["python3"]],
])("none gets what another one made: %s", async (_, file, program, probe, [command = ""]) => {
  using project = new TestProject({ [file]: program(""), ".gitignore": "node_modules\n" });
  const argv = ["run", "--overhead", "inf", file];
  const recorded = await project.afterlogWith(ODD_FIRST, ...argv);
  expect(recorded.code, recorded.stderr).toBe(0);

  edit(project, { [file]: program(probe) });
  const truth = await project.start([file], EVEN_FIRST, { command }).finished;
  const values = [...truth.stdout.matchAll(/^all (.+)$/gm)].map(([, text]) => text);
  expect(values, truth.stderr).toHaveLength(3);
  const answer = await ask(project, ["all"], { env: EVEN_FIRST });
  expect(answer.code, answer.stderr).toBe(0);
  expect(answer.cells.map(({ value }) => Number(value))).toEqual(values.map(Number));
  expect(answer.cells.map(({ check }) => check)).not.toContain("diverged");
});
