/** A package that nobody knows, described by the project in its `package.json`. */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask, costOf, edit } from "../support/ask.ts";

const PACKAGE = `export class Sampler {
  #seed;
  constructor(seed) { this.#seed = seed; }
  draw() { this.#seed = (this.#seed * 16807) % 2147483647; return this.#seed / 2147483647; }
  peek() { return this.#seed; }
  getState() { return { seed: this.#seed }; }
  setState({ seed }) { this.#seed = seed; }
}
export const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
export function scale(list, by) { for (let i = 0; i < list.length; i++) list[i] *= by; }
`;

const TRAIN = `import { mean, scale, Sampler } from "tiny-train";
const sampler = new Sampler(7);
const weights = [1, 2, 3];
let total = 0;
for (let epoch = 0; epoch < 3; epoch++) {
  for (let step = 0; step < 4; step++) total += sampler.draw() * mean(weights);
  scale(weights, 0.5);
  console.log("total", total);
}
console.log("end", total);
`;
const PROBES = 'console.log("seed", sampler.peek());\nconsole.log("first", weights[0]);\n';

/** The program computes it too. */
function truth(): [seed: number, first: number] {
  let seed = 7;
  for (let draw = 0; draw < 12; draw++) seed = (seed * 16807) % 2147483647;
  return [seed, 0.125];
}

const described = (scale: string): string =>
  JSON.stringify({
    type: "module",
    afterlog: {
      libraries: [
        {
          package: "tiny-train",
          functions: { mean: "computes", scale },
          methods: { draw: "changes", peek: "computes" },
          classes: { Sampler: { save: "getState", load: "setState" } },
        },
      ],
    },
  });

test.each([
  ["none", '{"type":"module"}', 1, "may change the program when it is evaluated"],
  ["a right one", described("changes"), 0, ""],
  ["one that is wrong, as the audit finds", described("reads"), 1, "as the audit found"],
])("described by %s", async (_, json, executed, why) => {
  using project = new TestProject({
    "train.ts": TRAIN,
    "package.json": json,
    ".gitignore": "node_modules\n",
    "node_modules/tiny-train/package.json": '{"type":"module","exports":"./index.js"}',
    "node_modules/tiny-train/index.js": PACKAGE,
  });
  const recorded = await project.afterlog("run", "--overhead", "inf", "train.ts");
  expect(recorded.code, recorded.stderr).toBe(0);
  edit(project, { "train.ts": TRAIN + PROBES });
  const answer = await ask(project, ["seed", "first"]);
  const { share, notes } = costOf(answer);
  expect(share, notes.join("\n")).toBe(executed);
  expect(notes.join("\n")).toContain(why);
  expect(answer.cells.map(({ value }) => Number(value))).toEqual(truth());
});
