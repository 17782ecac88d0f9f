import { expect, test } from "vitest";
import { makeProject } from "../../../test/support/catalog.ts";
import { makeRun } from "../../../test/support/make-runs.ts";
import type { CheckpointRecord, LoopPath } from "../../format/index.ts";
import { useCatalog } from "../catalog.ts";
import { queryReadOnly } from "../user-sql.ts";
import type { FrameRequest } from "./plan-frame.ts";
import { planFrame } from "./plan-frame.ts";

type Taken = readonly [path: LoopPath, needs?: readonly string[]];

function taken([path, needs = []]: Taken, at: number): Partial<CheckpointRecord> {
  const kind = path.at(-1)?.[1] === "end" ? "loop" : "iteration";
  return { kind, path, needs, seq: at, file: `${at}.safetensors`, logBytes: 0, t: at };
}

/** Epochs 1 to 4 of three steps each, an evaluation inside each odd one, and tests behind them. */
async function ask(checkpoints: readonly Taken[], request: FrameRequest): Promise<string[]> {
  using project = makeProject();
  makeRun(project.store, {
    run: "r",
    manifest: { loopRules: 1 },
    checkpoints: checkpoints.map(taken),
    body: (log) => {
      log.arg("lr", 0.1);
      log.loop("epoch", { start: 1, step: 1, length: 4 }, (epoch) => {
        if (epoch % 2 === 1) log.loop("check", 2, () => log.log("checked", epoch));
        log.loop("step", 3, (step) => log.log("loss", epoch * 3 + step));
        log.log("accuracy", epoch);
      });
      log.loop("test", 2, (at) => log.log("score", at));
      log.log("final", 1);
    },
  });
  return await useCatalog(project.store, {}, async ({ connection }) => {
    const frame = await planFrame(connection, request);
    const rows = await connection.rows(frame.sql);
    return rows.map((row) =>
      ["epoch#", "step", "test", "checkpoint", "checkpoint_exact"]
        .filter((key) => row[key] !== undefined)
        .map((key) => String(row[key]).replace("r@", ""))
        .join(" "),
    );
  });
}

const EPOCHS = ["accuracy", "checkpoint", "checkpoint_exact"];

test.each<[what: string, taken: readonly Taken[], asked: FrameRequest, rows: readonly string[]]>([
  [
    "the end of each iteration, and the nearest before it",
    [[[["epoch", 0]]], [[["epoch", 2]]]],
    { names: EPOCHS },
    ["0 epoch#=0 true", "1 epoch#=0 false", "2 epoch#=2 true", "3 epoch#=2 false"],
  ],
  [
    "what was taken inside an iteration lies before its end, and none before the first",
    [
      [
        [
          ["epoch", 1],
          ["step", 1],
        ],
      ],
      [
        [
          ["epoch", 3],
          ["check", "end"],
        ],
      ],
    ],
    { names: EPOCHS },
    [
      "0 null null",
      "1 epoch#=1,step=1 false",
      "2 epoch#=1,step=1 false",
      "3 epoch#=3,check=end false",
    ],
  ],
  [
    "the last iteration ends where its loop does",
    [[[["epoch", "end"]]]],
    { names: EPOCHS },
    ["0 null null", "1 null null", "2 null null", "3 epoch=end true"],
  ],
  [
    "steps, with the loops that came before them in the same epoch",
    [
      [
        [
          ["epoch", 1],
          ["check", "end"],
        ],
      ],
      [
        [
          ["epoch", 1],
          ["step", 1],
        ],
      ],
      [[["epoch", 1]]],
    ],
    { names: ["loss", "checkpoint", "checkpoint_exact"], where: "epoch in (2, 3) and step < 2" },
    [
      "1 0 epoch#=1,check=end false",
      "1 1 epoch#=1,step=1 true",
      "2 0 epoch#=1 false",
      "2 1 epoch#=1 false",
    ],
  ],
  [
    "rows of sibling loops",
    [[[["epoch", "end"]]], [[["test", 0]]]],
    { names: ["score", "checkpoint", "checkpoint_exact"] },
    ["0 test=0 true", "1 test=0 false"],
  ],
  [
    "a run is where its last loop ended",
    [[[["epoch", "end"]]], [[["test", "end"]]]],
    { names: ["final", "checkpoint", "checkpoint_exact"] },
    ["test=end true"],
  ],
  [
    "of a run whose last loop has no checkpoint, the one before",
    [[[["epoch", "end"]]]],
    { names: ["lr", "checkpoint", "checkpoint_exact"] },
    ["epoch=end false"],
  ],
  [
    "one that needs another which is gone is left out",
    [
      [[["epoch", 0]]],
      [
        [
          ["epoch", 1],
          ["step", 1],
        ],
        ["epoch=0"],
      ],
      [
        [
          ["epoch", 3],
          ["step", 1],
        ],
        ["epoch=2"],
      ],
    ],
    { names: EPOCHS },
    [
      "0 epoch#=0 true",
      "1 epoch#=1,step=1 false",
      "2 epoch#=1,step=1 false",
      "3 epoch#=1,step=1 false",
    ],
  ],
  [
    "a condition may mention it",
    [[[["epoch", 1]]]],
    { names: ["accuracy"], where: "checkpoint_exact" },
    ["1"],
  ],
  ["by itself it is of runs", [[[["test", "end"]]]], { names: ["checkpoint"] }, ["test=end"]],
])("%s", async (_, checkpoints, request, expected) => {
  expect(await ask(checkpoints, request)).toEqual(expected);
});

test("a query has the columns beside names, and what was logged by these names is another one", async () => {
  using project = makeProject();
  makeRun(project.store, {
    run: "r1",
    checkpoints: [taken([[["epoch", 1]]], 1)],
    body: (log) => log.loop("epoch", 2, (epoch) => log.log("loss", epoch)),
  });
  const asked = "select epoch, checkpoint, checkpoint_exact from frame where loss < 9";
  const rows = await useCatalog(project.store, {}, async ({ connection }) => {
    const result = await queryReadOnly(connection, asked);
    const found: unknown[] = [];
    for await (const batch of result.batches()) found.push(...batch);
    return found;
  });
  expect(rows).toEqual([
    [0, null, null],
    [1, "r1@epoch=1", true],
  ]);
  makeRun(project.store, { run: "r2", body: (log) => log.log("checkpoint", "mine") });
  const own = await useCatalog(project.store, {}, async ({ connection }) => {
    const frame = await planFrame(connection, { names: ["checkpoint", "log.checkpoint"] });
    return connection.rows(frame.sql);
  });
  expect(own).toEqual([{ run: "r2", checkpoint: null, "log.checkpoint": "mine" }]);
});
