/** Alerts: tried on past runs, and armed in later ones of both languages, which is to say the same. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { needs } from "../support/needs.ts";
import { MAIN, ROOT } from "../support/project.ts";
import { History, withProbe } from "./history.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const SCALES = [0.9, 0.5, 0.3, 0.1];

const PYTHON = `import afterlog as al
scale = al.arg("scale", 1.0)
for epoch in al.loop("epoch", range(3)):
    al.log("loss", scale / (1 + epoch))
al.log("f1", scale)
`;

interface Tested {
  readonly fired: { readonly good: number; readonly bad: number; readonly unmarked: number };
  readonly silent: Tested["fired"];
  readonly runs: readonly {
    readonly run: string;
    readonly fired: boolean | null;
    readonly path: string | null;
    readonly why: string | null;
  }[];
  readonly sweep: { readonly rows: readonly { readonly threshold: number }[] } | null;
}

interface Fired {
  readonly run: string;
  readonly alert: string;
  readonly path: string;
}

const history = new History();
let runs: string[];
beforeAll(async () => {
  runs = await history.recordAll(SCALES);
  history.write("train.py", PYTHON);
  await history.afterlog("tag", ...runs.slice(0, 2), "+good");
  await history.afterlog("tag", ...runs.slice(2), "+bad");
});
afterAll(() => history[Symbol.dispose]());

const tested = async (condition: string): Promise<Tested> =>
  (await history.json("alert", "test", condition, "--yes")) as Tested;

describe("alert test", () => {
  it("asks for what is missing, and says the price first", async () => {
    history.write("train.ts", withProbe());
    const unasked = await history.afterlog("alert", "test", "f1_seven < 4");
    expect({ code: unasked.code, stdout: unasked.stdout }).toEqual({ code: 4, stdout: "" });
    expect(unasked.stderr).toMatch(/f1_seven {2}train\.ts:\d+[^]*4 of 4 runs · /);
    const { stdout, code } = await history.afterlog("alert", "test", "f1_seven < 4", "-y");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^fired +0 +2 +0\nnot fired +2 +0 +0$/m);
    expect(stdout).toMatch(/^ +4 +0 +2 +0 {2}as it is, tells best$/m);
    // Now it costs nothing.
    const { fired, silent } = await tested("f1_seven < 6 and scale > 0");
    expect({ fired, silent }).toMatchObject({ fired: { good: 1, bad: 2 }, silent: { good: 1 } });
  });

  it("says of a condition that is none what is wrong", async () => {
    for (const [condition, code] of [
      ["f1_seven <", "AL020"],
      ["scale > 0", "AL020"],
      ["f1_eight < 4", "AL021"],
    ] as const) {
      const { stderr } = await history.afterlog("alert", "test", condition, "-y");
      expect(stderr).toContain(`error[${code}]`);
      expect(stderr).toContain("help: ");
    }
  });
});

const SOON = { timeout: 60_000, interval: 300 };

const CONDITIONS: readonly (readonly [alert: string, condition: string])[] = [
  ["after", "f1 > -1000"],
  ["at_once", "loss > -1000"],
  ["later", "loss is not null and epoch = 1"],
  ["never", "loss > 1e9"],
  ["unknown", "nobody_logs_it > 1"],
];

async function firedIn(run: string): Promise<readonly (readonly string[])[]> {
  const rows = (await history.json("query", "from alerts order by alert")) as Fired[];
  return rows.filter((row) => row.run === run).map(({ alert, path }) => [alert, path]);
}

/** What the past says of the same run. */
async function wouldFire(run: string): Promise<readonly (readonly string[])[]> {
  const found = [];
  for (const [alert, condition] of CONDITIONS.slice(0, 4)) {
    const report = await tested(condition);
    const own = report.runs.find((one) => one.run === run);
    if (own?.fired) found.push([alert, own.path ?? ""]);
  }
  return found;
}

describe("an armed alert", () => {
  const config = join(history.folder, "config");
  const env = { XDG_CONFIG_HOME: config };
  const record = async (...argv: readonly string[]): Promise<{ run: string; said: string }> => {
    const { code, stderr } = await history.start([MAIN, "run", ...argv], env).finished;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return { run: history.manifest.run, said: stderr };
  };
  const EXPECTED = [
    ["after", ""],
    ["at_once", "epoch=0"],
    ["later", "epoch=1"],
  ];

  beforeAll(async () => {
    for (const [alert, condition] of CONDITIONS) {
      await history.json("alert", "add", alert, condition, "--arm");
    }
    const call = 'echo "$AFTERLOG_ALERT $AFTERLOG_POINT" >> called.txt';
    const [alert = "", condition = ""] = CONDITIONS.find(([name]) => name === "later") ?? [];
    await history.afterlogWith(env, "alert", "add", alert, condition, "--arm", "--call", call);
  });

  it("fires where the past says, is printed, noted, and calls its command", async () => {
    const { run, said } = await record("train.ts");
    expect(await firedIn(run)).toEqual(EXPECTED);
    expect(await wouldFire(run)).toEqual(EXPECTED);
    const lines = said.split("\n").filter((line) => line.startsWith("afterlog: alert "));
    expect(lines).toHaveLength(3);
    expect(said).toContain(`alert later: loss is not null and epoch = 1 at ${run}@epoch=1 (loss `);
    const file = join(history.folder, "called.txt");
    await vi.waitUntil(
      () => existsSync(file) && readFileSync(file, "utf8") === "later epoch=1\n",
      SOON,
    );
    const { stdout } = await history.afterlog("show", run);
    expect(stdout).toMatch(/^alerts +after \(f1 > -1000\), at_once at epoch=0 /m);
    expect((await history.afterlog("ls", "-c", "alerts")).stdout).toContain("after");
  });

  it(
    "says the same of a Python program, with and without the command",
    needs("python"),
    async () => {
      const { run } = await record("train.py", "scale=0.5");
      expect(await firedIn(run)).toEqual(EXPECTED);
      expect(await wouldFire(run)).toEqual(EXPECTED);
      const plain = await history.start(
        ["train.py"],
        {
          ...env,
          PYTHONPATH: join(ROOT, "python"),
          AFTERLOG_CLI: `${process.execPath}\n${MAIN}`,
        },
        { command: "python3" },
      ).finished;
      expect(plain).toMatchObject({ code: 0 });
      const own = history.manifest.run;
      await vi.waitUntil(async () => (await firedIn(own)).length === 3, SOON);
      expect(await firedIn(own)).toEqual(EXPECTED);
    },
  );

  it("says nothing where none is armed, and is taken away with a way back", async () => {
    for (const [alert] of CONDITIONS) await history.afterlog("alert", "arm", alert, "--off");
    const { run, said } = await record("train.ts");
    expect(said).not.toContain("alert");
    expect(await firedIn(run)).toEqual([]);
    const { stderr } = await history.afterlogWith(env, "alert", "rm", "later");
    expect(stderr).toContain("way back:  afterlog alert add later");
    expect(readFileSync(join(config, "afterlog", "alerts.json"), "utf8")).toContain('"calls": []');
  });
});
