import { describe, expect, test } from "vitest";
import type { LoopPath, ReplayOutcome } from "../../format/index.ts";
import type { Checked, CheckOptions } from "./check-replay.ts";
import { checkReplay, valueKey } from "./check-replay.ts";
import { compareValues, TOLERANCE } from "./compare-values.ts";
import type { Line } from "../recorded/raw-log.ts";

const noBytes = (): undefined => undefined;
const epoch = (index: number): LoopPath => [["epoch", index]];
const step = (outer: number, index: number): LoopPath => [...epoch(outer), ["step", index]];

let seq = 0;
const line = (k: string, fields: object): Line => ({ k, seq: seq++, t: 0, ...fields });
const log = (path: LoopPath, name: string, value: unknown, fields: object = {}): Line =>
  line("log", { path, name, value, site: null, ...fields });
const restore = (path: LoopPath): Line => line("restore", { path, file: "x" });
const state = (path: LoopPath, equal: boolean): Line =>
  line("state", { path, equal, differs: equal ? [] : ["train.ts:0:total#0"] });
const exit = (path: LoopPath, loop: string, iterations: number): Line =>
  line("exit", { path, loop, entry: 0, how: "exhausted", iterations });

const asking =
  (asked: string) =>
  ({ name }: { readonly name: string }): string | undefined =>
    name === asked ? name : undefined;

/** The recorded run: `loss` is 1 at each step, `acc` is 2 at each epoch, `start` is 0. */
function check(replayed: readonly Line[], options: Partial<CheckOptions> = {}): Checked {
  const values = new Map<string, unknown[]>([[valueKey([], "start"), [0]]]);
  for (let e = 0; e < 4; e++) {
    values.set(valueKey(epoch(e), "acc"), [2]);
    for (let s = 0; s < 3; s++) values.set(valueKey(step(e, s), "loss"), [1]);
  }
  const iterations = new Map([["epoch=end", 4]]);
  return checkReplay({
    recorded: { values, iterations, names: new Set(["start", "acc", "loss"]) },
    replayed,
    askedNameOf: asking("x"),
    probes: [],
    directed: new Set(),
    outcome: null,
    compare: (a, b) =>
      compareValues(a, b, { tolerance: TOLERANCE, recordedBytes: noBytes, replayedBytes: noBytes }),
    ...options,
  });
}

function marks(replayed: readonly Line[], outcome: ReplayOutcome | null = null): string[] {
  return check(replayed, { outcome }).cells.map((cell) => cell.check);
}

describe("marks", () => {
  test.each<[string, readonly Line[], readonly string[]]>([
    ["nothing compared", [log(epoch(0), "x", 1)], ["unchecked"]],
    ["an equal value after it", [log(epoch(0), "x", 1), log(epoch(0), "acc", 2)], ["verified"]],
    ["an equal state", [log(epoch(0), "x", 1), state(epoch(0), true)], ["verified"]],
    ["a near value", [log(epoch(0), "x", 1), log(epoch(0), "acc", 2 + 1e-9)], ["close"]],
    ["another value", [log(epoch(0), "x", 1), log(epoch(0), "acc", 3)], ["diverged"]],
    ["another state", [log(epoch(0), "x", 1), state(epoch(0), false)], ["diverged"]],
    [
      "equal values of another span do not count",
      [log(epoch(0), "acc", 2), restore(step(1, 2)), log(epoch(1), "x", 1)],
      ["unchecked"],
    ],
    [
      "what differed is gone when all of the outermost loop is equal",
      [
        state(step(0, 0), false),
        state(step(0, 1), true),
        log(epoch(0), "x", 1),
        state(epoch(0), true),
        log(epoch(1), "x", 1),
        state(epoch(1), true),
      ],
      ["unchecked", "verified"],
    ],
    [
      "a difference stays until the outermost loop is restored",
      [
        log(step(0, 0), "loss", 5),
        restore([...epoch(0), ["step", "end"]]),
        log(epoch(0), "acc", 2),
        log(epoch(0), "x", 1),
        restore(epoch(1)),
        log(epoch(2), "acc", 2),
        log(epoch(2), "x", 1),
      ],
      ["diverged", "verified"],
    ],
    [
      "a difference before all loops stays for ever",
      [log([], "start", 1), restore(epoch(1)), log(epoch(2), "acc", 2), log(epoch(2), "x", 1)],
      ["diverged"],
    ],
    [
      "the restore of another loop says nothing",
      [
        log(epoch(0), "acc", 3),
        restore([["fold", 1]]),
        log(epoch(1), "acc", 2),
        log(epoch(1), "x", 1),
      ],
      ["diverged"],
    ],
    [
      "what is near stays near",
      [
        log(step(0, 0), "loss", 1 + 1e-9),
        restore([...epoch(0), ["step", "end"]]),
        log(epoch(0), "acc", 2),
        log(epoch(0), "x", 1),
      ],
      ["close"],
    ],
    [
      "a statement of the run that logs more often",
      [log(epoch(0), "acc", 2), log(epoch(0), "acc", 2), log(epoch(0), "x", 1)],
      ["diverged"],
    ],
    [
      "a statement of the run that logs elsewhere",
      [log(epoch(0), "loss", 1), log(epoch(0), "x", 1)],
      ["diverged"],
    ],
    [
      "a name that the run never logged is another probe",
      [log(epoch(0), "y", 1), log(epoch(0), "acc", 2), log(epoch(0), "x", 1)],
      ["verified"],
    ],
    [
      "a loop that ended elsewhere",
      [log(epoch(0), "acc", 2), exit([], "epoch", 1), log([], "x", 1)],
      ["diverged"],
    ],
  ])("%s", (_, replayed, expected) => {
    expect(marks(replayed)).toEqual(expected);
  });

  test("a replay that stopped as diverged marks its last span", () => {
    const lines = [
      log(epoch(0), "acc", 2),
      log(epoch(0), "x", 1),
      restore(epoch(1)),
      log(epoch(2), "acc", 2),
      log(epoch(2), "x", 1),
    ];
    const outcome = { kind: "diverged", why: "loop ended", path: epoch(2) } as const;
    expect(marks(lines, outcome)).toEqual(["verified", "diverged"]);
  });

  test("a loop that was told to end elsewhere is no difference", () => {
    const replayed = [log(epoch(0), "acc", 2), exit([], "epoch", 1), log([], "x", 1)];
    const { cells } = check(replayed, { directed: new Set(["epoch=end"]) });
    expect(cells.map((cell) => cell.check)).toEqual(["verified"]);
  });
});

