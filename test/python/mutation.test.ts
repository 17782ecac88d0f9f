/**
 * What if the analysis of a Python program overlooks a change? One name at a time is taken out of
 * what one loop changes, in the recording and in the replay alike. Every time an answer is another one
 * than the truth, the audit of the recording or the deferred check of the replay must have said so.
 *
 * Usually a few names; the long tests take them all.
 */
import { afterAll, expect, test } from "vitest";
import { analyzeProgram } from "../../src/languages/index.ts";
import { TestProject } from "../support/project.ts";
import { DRAW_SEED, IS_LONG } from "../support/draws.ts";
import { ask, SEED } from "../support/ask.ts";
import { INTERPRETERS } from "../support/python.ts";

const TRAIN = `import random
import afterlog as al

class Model:
    def __init__(self):
        self.weights = [random.random() for _ in range(4)]
        self.mean = 0.0
    def step(self, batch, lr):
        self.weights[batch % 4] -= lr * (self.weights[batch % 4] - random.gauss(0, 1))
        self.mean = 0.9 * self.mean + 0.1 * self.weights[batch % 4]
        return abs(self.mean)

def train(model, epochs):
    best, history, kept, lr = 1e9, [], None, 0.5
    seen = set()
    for epoch in al.loop("epoch", range(epochs)):
        total = 0.0
        for batch in al.loop("step", range(5)):
            total += model.step(batch, lr)
            seen.add(batch * epoch)
            al.log("loss", total)
        history.append(total)
        if total < best:
            best, kept = total, list(model.weights)
        lr *= 0.9
        al.log("best", best)
        # outer
    # suffix
    return history

model = Model()
history = train(model, 4)
`;

const ASKED = TRAIN.replace("# outer", 'al.log("p_outer", [lr, len(history), sum(model.weights)])')
  .replace("# suffix", 'al.log("p_suffix", [best, kept, history, sorted(seen), lr, model.mean])')
  .replace('al.log("loss", total)', '$&\n            al.log("p_inner", [total, model.mean, lr])');
const NAMES = ["p_outer", "p_suffix", "p_inner"];

const command = INTERPRETERS[0] ?? "python3";
const outcomes: (readonly [overlook: string, outcome: string])[] = [];

async function recorded(text: string, env: NodeJS.ProcessEnv): Promise<TestProject> {
  const project = new TestProject({ "train.py": text });
  const argv = ["run", "--python", command, "--seed", SEED, "--overhead", "inf", "train.py"];
  const { code, stderr } = await project.afterlogWith(env, ...argv);
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return project;
}

/** What the program logs if it asks from the start. */
let truth: Promise<Set<string>> | undefined;
async function recordTruth(): Promise<Set<string>> {
  using project = await recorded(ASKED, {});
  return new Set(
    project.records.flatMap((record) =>
      record.k === "log" && NAMES.includes(record.name) ? [JSON.stringify(record.value)] : [],
    ),
  );
}

const mutants = analyzeProgram("train.py", (file) =>
  file === "train.py" ? TRAIN : undefined,
).loops.flatMap(({ file, ordinal, changes }) =>
  changes.map(({ key }) => `${file}#${ordinal} ${key}`),
);

function chosen(): string[] {
  if (IS_LONG) return mutants;
  const from = Math.abs(DRAW_SEED);
  return [0, 5].map((n) => mutants[(from + n) % mutants.length] ?? "");
}

test.each(chosen())("without %s", { timeout: 120_000 }, async (overlook) => {
  const env = { AFTERLOG_OVERLOOK: overlook };
  using project = await recorded(TRAIN, env);
  const found = project.manifest.audit ?? [];
  project.write("train.py", ASKED);
  const answer = await ask(project, NAMES, { env });
  truth ??= recordTruth();
  const right = await truth;
  const wrong = answer.cells.filter(({ value }) => !right.has(value));
  const told = answer.code !== 0 || answer.cells.some(({ check }) => check === "diverged");
  const looksRight = wrong.some(({ check }) => check === "verified" || check === "close");
  const outcome =
    found.length > 0 ? "audit" : told ? "check" : wrong.length === 0 ? "equal" : "missed";
  outcomes.push([overlook, outcome]);
  expect(outcome, JSON.stringify(wrong)).not.toBe("missed");
  expect(looksRight, JSON.stringify(wrong)).toBe(false);
});

afterAll(() => {
  console.log(
    outcomes.map(([overlook, outcome]) => `${outcome.padEnd(6)}  ${overlook}`).join("\n"),
  );
});
