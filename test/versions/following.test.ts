/** Statements are followed where files and names went, and decisions about them are kept. */
import { describe, expect, it, vi } from "vitest";
import { History, truthOf } from "./history.ts";

vi.setConfig({ testTimeout: 600_000 });

const train = (state: string, put: string, before = ""): string => `import * as al from "afterlog";

const lr = al.arg("lr", 0.1);
const ${state} = al.checkpointing({ w: new Float64Array(3) });
for (const epoch of al.loop("epoch", al.range(3))) {
${before}  for (const step of al.loop("step", al.range(3))) {
    ${state}.w[step]! += lr * (Math.random() - 0.5);
    al.log("loss", ${state}.w[0]!);
  }
  al.log("accuracy", ${state}.w[1]! * epoch);
${put}}
al.log("f1", ${state}.w[2]!);
`;

const norm = (state: string): string => `  al.log("norm", Math.hypot(...${state}.w));\n`;

describe("a statement is found", () => {
  it("in a program that has another name now", async () => {
    const versions = [
      {
        files: { "train.ts": train("state", "") },
        byHand: { "train.ts": train("state", norm("state")) },
      },
      {
        files: { "train.ts": null, "src/main.ts": train("net", "") },
        byHand: { "src/main.ts": train("net", norm("net")) },
        program: "src/main.ts",
      },
    ];
    const [first, second] = versions;
    const alone = [first, { ...second, files: { "src/main.ts": train("net", "") } }];
    const truth = await truthOf(alone as typeof versions, ["norm"]);
    using history = new History();
    for (const version of versions) await history.record(version);
    history.put({ "src/main.ts": train("net", norm("net")) });
    const done = await history.afterlog("replay", "norm", "--yes");
    expect(done).toMatchObject({ code: 0 });
    expect(await history.values("norm")).toEqual(truth["norm"]);
  });

  it("in a program that was renamed, and not run since", async () => {
    const own = { files: { "train.ts": train("state", norm("state")) } };
    const truth = await truthOf([own], ["norm"]);
    using history = new History();
    await history.record({ files: { "train.ts": train("state", "") } });
    history.put({ "train.ts": null, "main.ts": train("net", norm("net")) });
    expect((await history.afterlog("replay", "norm", "--yes")).code).toBe(0);
    expect(await history.values("norm")).toEqual(truth["norm"]);
  });

  it("in the newest version that has it, if the working tree has it no more", async () => {
    const versions = [
      { files: { "train.ts": train("state", norm("state")) } },
      {
        files: { "train.ts": train("net", "") },
        byHand: { "train.ts": train("net", norm("net")) },
      },
    ];
    const truth = await truthOf(versions, ["norm"]);
    using history = new History();
    for (const version of versions) await history.record(version);
    const plan = await history.plan("norm");
    expect(plan.statements).toMatchObject([{ file: "train.ts", version: expect.any(String) }]);
    expect(plan.runs.map(({ run }) => run)).toEqual([history.names[1]]);
    expect((await history.afterlog("replay", "norm", "--yes")).code).toBe(0);
    expect(await history.values("norm")).toEqual(truth["norm"]);
    const typo = await history.afterlog("plan", "nrom");
    expect(typo.stderr).toContain("error[AL021]");
  });
});

interface Where {
  readonly groups: readonly {
    readonly verdict: string;
    readonly why: string;
    readonly landings: readonly { readonly line: number; readonly text: string }[];
  }[];
}

async function where(history: History, ...words: readonly string[]): Promise<Where["groups"]> {
  const { stdout, stderr, code } = await history.afterlog("where", "norm", ...words, "--json");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  return (JSON.parse(stdout) as Where).groups;
}

