/**
 * What a Python process does with its orders, without the planner. The truth is the same program
 * with the statement in it from the start.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Course } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import type { Replayed } from "../support/replay.ts";
import { INTERPRETERS, TORCH } from "../support/python.ts";
import { logged, replay } from "../support/replay.ts";
import { needs } from "../support/needs.ts";

const PROGRAM = `
import random
import numpy as np
import torch
import afterlog as al

model = torch.nn.Sequential(
    torch.nn.Linear(4, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), al.arg("lr", 0.05), momentum=0.9)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda epoch: 0.9 ** epoch)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True) + random.random() + np.random.rand()
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), 16, shuffle=True)
ema = {name: value.clone() for name, value in model.state_dict().items()}
seen = {"count": 0, "best": None}
with al.checkpointing(model=model, opt=opt, sched=sched, ema=ema, seen=seen) as state:
    for epoch in al.loop("epoch", range(al.arg("epochs", 4))):
        PROBE_HEAD
        model.train()
        for bx, by in al.loop("step", data):
            loss = torch.nn.functional.mse_loss(model(bx), by + 0.1 * random.random())
            opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            for name, value in model.state_dict().items():
                if value.is_floating_point():
                    state.ema[name].mul_(0.9).add_(value * 0.1)
            seen["count"] += 1
            PROBE_STEP
            al.log("loss", loss.item())
        sched.step()
        model.eval()
        state.ema = {name: value.clone() for name, value in state.ema.items()}
        seen["best"] = model[0].weight.detach().clone()
        PROBE_EPOCH
        al.log("lr", opt.param_groups[0]["lr"])
PROBE_END
al.log("final", float(model(x).mean()))
`;

const ASKED =
  '[seen["count"], float(model[0].weight.sum()), float(model[1].running_var.sum()), opt.param_groups[0]["lr"], float(state.ema["0.weight"].sum()), model.training]';

const PLACES = ["HEAD", "STEP", "EPOCH", "END"];

/** The program, with statements at all places or at none. */
function source(asked: boolean): string {
  return PROGRAM.replaceAll(/PROBE_(\w+)/g, (_, place: string) =>
    asked ? `al.log("x ${place}", ${ASKED})` : "pass",
  );
}

const command = TORCH ?? "";

