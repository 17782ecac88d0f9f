/**
 * Python programs that never heard of Afterlog, recorded and asked for what they did not log (Flor
 * §2.2.1). The truth is the same program with the statements in it from the start; no number may
 * differ. Printed for each: the scan used and the share of the iterations that were executed again.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatPath } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import type { Answer } from "../support/ask.ts";
import { ask, byPlace, costOf } from "../support/ask.ts";
import { INTERPRETERS, python, TORCH } from "../support/python.ts";
import type { PlainProgram } from "./hands-free-programs.ts";
import { asked, PLAIN_PROGRAMS, unchanged } from "./hands-free-programs.ts";
import { BESIDE, LIVING_OBJECTS, ODD_LOOPS, QUICK_LOOPS, WATCHING } from "./odd-loops.ts";
import { REBOUND_PROGRAMS } from "./rebound-programs.ts";
import { FIXED_HASHES, Zygote } from "./zygote.ts";
import { some } from "../support/draws.ts";
import { needs } from "../support/needs.ts";

function filesOf({ text, files = {} }: PlainProgram, as: (text: string) => string) {
  const all = Object.entries({ ...files, "train.py": text });
  return Object.fromEntries(all.map(([name, one]) => [name, as(one)]));
}

async function record(
  project: TestProject,
  { argv = [] }: PlainProgram,
  command: string,
): Promise<void> {
  const how = ["--python", command, "--overhead", "inf", "--seed", "7", "--hands-free"];
  const { code, stderr } = await project.afterlogWith(
    FIXED_HASHES,
    "run",
    ...how,
    "train.py",
    ...argv,
  );
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  expect(project.manifest.handsFree).toBe(true);
}

/** Values that a project logged, as those of a replay are compared. */
function logged(project: TestProject) {
  return project.records.flatMap((record) =>
    record.k === "log"
      ? [{ path: formatPath(record.path), name: record.name, value: JSON.stringify(record.value) }]
      : [],
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

function expectTrue(answer: Answer, truth: ReturnType<typeof logged>, names: string[]): void {
  const { scan, share, notes } = costOf(answer);
  const context = `${names.join()} ${scan} ${percent(share)} ${notes.join("; ")} ${answer.stderr}`;
  expect(answer.code, context).toBe(0);
  const found = byPlace(answer.cells);
  expect(Object.keys(found), context).not.toEqual([]);
  const expected = byPlace(truth.filter((cell) => `${cell.name} @ ${cell.path}` in found));
  expect(found, context).toEqual(expected);
  expect(
    answer.cells.map(({ check }) => check),
    context,
  ).not.toContain("diverged");
}

describe("truth", needs("torch"), () => {
  // All but the first are forks of a process that has torch.
  let zygote: Zygote;
  beforeAll(async () => {
    zygote = await Zygote.start(TORCH ?? "");
  });
  afterAll(() => zygote[Symbol.dispose]());

  const rows = Object.entries(PLAIN_PROGRAMS);
  const always = [...rows.slice(0, 1), ...Object.entries(REBOUND_PROGRAMS)];
  test.each([...always, ...some(rows.slice(1), { every: 6 })])(
    "%s",
    { timeout: 600_000 },
    async (name, program) => {
      const command = name === rows[0]?.[0] ? (TORCH ?? "") : zygote.command;
      using project = new TestProject(filesOf(program, unchanged));
      using reference = new TestProject(filesOf(program, asked));
      for (const one of [project, reference]) await record(one, program, command);
      const truth = logged(reference);
      for (const [file, text] of Object.entries(filesOf(program, asked))) project.write(file, text);
      const outer = await ask(project, ["p_end", "p_epoch"]);
      expectTrue(outer, truth, ["p_end", "p_epoch"]);
      const { scan, share, notes } = costOf(outer);
      const outside = truth.filter((cell) => ["p_end", "p_epoch"].includes(cell.name));
      expect(outer.cells.length).toBe(outside.length);
      expect([scan, notes]).toEqual(["outer", []]);
      if (program.quick !== true) expect(share, name).toBe(0);
      const costs = [`${scan} ${percent(share)}`];
      if (program.where !== undefined) {
        const inner = await ask(project, ["p_step"], { where: program.where });
        expectTrue(inner, truth, ["p_step"]);
        costs.push(`inner ${percent(costOf(inner).share)}`);
        const { iterations, notes: why } = costOf(inner);
        const steps = truth.filter((cell) => cell.name === "p_step").length;
        expect(iterations, why.join("; ")).toBeLessThan(steps / 2);
      }
      console.log(`${name}: ${costs.join(" · ")}`);
    },
  );
});

test.each(INTERPRETERS)("a program notices nothing: %s", { timeout: 120_000 }, async (command) => {
  using project = new TestProject({ "train.py": ODD_LOOPS });
  const plain = await python(project, command, ["train.py"]);
  const recorded = await project.afterlog("run", "--python", command, "train.py");
  expect(recorded.code).toBe(plain.code);
  expect(recorded.stdout).toBe(plain.stdout);
  expect(recorded.stderr.startsWith(plain.stderr), recorded.stderr).toBe(true);
  const off = project.manifest.off.map(({ feature }) => feature);
  expect(off).toEqual([]);
  const ends = project.records.flatMap((one) =>
    one.k === "exit" ? [`${one.loop} ${one.how} ${one.iterations}`] : [],
  );
  expect(ends).toContain("i exhausted 100000");
  expect(ends).toContain("i.2 break 2501");
  expect(ends).toContain("while exhausted 3");
  const left = project.manifest.rewriter.leftAlone?.map(({ why }) => why);
  expect(left).toContain("its function yields in it");
  expect(left).toContain("it stands in the body of a class");
});

test.each(Object.entries(WATCHING))(
  "nor does one that watches: %s",
  { timeout: 120_000, ...needs("torch") },
  async (_, text) => {
    using project = new TestProject({ "train.py": text });
    const plain = await python(project, TORCH ?? "", ["train.py"]);
    const how = ["--python", TORCH ?? "", "--overhead", "inf", "train.py"];
    const recorded = await project.afterlog("run", ...how);
    expect(recorded.stdout).toBe(plain.stdout);
    expect(project.manifest.off).toEqual([]);
  },
);

test("a program's collections of garbage do not go through what is ours", async () => {
  const text = "import gc\nfor i in range(3): pass\nprint(len(gc.get_objects()))\n";
  using project = new TestProject({ "train.py": text });
  const plain = await python(project, "python3", ["train.py"]);
  const recorded = await project.afterlog("run", "train.py");
  expect(Number(recorded.stdout)).toBeLessThan(1.5 * Number(plain.stdout));
});

test.each(Object.entries(LIVING_OBJECTS))(
  "nothing lives longer because it is recorded, or asked: %s",
  { timeout: 120_000 },
  async (_, text) => {
    using project = new TestProject({ "train.py": text });
    const plain = await python(project, "python3", ["train.py"]);
    const recorded = await project.afterlog("run", "--overhead", "inf", "train.py");
    expect(recorded.stdout).toBe(plain.stdout);
    project.write(
      "train.py",
      text.replace('print("alive', 'print("twice", alive() * 2)\n        $&'),
    );
    const { cells } = await ask(project, ["twice"]);
    const alive = [...plain.stdout.matchAll(/^alive (.*)$/gm)].map(
      ([, count]) => Number(count) * 2,
    );
    expect(cells.map(({ value }) => Number(value))).toEqual(alive);
    expect(cells.map(({ check }) => check)).not.toContain("diverged");
  },
);

test("what runs beside the loops is left alone", { timeout: 120_000 }, async () => {
  using project = new TestProject({ "train.py": BESIDE });
  const plain = await python(project, "python3", ["train.py"]);
  const recorded = await project.afterlog("run", "train.py");
  expect(recorded.code).toBe(plain.code);
  expect(recorded.stdout).toBe(plain.stdout);
  expect(project.manifest.off.map(({ why }) => why)).toEqual([
    "it runs in another thread",
    "it runs in another task",
  ]);
});

test("iterations that go by are counted", { timeout: 120_000 }, async () => {
  using project = new TestProject({ "train.py": QUICK_LOOPS });
  const { code } = await project.afterlog("run", "--hands-free", "train.py");
  expect(code).toBe(0);
  const logs = logged(project).map(({ name, path, value }) => `${name} @ ${path} = ${value}`);
  const sum = (last: number): number => (last * (last + 1)) / 2;
  expect(logs).toEqual([
    ...[5, 7782, 15559, 23336].map((i) => `in_for @ i=${i} = ${sum(i)}`),
    ...[9999, 19998, 29997, 39996].map((n) => `in_while @ while=${n - 1} = ${n}`),
    ...[16000, 17000, 18000, 19000].flatMap((a) =>
      [0, 1].map((j) => `inside @ a=${a},j=${j} = [${a},${j}]`),
    ),
    "caught @  = 12345",
    `end @  = [${sum(29000) + sum(19999)},40000,12345]`,
  ]);
  const exits = project.records.flatMap((one) =>
    one.k === "exit" && one.path.length === 0 ? [[one.loop, one.how, one.iterations]] : [],
  );
  expect(exits).toEqual([
    ["i", "break", 29001],
    ["while", "exhausted", 40000],
    ["a", "exhausted", 20000],
    ["i.2", "closed", 12346],
  ]);
});
