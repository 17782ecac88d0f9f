/**
 * What a user is told where a question has no answer: each refusal in its own words, and each asked
 * name that logged nothing, with whether it was reached. `#+` marks what is added, `#was:` what was
 * there before.
 */
import { describe, expect, test } from "vitest";
import { ask, edit, record } from "../support/ask.ts";
import { torchInterpreter } from "../support/interpreters.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { after, before } from "./programs.ts";

interface Refusal {
  readonly file: string;
  readonly text: string;
  readonly says: string;
  readonly needs?: "torch";
}

const REFUSALS: { readonly [what: string]: Refusal } = {
  "an intervention": {
    file: "train.py",
    text: `state = {"on": True}
w = 0.5
for epoch in range(2):
    state["on"] = True
    state["on"] = False #+
    w -= 0.1 if state["on"] else 0.0
    print("loss", w)
    print("q", w * 2) #+
`,
    says: "changes what line 5 of the run computes. A question cannot.",
  },
  "a function that another one stands around": {
    file: "train.ts",
    text: `const twice = (f: (a: number) => number) => (a: number) => { console.log("q", a); return 2 * f(a); }; //+
const step = twice((a: number) => a - 0.1); //was: const step = (a: number) => a - 0.1;
let w = 0.5;
for (let epoch = 0; epoch < 2; epoch++) {
  w = step(w);
  console.log("loss", w);
}
`,
    says: "`step` comes from your `twice` (train.ts:1); this run did not have it",
  },
  "a class that another one stands above": {
    file: "train.py",
    text: `def look(cls): #+
    old = cls.step #+
    def step(self, x): #+
        print("q", x) #+
        return old(self, x) #+
    cls.step = step #+
    return cls #+
@look #+
class Net:
    def step(self, x):
        return x / 2
w = 4.0
for epoch in range(2):
    w = Net().step(w)
    print("loss", w)
`,
    says: "`@look` (train.py:8) makes another `Net` than the run had",
  },
  "what may not give back the same": {
    file: "train.py",
    text: `scale = 0.1
for epoch in range(2):
    w = epoch * scale
    scale *= 3 #+
    print("q", w * scale) #+
    scale /= 3 #+
    print("loss", w)
`,
    says: "`scale *= 3` (train.py:4) changes what line 3 of the run computes: whether `scale /= 3` gives back the very same is not known",
  },
  "a return that spreads what nobody knows": {
    file: "train.ts",
    text: `const all = (n: number): Iterable<number> => new Set([n, 2 * n]);
function fit(xs: Iterable<number>) {
  const t = 0.5;
  return { t, worst: Math.max(...xs) }; //was:   return t;
}
for (let epoch = 0; epoch < 2; epoch++) {
  const { t: loss, worst } = fit(all(epoch)); //was:   const loss = fit(all(epoch));
  console.log("loss", loss);
  console.log("q", worst); //+
}
`,
    says: "worst does not exist in that version",
  },
  "the same name, another value": {
    file: "train.ts",
    text: `let w = 0.5;
for (let epoch = 0; epoch < 2; epoch++) {
  w -= 0.1;
  console.log("q", w / 2); //was:   console.log("q", w);
}
`,
    says: "this run logs `q` as `w`, yours as `w / 2`; ask for yours as another column: --as q_2",
  },
  "a function of loader workers": {
    file: "train.py",
    needs: "torch",
    text: `import torch
from torch.utils.data import DataLoader, Dataset
class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, at):
        print("q", at * 2) #+
        return torch.tensor(float(at))
if __name__ == "__main__":
    loader = DataLoader(Rows(), batch_size=2, num_workers=1)
    for epoch in range(2):
        total = 0.0
        for batch in loader:
            total += float(batch.sum())
        print("loss", total)
`,
    says: "`__getitem__` runs in loader workers: its values have no place in the loops",
  },
  "a function of other processes": {
    file: "train.py",
    text: `from multiprocessing import Pool
def work(x):
    print("q", x * 2) #+
    return x / 2
if __name__ == "__main__":
    with Pool(1) as pool:
        for epoch in range(2):
            print("loss", sum(pool.map(work, [1.0, 2.0])))
`,
    says: "`work` runs in other processes, and what it prints there is not seen: log what it returns",
  },
  "a function in a list of the run": {
    file: "train.py",
    text: `callbacks = []
def note(value): #+
    print("q", value) #+
callbacks.append(note) #+
w = 0.5
for epoch in range(2):
    w -= 0.1
    for callback in callbacks:
        callback(w)
    print("loss", w)
`,
    says: "`callbacks.append(note)` (train.py:4) has the run call what it did not",
  },
  "a compiled function": {
    file: "train.py",
    needs: "torch",
    text: `import torch
@torch.jit.script
def step(w: torch.Tensor) -> torch.Tensor:
    print("q", w) #+
    return w * 0.9
w = torch.ones(2)
for epoch in range(2):
    w = step(w)
    print("loss", w.sum().item())
`,
    says: "`step` is compiled: log what it returns",
  },
  "what Node calls when the run is over": {
    file: "train.ts",
    text: `let w = 0.5;
process.on("exit", () => {
  w = 0;
  console.log("q", w); //+
});
for (let epoch = 0; epoch < 2; epoch++) {
  w -= 0.1;
  console.log("loss", w);
}
`,
    says: '`process.on("exit", …)` calls it when the run is over: log behind your last loop instead',
  },
  "the same, by its name": {
    file: "train.ts",
    text: `let w = 0.5;
function bye() {
  console.log("q", w); //+
}
process.once("exit", bye);
for (let epoch = 0; epoch < 2; epoch++) {
  w -= 0.1;
  console.log("loss", w);
}
`,
    says: '`process.on("exit", …)` calls it when the run is over',
  },
  "a callback that could change the run": {
    file: "train.ts",
    text: `const listeners: ((at: number) => void)[] = [];
const run = { go: (n: number, f?: (at: number) => void) => { for (let i = 0; i < n; i++) { f?.(i); console.log("at", i); } } };
run.go(3, (at) => { listeners.length = 0; console.log("q", at); }); //was: run.go(3);
`,
    says: "`run.go` is given more here (train.ts:3) than on line 3 of the run, and not only what may look on",
  },
  "an await": {
    file: "train.ts",
    text: `const look = (v: number): number | Promise<number> => v;
async function train(): Promise<void> { //was: function train(): void {
  let w = 0.5;
  for (let epoch = 0; epoch < 2; epoch++) {
    w -= 0.1;
    console.log("loss", w);
    console.log("q", await look(w)); //+
  }
}
train();
`,
    says: "this `await` (train.ts:7) stands where the run did not wait",
  },
};