test("what varies is neither compared nor missed", () => {
  const site = line("site", { site: 7, file: "train.ts", line: 13, column: 3, kind: "log" });
  const lines = [
    site,
    log(epoch(0), "acc", 9, { site: 7 }),
    log(step(0, 0), "acc", 9, { site: 7 }),
    log(step(0, 0), "loss", 1, { site: 7 }),
    log(epoch(0), "x", 1),
  ];
  const varying = { file: "train.ts", line: 12, column: 1, end: { line: 14, column: 2 } };
  const some = check(lines, { varying: [{ ...varying, except: ["loss"] }] });
  expect(some.compared).toEqual({ equal: 1, close: 0, different: 0 });
  expect(some.cells.map((cell) => cell.check)).toEqual(["verified"]);
  const none = check(lines, { varying: [varying] });
  expect(none.compared).toEqual({ equal: 0, close: 0, different: 0 });
  expect(none.cells.map((cell) => cell.check)).toEqual(["unchecked"]);
});

test("the first difference is named with both values, and all are counted", () => {
  const { compared, first } = check([
    log(step(0, 0), "loss", 1),
    log(step(0, 1), "loss", 1 + 1e-9),
    log(step(0, 2), "loss", 4),
    log(epoch(0), "acc", 5),
  ]);
  expect(compared).toEqual({ equal: 1, close: 1, different: 2 });
  expect(first).toEqual({ path: step(0, 2), name: "loss", recorded: 1, replayed: 4 });
});

describe("a statement of the run on the line of a probe", () => {
  const probes = [{ file: "train.ts", line: 12, column: 30 }];
  const sites = [
    line("site", { site: 7, file: "train.ts", line: 12, column: 3, kind: "log" }),
    line("site", { site: 8, file: "train.ts", line: 12, column: 30, kind: "log" }),
  ];
  const probe = log(epoch(0), "x", 9, { site: 8 });
  const acc = (value: number): Line => log(epoch(0), "acc", value, { site: 7 });
  test.each<[string, Line[], string]>([
    ["is compared", [acc(2), probe], "verified"],
    ["differs", [acc(3), probe], "diverged"],
    [
      "logs other names than those of the run there",
      [log(epoch(0), "loss", 1, { site: 8 }), probe],
      "unchecked",
    ],
    [
      "cannot be told from what the probe logs as well",
      [acc(2), log(epoch(0), "acc", 9, { site: 8 }), probe],
      "unchecked",
    ],
  ])("%s", (_, lines, expected) => {
    const { cells } = check([...sites, ...lines], { probes });
    expect(cells.map(({ record, check: mark }) => [record.name, mark])).toEqual([["x", expected]]);
  });
});

test.each<[string, readonly Line[], boolean]>([
  ["a state that is equal again", [state(step(0, 0), false), state(epoch(0), true)], false],
  ["a state that stays another", [state(step(0, 0), false), state(step(0, 1), true)], true],
  ["a value that was seen", [log(epoch(0), "acc", 3), state(epoch(0), true)], true],
])("whether the first difference is told of %s", (_, lines, isTold) => {
  expect(check(lines).first !== null).toBe(isTold);
});

