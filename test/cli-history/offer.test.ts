/** Names that only the working tree knows: NULL, with the price of filling them, in every reader. */
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { frameCommand } from "../../src/cli/reading/frame.ts";
import { lsCommand } from "../../src/cli/reading/ls.ts";
import type { Printed } from "../support/command.ts";
import { call } from "../support/command.ts";
import { History, withProbe } from "./history.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let history: History;
let runs: string[];

beforeAll(async () => {
  history = new History();
  runs = await history.recordAll([0.5, 0.7, 0.9]);
  history.write("train.ts", withProbe());
});
afterAll(() => history[Symbol.dispose]());

const NEVER = /^⋯ f1_seven was never logged\. It is in your working tree at train\.ts:9\.$/m;
const PRICE = / {2}3 cells can be filled in about \S+ m?s: {2}afterlog replay f1_seven$/m;

it.each<[string, readonly string[], (out: unknown) => void]>([
  [
    "frame",
    ["frame", "f1_seven"],
    (rows) => expect(rows).toMatchObject(runs.map((run) => ({ run, f1_seven: null }))),
  ],
  [
    "frame, beside what is logged",
    ["frame", "f1_seven", "loss", "--grain", "run"],
    (rows) => expect(rows).toMatchObject(runs.map((run) => ({ run, f1_seven: null }))),
  ],
  [
    "query over runs",
    ["query", "select run, scale, F1_SEVEN as x from runs where kind = 'record' order by scale"],
    (rows) => {
      const scales = [0.5, 0.7, 0.9];
      expect(rows).toEqual(scales.map((scale, at) => ({ run: runs[at], scale, x: null })));
    },
  ],
  [
    "query over the frame",
    [
      "query",
      "with a as (select run, epoch, loss, f1_seven from frame) select count(*) as n, max(f1_seven) as x from a",
    ],
    (rows) => expect(rows).toEqual([{ n: 6, x: null }]),
  ],
  ["ls", ["ls", "-c", "f1_seven"], (rows) => expect(rows).toHaveLength(3)],
])("%s", async (_, argv, check) => {
  const { code, stdout, stderr } = await history.afterlog(...argv, "--json");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  check(JSON.parse(stdout));
  expect(stderr).toMatch(NEVER);
  expect(stderr).toMatch(PRICE);
  expect(stderr.match(/was never logged/g)).toHaveLength(1);
});

it("a condition takes part in the offer, as far as it can", async () => {
  const where = "scale > 0.6 and f1_seven is null";
  const frame = await history.afterlog("frame", "f1", "-w", where);
  expect(frame.stdout.trim().split("\n")).toHaveLength(3);
  expect(frame.stderr).toContain(`2 cells can be filled in about `);
  expect(frame.stderr).toContain(`afterlog replay f1_seven -w "${where}"`);
  const ls = await history.afterlog("ls", "-c", "f1_seven", "-w", where);
  expect(ls.stdout.trim().split("\n")).toHaveLength(3);
  expect(ls.stderr.match(/was never logged/g)).toHaveLength(1);
  // Loops in which the statement does not stand say nothing of it.
  const inner = await history.afterlog("frame", "loss", "f1_seven", "-w", "epoch = 1");
  expect(inner.stderr).toMatch(PRICE);
});

it("what nobody knows stays an error, and what is known offers nothing", async () => {
  for (const argv of [
    ["frame", "f1_eight"],
    ["frame", "f1", "-w", "f1_eight < 1"],
    ["query", "select f1_eight from runs"],
    ["query", "select f1_seven, f1_eight from frame"],
  ]) {
    const { code, stdout, stderr } = await history.afterlog(...argv);
    expect({ argv, code, stdout }).toEqual({ argv, code: 1, stdout: "" });
    expect(stderr).toMatch(/^error\[AL02[01]\]: .*f1_eight/);
  }
  const { stderr } = await history.afterlog("ls", "-c", "f1_eight,f1");
  expect(stderr).toBe("⋯ f1_eight was never logged\n");
  const known = await history.afterlog("query", "select run, f1, f1_origin from runs");
  expect({ code: known.code, stderr: known.stderr }).toEqual({ code: 0, stderr: "" });
});

it("cells that are missing in some runs are offered to a person", async () => {
  const filled = await history.afterlog("replay", "f1_seven", "-w", "scale = 0.9", "--yes");
  expect(filled.code).toBe(0);
  const ask = async (isTTY: boolean): Promise<Printed[]> => [
    await call(history.folder, { isTTY }, (context) =>
      lsCommand(context, { columns: ["f1_seven"] }),
    ),
    await call(history.folder, { isTTY }, (context) =>
      frameCommand(context, ["f1_seven", "f1"], {}),
    ),
  ];
  for (const { err } of await ask(true)) {
    expect(err).toMatch(/⋯ 2 cells can be filled in about \S+ m?s: {2}afterlog replay f1_seven\n/);
  }
  for (const { err } of await ask(false)) expect(err).not.toContain("can be filled");
  const sql = "select f1_seven, f1_seven_origin from runs where f1_seven is not null";
  expect(await history.json("query", sql)).toEqual([
    { f1_seven: 9, f1_seven_origin: "hindsight:verified" },
  ]);
  await history.afterlog("replay", "f1_seven", "--yes");
  for (const { err } of await ask(true)) expect(err).not.toContain("can be filled");
});