describe.each(Object.entries(REFUSALS))("%s", (_, { file, text, says, needs: needed }) => {
  test("is refused in its words", needs(needed ?? "python"), async () => {
    using project = new TestProject({ [file]: before({ file, text }) });
    const interpreter = needed === "torch" ? ["--python", torchInterpreter() ?? ""] : [];
    const ran = await project.afterlog("run", "--overhead", "inf", ...interpreter, file);
    expect(ran.code, ran.stderr).toBe(0);
    edit(project, { [file]: after({ file, text }) });
    const { code, stdout, stderr } = await project.afterlog("replay", "q", "--yes");
    expect(code, stdout + stderr).not.toBe(0);
    expect(stdout + stderr).toContain(says);
  });
});

test("what is printed by other processes, too, is said to be a part", needs("python"), async () => {
  const { file, text } = REFUSALS["a function of other processes"] ?? { file: "", text: "" };
  const both = text.replace('print("loss", ', 'print("loss", work(3.0), ');
  using project = await record({ [file]: before({ file, text: both }) }, file, "budget");
  edit(project, { [file]: after({ file, text: both }) });
  const { stdout, stderr } = await project.afterlog("plan", "q");
  const says = "`work` runs in other processes, too, and what it prints there is not seen";
  expect(stdout + stderr).toContain(says);
});

const SILENT = [
  {
    file: "train.py",
    text: `def never(v):
    print("unreached", v) #+
    return v
w = 0.5
for epoch in range(3):
    w -= 0.1 * w
    print("loss", w)
    if w > 9:
        never(w)
    print("half", w / 2) #+
    print("none", [].sort()) #+
`,
  },
  {
    file: "train.ts",
    text: `function never(v: number): number {
  console.log("unreached", v); //+
  return v;
}
let w = 0.5;
for (let epoch = 0; epoch < 3; epoch++) {
  w -= 0.1 * w;
  console.log("loss", w);
  if (w > 9) never(w);
  console.log("half", w / 2); //+
  console.log("none", [1].find((one) => one > 1)); //+
}
`,
  },
];

describe.each(SILENT)("names that logged nothing, $file", needs("python"), ({ file, text }) => {
  test("are named beside those that did, with whether they were reached", async () => {
    using project = await record({ [file]: before({ file, text }) }, file, "all");
    edit(project, { [file]: after({ file, text }) });
    const lines = after({ file, text }).split("\n");
    const at = (name: string): string => {
      return `\`${name}\` at ${file}:${lines.findIndex((line) => line.includes(name)) + 1}`;
    };
    using again = new TestProject();
    again.copyFrom(project);
    const names = ["half", "none", "unreached"];
    for (const workers of ["1", "3"]) {
      using one = new TestProject();
      one.copyFrom(project);
      const { code, stderr } = await one.afterlog("replay", ...names, "--yes", "-j", workers);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(`${at("none")} was reached, and had no value there`);
      expect(stderr).toContain(`${at("unreached")} was not reached`);
      expect(stderr).not.toContain(at("half"));
    }
    // What was filled before is not silent.
    await ask(again, ["half"]);
    const { stderr } = await again.afterlog("replay", ...names, "--yes");
    expect(stderr).toContain(`${at("none")} was reached`);
    expect(stderr).not.toContain(at("half"));
  });
});

test("a log call in a function that nothing calls: where and plan say that it may log nothing", async () => {
  const text = `let w = 0.5;
function spare(x: number) {
  console.log("q", x); //+
  return x;
}
for (let epoch = 0; epoch < 2; epoch++) {
  w -= 0.1;
  console.log("loss", w);
  console.log("r", w); //+
}
`;
  const file = "train.ts";
  using project = await record({ [file]: before({ file, text }) }, file, "all");
  edit(project, { [file]: after({ file, text }) });
  const said = "nothing is seen to call the function around train.ts:3, so it may log nothing";
  for (const command of ["where", "plan"]) {
    const [q, r] = [await project.afterlog(command, "q"), await project.afterlog(command, "r")];
    expect(q.stdout + q.stderr).toContain(said);
    expect(r.stdout + r.stderr).not.toContain(said);
  }
});
