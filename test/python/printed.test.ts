/**
 * What a Python program that never heard of Afterlog prints: the terminal gets the same bytes, the run
 * gets records with all digits, and a line that is added later is a question like any other.
 */
import { afterAll, describe, expect, test } from "vitest";
import { formatPath } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";
import { ask, costOf } from "../support/ask.ts";
import { INTERPRETERS, python } from "../support/python.ts";

const TRAIN = `import json, logging, math, sys, time
sys.path.append("site-packages")
from tqdm import tqdm
from other import shadowed

shown = []
class Odd:
    def __repr__(self):
        shown.append(1)
        return "odd"

def report(**metrics):
    print({**metrics, "phase": "train"})

def score(x):
    print(f"scored {x * x:.1f}")
    return x * x

logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(filename)s:%(lineno)d %(message)s")
logger = logging.getLogger("train")
w = 1.0
print("Training for", 3, "epochs")
for epoch in range(3):
    total = 0.0
    for step in range(4):
        w = w * 0.9 + (math.sin(epoch * 4 + step) + 1) / 7
        total += w
        # inner
    print(f"epoch {epoch + 1}/3 loss {total:.2f} acc {100 * w:.1f}% took {time.time() % 7:.3f}s")
    print("mean %.2f of %s" % (total / 4, "it"), "rate {:.1e}".format(0.1 / (epoch + 1)))
    report(best=w / 2)
    score(w)
    print(json.dumps({"lr": 0.1 / (epoch + 1), "at": time.ctime()}))
    logging.info("norm %.1f", w / 3)
    logger.info(f"scale {w / 5:.1f}")
    logger.warning("warned %s", 1)
    tqdm.write(f"written {w / 7:.1f}")
    message = f"indirect {w:.3f}"
    print(message)
    # outer
print("weights", [w, -0.0], end="!\\n", flush=True)
print("said", 1, file=sys.stderr)
print("odd", Odd(), None, w)
print("shown", len(shown), sep="=")
shadowed(lambda *given: None)
try:
    print(f"broken {None:.2f}")
except TypeError as error:
    print("caught", error)
print(type(f"{w}"), print.__name__, f"final {w}")
# suffix
`;

const TQDM = `class tqdm:
    @classmethod
    def write(cls, s, file=None, end="\\n", nolock=False):
        print(s, end=end, file=file)
`;

const OTHER = `def shadowed(print):
    print("shadowed", 1)
`;

const command = INTERPRETERS[0] ?? "python3";
const project = new TestProject({
  "train.py": TRAIN,
  "other.py": OTHER,
  ".gitignore": "site-packages\n",
  "site-packages/tqdm.py": TQDM,
});
afterAll(() => project[Symbol.dispose]());

const run = (...argv: readonly string[]): ReturnType<TestProject["afterlog"]> =>
  project.afterlog(
    "run",
    "--python",
    command,
    "--overhead",
    "inf",
    ...argv,
    "train.py",
    "--lr",
    "3",
  );

/** Records of a name as `path: value`. */
function recorded(name: string): string[] {
  return project.records.flatMap((record) => {
    if (record.k !== "log" || record.name !== name) return [];
    return [`${formatPath(record.path)}: ${JSON.stringify(record.value)}`];
  });
}

const withoutTimes = (text: string): string => text.replaceAll(/took [\d.]+s|"at": "[^"]*"/g, "");

/** The weight after each epoch, as Python computes it too. */
const weights = (() => {
  let w = 1;
  return [0, 1, 2].map((epoch) => {
    for (let step = 0; step < 4; step++) w = w * 0.9 + (Math.sin(epoch * 4 + step) + 1) / 7;
    return w;
  });
})();
const byEpoch = (of: (w: number, epoch: number) => number): string[] =>
  weights.map((w, epoch) => `epoch=${epoch}: ${of(w, epoch)}`);

