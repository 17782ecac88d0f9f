/**
 * PyTorch programs asked at every scan for what they did not log. The truth is the same program with
 * the statements in it from the start; no number may differ, and no more is executed than the scan
 * needs. And taken to the middle of their training and to its end by orders: what they log there and
 * the state that they come to are those of the record, to the bit.
 *
 * All but the first are forks of a process that has torch; the long tests start each anew.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Course, Record } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { ask, byPlace, costOf } from "../support/ask.ts";
import type { Cell } from "../truth/reference-sdk.ts";
import { TORCH } from "../support/python.ts";
import { logged, replay } from "../support/replay.ts";
import { program, PROGRAMS } from "./programs.ts";
import { FIXED_HASHES, Zygote } from "./zygote.ts";
import { IS_LONG, some } from "../support/draws.ts";
import { needs } from "../support/needs.ts";

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
  /** Innermost ones that are executed, at most. */
  readonly iterations: number;
  readonly where?: string;
  readonly workers?: number;
  readonly fits?: (path: string) => boolean;
}

const PREFIX: Question = { names: ["p_prefix"], scan: "prefix", iterations: 0 };

const QUESTIONS: readonly Question[] = [
  { names: ["p_end"], scan: "suffix", iterations: 0 },
  { names: ["p_epoch"], scan: "outer", iterations: 0, workers: 2 },
  {
    names: ["p_step"],
    scan: "inner",
    iterations: 2,
    where: "epoch = 2 and step between 2 and 3",
    fits: (path) => /^epoch=2,step=[23]$/.test(path),
  },
];

/** From step 2 of epoch 2 to the end of the training. */
const MIDDLE: Course[] = [
  {
    entry: "epoch=end",
    do: "legs",
    legs: [{ from: 2, to: null, restore: "epoch=1.safetensors", reposition: "index" }],
    after: "run",
  },
  {
    entry: "epoch=2,step=end",
    do: "legs",
    legs: [{ from: 2, to: null, restore: "epoch=2,step=1.safetensors", reposition: "consume" }],
    after: "run",
  },
];

/** Every epoch without its steps, then what follows. */
const OUTER: Course[] = [0, 1, 2, 3].map((epoch) => ({
  entry: `epoch=${epoch},step=end`,
  do: "skip",
  restore: `epoch=${epoch},step=end.safetensors`,
}));

describe("truth", needs("torch"), () => {
  const interpreter = TORCH ?? "";
  let zygote: Zygote;
  beforeAll(async () => {
    zygote = await Zygote.start(interpreter);
  });
  afterAll(() => zygote[Symbol.dispose]());

  async function recorded(text: string, command: string): Promise<TestProject> {
    const project = new TestProject({ "train.py": text });
    const run = ["run", "--python", command, "--overhead", "inf", "--seed", "7", "train.py"];
    const { code, stderr } = await project.afterlogWith(FIXED_HASHES, ...run);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    return project;
  }

  const rows = [...Object.keys(PROGRAMS).entries()];
  test.each([...rows.slice(0, 1), ...some(rows.slice(1), { every: 6 })])(
    "%i %s",
    { timeout: 600_000 },
    async (at, name) => {
      const command = at === 0 || IS_LONG ? interpreter : zygote.command;
      const text = program(name);
      using project = await recorded(text, command);
      expect(project.manifest.audit ?? []).toEqual([]);
      using reference = await recorded(asked(text), command);
      for (const courses of [MIDDLE, OUTER]) await isTakenThere(project, command, courses);
      project.write("train.py", asked(text));
      const truth = logged(reference.records).map((one) => ({
        ...one,
        value: JSON.stringify(one.value),
      }));
      const questions = at === 0 ? [PREFIX, ...QUESTIONS] : QUESTIONS;
      for (const question of questions) await isAnswered(project, question, truth);
    },
  );

  test("a fork goes on exactly, from variables of a function", { timeout: 600_000 }, async () => {
    using project = await recorded(program(FUNCTIONS), zygote.command);
    const values = new Map(logged(project.records).map((one) => [key(one), one.value]));
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
    expect(after.map(({ value }) => value)).toEqual(after.map((one) => values.get(key(one))));
  });
});

async function isTakenThere(
  project: TestProject,
  command: string,
  courses: Course[],
): Promise<void> {
  const replayed = await replay(project, "train.py", courses, { interpreter: command });
  expect(replayed.stderr).toBe("");
  expect(replayed.outcome?.kind).toBe("done");
  const isReached = (path: string): boolean =>
    courses === OUTER
      ? !path.includes("step")
      : path === "" || /^epoch=(?:3|2$|2,step=[23])/.test(path);
  expect(replayed.values).toEqual(logged(project.records).filter(({ path }) => isReached(path)));
  expect(replayed.states.filter(({ differs }) => differs.length > 0)).toEqual([]);
  expect(replayed.states.length).toBeGreaterThan(courses === OUTER ? 3 : 8);
}

async function isAnswered(
  project: TestProject,
  { names, scan, iterations, where, workers = 1, fits = () => true }: Question,
  truth: readonly Cell[],
): Promise<void> {
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
  expect(cost.iterations, context).toBeLessThanOrEqual(iterations);
}
