/**
 * A question is shared by workers, whatever it asks (Flor §2.2, §3.3.2): in loops one after the other, in loops
 * inside of others, in folds, and outside of all loops at once. Each process restores and executes on its own;
 * together they must answer what the program gives that has the question in it from the start, in its order.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, byPlace, edit, record } from "../support/ask.ts";
import { needs } from "../support/needs.ts";
import { logged } from "../support/replay.ts";
import { slowDownAlike } from "../support/slow-down.ts";
import type { TestProject } from "../support/project.ts";

/** Pretraining, folds with epochs, steps and a validation in them, fine-tuning, a last value. */
const JAVASCRIPT = `const w = [1, 2];
let lr = 0.1;
function update(x) {
  w[0] += lr * Math.random() + x;
  w[1] = (w[1] * 1.7 + w[0]) % 1;
  console.log("w", w[0]);
}
// start
for (let pre = 0; pre < 6; pre++) {
  update(0.5);
  // pretraining
}
const kept = [];
for (let fold = 0; fold < 3; fold++) {
  w[0] = fold;
  for (let epoch = 0; epoch < 3; epoch++) {
    for (let step = 0; step < 4; step++) {
      update(step);
      // step
    }
    for (let part = 0; part < 2; part++) {
      kept.push(w[1] + part);
      // part
    }
    // epoch
  }
  // fold
  console.log("fold", w[0]);
}
for (let tune = 0; tune < 5; tune++) {
  lr /= 2;
  update(0.25);
  // tuning
}
// end
console.log("last", w[1]);
`;

/** The same, as Python. */
const PYTHON = `import random
w = [1, 2]
lr = 0.1
def update(x):
    w[0] += lr * random.random() + x
    w[1] = (w[1] * 1.7 + w[0]) % 1
    print("w", w[0])
# start
for pre in range(6):
    update(0.5)
    # pretraining
kept = []
for fold in range(3):
    w[0] = fold
    for epoch in range(3):
        for step in range(4):
            update(step)
            # step
        for part in range(2):
            kept.append(w[1] + part)
            # part
        # epoch
    # fold
    print("fold", w[0])
for tune in range(5):
    lr /= 2
    update(0.25)
    # tuning
# end
print("last", w[1])
`;

/** Marks that a question has in both. */
const PLACES = ["start", "pretraining", "step", "part", "epoch", "fold", "tuning", "end"] as const;
type Place = (typeof PLACES)[number];

interface Program {
  readonly file: string;
  readonly text: string;
  readonly log: (name: string, value: string) => string;
  readonly length: string;
}

const PROGRAMS: { readonly [language: string]: Program } = {
  js: {
    file: "train.js",
    text: JAVASCRIPT,
    log: (name, value) => `console.log("${name}", ${value});`,
    length: "kept.length",
  },
  py: {
    file: "train.py",
    text: PYTHON,
    log: (name, value) => `print("${name}", ${value})`,
    length: "len(kept)",
  },
};

/** The program with a statement at each of these places, under the name `prefix_place`. */
function withStatements(
  { text, log, length }: Program,
  places: readonly Place[],
  prefix: string,
): string {
  return places.reduce((all, place) => {
    // Before the folds, nothing is kept.
    const kept = place === "start" || place === "pretraining" ? "0" : length;
    return all.replace(/(\/\/|#) (\w+)\n/g, (mark, _, at: string) =>
      at === place ? `${log(`${prefix}_${place}`, `w[0] + w[1] + lr + ${kept}`)}\n` : mark,
    );
  }, text);
}

/** What is asked of which language, and how many processes it is worth, with three workers. */
const QUESTIONS: readonly (readonly [
  language: string,
  places: readonly Place[],
  where: string | undefined,
  processes: number,
])[] = [
  ["js", ["step", "end"], undefined, 3],
  ["js", ["pretraining", "tuning"], undefined, 3],
  ["js", PLACES, undefined, 3],
  ["js", ["step", "part"], "epoch = 1", 3],
  ["js", ["fold", "end"], undefined, 3],
  ["py", ["step", "epoch"], "fold = 1", 3],
  ["py", PLACES, undefined, 3],
];

const env = { AFTERLOG_CANARY: "false" };

describe.each(Object.entries(PROGRAMS))("%s", (language, program) => {
  describe("workers", needs("python"), () => {
    const { file, text } = program;
    let run: TestProject;
    let truth: TestProject;

    beforeAll(async () => {
      run = await record({ [file]: text }, file, "all");
      truth = await record({ [file]: withStatements(program, PLACES, "t") }, file, "all");
      slowDownAlike(run);
    });

    afterAll(() => {
      run[Symbol.dispose]();
      truth[Symbol.dispose]();
    });

    const own = QUESTIONS.flatMap(([of, places, where, processes], nth) =>
      of === language ? [{ places, where, processes, prefix: `q${nth}` }] : [],
    );

    test.each(own)("$places, $where", async ({ places, where, processes, prefix }) => {
      edit(run, { [file]: withStatements(program, places, prefix) });
      const names = places.map((place) => `${prefix}_${place}`);
      const answer = await ask(run, names, { where, workers: 3, env });
      const told = answer.stderr + answer.stdout;
      expect(answer.code, told).toBe(0);
      const found = answer.cells.map((cell) => ({ ...cell, value: String(Number(cell.value)) }));
      const isAsked = (path: string): boolean =>
        (where ?? "").split(" and ").every((one) => {
          const [loop = "", index = ""] = one.split(" = ");
          return loop === "" || !path.includes(`${loop}=`) || path.includes(`${loop}=${index}`);
        });
      const expected = logged(truth.records)
        .map((one) => ({
          ...one,
          name: one.name.replace("t_", `${prefix}_`),
          value: String(one.value),
        }))
        .filter(({ name, path }) => names.includes(name) && isAsked(path));
      // A worker answers each once, and all of them answer everything.
      expect(byPlace(found), told).toEqual(byPlace(expected));
      // Before anything is restored there is nothing to compare with.
      const marks = found.filter(({ name }) => !name.endsWith("_start")).map(({ check }) => check);
      expect(new Set(marks)).toEqual(new Set(["verified"]));
      const units = answer.plan?.runs[0]?.units ?? [];
      expect(units.length, told).toBe(processes);
      const executed = units.reduce((sum, unit) => sum + unit.iterations, 0);
      // Each step, part and so on is executed by one of them.
      expect(executed).toBeLessThanOrEqual(expected.length);
    });

    test("in the frame, values stand in the order of the run", async () => {
      const last = own.findLast(({ places }) => places.length === PLACES.length);
      if (!last) throw new Error("nothing asked all");
      const [replayed, recorded] = await Promise.all([
        rowsOf(run, last.prefix),
        rowsOf(truth, "t"),
      ]);
      expect(replayed).toEqual(recorded);
      expect(replayed.length).toBeGreaterThan(15);
    });
  });
});

/** Rows of the frame with all names of a prefix, without the run and the marks. */
async function rowsOf(project: TestProject, prefix: string): Promise<unknown[]> {
  const names = PLACES.map((place) => `${prefix}_${place}`);
  const { code, stdout, stderr } = await project.afterlog("frame", ...names, "--json");
  expect(code, stderr).toBe(0);
  const rows = JSON.parse(stdout) as { readonly [column: string]: unknown }[];
  const own = ["run", "origin"];
  return rows.map((row) => {
    const columns = Object.entries(row).filter(([name]) => !own.includes(name));
    return Object.fromEntries(
      columns.map(([name, value]) => [name.replace(`${prefix}_`, ""), value]),
    );
  });
}