describe("what is decided about a landing", () => {
  it("is kept, used by plans, and dropped when the statement is another", async () => {
    const before = `  al.log("norm", Math.hypot(...state.w) * 2);\n`;
    const truth = await truthOf([{ files: { "train.ts": train("state", "", before) } }], ["norm"]);
    using history = new History();
    await history.record({ files: { "train.ts": train("state", "") } });
    await history.record({ files: { "train.ts": train("net", "") } });
    history.put({ "train.ts": train("net", norm("net")) });
    const [oldest = ""] = history.names;
    const [own] = await where(history, oldest);
    expect(own).toMatchObject({ verdict: "moved", landings: [{ line: 11 }] });
    expect(await where(history, history.git("rev-parse", "HEAD~1").slice(0, 8))).toEqual([own]);

    await where(history, oldest, "--exclude");
    const without = await history.plan("norm");
    expect(without.runs.map(({ run }) => run)).toEqual([history.names[1]]);
    expect(without.left_out).toEqual([{ run: oldest, why: "you left this version out" }]);

    const written = 'al.log("norm", Math.hypot(...state.w) * 2)';
    const [placed] = await where(history, oldest, "--at", "6", "--edit", written);
    expect(placed).toMatchObject({ verdict: "moved", landings: [{ line: 6 }] });
    expect((await history.afterlog("replay", "norm", "--yes")).code).toBe(0);
    expect((await history.values("norm"))[0]).toEqual(truth["norm"]?.[0]);

    // Another decision is another statement: its values are asked for again.
    await where(history, oldest, "--forget");
    expect((await history.plan("norm")).runs.map(({ run }) => run)).toEqual([oldest]);
    await where(history, oldest, "--exclude");
    history.put({ "train.ts": train("net", norm("net").replace("hypot", "max")) });
    expect((await history.plan("norm")).runs).toHaveLength(2);
    const dropped = await history.afterlog("where", "norm");
    expect(dropped.stderr).toContain("dropped: leaving out norm in train.ts");
  });

  it("lets a version be replayed that waited for a look", async () => {
    // It reads what neither version has, and the newest one uses elsewhere too.
    const biased = (state: string): string => {
      const put = `  al.log("norm", Math.hypot(...${state}.w) + ((${state} as any).bias ?? 0));\n`;
      return `${train(state, put)}void (${state} as any).bias;\n`;
    };
    const own = { files: { "train.ts": biased("state") } };
    const truth = await truthOf([own], ["norm"]);
    using history = new History();
    await history.record({
      files: { "train.ts": train("net", "", "  const first = 1;\n  void first;\n") },
    });
    const newer = await history.record({ files: { "train.ts": train("state", "") } });
    history.put({ "train.ts": biased("net") });
    const waiting = await history.afterlog("replay", "norm", "--yes");
    expect(waiting.code).toBe(5);
    expect(waiting.stdout).toMatch(/review !/);
    expect(waiting.stdout).toContain("2 versions need a look at where the statement lands");
    await where(history, newer, "--accept");
    // That says nothing about the version before it.
    expect((await where(history)).map(({ verdict }) => verdict)).toEqual(["moved", "review"]);
    expect((await history.afterlog("replay", "norm", "--yes")).code).toBe(0);
    expect(await history.values("norm")).toEqual([[], truth["norm"]?.[0]]);
  });

  it("must be possible, and be about one version", async () => {
    using history = new History();
    await history.record({ files: { "train.ts": train("state", "") } });
    await history.record({ files: { "train.ts": train("net", "") } });
    history.put({ "train.ts": train("net", norm("net")) });
    const [oldest = ""] = history.names;
    for (const [words, message] of [
      [[oldest, "--edit", "al.log("], "AL024"],
      [[oldest, "--at", "nine"], "AL001"],
      [[oldest, "--accept", "--exclude"], "AL001"],
      [["--exclude"], "AL001"],
      [["zzz", "--exclude"], "AL004"],
      [["0000000"], 'AL004]: there is no version or run "0000000"'],
    ] as const) {
      const { code, stderr } = await history.afterlog("where", "norm", ...words);
      expect({ words, code, stderr }).toMatchObject({ code: expect.toBeOneOf([1, 2]) });
      expect(stderr).toContain(`error[${message}`);
    }
    expect((await history.plan("norm")).runs).toHaveLength(2);
  });
});
