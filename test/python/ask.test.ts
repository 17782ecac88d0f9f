/** Questions about runs of Python programs, from the command line to the frame. */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask } from "../support/ask.ts";
import { INTERPRETERS, python } from "../support/python.ts";
import { logged } from "../support/replay.ts";

const MODEL = `
import random
import afterlog as al

class Model:
    def __init__(self):
        self.weights = [random.random() for _ in range(4)]

    def step(self, batch, lr):
        change = random.gauss(0, lr) + batch
        STEP
        self.weights[batch % 4] += change
`;

const TRAIN = `
import afterlog as al
from model import Model

def main():
    model = Model()
    with al.checkpointing(model=model):
        for epoch in al.loop("epoch", range(al.arg("epochs", 2))):
            for batch in al.loop("step", range(3)):
                model.step(batch, al.arg("lr", 0.1))
                al.log("loss", sum(model.weights))
            EPOCH
    return model

model = main()
al.log("final", model.weights)
`;

const source = (text: string, asked: { [place: string]: string }): string =>
  text.replaceAll(/STEP|EPOCH/g, (place) => asked[place] ?? "# nothing");

test("a statement that was added later is answered for every run", async () => {
  using project = new TestProject({
    "train.py": source(TRAIN, {}),
    "model.py": source(MODEL, {}),
  });
  const run = ["run", "--python", INTERPRETERS[0] ?? "python3", "train.py"];
  for (const argv of [[], ["epochs=3", "lr=0.5"]]) {
    expect((await project.afterlog(...run, ...argv)).code).toBe(0);
  }
  // It draws: what follows in the run must not notice.
  project.write(
    "model.py",
    source(MODEL, { STEP: 'al.log("kick", change + 0 * random.random())' }),
  );
  project.write("train.py", source(TRAIN, { EPOCH: 'al.log("least", min(model.weights))' }));
  const { code, stderr } = await project.afterlog("replay", "kick", "least", "--yes");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const frame = await project.afterlog("frame", "kick", "least", "loss", "lr", "--json", "-L", "0");
  const rows = JSON.parse(frame.stdout) as { [name: string]: unknown }[];
  expect(rows).toHaveLength(15);
  for (const row of rows) {
    const verified = { from: "hindsight", check: "verified" };
    expect(row).toMatchObject({ origin: { kick: verified, least: verified } });
  }
  // The sum of the weights moves by what was added to one of them.
  const [first, second] = rows.filter((row) => row["epoch"] === 0).slice(0, 2);
  const moved = Number(second?.["loss"]) - Number(first?.["loss"]);
  expect(moved).toBeCloseTo(Number(second?.["kick"]), 10);
});

test("a statement of a source that differs by more goes into the one that ran", async () => {
  using project = new TestProject({
    "train.py": source(TRAIN, {}),
    "model.py": source(MODEL, {}),
  });
  const run = ["run", "--python", INTERPRETERS[0] ?? "python3", "train.py"];
  expect((await project.afterlog(...run)).code).toBe(0);
  const changed = source(TRAIN, { EPOCH: 'al.log("least", min(model.weights))' });
  project.write("train.py", changed.replace("range(3)", "range(4)"));
  const { code, stderr, cells } = await ask(project, ["least"]);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(cells.map(({ path, check }) => [path, check])).toEqual([
    ["epoch=0", "verified"],
    ["epoch=1", "verified"],
  ]);
});

const FUNCTION = `
import random
import afterlog as al

def train(weights, epochs):
    total, best, seen = 0.0, None, set()
    def note(value):
        nonlocal total
        total += value
    for epoch in al.loop("epoch", range(epochs)):
        for i in al.loop("step", range(5)):
            weights[i % 4] += random.random()
            note(weights[i % 4])
            seen.add(i * epoch)
        best = max(best or 0, total)
        if epoch == 2:
            break
    al.log("final", [total, best, sorted(seen), weights])
    ASKED

train([0.0] * 4, 6)
`;

test.each(INTERPRETERS)("variables of a function, with plain %s", async (command) => {
  using project = new TestProject({ "train.py": FUNCTION.replace("ASKED", "pass") });
  const env = { AFTERLOG_OVERHEAD: "inf", PYTHONHASHSEED: "0" };
  expect((await python(project, command, ["train.py"], env)).code).toBe(0);
  const final = logged(project.records).filter(({ name }) => name === "final");
  const asked = 'pass\n    al.log("all", [total, best, sorted(seen), weights, epoch, i])';
  project.write("train.py", FUNCTION.replace("ASKED", asked));
  const { code, cells, plan } = await ask(project, ["all"]);
  expect({ code, share: plan?.runs[0]?.share }).toEqual({ code: 0, share: 0 });
  expect(cells.map(({ value, check }) => ({ value: JSON.parse(value) as unknown, check }))).toEqual(
    final.map(({ value }) => ({ value: [...(value as unknown[]), 2, 4], check: "verified" })),
  );
});