describe("a run", () => {
  test("prints what the program prints alone, byte for byte", async () => {
    const alone = await python(project, command, ["train.py"], { AFTERLOG_MODE: "off" });
    const recording = await run();
    expect(recording.code, recording.stderr).toBe(0);
    expect(withoutTimes(recording.stdout)).toBe(withoutTimes(alone.stdout));
    expect(recording.stderr).toContain("said 1\n");
    expect(recording.stderr).not.toContain("not used by the program");
    expect(project.manifest).toMatchObject({ handsFree: true, off: [], audit: [] });
  });

  test.each<[name: string, values: number | readonly string[]]>([
    ["Training_for", [": 3"]],
    ["loss", 3],
    ["acc", byEpoch((w) => 100 * w)],
    ["mean", 3],
    ["rate", byEpoch((_, epoch) => 0.1 / (epoch + 1))],
    ["best", byEpoch((w) => w / 2)],
    ["phase", 3],
    ["scored", byEpoch((w) => w * w)],
    ["lr", byEpoch((_, epoch) => 0.1 / (epoch + 1))],
    ["norm", byEpoch((w) => w / 3)],
    ["scale", byEpoch((w) => w / 5)],
    ["written", byEpoch((w) => w / 7)],
    // It went through other hands: as it was printed.
    ["indirect", byEpoch((w) => Number(w.toFixed(3)))],
    ["weights", [`: [${weights[2] ?? 0},-0.0]`]],
    ["shown", [": 1"]],
    ["final", [`: ${weights[2] ?? 0}`]],
    // In the path, measured, said and not logged, or no value at all.
    ["epoch", 0],
    ["took", 0],
    ["at", 0],
    ["warned", 0],
    ["said", 0],
    ["odd", 0],
    ["shadowed", 0],
    ["broken", 0],
  ])("logs %s: %j", (name, values) => {
    if (typeof values === "number") expect(recorded(name)).toHaveLength(values);
    else if (name === "weights") expect(recorded(name)).toHaveLength(1);
    else expect(recorded(name)).toEqual(values);
  });

  test("knows the lines that printed, those of loggers too", () => {
    const places = ["loss", "norm", "scale"].map((name) => {
      const log = project.records.find((one) => one.k === "log" && one.name === name);
      const site = log?.k === "log" ? log.site : null;
      return project.records.find((one) => one.k === "site" && one.site === site);
    });
    expect(places).toMatchObject([29, 34, 35].map((line) => ({ file: "train.py", line })));
  });
});

test("a line that was added is filled, wherever it stands", async () => {
  const text = TRAIN.replace("# inner", 'print("twice", w * 2)')
    .replace("# outer", 'logger.info("square %.1f", score(w)); print(f"cube {w ** 3:.1f}")')
    .replace("# suffix", 'print({"last": w})');
  project.write("train.py", text);
  const answer = await ask(project, ["square", "cube", "last"]);
  expect(answer.code, answer.stderr).toBe(0);
  const { share, notes } = costOf(answer);
  expect(share, notes.join("\n")).toBe(0);
  const inner = await ask(project, ["twice"], { where: "epoch = 1" });
  const cells = [...answer.cells, ...inner.cells];
  const found = (name: string): string[] =>
    cells.filter((cell) => cell.name === name).map(({ path, value }) => `${path}: ${value}`);
  expect(found("twice")).toHaveLength(4);
  expect(found("square")).toEqual(byEpoch((w) => w * w));
  expect(found("cube")).toHaveLength(3);
  expect(found("last")).toEqual([`: ${weights[2] ?? 0}`]);
  expect(new Set(cells.map(({ check }) => check))).toEqual(new Set(["verified"]));
});

describe("switched off", () => {
  test("--no-console logs nothing, and what was printed can be asked for", async () => {
    project.write("train.py", TRAIN);
    const recording = await run("--no-console");
    expect(recording.code, recording.stderr).toBe(0);
    expect(project.records.filter(({ k }) => k === "log")).toEqual([]);
    expect(project.records.filter(({ k }) => k === "enter")).toHaveLength(4);
    const where = `run = '${project.manifest.run}'`;
    const { code, stderr } = await ask(project, ["norm"], { where });
    expect(code, stderr).toBe(0);
    const frame = await project.afterlog("frame", "norm", "-w", where, "--json");
    const values = (JSON.parse(frame.stdout) as { norm: number }[]).map(({ norm }) => norm);
    expect(values).toEqual(weights.map((w) => w / 3));
  });

  test("--console takes a rule, which finds all digits too", async () => {
    const rule = String.raw`loss (?<total>\S+) acc (?<percent>[\d.]+)%`;
    const recording = await run("--console", rule);
    expect(recording.code, recording.stderr).toBe(0);
    expect(recorded("percent")).toEqual(byEpoch((w) => 100 * w));
    expect(recorded("total")).toHaveLength(3);
    expect(recorded("loss")).toEqual([]);
    expect(recorded("norm")).toHaveLength(3);
    expect(project.manifest.consoleRule).toBe(rule);
  });
});
