/**
 * PyTorch programs asked at every scan for what they did not log. The truth is the same program with
 * the statements in it from the start; no number may differ, and no more is executed than the scan
 * needs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Record } from "../../src/format/index.ts";
import { formatPath } from "../../src/format/index.ts";
import { TestProject } from "../run/harness.ts";
import { ask, byPlace, costOf } from "../truth/harness.ts";
import { logged, TORCH } from "./harness.ts";
import { program, PROGRAMS } from "./programs.ts";

const FUNCTIONS = "functions, a class, an early end, and nothing declared";

const key = ({ path, name }: { readonly path: string; readonly name: string }): string =>
  `${name} @ ${path}`;

const SUM = "float(sum(p.double().sum() for p in model.parameters()))";

/** Where each statement is put: after the line that matches. */
const PROBES: readonly (readonly [name: string, line: RegExp, value: string])[] = [
  ["p_prefix", /^mse = .*/m, "float(x.sum())"],
  ["p_step", /^ +al\.log\("loss".*/m, `[${SUM}, loss.item(), float(bx.sum())]`],
  ["p_epoch", /^ +al\.log\("weights".*/m, `[${SUM}, opt.param_groups[0]["lr"], loss.item()]`],
  ["p_end", /^ *al\.log\("final".*/m, `[${SUM}, float(loss), epoch]`],
];

function asked(text: string): string {
  let result = text;
  for (const [name, line, value] of PROBES) {
    result = result.replace(line, (found) => {
      const indent = /^ */.exec(found)?.[0] ?? "";
      return `${found}\n${indent}al.log("${name}", ${value})`;
    });
  }
  return result;
}

interface Question {
  readonly names: readonly string[];
  readonly scan: string;
  /** Most of the recorded steps that may be executed again. */
  readonly share: number;
  readonly where?: string;
  readonly workers?: number;
  readonly fits?: (path: string) => boolean;
}

const PREFIX: Question = { names: ["p_prefix"], scan: "prefix", share: 0 };

const QUESTIONS: readonly Question[] = [
  { names: ["p_end"], scan: "suffix", share: 0 },
  { names: ["p_epoch"], scan: "outer", share: 0, workers: 2 },
  {
    names: ["p_step"],
    scan: "inner",
    share: 2 / 16,
    where: "epoch = 2 and step between 2 and 3",
    fits: (path) => /^epoch=2,step=[23]$/.test(path),
  },
];

describe.skipIf(TORCH === undefined)("truth", () => {
  test.each([...Object.keys(PROGRAMS).entries()])(
    "%i %s",
    { timeout: 600_000 },
    async (at, name) => {
      const text = program(name);
      const run = ["run", "--python", TORCH ?? "", "--overhead", "inf", "--seed", "7", "train.py"];
      using project = new TestProject({ "train.py": text });
      using reference = new TestProject({ "train.py": asked(text) });
      for (const one of [project, reference]) {
        const { code, stderr } = await one.afterlog(...run);
        expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
      }
      const truth = reference.records.flatMap((record) =>
        record.k === "log"
          ? [
              {
                path: formatPath(record.path),
                name: record.name,
                value: JSON.stringify(record.value),
              },
            ]
          : [],
      );
      project.write("train.py", asked(text));
      const questions = at === 0 ? [PREFIX, ...QUESTIONS] : QUESTIONS;
      for (const { names, scan, share, where, workers = 1, fits = () => true } of questions) {
        const answer = await ask(project, names, { where, workers });
        const context = `${names.join()}: ${JSON.stringify(answer.plan?.runs)} ${answer.stderr}`;
        expect(answer.code, context).toBe(0);
        const expected = truth.filter((cell) => names.includes(cell.name) && fits(cell.path));
        expect(expected.length).toBeGreaterThan(0);
        expect(byPlace(answer.cells), context).toEqual(byPlace(expected));
        expect(
          answer.cells.map(({ check }) => check),
          context,
        ).not.toContain("diverged");
        const cost = costOf(answer);
        expect(cost.scan, context).toBe(scan);
        expect(cost.share, context).toBeLessThanOrEqual(share);
      }
    },
  );

  test("a fork goes on exactly, from variables of a function", { timeout: 600_000 }, async () => {
    using project = new TestProject({ "train.py": program(FUNCTIONS) });
    const run = ["run", "--python", TORCH ?? "", "--overhead", "inf", "--seed", "7", "train.py"];
    expect((await project.afterlog(...run)).code).toBe(0);
    const recorded = new Map(logged(project.records).map((one) => [key(one), one.value]));
    const parent = basename(project.run);
    const { code, stderr } = await project.afterlog("fork", `${parent}@epoch=1`);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    const fork = readdirSync(dirname(project.run)).find((name) => name !== parent) ?? "";
    const lines = readFileSync(join(dirname(project.run), fork, "log.jsonl"), "utf8");
    const records = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record);
    const after = logged(records);
    expect(after.length).toBe(2 * 5 + 1);
    expect(after.map(({ value }) => value)).toEqual(after.map((one) => recorded.get(key(one))));
  });
});