test.each<[string, readonly Line[], string]>([
  ["is equal again", [state(epoch(0), true)], "unchecked"],
  ["is equal again in the same iteration", [state(step(0, 1), true)], "diverged"],
  [
    "is equal again, and a value differs before",
    [log(epoch(0), "acc", 3), state(epoch(0), true)],
    "diverged",
  ],
  ["stays another", [state(epoch(0), false)], "diverged"],
  [
    "is restored before it is equal",
    [
      restore([
        ["epoch", 0],
        ["step", 1],
      ]),
      state(epoch(0), true),
    ],
    "unchecked",
  ],
])("a value between where the state differs and where it %s", (_, lines, expected) => {
  const { cells, compared } = check([
    state(step(0, 0), false),
    log(step(0, 0), "x", 1),
    ...lines,
    log(epoch(1), "x", 2),
  ]);
  expect(cells[0]?.check).toBe(expected);
  expect(compared.different === 0).toBe(expected === "unchecked");
});

test.each<[string, string, string]>([
  ["the same", "w", "unchecked"],
  ["something else", "v", "diverged"],
])("the process ends where %s differs that was equal again before", (_, differs, expected) => {
  const first = line("state", { path: step(0, 0), equal: false, differs: ["w"] });
  const last = line("state", { path: step(1, 0), equal: false, differs: [differs] });
  const { cells } = check([first, state(epoch(0), true), last, log(step(1, 0), "x", 1)]);
  expect(cells.map((cell) => cell.check)).toEqual([expected]);
});

test("what differs later does not take back that a state was equal again", () => {
  const { cells } = check([
    state(step(0, 0), false),
    log(step(0, 0), "x", 1),
    state(epoch(0), true),
    log(epoch(1), "x", 2),
    log(epoch(1), "acc", 7),
  ]);
  expect(cells.map((cell) => cell.check)).toEqual(["unchecked", "diverged"]);
});

describe("what follows from restored state", () => {
  const computed = new Set(["x"]);
  const end = restore([["epoch", "end"]]);
  test.each<[string, Line[], Partial<CheckOptions>, string]>([
    ["nothing else is met", [end, log([], "x", 1)], {}, "restored"],
    ["nothing was restored", [log([], "x", 1)], {}, "unchecked"],
    ["nobody proved it", [end, log([], "x", 1)], { computed: new Set() }, "unchecked"],
    ["it depends on a clock", [end, log([], "x", 1)], { unsure: computed }, "unchecked"],
    ["something was equal", [end, log([], "x", 1), log([], "start", 0)], {}, "verified"],
    ["something is close", [end, log([], "x", 1), log(epoch(0), "acc", 2 + 1e-9)], {}, "close"],
    ["something differs", [end, log([], "x", 1), log([], "start", 1)], {}, "diverged"],
    ["something differed", [log([], "start", 1), end, log([], "x", 1)], {}, "diverged"],
    ["it is inside a loop", [end, log(epoch(0), "x", 1)], {}, "unchecked"],
    ["a loop was executed", [line("iter", {}), end, log([], "x", 1)], {}, "unchecked"],
    ["it tells an address", [end, log([], "x", "<A at 0x7f00>")], {}, "unchecked"],
    [
      "its part may have changed the run behind it",
      [end, log([], "x", 1)],
      { unconfirmed: computed, probes: [{ file: "a.ts", line: 1, column: 1 }] },
      "restored",
    ],
    [
      "another part may have changed the run",
      [end, log([], "x", 1)],
      { unconfirmed: computed },
      "unchecked",
    ],
  ])("%s", (_, replayed, options, expected) => {
    const { cells } = check(replayed, { computed, ...options });
    expect(cells.map((cell) => cell.check)).toEqual([expected]);
  });
});

describe("a name that the run logs too", () => {
  test("its recorded values are compared, those at other paths are cells", () => {
    const lines = [
      line("site", { site: 7, file: "train.ts", line: 12, column: 3, kind: "log" }),
      log(epoch(0), "acc", 2),
      log(step(0, 0), "acc", 9, { site: 7 }),
    ];
    const probes = [{ file: "train.ts", line: 12, column: 1 }];
    const { cells, compared } = check(lines, { askedNameOf: asking("acc"), probes });
    expect(cells.map(({ record, check: mark }) => [record.path, mark])).toEqual([
      [step(0, 0), "verified"],
    ]);
    expect(compared.equal).toBe(1);
  });

  test("old and new statements that cannot be told apart are neither compared nor kept", () => {
    const { cells, compared } = check([log(epoch(0), "acc", 7), log(epoch(0), "acc", 2)], {
      askedNameOf: asking("acc"),
    });
    expect(cells).toEqual([]);
    expect(compared).toEqual({ equal: 0, close: 0, different: 0 });
  });

  test("occurrences of one name at one path are counted", () => {
    const { cells } = check([log([], "x", 1), log([], "x", 2), log(epoch(0), "x", 3)]);
    expect(cells.map((cell) => cell.occurrence)).toEqual([0, 1, 0]);
  });
});
