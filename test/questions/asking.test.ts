/**
 * How a question is put: without a name, by a line, under another name. The truth is the edited
 * program, executed from the start.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LandingsReport } from "../../src/app/index.ts";
import type { Answer } from "../support/ask.ts";
import { ask, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { TestProject } from "../support/project.ts";
import { logged } from "../support/replay.ts";
import type { EditedProgram } from "./programs.ts";
import { after, before } from "./programs.ts";

const PROGRAMS: readonly EditedProgram[] = [
  {
    file: "train.py",
    text: `import random
w = {"a": 0.1, "b": 0.2}
for epoch in range(4):
    loss = 0.0
    for step in range(10):
        x = random.random()
        err = w["a"] * x + w["b"] - 2 * x
        loss += err * err
        w["a"] -= 0.1 * err * x
        w["b"] -= 0.1 * err
        print("loss", err * err) #+
    half = loss / 2 #+
    print("half", half) #+
    print(f"epoch {epoch} twice {loss * 2:.2f}") #+
    for name in w: #+
        print(f"w.{name}", w[name]) #+
    print("loss", loss / 10) #was: print("loss", loss)
print("end", w["a"])
`,
  },
  {
    file: "train.ts",
    text: `const w = [0.1, 0.2];
for (let epoch = 0; epoch < 4; epoch++) {
  let loss = 0;
  for (let step = 0; step < 10; step++) {
    const x = Math.random();
    const err = w[0]! * x + w[1]! - 2 * x;
    loss += err * err;
    w[0]! -= 0.1 * err * x;
    w[1]! -= 0.1 * err;
    console.log("loss", err * err); //+
  }
  const half = loss / 2; //+
  console.log("half", half); //+
  console.log(\`epoch \${epoch} twice \${loss * 2}\`); //+
  for (const [i, value] of w.entries()) { //+
    console.log(\`w.\${i}\`, value); //+
  } //+
  console.log("loss", loss / 10); //was: console.log("loss", loss);
}
console.log("end", w[0]);
`,
  },
];

describe.each(PROGRAMS)("$file", needs("python"), (program) => {
  const { file } = program;
  const lines = after(program).split("\n");
  const lineOf = (text: string): string => {
    return `${file}:${lines.findIndex((line) => line.includes(text)) + 1}`;
  };
  let run: TestProject;

  beforeAll(async () => {
    run = await record({ [file]: before(program) }, file, "all");
  });

  afterAll(() => run[Symbol.dispose]());

  /** The run, with the edit in the working tree but for some of its lines. */
  const edited = (without: RegExp = /never/): TestProject => {
    const project = new TestProject();
    project.copyFrom(run);
    const text = program.text.split("\n").filter((line) => !without.test(line));
    edit(project, { [file]: after({ file, text: text.join("\n") }) });
    return project;
  };
  const truthOf = async (text: string, names: readonly string[]): Promise<string[]> => {
    using whole = await record({ [file]: text }, file, "budget");
    return valuesOf(logged(whole.records).filter(({ name }) => names.includes(name)));
  };

  test("without a name every added call is asked", async () => {
    using project = edited(/loss \/ 10|loss", err/);
    const keys = file === "train.py" ? ["w.a", "w.b"] : ["w.0", "w.1"];
    const names = ["half", "twice", ...keys];
    const answer = await ask(project, names, { words: [] });
    expectAnswered(answer);
    expect(answer.plan?.names).toEqual(["half", "twice", "w.*"]);
    expect(valuesOf(answer.cells)).toEqual(await truthOf(after(program), names));
    const again = await ask(project, names, { words: [] });
    expect(again.stderr).toContain("nothing to do");
  });

  test("a line is one call, though the run logs the name elsewhere", async () => {
    using project = edited();
    const answer = await ask(project, ["loss"], { words: [lineOf('"loss", err')] });
    expectAnswered(answer);
    const isStep = (value: string): boolean => value.includes("step");
    const truth = await truthOf(after(program), ["loss"]);
    expect(valuesOf(answer.cells)).toEqual(truth.filter(isStep));
  });

  test("another value of a name is asked under another one", async () => {
    using project = edited(/loss", err/);
    const refused = await ask(project, ["loss"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      "this run logs `loss` as `loss`, yours as `loss / 10`; ask for yours as another column: --as loss_2",
    );
    const answer = await ask(project, ["loss_mean"], { words: ["loss", "--as", "loss_mean"] });
    expectAnswered(answer);
    const text = after(program).replace(/"loss", err \* err/, '"step_loss", err * err');
    const truth = await truthOf(text, ["loss"]);
    expect(valuesOf(answer.cells)).toEqual(truth);
  });

  test("what is put in is shown as a diff, with reasons", async () => {
    using project = edited();
    const indent = file === "train.py" ? "    " : "  ";
    const { stdout } = await project.afterlog("where", "half");
    expect(stdout).toMatch(
      /^\+ +(?:const )?half = loss \/ 2;? +← needed\n\+.*"half", half.* ← asked$/m,
    );
    expect(stdout).toMatch(/^@@ -\d+,\d \+\d+,\d @@$/m);
    const { stdout: json } = await project.afterlog("where", "half", "--json");
    const { groups } = JSON.parse(json) as LandingsReport;
    expect(groups[0]?.parts.map(({ why }) => why)).toEqual(
      expect.arrayContaining(["needed", "asked"]),
    );
    expect(groups[0]?.diff).toContain(`\n+${indent}`);
    const { stdout: plan } = await project.afterlog("plan", "half");
    expect(plan).toMatch(/^ {4}with {2}(?:const )?half = loss \/ 2;?$/m);
  });

  test("several statements are put where a line says", async () => {
    using project = edited();
    edit(project, { [file]: before(program) });
    const last =
      before(program)
        .split("\n")
        .findIndex((line) => line.includes('"loss"')) + 1;
    const at = ["--at", `${file}:${last}`];
    const answer = await ask(project, ["c"], { words: [...at, "b = loss * 2; c = b + 1"] });
    expectAnswered(answer);
    const losses = logged(run.records).filter(({ name }) => name === "loss");
    const twice = losses.map(({ path, value }) => ({ path, value: Number(value) * 2 + 1 }));
    expect(valuesOf(answer.cells)).toEqual(valuesOf(twice));
    const call = file === "train.py" ? "print" : "console.log";
    const words = [...at, `t = loss * 2; ${call}("d", t + 1)`];
    const other = await ask(project, ["d"], { words });
    expectAnswered(other);
    expect(valuesOf(other.cells)).toEqual(valuesOf(twice));
  });

  test("the log call alone, and no promise for it", async () => {
    using project = edited();
    const lines = after(program).replace(/^.*"half".*$/m, (line) => {
      const [indent = ""] = /^ */.exec(line) ?? [];
      return `${indent}w.${file === "train.py" ? "update(a=0.5)" : "push(1)"}\n${line}`;
    });
    edit(project, { [file]: lines });
    const answer = await ask(project, ["half"], { words: ["half", "--only-statement"] });
    expect(answer.code, answer.stderr).toBe(0);
    expect([...new Set(answer.cells.map(({ check }) => check))]).toEqual(["unchecked"]);
  });

  test("the number of a loop is in every record, and no question", async () => {
    using project = edited();
    const call = file === "train.py" ? 'print("step", step)' : 'console.log("step", step);';
    const text = before(program).replace(/^( *)loss \+= .*$/m, `$&\n$1${call}`);
    edit(project, { [file]: text });
    const line = text.split("\n").findIndex((one) => one.includes(call)) + 1;
    for (const word of ["step", `${file}:${line}`]) {
      const { code, stderr } = await ask(project, [], { words: [word] });
      expect(code).toBe(1);
      expect(stderr).toContain(`step is the number of a loop around ${file}:${line}: not logged`);
    }
  });

  test("a line that logs nothing is no question, and neither is nothing", async () => {
    using project = edited();
    const nowhere = await ask(project, [], { words: [`${file}:1`] });
    expect(nowhere.stderr).toContain(`nothing is logged on line 1 of ${file}`);
    const swapped = await ask(project, [], { words: [`${file.replace("ai", "ia")}:1`] });
    expect(swapped.stderr).toContain(`did you mean  ${file}:1`);
    edit(project, { [file]: before(program) });
    const nothing = await ask(project, [], { words: [] });
    expect(nothing.stderr).toContain("no log call was added since the newest run");
  });
});

function expectAnswered({ code, stdout, stderr, cells }: Answer): void {
  expect(code, stderr + stdout).toBe(0);
  expect([...new Set(cells.map(({ check }) => check))]).toEqual(["verified"]);
}

/** Values in order, by loops of the run: one that was added is not one of them. */
function valuesOf(logs: readonly { readonly path: string; readonly value: unknown }[]): string[] {
  const texts = logs.map(({ path, value }) => {
    const loops = path.split(",").filter((part) => /^(?:epoch|step)=/.test(part));
    return `${loops.join()} ${Number(value)}`;
  });
  return texts.toSorted();
}
