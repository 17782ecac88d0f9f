/**
 * @file Loops whose iterators execute the program, and whose iterations are so quick that most of them go by
 * unreported: what is asked in them, behind them and in what they call must be what the program prints when
 * the statement is in it from the start.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import type { TestProject } from "../support/project.ts";

const PROGRAM = "train.py";

/** Draws in the iterator and in the body, loops in the iterator, early exits, an error in the iterator. */
const TEXT = `import random

random.seed(5)
weights = [0.0, 0.0, 0.0]
state = {"drawn": 0.0, "fed": 0}


def batches(count):
    for i in range(count):
        batch = []
        for size in range(2):
            state["fed"] += 1
            batch.append(random.random() + size)
            #in-iterator
        yield i, batch


def failing(count):
    yield from batches(count)
    raise LookupError("no more")


def step(i, batch):
    for k in range(3):
        weights[k] = weights[k] * 0.9 + sum(batch) * (k + 1)
    if i % 7 == 0:
        state["drawn"] += random.random()
    #in-step


def weigh():
    return sum(weights) + state["drawn"]


for epoch in range(8):
    for i, batch in batches(400):
        if i % 5 == 4:
            continue
        step(i, batch)
        #in-steps
        if i % 200 == 0:
            print("seen", weigh())
        if epoch == 5 and i == 333:
            break
    #in-epochs
    try:
        for i, batch in failing(60):
            step(i, batch)
            #in-trial
    except LookupError:
        weights[1] += 1
    print("total", weigh())
#after
`;

interface Question {
  readonly place: string;
  readonly statement: string;
  /** Which iterations are asked, as Python tests it. */
  readonly where?: string;
}

const QUESTIONS: readonly Question[] = [
  { place: "#in-iterator", statement: 'print("iterator", state["fed"] * 2)' },
  { place: "#in-step", statement: 'print("step", weights[2] - i)' },
  { place: "#in-steps", statement: 'print("steps", weights[0] + i)' },
  {
    place: "#in-steps",
    statement: 'print("one", weights[0] + i)',
    where: "epoch == 6 and i == 390",
  },
  { place: "#in-epochs", statement: 'print("epochs", weights[1] + i)' },
  { place: "#in-trial", statement: 'print("trial", weights[1] - i)' },
  { place: "#after", statement: 'print("after", weigh() * 2 + state["fed"])' },
];

describe("loops whose iterations go by unreported", needs("python"), () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await record({ [PROGRAM]: TEXT }, PROGRAM, "budget");
  });
  afterAll(() => project[Symbol.dispose]());

  test("are recorded from entry to end, with as many iterations as they had", () => {
    const ends = project.records.flatMap((line) =>
      line.k === "exit" && line.loop !== "epoch" ? [[line.how, line.iterations]] : [],
    );
    const expected = Array.from({ length: 8 }, (_, epoch) => [
      epoch === 5 ? ["break", 334] : ["exhausted", 400],
      ["throw", 60],
    ]);
    expect(ends).toEqual(expected.flat());
    expect(project.manifest.off).toEqual([]);
    const profile = readFileSync(join(project.onlyRun, "profile.jsonl"), "utf8");
    const groups = profile.split("\n").flatMap((line) => {
      const { k, each = [] } = line === "" ? { k: "" } : JSON.parse(line);
      return k === "iterations" ? each : [];
    });
    expect(Math.max(...groups)).toBeGreaterThan(8);
  });

  test.each(QUESTIONS)("can be asked: $place $where", async ({ place, statement, where }) => {
    const [, name = ""] = /"(\w+)"/.exec(statement) ?? [];
    const truth = printed(
      name,
      place,
      where === undefined ? statement : `if ${where}: ${statement}`,
    );
    expect(truth.length).toBeGreaterThan(0);
    edit(project, { [PROGRAM]: TEXT.replace(place, statement) });
    const condition = where?.replaceAll("==", "=");
    const answer = await ask(project, [name], { workers: 2, where: condition });
    expect(answer.code, answer.stderr).toBe(0);
    expect(answer.cells.map(({ value }) => Number(value))).toEqual(truth);
    const marks = place.endsWith("after") ? ["unchecked", "restored"] : ["verified"];
    for (const { check } of answer.cells) expect(marks).toContain(check);
  });
});

function printed(name: string, place: string, statement: string): number[] {
  const text = TEXT.replace(place, statement);
  const { stdout } = spawnSync("python3", ["-"], { input: text, encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line.startsWith(`${name} `));
  return lines.map((line) => Number(line.split(" ")[1]));
}
