/**
 * The examples, asked at every scan for what they did not log: the values are those of the same
 * program with the statements in it from the start, and outer and suffix statements execute no
 * step again.
 */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { some } from "../support/draws.ts";
import { formatPath } from "../../src/format/index.ts";
import { ROOT, TestProject } from "../support/project.ts";
import { ask, byPlace, costOf } from "../support/ask.ts";
import type { Cell } from "./reference-sdk.ts";

/** An example, how often it is gone through, and a text of its state. */
const EXAMPLES: [string, string, string][] = [
  ["plain", "epochs=3", "[...layer1.b, layer2.w[7], layer2.vw[3]]"],
  ["digits", "epochs=3", "[...state.params.b2.ref.dataSync(), state.opt.step.ref.item()]"],
  ["digits-tfjs", "epochs=2", "model.getWeights().map((w) => w.dataSync()[3])"],
];

/** Statements before the loops, in the epochs, in the steps, and after. */
function withProbes(text: string, state: string): string {
  const probe = (name: string): string => `al.log("${name}", JSON.stringify(${state}));\n`;
  const marks: [RegExp, string][] = [
    [/^for \(const epoch/m, "prefix"],
    [/^ {2}const correct = /m, "outer"],
    [/^ {2}for \(const .* of al\.loop\("step", .*\{\n/m, "inner"],
    [/^\/\/ --- test/m, "suffix"],
  ];
  return marks.reduce((source, [mark, name]) => {
    return source.replace(mark, (line) =>
      name === "inner" ? line + probe(name) : probe(name) + line,
    );
  }, text);
}

function project(): TestProject {
  const made = new TestProject({ "package.json": '{ "private": true, "type": "module" }\n' });
  cpSync(join(ROOT, "examples"), join(made.folder, "examples"), { recursive: true });
  return made;
}

describe("the example", () => {
  test.each(some(EXAMPLES, { every: 2 }))(
    "%s",
    async (name, epochs, state) => {
      using asked = project();
      using scratch = project();
      const program = `examples/${name}/train.ts`;
      const probed = withProbes(readFileSync(join(ROOT, program), "utf8"), state);
      const run = ["run", "--seed", "42", "--overhead", "inf", program, epochs];
      expect(await asked.afterlog(...run)).toMatchObject({ code: 0 });
      for (const one of [asked, scratch]) writeFileSync(join(one.folder, program), probed);
      expect(await scratch.afterlog(...run)).toMatchObject({ code: 0 });
      const truth = scratch.records.flatMap((record): Cell[] => {
        if (record.k !== "log") return [];
        const { path, name: of, value } = record;
        return [{ path: formatPath(path), name: of, value: JSON.stringify(value) }];
      });
      for (const [scan, where] of [
        ["prefix", undefined],
        ["suffix", undefined],
        ["outer", undefined],
        ["inner", "epoch = 1 and step between 3 and 5"],
      ] as const) {
        const answer = await ask(asked, [scan], { where, workers: 2 });
        const expected = truth.filter(({ name: of, path }) => {
          return of === scan && (!where || /^epoch=1,step=[345]$/.test(path));
        });
        expect(answer.code, answer.stderr).toBe(0);
        expect(byPlace(answer.cells)).toEqual(byPlace(expected));
        expect(new Set(answer.cells.map(({ check }) => check))).not.toContain("diverged");
        expect(costOf(answer)).toMatchObject(scan === "inner" ? { scan } : { scan, share: 0 });
      }
    },
    300_000,
  );
});
