/**
 * What a program that never heard of Afterlog prints: the terminal gets the same bytes, the run gets
 * records, and a line that is added later is a question like any other.
 */
import { afterAll, describe, expect, test } from "vitest";
import { formatPath } from "../../src/format/index.ts";
import { TestProject } from "../support/project.ts";

const TRAIN = `const { log } = console;
class Model { constructor() { this.size = 3; } }
let looked = 0;
const odd = { get loss() { looked++; return 1; }, plain: 2 };
const watched = new Proxy({ seen: 1 }, { ownKeys: () => { looked++; return ["seen"]; } });
let w = 1;
console.log("Training for", 3, "epochs");
for (let epoch = 0; epoch < 3; epoch++) {
  let total = 0;
  for (let step = 0; step < 4; step++) {
    w = w * 0.9 + (Math.sin(epoch * 4 + step) + 1) / 7;
    total += w;
    //inner
  }
  console.log(\`epoch \${epoch + 1}/3 loss \${total} took \${Date.now() % 7}ms\`);
  console.log({ acc: w / 2, phase: "train", nested: { x: 1 } });
  console.log(JSON.stringify({ lr: 0.1 / (epoch + 1), at: new Date().toISOString() }));
  log("detached", w);
  //outer
}
console.table([{ name: "a", score: 1 }, { name: "b", score: 2 }]);
console.log("weights", new Float64Array([w, -0]));
console.log("odd", odd, watched, new Model(), Symbol("x"), undefined, null, () => 1);
console.log("looked", looked);
console.warn("warned", 1);
console.log("%s score is %d", "final", w);
//suffix
`;

const project = new TestProject({ "train.js": TRAIN, ".gitignore": "node_modules\n" });
afterAll(() => project[Symbol.dispose]());

/** Records of a name as `path: value`. */
function recorded(name: string): string[] {
  return project.records.flatMap((record) => {
    if (record.k !== "log" || record.name !== name) return [];
    return [`${formatPath(record.path)}: ${JSON.stringify(record.value)}`];
  });
}

const withoutTimes = (text: string): string =>
  text.replaceAll(/took \d|"at":"[^"]*"/g, "").replaceAll(/Node\.js v.*/g, "");

describe("a run", () => {
  test("prints what the program prints alone, byte for byte", async () => {
    const [alone, run] = await Promise.all([
      project.node("train.js"),
      project.afterlog("run", "--overhead", "inf", "train.js", "lr=3"),
    ]);
    expect(run.code, run.stderr).toBe(0);
    expect(withoutTimes(run.stdout)).toBe(withoutTimes(alone.stdout));
    expect(run.stdout).toContain("looked 0\n");
    expect(run.stderr).not.toContain("not used by the program");
    expect(project.manifest).toMatchObject({ handsFree: true, off: [] });
  });

  test.each([
    ["Training_for", [": 3"]],
    ["acc", 3],
    ["phase", 3],
    ["lr", ["epoch=0: 0.1", "epoch=1: 0.05", `epoch=2: ${0.1 / 3}`]],
    ["detached", 3],
    ["score", [": 1", ": 2"]],
    ["final_score", 1],
    ["looked", [": 0"]],
    ["plain", [": 2"]],
    // In the path, measured, read through a getter, said and not logged, or no value at all.
    ["epoch", 0],
    ["took", 0],
    ["at", 0],
    ["seen", 0],
    ["size", 0],
    ["warned", 0],
    ["odd", 0],
    ["nested", 0],
  ])("logs %s: %j", (name, values) => {
    if (typeof values === "number") expect(recorded(name)).toHaveLength(values);
    else expect(recorded(name)).toEqual(values);
  });

  test("keeps the bits of a number, and the line that printed it", () => {
    const site = project.records.find((one) => one.k === "log" && one.name === "loss");
    const place = project.records.find(
      (one) => one.k === "site" && site?.k === "log" && one.site === site.site,
    );
    expect(place).toMatchObject({ file: "train.js", line: 15, kind: "log" });
    const printed = recorded("loss").map((text) => Number(text.split(": ")[1]));
    expect(new Set(printed).size).toBe(3);
    expect(printed.map(String).every((text) => text.length > 14)).toBe(true);
    expect(recorded("weights")[0]).toContain('"shape":[2]');
  });

  test("shows its loops and where they stand", async () => {
    const { stdout } = await project.afterlog("show", "@");
    expect(stdout).toMatch(/^program +train\.js lr=3 {2}\(hands-free: its loops were found\)$/m);
    expect(stdout).toMatch(
      /^ {2}epoch {3}3 iterations +train\.js:8 +\S+ % of the time {2}main loop$/m,
    );
    expect(stdout).toMatch(/^ {4}step {2}12 iterations in 3 entries +train\.js:10 /m);
  });
});

describe("a line that was added", () => {
  test("is filled, wherever it stands", async () => {
    const text = TRAIN.replace("//inner", 'console.log("twice", w * 2);')
      .replace("//outer", "console.log(`detached ${w + 1} square ${w * w} cube ${w ** 3}`);")
      .replace("//suffix", "console.log({ last: w });");
    project.write("train.js", text);
    const replay = await project.afterlog("replay", "twice", "square", "cube", "last", "-y");
    expect(replay.code, replay.stderr + replay.stdout).toBe(0);
    expect(replay.stdout + replay.stderr).toContain("19 verified");
    const frame = await project.afterlog("frame", "detached", "square", "last", "--json");
    const rows = JSON.parse(frame.stdout) as { detached: number; square: number; last: number }[];
    const epochs = rows.filter(({ square }) => square !== null && square !== undefined);
    expect(epochs.map(({ detached }) => detached ** 2)).toEqual(epochs.map(({ square }) => square));
    expect(epochs).toHaveLength(3);
  });
});

describe("switched off", () => {
  test("--no-console logs nothing, and what was printed can be asked for", async () => {
    project.write("train.js", TRAIN);
    const run = await project.afterlog("run", "--no-console", "--overhead", "inf", "train.js");
    expect(run.code, run.stderr).toBe(0);
    expect(project.records.filter(({ k }) => k === "log")).toEqual([]);
    expect(project.records.filter(({ k }) => k === "enter")).toHaveLength(4);
    const where = `run = '${project.manifest.run}'`;
    const replay = await project.afterlog("replay", "acc", "-w", where, "-y");
    expect(replay.code, replay.stderr + replay.stdout).toBe(0);
    const frame = await project.afterlog("frame", "acc", "-w", where, "--json");
    const values = (JSON.parse(frame.stdout) as { acc: number }[]).map(({ acc }) => acc);
    expect(values).toHaveLength(3);
    expect(values.every((value) => value > 0)).toBe(true);
  });

  test("--console takes a rule, which must name something", async () => {
    const wrong = await project.afterlog("run", "--console", "loss (.*)", "train.js");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain("error[AL001]: --console loss (.*) names no value");
    const rule = String.raw`^Training for (?<planned>\d+)`;
    const run = await project.afterlog("run", "--console", rule, "train.js");
    expect(run.code, run.stderr).toBe(0);
    expect(recorded("planned")).toEqual([": 3"]);
    expect(recorded("acc")).toHaveLength(3);
    expect(project.manifest.consoleRule).toBe(rule);
  });

  test("--no-hands-free records what the program says to Afterlog, which is nothing", async () => {
    const run = await project.afterlog("run", "--no-hands-free", "train.js");
    expect(run.code, run.stderr).toBe(0);
    expect(project.manifest.handsFree).toBeUndefined();
    expect(project.records.map(({ k }) => k).filter((k) => k === "log" || k === "enter")).toEqual(
      [],
    );
  });
});
