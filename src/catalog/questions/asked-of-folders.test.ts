/** @file What is read from run directories is what the index says, or nothing. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CatalogProject } from "../../../test/support/catalog.ts";
import { makeProject } from "../../../test/support/catalog.ts";
import { makeRun, Raw, trainingRun } from "../../../test/support/make-runs.ts";
import { runPaths } from "../../store/index.ts";
import { useCatalog } from "../catalog.ts";
import { readLoopsByValue } from "../loop-names.ts";
import { askedOfFolders, loopsByValueOfFolders } from "./asked-of-folders.ts";
import type { AskedQuestion } from "./read-asked.ts";
import { readAsked } from "./read-asked.ts";

let project: CatalogProject;
beforeAll(() => {
  project = makeProject();
  const { store } = project;
  makeRun(store, trainingRun("train-0002", { epochs: 2, steps: 2, lr: 0.1 }));
  makeRun(store, {
    ...trainingRun("train-0001", { epochs: 1, steps: 1, lr: 0.1 }),
    status: "failed",
  });
  const items: [string, unknown[] | { start: number; step: number; length: number }][] = [
    ["counted", { start: 0, step: 1, length: 2 }],
    ["from-one", { start: 1, step: 1, length: 2 }],
    ["by-twos", { start: 0, step: 2, length: 1 }],
    ["texts", ["a"]],
    ["indices", [0, 1, 2]],
    ["others", [1, 0]],
    ["large", [new Raw('{"$":"bigint","v":"0"}')]],
    ["nothing", [null]],
  ];
  for (const [at, rules] of [1, 2, 0].entries()) {
    makeRun(store, {
      run: `loops-000${5 + at}`,
      status: at === 1 ? "recording" : "done",
      manifest: { loopRules: rules, order: 1000 - at },
      body: (log) => {
        for (const [loop, over] of items)
          log.loop(loop, over, () => log.loop("inner", 2, () => {}));
      },
    });
  }
  makeRun(store, {
    run: "replay-0008",
    manifest: { kind: "replay", parent: "train-0001" },
    body: (log) => log.log("filled", 1, { check: "verified" }),
  });
  const { folder } = makeRun(store, { run: "damaged-0009" });
  writeFileSync(runPaths.manifest(folder), "{");
  const logless = makeRun(store, { run: "logless-0010" });
  rmSync(runPaths.log(logless.folder));
  makeRun(store, { run: "nothing-0011" });
  for (const file of ["run.json", "log.jsonl"]) rmSync(join(store, "runs/nothing-0011", file));
});
afterAll(() => project[Symbol.dispose]());

const question = (name: string, more: Partial<AskedQuestion> = {}): AskedQuestion => {
  return { where: null, statements: [{ name, loops: [] }], except: [], ...more };
};

test("a name that no log has is asked of every run, in their order", async () => {
  const asked = askedOfFolders(project.store, question("new name"));
  expect(asked?.runs.map(({ run }) => run)).toHaveLength(7);
  const two = question("a", { statements: ["a1", "b1"].map((name) => ({ name, loops: [] })) });
  for (const one of [question("new name"), two]) {
    const known = await useCatalog(project.store, {}, ({ connection }) =>
      readAsked(connection, one),
    );
    expect(askedOfFolders(project.store, one)).toEqual(known);
  }
});

test.each<[string, AskedQuestion]>([
  ["that a run logs", question("loss")],
  ["that a replay has filled", question("filled")],
  ["that stands in a loop", question("new", { statements: [{ name: "new", loops: ["epoch"] }] })],
  ["under a condition", question("new", { where: "lr > 0" })],
  [
    "beside another statement of its name",
    question("new", { except: [{ name: "new", replay: "r" }] }),
  ],
  ["that may be written otherwise", question("größe")],
  ["of nothing", question("new", { statements: [] })],
])("a name %s is left to the index", (_, asked) => {
  expect(askedOfFolders(project.store, asked)).toBeUndefined();
});

test("loops by their own values are those that the index says", async () => {
  const known = await useCatalog(project.store, {}, ({ connection }) =>
    readLoopsByValue(connection),
  );
  const runs = (await project.ask("SELECT run FROM runs")).map(({ run }) => String(run));
  expect(loopsByValueOfFolders(project.store, runs)).toEqual(known);
  expect([...(known.get("loops-0005") ?? [])].toSorted()).toEqual(
    ["by-twos", "from-one", "nothing", "others", "texts"].toSorted(),
  );
});

test("a run that was resumed further back is left to the index", () => {
  using other = makeProject();
  makeRun(other.store, { run: "r1", body: (log) => log.rewind(0) });
  expect(loopsByValueOfFolders(other.store, ["r1"])).toBeUndefined();
});
