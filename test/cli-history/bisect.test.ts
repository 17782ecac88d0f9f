/** `afterlog bisect` and `afterlog diff` on real runs in a real repository. */
import { beforeAll, afterAll, describe, expect, it, vi } from "vitest";
import { MAIN } from "../support/project.ts";
import { History, withProbe } from "./history.ts";

// A dozen processes a test, on a machine that may have other work.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

interface Answer {
  readonly first_bad: { readonly run: string; readonly head: { readonly subject: string } };
  readonly last_good: string;
  readonly untold: readonly string[];
  readonly replayed: readonly { readonly run: string; readonly quality: string | null }[];
  readonly skipped: { readonly [run: string]: string };
}

async function bisect(history: History, ...argv: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await history.afterlog("bisect", ...argv, "--yes", "--json");
  expect({ code, stderr: code === 0 || code === 3 ? "" : stderr }).toMatchObject({ stderr: "" });
  return JSON.parse(stdout) as Answer;
}

// f1_seven is ten times the scale: bad (< 4) from the sixth run on.
const SCALES = [0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1];
const original = new History();
let runs: string[];
beforeAll(async () => {
  runs = await original.recordAll(SCALES);
});
afterAll(() => original[Symbol.dispose]());

/** The runs, asked with a program that has the statement. */
function recorded(program: string): History {
  const history = new History();
  history.copyFrom(original);
  history.write("train.ts", program);
  return history;
}

describe("afterlog bisect", () => {
  let history: History;
  beforeAll(() => {
    history = recorded(withProbe());
  });
  afterAll(() => history[Symbol.dispose]());

  it("says the price and needs a yes", async () => {
    const { code, stdout, stderr } = await history.afterlog("bisect", "f1_seven < 4");
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toMatch(/6 runs between · at most 5 replays, about .* \(backfilling all: /);
    expect(stderr).toContain("help: add --yes");
  });

  it("refuses a condition nobody understands, and ends that contradict it", async () => {
    const syntax = await history.afterlog("bisect", "f1_seven <", "-y");
    expect(syntax).toMatchObject({ code: 1, stdout: "" });
    expect(syntax.stderr).toContain("error[AL020]");
    const unknown = await history.afterlog("bisect", "f1_eight < 4", "-y");
    expect(unknown.stderr).toContain('no log statement named "f1_eight"');
    const order = await history.afterlog("bisect", "f1_seven < 4", "--good", "@", "--bad", "@~7");
    expect(order).toMatchObject({ code: 1 });
    expect(order.stderr).toMatch(/error\[AL036\].*\n.* is newer than /);
  });

  it("finds the first bad run, and keeps what it learned", async () => {
    const first = await history.afterlog("bisect", "f1_seven < 4", "-y");
    expect({ code: first.code, stderr: first.stderr }).toMatchObject({ code: 0 });
    expect(first.stdout).toContain(`first bad run: ${runs[5]} (`);
    expect(first.stdout).toMatch(/commit [0-9a-f]{7} "batch 5"\n {2}last good: .*\(5, then 3\)/);
    expect(first.stdout).toContain(`afterlog diff ${runs[4]} ${runs[5]}`);
    expect(first.stdout).toContain("note: assumes it changed once");
    const shown = first.stdout.match(/^ {2}\S+ {2}\S+ {2}(?:good|BAD)$/gm) ?? [];
    expect(shown.length).toBeLessThanOrEqual(5);
    const again = await bisect(history, "f1_seven < 4");
    expect(again).toMatchObject({ first_bad: { run: runs[5] }, last_good: runs[4], replayed: [] });
    expect(again.first_bad.head.subject).toBe("batch 5");
    // Another condition on the same name starts from what is known.
    const other = await bisect(history, "F1_Seven < 7.5");
    expect(other).toMatchObject({ first_bad: { run: runs[2] }, last_good: runs[1] });
    expect(other.replayed.length).toBeLessThanOrEqual(2);
    const contradicted = await history.afterlog(
      "bisect",
      "f1_seven < 4",
      "-y",
      "--good",
      runs[6] ?? "",
    );
    expect(contradicted.code).toBe(1);
    expect(contradicted.stderr).toContain(`the good run, ${runs[6]}, is bad`);
    const never = await history.afterlog("bisect", "f1_seven < 0", "-y");
    expect(never.stderr).toContain(`the newest run, ${runs[7]}, is good`);
  });

  it("needs no replay for what was recorded, and takes arguments for what they are", async () => {
    const answer = await bisect(history, "scale < 0.65");
    expect(answer).toMatchObject({ first_bad: { run: runs[3] }, replayed: [] });
    const both = await bisect(history, "f1 > 0 and scale < 0.25", "--bad", runs[6] ?? "");
    expect(both).toMatchObject({ first_bad: { run: runs[6] }, last_good: runs[5], replayed: [] });
  });

  it("shows what is different between two runs", async () => {
    const { code, stdout } = await history.afterlog("diff", runs[4] ?? "", runs[5] ?? "");
    expect(code).toBe(0);
    expect(stdout).toMatch(/scale +0\.5 +0\.3 +-0\.2/);
    expect(stdout).toMatch(/f1_seven +5 +3 +-2/);
    expect(stdout).toMatch(/source {2}the same/);
    const object = (await history.json("diff", runs[1] ?? "")) as { from: string; args: object };
    expect(object).toMatchObject({ from: runs[0], to: runs[1], args: { scale: [0.9, 0.8] } });
  });
});

it("passes over runs that fail, and says if the answer is not certain", async () => {
  using history = recorded(withProbe(0.5));
  const { code, stdout } = await history.afterlog("bisect", "f1_seven < 4", "-y", "--json");
  const answer = JSON.parse(stdout) as Answer;
  expect(code).toBe(3);
  expect(answer).toMatchObject({
    first_bad: { run: runs[5] },
    last_good: runs[3],
    untold: [runs[4]],
  });
  expect(Object.keys(answer.skipped)).toEqual([runs[4]]);
  const given = await history.afterlog("bisect", "f1_seven < 4", "-y", "--good", runs[4] ?? "");
  expect(given.code).toBe(1);
  expect(given.stderr).toMatch(/error\[AL034\]: --good \S+ cannot answer: /);
});

it("diffs sources and commits of two versions", async () => {
  using history = new History();
  await history.record();
  history.write("train.ts", withProbe());
  history.commit("log the sevens");
  await history.record();
  const { stdout } = await history.afterlog("diff", "@");
  expect(stdout).toMatch(/commits\n {2}[0-9a-f]{7} log the sevens\n/);
  expect(stdout).toContain("  M train.ts\n");
  expect(stdout).toContain('+al.log("f1_seven", scale * 10);');
  expect(stdout).toMatch(/f1_seven +⋯ +10/);
});

it("can be stopped: what was learned is kept", async () => {
  using history = recorded(withProbe());
  const { child, finished } = history.start([MAIN, "bisect", "f1_seven < 4", "-y"]);
  child.stdout?.once("data", () => child.kill("SIGINT"));
  const { code, stderr } = await finished;
  expect({ code, stderr }).toMatchObject({ code: 130 });
  expect(stderr).toContain("stopped: the same command continues from here");
  const answer = await bisect(history, "f1_seven < 4");
  expect(answer).toMatchObject({ first_bad: { run: runs[5] }, last_good: runs[4] });
  expect(answer.replayed.length).toBeLessThan(5);
  expect(answer.replayed.map(({ run }) => run)).not.toContain(runs[0]);
});
