/** @file The list of runs as a person sees it, on terminals of any width. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { frameCommand } from "../../../src/cli/reading/frame.ts";
import { lsCommand } from "../../../src/cli/reading/ls.ts";
import { textWidth } from "../../../src/cli/terminal/text-table.ts";
import type { CatalogProject } from "../../support/catalog.ts";
import { makeProject } from "../../support/catalog.ts";
import { call } from "../../support/command.ts";
import { makeRun } from "../../support/make-runs.ts";
import { makeFourRuns } from "./four-runs.ts";

let project: CatalogProject;
beforeAll(() => {
  project = makeProject();
  makeFourRuns(project.store);
});
afterAll(() => project[Symbol.dispose]());

/** Of all runs of the project, as titles; and what is shown behind them where there is room. */
const COLUMNS_THAT_DIFFER =
  "LR EPOCHS OPTIMIZER LOSS GRAD ACCURACY F1 F1_PED SELECT BIG EPOCH LOG.RUN NOTE MY_SCORE TIME COMMIT"
    .split(" ")
    .map((title) => title.replace("Y_S", "Y S"));

test("for people: nothing that is asked for by name is left out, and the rest is counted", async () => {
  const asked: [string, Parameters<typeof lsCommand>[1], readonly string[]][] = [
    ["what people look for", {}, ["STATUS", "WHEN"]],
    ["sorted", { sortBy: "f1:desc" }, ["STATUS", "WHEN", "F1"]],
    ["sorted by a fact", { sortBy: "seconds" }, ["STATUS", "WHEN", "TIME"]],
    [
      "by name",
      { columns: ["loss", "grad", "host", "big", "note", "started"], sortBy: "lr" },
      ["LOSS", "GRAD", "HOST", "BIG", "NOTE", "STARTED", "LR"],
    ],
    ["all", { allColumns: true }, ["STARTED", "LR", "EPOCHS", "F1", "BIG", "NOTE", "HOST", "SEED"]],
  ];
  for (const columns of [30, 80, 120]) {
    for (const [what, options, titles] of asked) {
      const { out, err } = await call(project.root, { isTTY: true, columns }, (c) =>
        lsCommand(c, options),
      );
      const has = (title: string): boolean => new RegExp(`(?:^| )${title}(?:$| )`, "m").test(out);
      expect([what, columns, titles.filter((title) => !has(title))]).toEqual([what, columns, []]);
      for (const line of out.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(columns);
      const text = err.replaceAll("\n", " ");
      const [, named = "", more = "0"] =
        /· ([^·]*?)(?: and (\d+) more)? without room/.exec(text) ?? [];
      const hidden = named === "" ? 0 : named.split(", ").length + Number(more);
      const shown = COLUMNS_THAT_DIFFER.filter(has).length;
      if (what === "what people look for") expect(hidden).toBe(COLUMNS_THAT_DIFFER.length - shown);
    }
  }
});

test("for people: on a narrow terminal a block for each run", async () => {
  const { out } = await call(project.root, { isTTY: true, columns: 30 }, (c) =>
    lsCommand(c, { where: "run like 'train%'" }),
  );
  expect(out).toBe(`train-0002
  STATUS  done
  WHEN    2026-09-21
  LR      0.01
  F1      0.1
  F1_PED  ⋯
  TIME    13 s
  COMMIT  a1b9c30

train-0001
  STATUS  done
  WHEN    2026-09-21
  LR      0.1
  F1      1
  F1_PED  0.25 ✓
  TIME    13 s
  COMMIT  a1b9c30
`);
});

test("for people: what has a name of its own comes before norms of layers", async () => {
  using layers = makeProject();
  for (const [at, run] of ["r1", "r2"].entries()) {
    makeRun(layers.store, {
      run,
      body: (log) => {
        log.loop("epoch", 2, (epoch) => {
          for (let layer = 0; layer < 12; layer++) log.log(`norm/${layer}`, epoch + layer + at);
          log.log("loss", at);
        });
        log.log("accuracy", at);
      },
    });
  }
  const { out, err } = await call(layers.root, { isTTY: true, columns: 60 }, (c) =>
    lsCommand(c, {}),
  );
  expect(out).toMatch(/^RUN +STATUS +WHEN +LOSS +ACCURACY +NORM\/0 +NORM\/1( |\n)/);
  expect(err).toMatch(/^2 runs · norm\/\d+, .* and \d+ more without\n?/);
});

test("what is longer than the terminal goes through its pager, with the number of rows", async () => {
  const shown: string[] = [];
  const page = { rows: 4, show: (text: string) => Promise.resolve(void shown.push(text)) };
  const printed = await call(project.root, { isTTY: true, page }, (c) => lsCommand(c, {}));
  expect(printed).toMatchObject({ code: 0, out: "" });
  expect(shown.join("")).toMatch(/^RUN [^]*\nodd-0003 [^]*\n3 runs · /);
  const rows = await call(project.root, { isTTY: true, page }, (c) =>
    frameCommand(c, ["loss"], {}),
  );
  expect(rows).toMatchObject({ code: 0, out: "" });
  expect(shown[1]).toMatch(/^run [^]*\n8 rows\n$/);
  const high = { ...page, rows: 40 };
  const fits = await call(project.root, { isTTY: true, page: high }, (c) => lsCommand(c, {}));
  expect(fits.out).toMatch(/^RUN /);
  expect(shown).toHaveLength(2);
});
