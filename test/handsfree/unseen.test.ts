/** Loops in packages that nobody described: the run says which call took the time, plans count it. */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask, costOf, edit } from "../support/ask.ts";

/** A package that trains by itself, for 400 ms. */
const NET = `exports.Net = class Net {
  constructor() { this.w = 0.5; }
  async train(rows) {
    const end = performance.now() + 400;
    for (const row of rows) this.w += row * 0.1;
    while (performance.now() < end);
    return { w: this.w };
  }
  at(x) { return this.w * x; }
};
`;
const PACKAGE = {
  "node_modules/slow-train/package.json": JSON.stringify({ name: "slow-train", main: "index.js" }),
  "node_modules/slow-train/index.js": NET,
  ".gitignore": "node_modules\n",
};

const program = (probe: string): string => `import { Net } from "slow-train";
const net = new Net();
const rows = [1, 2, 3];
const trained = (await net.train(rows)).w + (await net
  .train(rows)).w;
let total = 0;
for (let i = 0; i < 300; i++) total += net.at(i);
${probe}console.log("total", total + trained);
`;

test("a long call of a package is said, priced, and counted as executed", async () => {
  using project = new TestProject({ ...PACKAGE, "train.mjs": program("") });
  const plain = await project.node("train.mjs");
  const recorded = await project.afterlog("run", "train.mjs");
  expect(recorded.code, recorded.stderr).toBe(0);
  expect(recorded.stdout).toBe(plain.stdout);
  const { stdout } = await project.afterlog("show", "--json");
  const [shown] = [JSON.parse(stdout) as { calls: { call: string; ms: number }[] }].flat();
  expect(shown?.calls.map(({ call }) => call)).toEqual(["net.train() at train.mjs:4"]);
  const { stdout: text } = await project.afterlog("show");
  expect(text).toMatch(/long calls whose inside is not seen\n {2}net\.train\(\) at train\.mjs:4 /);

  edit(project, { "train.mjs": program('console.log("w", net.w);\n') });
  const answer = await ask(project, ["w"]);
  expect(answer.cells.map(({ value }) => Number(value))).toEqual([1.7000000000000002]);
  const { share, notes } = costOf(answer);
  expect(share, notes.join("\n")).toBeGreaterThan(0.9);
  expect(notes.join("\n")).toMatch(/net\.train\(\) at train\.mjs:4 took 0\.[4-9] s and its inside/);
  expect(answer.plan?.seconds).toBeGreaterThan(0.4);
});
