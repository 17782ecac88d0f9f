/**
 * `restore` in Python: a training that starts in a fresh process from a checkpoint file of another
 * run goes on with exactly the losses of the uninterrupted one, as in `test/sdk/resume.test.ts`.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { listCheckpoints } from "../../src/store/index.ts";
import { logged } from "../support/replay.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { python, TORCH } from "../support/python.ts";

const PROGRAM = `
import random
import torch
import afterlog as al
first = al.checkpointing(seen=[random.random()])
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout(0.2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
parts = {"model": model, "optimizer": optimizer, "schedule": schedule, "best": None, "shared": []}
state = al.checkpointing(parts | {"again": parts["shared"]})
start, file = al.arg("start", 0), al.arg("file", "")
if file:
    al.restore(first, file)
    al.restore(state, file, declaration=1)
    assert state.model is model and state.optimizer.param_groups[0]["params"][0] is model[0].weight
    assert state.shared is state.again
for epoch in al.loop("epoch", range(start, 4)):
    optimizer.zero_grad()
    loss = model(torch.rand(5, 4)).square().mean()
    loss.backward()
    optimizer.step()
    schedule.step()
    state.shared.append(random.random())
    first.seen.append(epoch)
    if state.best is None or loss < state.best["loss"]:
        state.best = {"loss": loss.item()}
    al.log("loss", [loss.item(), state.best["loss"], state.again, first.seen])
`;

test("a run goes on from the file of another", needs("torch"), async () => {
  using project = new TestProject({ "train.py": PROGRAM });
  const record = async (...words: string[]): Promise<unknown[]> => {
    const env = { AFTERLOG_OVERHEAD: "inf" };
    const { code, stderr } = await python(project, TORCH ?? "", ["train.py", ...words], env);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    return logged(project.records);
  };
  const whole = await record();
  const { run } = project;
  const { file = "" } =
    listCheckpoints(run).find(({ path }) => JSON.stringify(path) === '[["epoch",1]]') ?? {};
  const rest = await record("start=2", `file=${join(run, "checkpoints", file)}`);
  const values = (cells: readonly unknown[]): unknown[] =>
    cells.map((cell) => (cell as { readonly value: unknown }).value);
  expect(values(rest)).toEqual(values(whole).slice(2));
});
