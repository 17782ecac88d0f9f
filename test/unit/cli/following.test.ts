/** @file `plot`, `tail`, `watch` of what is there, and the words that a shell completes. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CliContext } from "../../../src/cli/context.ts";
import { completeCommand } from "../../../src/cli/completion/complete.ts";
import { tailCommand } from "../../../src/cli/following/tail.ts";
import { watchCommand } from "../../../src/cli/following/watch.ts";
import { plotCommand } from "../../../src/cli/reading/plot.ts";
import { openCatalog } from "../../../src/catalog/index.ts";
import type { CatalogProject } from "../../support/catalog.ts";
import { makeProject } from "../../support/catalog.ts";
import { call } from "../../support/command.ts";
import { makeRun } from "../../support/make-runs.ts";
import { makeFourRuns } from "./four-runs.ts";

let project: CatalogProject;
beforeAll(async () => {
  project = makeProject();
  makeFourRuns(project.store);
  makeRun(project.store, {
    run: "again-0005",
    body: (log) => {
      log.loop("epoch", 3, (epoch) => log.log("early", epoch));
      log.rewind(2);
      log.log("late", 1);
      log.loop("fold", ["a", "b"], (at) => log.log("late", at === 0 ? NaN : 7));
    },
  });
  (await openCatalog(project.store)).close();
});
afterAll(() => project[Symbol.dispose]());

type Work = (context: CliContext) => Promise<number>;
const run = (work: Work, options: Partial<CliContext> = {}): ReturnType<typeof call> =>
  call(project.root, options, work);

describe("plot --json", () => {
  const usual = "run like 'train%'";
  test.each<[string, string[], Parameters<typeof plotCommand>[2], unknown]>([
    [
      "by the values of the one loop",
      ["accuracy"],
      { where: "run = 'train-0001'" },
      {
        x: "epoch",
        series: [
          [
            [0, 0.5],
            [1, 1 - 1 / 3],
          ],
        ],
      },
    ],
    [
      "of a loop in another all iterations, one after the other",
      ["loss"],
      { where: usual },
      {
        x: "step of all epoch",
        series: Array.from({ length: 2 }, () => [0, 1, 2, 3].map((at) => [at, 1 / (1 + at)])),
      },
    ],
    [
      "by another loop its last values",
      ["loss"],
      { where: "run = 'train-0001'", x: "epoch" },
      {
        x: "epoch",
        series: [
          [
            [0, 1 / 2],
            [1, 1 / 4],
          ],
        ],
      },
    ],
    [
      "what is logged once over the runs, oldest first",
      ["f1", "lr"],
      { where: usual },
      {
        x: "runs, oldest first",
        series: [
          [
            [0, 1],
            [1, 0.1],
          ],
          [
            [0, 0.1],
            [1, 0.01],
          ],
        ],
      },
    ],
    [
      "by an argument",
      ["f1"],
      { where: usual, x: "lr" },
      {
        x: "lr",
        series: [
          [
            [0.01, 0.1],
            [0.1, 1],
          ],
        ],
      },
    ],
    [
      "a loop inside of another over the runs",
      ["accuracy"],
      { where: usual, x: "run" },
      {
        x: "runs, oldest first",
        series: [
          [
            [0, 1 - 1 / 3],
            [1, 1 - 1 / 3],
          ],
        ],
      },
    ],
  ])("%s", async (_, names, options, expected) => {
    const { code, out } = await run((context) => plotCommand(context, names, options), {
      json: true,
    });
    const { x, series } = JSON.parse(out) as {
      readonly x: string;
      readonly series: readonly {
        readonly points: readonly { readonly x: number; readonly y: number }[];
      }[];
    };
    const points = series.map((one) => one.points.map((point) => [point.x, point.y]));
    expect({ code, x, series: points }).toEqual({ code: 0, ...(expected as object) });
  });

  test("for people: a chart with a legend, and what is not drawn", async () => {
    const { out, err } = await run((context) => plotCommand(context, ["late"], {}), {
      columns: 60,
    });
    expect(out).toMatch(/^late {2}again-0005\n[^]*│[^]*└─[^]*fold\n +● 1 point\n$/);
    expect(err).toContain("1 value is infinite or NaN, and not drawn");
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });

  test.each<[string, string[], string | undefined, RegExp]>([
    [
      "texts",
      ["note"],
      undefined,
      /AL021\]: "note" has no numbers to draw\n +help: see the values/,
    ],
    ["nobody logged it", ["acuracy"], undefined, /AL021.*\n.*did you mean "accuracy"/],
    ["no such axis", ["loss"], "epohc", /AL021.*"epohc"/],
  ])("%s", async (_, names, x, told) => {
    const printed = await run((context) =>
      plotCommand(context, names, x === undefined ? {} : { x }),
    );
    expect(printed).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(told) as unknown,
    });
  });
});

describe("tail", () => {
  test.each<[string, string, Parameters<typeof tailCommand>[2], string]>([
    [
      "the last values, by the indices of their loops",
      "train-0001",
      { lines: 3 },
      "epoch#=1,step#=1  grad  1\nepoch#=1  accuracy  0.6667\nf1  1\n",
    ],
    ["of some names", "@~2", { columns: ["loss"], lines: 1 }, "epoch#=1,step#=1  loss  0.25\n"],
    [
      "what was superseded is left out",
      "again",
      {},
      "epoch#=0  early  0\nlate  1\nfold#=0  late  NaN\nfold#=1  late  7\n",
    ],
    ["of a run by its name", "best", { lines: 1, follow: true }, "f1  0.1\n"],
    ["none", "best", { lines: 0 }, ""],
  ])("%s", async (_, reference, options, text) => {
    const { code, out } = await run((context) => tailCommand(context, reference, options));
    expect({ code, out }).toEqual({ code: 0, out: text });
  });
});

test("watch says how a run has ended, and fails if it failed", async () => {
  expect(await run((context) => watchCommand(context, "best"))).toMatchObject({
    code: 0,
    out: expect.stringMatching(/✔ train-0002 done · /) as unknown,
  });
  expect((await run((context) => watchCommand(context, "odd"))).code).toBe(1);
  expect(await run((context) => watchCommand(context, undefined))).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /AL004\]: no run and no replay is under way here\n +help: /,
    ) as unknown,
  });
});

describe("__complete", () => {
  const all = (...words: string[]): unknown => expect.arrayContaining(words);
  test.each<[string[], unknown]>([
    [["sh"], ["show"]],
    [[""], all("run", "ls", "help", "completion")],
    [["--j"], ["--json"]],
    [["nonsense", ""], []],
    [["ls", "--so"], ["--sort-by"]],
    [["ls", "--sort-by", "ac"], ["accuracy"]],
    [["ls", "-c", "loss,ac"], ["loss,accuracy"]],
    [["ls", "-w", ""], []],
    [["ls", "extra", ""], []],
    [["show", ""], all("@", "best", "again-0005", "odd-0003", "train-0002", "train-0001")],
    [["show", "train"], all("train-0001", "train-0002")],
    [["diff", "@", "odd"], ["odd-0003"]],
    [["frame", "loss", "f1_"], ["f1_ped"]],
    [["frame", "my"], ["my score"]],
    [["plot", "loss", "-x", "ru"], ["run"]],
    [["export", "-f", "p"], ["parquet"]],
    [["help", "ma"], ["marks"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["run", "tr"], []],
    [["--json", "show", "bes"], ["best"]],
    [["-C", "..", "show", "bes"], []],
  ])("%j", async (words, expected) => {
    const { code, out, err } = await run((context) => completeCommand(context, words));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const found = out.split("\n").filter((word) => word !== "");
    expect(found).toEqual(expected);
  });

  test("without a project, and with a file of names that is damaged, it says nothing", async () => {
    const bare = makeProject();
    const silent = { code: 0, out: "@\n", err: "" };
    expect(await call(bare.root, {}, (c) => completeCommand(c, ["show", ""]))).toEqual(silent);
    makeRun(bare.store, { run: "r1" });
    writeFileSync(join(bare.store, "names.json"), "{");
    expect(await call(bare.root, {}, (c) => completeCommand(c, ["frame", ""]))).toMatchObject({
      out: "",
    });
    bare[Symbol.dispose]();
  });
});