async function recorded(program: string): Promise<TestProject> {
  const project = new TestProject({ "train.py": program });
  const argv = ["run", "--python", command, "--overhead", "inf", "--seed", "7", "train.py"];
  const { code, stderr } = await project.afterlog(...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

const skip = (entry: string): Course => ({ entry, do: "skip", restore: `${entry}.safetensors` });
const leg = (entry: string, from: number, before: string): Course => ({
  entry,
  do: "legs",
  legs: [{ from, to: from, restore: `${before}.safetensors`, reposition: "index" }],
  after: "stop",
});
const STEPS = [0, 1, 2, 3].map((epoch) => skip(`epoch=${epoch},step=end`));

describe("orders", needs("torch"), () => {
  let project: TestProject;
  let truth: Replayed["values"];
  beforeAll(async () => {
    using asked = await recorded(source(true));
    truth = logged(asked.records);
    project = await recorded(source(false));
    project.write("train.py", source(true));
  });
  afterAll(() => project[Symbol.dispose]());

  test.each<[string, Course[], (path: string) => boolean, number]>([
    ["everything", [], () => true, 16],
    ["suffix", [skip("epoch=end")], (path) => path === "", 0],
    ["outer, all epochs", STEPS, (path) => !path.includes("step"), 0],
    [
      "outer, one epoch",
      [leg("epoch=end", 3, "epoch=2"), { entry: "epoch=3,step=end", do: "stop" }],
      (path) => path === "epoch=3",
      0,
    ],
    [
      "inner, one epoch from its start",
      [leg("epoch=end", 2, "epoch=1")],
      (path) => path.startsWith("epoch=2"),
      4,
    ],
    [
      "inner, one step: items before it are dropped first",
      [
        leg("epoch=end", 2, "epoch=1"),
        {
          entry: "epoch=2,step=end",
          do: "legs",
          legs: [{ from: 2, to: 2, restore: "epoch=2,step=1.safetensors", reposition: "consume" }],
          after: "stop",
        },
      ],
      (path) => path === "epoch=2,step=2",
      1,
    ],
  ])("%s", async (_, courses, isAsked, steps) => {
    const replayed = await replay(project, "train.py", courses, { interpreter: command });
    expect(replayed.stderr).toBe("");
    expect(replayed.outcome?.kind).toBe("done");
    // Up to where it was told to stop, and of what was asked for all.
    const reached = new Set(replayed.values.map(({ path, name }) => `${path} ${name}`));
    const asked = truth.filter(({ path, name }) => isAsked(path) && reached.has(`${path} ${name}`));
    expect(asked.length).toBeGreaterThan(0);
    expect(replayed.values.filter(({ path }) => isAsked(path))).toEqual(asked);
    expect(replayed.values.filter(({ name }) => name === "loss")).toHaveLength(steps);
    // Whatever was executed again came to the states that were recorded.
    expect(replayed.states.filter(({ differs }) => differs.length > 0)).toEqual([]);
  });

  test("every place was asked for", () => {
    const names = new Set(truth.map(({ name }) => name));
    expect(PLACES.filter((place) => !names.has(`x ${place}`))).toEqual([]);
  });
});

describe("what a replay cannot do by skipping", () => {
  const interpreter = TORCH ?? INTERPRETERS[0] ?? "python3";
  const FILES = `
import json, os, random, sys
import afterlog as al
data = json.load(open("data.json"))
state = al.checkpointing(total=[0])
for epoch in al.loop("epoch", range(3)):
    for step in al.loop("step", iter([1, 2, 3])):
        state.total[0] += data["x"] + random.random()
        al.log("loss", state.total[0])
    with open("best.json", "w") as file:
        json.dump(state.total, file)
READ
al.log("final", state.total[0])
`;

  async function trained(read: string): Promise<TestProject> {
    const project = new TestProject({
      "train.py": FILES.replace("READ", read),
      "data.json": '{"x": 1}',
    });
    const argv = ["run", "--python", interpreter, "--overhead", "inf", "train.py"];
    expect((await project.afterlog(...argv)).code).toBe(0);
    return project;
  }

  test("a generator that nobody seeded begins as it began", async () => {
    using project = await trained("pass");
    const { values, outcome, states } = await replay(project, "train.py", [], { interpreter });
    expect(outcome?.kind).toBe("done");
    expect(values).toEqual(logged(project.records));
    expect(states.every(({ differs }) => differs.length === 0)).toBe(true);
  });

  test("a file that a skipped loop wrote is missing", async () => {
    using project = await trained('al.log("best", json.load(open("best.json")))');
    const { outcome } = await replay(project, "train.py", [skip("epoch=end")], { interpreter });
    expect(outcome).toMatchObject({ kind: "insufficient" });
    expect(outcome?.why).toContain("best.json");
  });

  test("a history that backward needs is missing", needs("torch"), async () => {
    using project = await recorded(`
import torch
import afterlog as al
class Trainer:
    def __init__(self):
        self.model, self.sum = torch.nn.Linear(2, 1), torch.zeros(())
    def see(self, x):
        self.sum = self.sum + self.model(x).pow(2).sum()
        return self.sum
trainer = Trainer()
for epoch in al.loop("epoch", range(2)):
    for step in al.loop("step", range(3)):
        last = trainer.see(torch.ones(2) * step)
    al.log("sum", str(last))
    trainer.sum.backward()
    al.log("gradient", trainer.model.weight.grad.tolist())
    trainer.sum = torch.zeros(())
`);
    const steps = skip("epoch=0,step=end");
    const { outcome, values } = await replay(project, "train.py", [steps], {
      interpreter: command,
    });
    // Up to there nobody sees that it has none, not even in print.
    expect(values).toEqual(logged(project.records).slice(0, 1));
    expect(outcome).toMatchObject({ kind: "insufficient" });
    expect(outcome?.why).toMatch(/computed from, and backward\(\) needs it/);
  });

  test("a file that has changed since is not what the run read", async () => {
    using project = await trained("pass");
    project.write("data.json", '{"x": 2}');
    const { outcome } = await replay(project, "train.py", [], { interpreter });
    expect(outcome).toMatchObject({
      kind: "diverged",
      why: "data.json has changed since the run read it",
    });
  });

  test("a program that does something else diverges", async () => {
    using project = await trained("pass");
    project.write("train.py", FILES.replace("READ", "pass").replace("range(3)", "range(2)"));
    const { outcome, code } = await replay(project, "train.py", [], { interpreter });
    expect({ code, kind: outcome?.kind }).toEqual({ code: 1, kind: "diverged" });
    expect(outcome?.why).toContain('loop "epoch" ended after 2 iterations');
  });
});
