/**
 * Hooks that were added to see what a model does inside: registering one is no effect, what it throws
 * reaches nobody, what it draws is set back. The truth is the edited program, executed from the start.
 */
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { edit, hindsight } from "../support/ask.ts";
import { torchInterpreter } from "../support/interpreters.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { logged } from "../support/replay.ts";

const PROGRAM = `import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(4):
    total = 0.0
    for step in range(5):
        x = torch.randn(16, 4)
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    print("loss", total)
`;

interface Row {
  readonly before?: string;
  readonly inside?: string;
  readonly inStep?: string;
  readonly behind?: string;
  /** Instead of the answer. */
  readonly refused?: string;
  readonly marks?: readonly string[];
  /** Where the program itself would end with it, or draw other numbers. */
  readonly values?: readonly number[];
}

const ROWS: { readonly [what: string]: Row } = {
  "one that stays": {
    before:
      "acts = []\nmodel[0].register_forward_hook(lambda m, i, o: acts.append(o.std().item()))",
    inside: '    print("q", sum(acts))',
  },
  "one of backward that stays": {
    before:
      "grads = []\nmodel[2].register_full_backward_hook(lambda m, i, o: grads.append(o[0].std().item()))",
    inside: '    print("q", sum(grads))',
  },
  "one that is removed at the end": {
    before:
      "acts = []\nhandle = model[0].register_forward_hook(lambda m, i, o: acts.append(o.std().item()))",
    inside: '    print("q", acts[-1])',
    behind: "handle.remove()",
  },
  "one that is removed at once": {
    inside: `    acts = []
    handle = model[0].register_forward_hook(lambda m, i, o: acts.append(o.std().item()))
    model(x)
    handle.remove()
    print("q", acts[0])`,
  },
  "a function that prints": {
    before:
      'def look(m, i, o):\n    """Shows it."""\n    print("q", o.std().item())\nmodel[2].register_forward_hook(look)',
  },
  "one of a parameter": {
    before: "norms = []\nmodel[0].weight.register_hook(lambda g: norms.append(g.norm().item()))",
    inside: '    print("q", sum(norms))',
  },
  "one that draws": {
    before: `drawn = []
def look(m, i, o):
    drawn.append(torch.rand(1).item())
model[0].register_forward_hook(look)`,
    inside: '    print("q", len(drawn))',
    values: [5, 10, 15, 20],
  },
  "one that throws": {
    before: `seen = []
def look(m, i, o):
    seen.append(1)
    if len(seen) == 3:
        raise ValueError("no")
model[0].register_forward_hook(look)`,
    inside: '    print("q", len(seen))',
    marks: ["unchecked"],
    values: [5, 10, 15, 20],
  },
  "one that returns something": {
    before: `acts = []
def look(m, i, o):
    acts.append(1)
    return o * 0.5
model[0].register_forward_hook(look)`,
    inside: '    print("q", len(acts))',
    refused: "A question cannot",
  },
  "a gradient that frees the graph": {
    inStep: '        print("q", torch.autograd.grad(loss, model[0].weight)[0].norm().item())',
    refused: "is not of the run, and behind it the run fails, as it did not: RuntimeError: Trying",
  },
};

describe("hooks of PyTorch", needs("torch"), () => {
  let run: TestProject;
  const record = async (text: string): Promise<TestProject> => {
    const project = new TestProject({ "train.py": text });
    const how = ["run", "--overhead", "inf", "--python", torchInterpreter() ?? "", "train.py"];
    const { code, stderr } = await project.afterlog(...how);
    assert(code === 0, stderr);
    return project;
  };

  beforeAll(async () => {
    run = await record(PROGRAM);
  });

  afterAll(() => run[Symbol.dispose]());

  test.each(Object.entries(ROWS))("%s", async (_, row) => {
    const { before = "", inside = "", inStep = "", behind = "", refused } = row;
    const text =
      PROGRAM.replace("for epoch", `${before}\nfor epoch`).replace(
        "        opt.zero_grad()",
        `${inStep}\n        opt.zero_grad()`,
      ) + `${inside}\n${behind}\n`;
    using project = new TestProject();
    project.copyFrom(run);
    edit(project, { "train.py": text });
    const answer = await project.afterlog("replay", "q", "--yes");
    expect(answer.code, answer.stderr + answer.stdout).toBe(refused === undefined ? 0 : 5);
    if (refused !== undefined) return expect(answer.stderr).toContain(refused);
    const cells = await hindsight(project, ["q"]);
    const { marks = ["verified"], values } = row;
    expect([...new Set(cells.map(({ check }) => check))]).toEqual(marks);
    const found = cells.map(({ value }) => Number(value));
    if (values) return expect(found).toEqual(values);
    using whole = await record(text);
    const truth = logged(whole.records).filter(({ name }) => name === "q");
    expect(found).toEqual(truth.map(({ value }) => Number(value)));
  });
});
