/**
 * `aside` in Python: the training after it is what it would have been without it, as in
 * `test/sdk/aside.test.ts`.
 */
import { expect, test } from "vitest";
import { logged } from "../support/replay.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { python, TORCH } from "../support/python.ts";

/** A training that draws and has a model with flags and buffers. */
function program(statement: string): string {
  return `
import random
import torch
import afterlog as al
random.seed(1)
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.BatchNorm1d(2), torch.nn.Dropout(0.5), torch.nn.Linear(2, 1))
state = al.checkpointing(model=model, w=[0.0])
def evaluate(fails=False):
    model(torch.randn(4, 2))
    model.eval()
    other = al.checkpointing(sums=[])
    for batch in al.loop("tested", range(2)):
        other.sums.append(random.random() + model(torch.rand(4, 2)).sum().item())
    if fails:
        raise ValueError("inner")
    return other.sums
def failing():
    try:
        al.aside(lambda: evaluate(fails=True))
    except ValueError:
        return evaluate()
for epoch in al.loop("epoch", range(3)):
    state.w[0] += random.random() + model(torch.randn(4, 2)).mean().item()
    ${statement}
    al.log("loss", [state.w[0], model.training, model[0].running_mean.tolist()])
`;
}

async function recorded(statement: string): Promise<unknown> {
  using project = new TestProject({ "train.py": program(statement) });
  const env = { AFTERLOG_OVERHEAD: "inf" };
  const { code, stderr } = await python(project, TORCH ?? "", ["train.py"], env);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return {
    values: logged(project.records),
    kinds: project.records.map(({ k }) => k),
  };
}

test("what is done aside is not felt by the training", needs("torch"), async () => {
  const untouched = JSON.stringify(await recorded("pass"));
  for (const statement of ["al.aside(evaluate)", "al.aside(failing)"])
    expect(JSON.stringify(await recorded(statement)), statement).toBe(untouched);
  expect(JSON.stringify(await recorded("evaluate()"))).not.toBe(untouched);
});
