import { describe, expect, test } from "vitest";
import { planOne } from "../../test/support/plan-one.ts";
import type { Choices, LoopSpec, RecordedRun } from "../../test/unit/planner/recorded-run.ts";
import { COSTS, matchOf, Recording } from "../../test/unit/planner/recorded-run.ts";
import type { Box, LeftOut, PlannedRun, PlannedUnit, UnseenCall } from "../format/index.ts";
import type { SourceLog, SourceLoop, SourceModel } from "../languages/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { wholeUnit } from "./plan-run.ts";

/** `prepare` (3 iterations), then `epoch` (3) with `step` (3) in it; 400 ms each, all ends taken. */
const SPECS: LoopSpec[] = [
  { id: 0, name: "prepare", iterator: "index", loops: [] },
  {
    id: 1,
    name: "epoch",
    iterator: "index",
    loops: [{ id: 2, name: "step", iterator: "independent", loops: [] }],
  },
];

const CHOICES: Choices = {
  integer: (min, max) => (max === 400 ? 400 : max === 5 && min === 0 ? 3 : min),
  chance: (percent) => percent >= 50,
};

const STATEMENT: SourceLog = {
  file: "p.ts",
  line: 7,
  column: 1,
  name: "x",
  text: "",
  chain: [],
  certain: true,
  before: [],
};

interface Given {
  readonly statements?: readonly Partial<SourceLog>[];
  readonly asked?: readonly Box[];
  readonly model?: Partial<SourceModel>;
  readonly facts?: (run: RecordedRun) => Partial<RunFacts>;
  readonly workers?: number;
}

function plan(given: Given): PlannedRun | LeftOut {
  const run = new Recording(CHOICES).run(SPECS);
  const model = { ...run.model, ...given.model };
  const facts = { ...run.facts, ...given.facts?.(run) };
  const placements = (given.statements ?? [{}]).map((log) => ({ ...STATEMENT, ...log }));
  const question = { placements, asked: given.asked ?? ("all" as const), match: matchOf(model) };
  return planOne({ facts, model, ...question }, { workers: given.workers ?? 1, costs: COSTS });
}

/** What is done at each entry, in short. */
function courses(planned: PlannedRun | LeftOut): string[] {
  if (!("units" in planned)) throw new Error(planned.why);
  return planned.units.flatMap(coursesOf);
}

function coursesOf({ courses: all }: Pick<PlannedUnit, "courses">): string[] {
  return all.map(({ entry, do: what, legs = [], after, restore, along }) => {
    const parts = legs.map((leg) => `${leg.restore ?? ""}[${leg.from}-${leg.to ?? ""}]`);
    const others = [after ?? "", restore ?? "", along ? "along" : ""];
    const end = [...parts, ...others].filter((part) => part !== "").join(" ");
    return `${entry}: ${what} ${end}`.trim().replaceAll(".safetensors", "");
  });
}

const SKIP_PREPARE = "prepare=end: skip prepare=end";
const STEPS = [0, 1, 2].map((epoch) => `epoch=${epoch},step=end: skip epoch=${epoch},step=end`);

/** As long as all loops of the run together. */
const CALL_MS = 6000;

const unseen = (call: Partial<UnseenCall>): UnseenCall => {
  const place = { path: [], loops: 0, call: "net.train", file: "p.ts", line: 3 };
  return { k: "call", ...place, ms: 400, ...call };
};

const GIVEN_UP = (): Partial<RunFacts> => ({ givenUp: ["step"] });

describe("the share that is executed", () => {
  const isEmpty = (entry: LoopEntry): LoopEntry => ({ ...entry, iterations: 0 });
  /** The step loop is entered, and has nothing to go through. */
  const emptySteps = ({ facts: { entries } }: RecordedRun): Partial<RunFacts> => ({
    entries: entries.map((entry) => {
      const children = [...entry.children].map(([at, inner]) => [at, inner.map(isEmpty)] as const);
      return { ...entry, children: new Map(children) };
    }),
  });

  /** Steps of the first epoch take a hundredth of the others, and so do those before all epochs. */
  const quick = (entry: LoopEntry): LoopEntry => {
    const times = { ...entry.times, head: entry.times.head.map(() => 4) };
    return { ...entry, times };
  };
  const unequal = ({ facts: { entries } }: RecordedRun): Partial<RunFacts> => ({
    entries: entries.map((entry) => {
      if (entry.loop === "prepare") return quick(entry);
      const children = [...entry.children].map(
        ([at, inner]) => [at, at === 0 ? inner.map(quick) : inner] as const,
      );
      return { ...entry, children: new Map(children) };
    }),
  });

  test("counts by the time that iterations took, not by their number", () => {
    const given = { statements: [{ chain: [1, 2] }], facts: unequal };
    const ofFirst = plan({ ...given, asked: [{ epoch: [0, 0] }] }) as PlannedRun;
    const ofLast = plan({ ...given, asked: [{ epoch: [2, 2] }] }) as PlannedRun;
    expect(ofFirst.units[0]?.iterations).toBe(ofLast.units[0]?.iterations);
    expect(ofFirst.share).toBeCloseTo(12 / 2424);
    expect(ofLast.share).toBeCloseTo(1200 / 2424);
  });

  test.each<[string, Given, number]>([
    ["all of it", { statements: [{ chain: [1], certain: false }] }, 1],
    ["an outer loop, its inner one skipped", { statements: [{ chain: [1] }] }, 0],
    [
      "what is in a loop that was given up",
      { statements: [{ chain: [1, 2] }], facts: GIVEN_UP },
      1,
    ],
    ["what is around it", { statements: [{ chain: [1] }], facts: GIVEN_UP }, 0],
    [
      "an outer loop whose inner one is empty",
      { statements: [{ chain: [1] }], facts: emptySteps },
      0.5,
    ],
    [
      "all of it, where the innermost loop is empty",
      { statements: [{ chain: [1], certain: false }], facts: emptySteps },
      1,
    ],
    [
      "no iteration, and a long call that nobody sees into",
      { facts: () => ({ calls: [unseen({ ms: CALL_MS })] }) },
      0.5,
    ],
    [
      "no more than up to the first loop, where such a call comes later",
      {
        statements: [{ before: [0, 1] }],
        facts: () => ({ calls: [unseen({ ms: CALL_MS, loops: 1 })] }),
      },
      0,
    ],
    [
      "one of three such calls beside an inner loop",
      {
        statements: [{ chain: [1] }],
        asked: [{ epoch: [1, 1] }],
        facts: () => ({
          calls: [0, 1, 2].map((epoch) => unseen({ ms: 400, path: [["epoch", epoch]] })),
        }),
      },
      400 / CALL_MS,
    ],
    [
      "nothing that is skipped",
      { facts: () => ({ calls: [unseen({ ms: 400, path: [["epoch", 1]] })] }) },
      0,
    ],
    [
      "all of it, where there is nothing else",
      { facts: () => ({ calls: [unseen({ ms: 400 })], entries: [] }) },
      1,
    ],
    [
      "all of it, where there is no loop",
      { statements: [{ certain: false }], facts: () => ({ entries: [] }) },
      1,
    ],
  ])("%s", (_, given, share) => {
    expect(plan(given)).toMatchObject({ share });
  });
});

describe("planRun", () => {
  test.each<[string, Given, PlannedRun["scan"], string[]]>([
    ["before all loops", { statements: [{ before: [0, 1] }] }, "prefix", ["prepare=end: stop"]],
    [
      "between the loops",
      { statements: [{ before: [1] }] },
      "suffix",
      [SKIP_PREPARE, "epoch=end: stop"],
    ],
    ["after all loops", {}, "suffix", [SKIP_PREPARE, "epoch=end: skip epoch=end"]],
    [
      "in an outer body, all of it",
      { statements: [{ chain: [1] }] },
      "outer",
      [SKIP_PREPARE, "epoch=end: legs [0-2] stop", ...STEPS],
    ],
    [
      "in an outer body before the inner loop, two iterations",
      { statements: [{ chain: [1], before: [2] }], asked: [{ epoch: [1, 2] }] },
      "outer",
      [SKIP_PREPARE, "epoch=end: legs epoch=0[1-2] stop", STEPS[1] ?? "", "epoch=2,step=end: stop"],
    ],
    [
      "in an inner loop, one iteration of one entry",
      { statements: [{ chain: [1, 2] }], asked: [{ epoch: [2, 2], step: [1, 1] }] },
      "inner",
      [
        SKIP_PREPARE,
        "epoch=end: legs epoch=1[2-2] stop",
        "epoch=2,step=end: legs epoch=2,step=0[1-1] stop",
      ],
    ],
    [
      "in an inner loop and after all loops",
      { statements: [{ chain: [1, 2] }, {}], asked: [{ epoch: [1, 1] }] },
      "inner",
      [SKIP_PREPARE, "epoch=end: legs epoch=0[1-1] skip epoch=end"],
    ],
    [
      "in the first loop: the second is not reached",
      { statements: [{ chain: [0] }], asked: [{ prepare: [2, 2] }] },
      "inner",
      ["prepare=end: legs prepare=1[2-2] stop"],
    ],
  ])("%s", (_, given, scan, expected) => {
    const planned = plan(given);
    expect(planned).toMatchObject({ scan, notes: [] });
    expect(courses(planned)).toEqual(expected);
  });

  describe("epochs that change what nobody can capture", () => {
    const hidden = { key: "p.ts:lib", name: "the state of lib", access: "out-of-reach" as const };
    const { model } = new Recording(CHOICES).run(SPECS);
    const [prepare, epoch, step] = model.loops;
    if (!prepare || !epoch || !step) throw new Error("no loops");
    const changing = (loop: SourceLoop): SourceLoop => {
      return { ...loop, changes: [...loop.changes, hidden] };
    };
    const around = { loops: [prepare, changing(epoch), step] };
    const inside = { loops: [prepare, changing(epoch), changing(step)] };
    const lacking =
      (path: string) =>
      ({ facts }: RecordedRun): Partial<RunFacts> => {
        const isIn = (one: string): boolean => one.startsWith(path);
        return { checkpoints: new Map([...facts.checkpoints].filter(([one]) => !isIn(one))) };
      };
    const along = STEPS.map((course) => `${course} along`);
    const [first = "", second = "", third = ""] = along;
    const whole = "epoch=end: legs [0-2] stop";

    test.each<[string, Given, number, string[]]>([
      [
        "all of the outer body",
        { model: around, statements: [{ chain: [1] }] },
        0,
        [whole, ...along],
      ],
      [
        "one epoch of it",
        { model: around, statements: [{ chain: [1] }], asked: [{ epoch: [1, 1] }] },
        0,
        ["epoch=end: legs [0-1] stop", first, second],
      ],
      [
        "a step of the last epoch",
        {
          model: around,
          statements: [{ chain: [1, 2] }],
          asked: [{ epoch: [2, 2], step: [1, 1] }],
        },
        1,
        [whole, first, second, "epoch=2,step=end: legs epoch=2,step=0[1-1] stop along"],
      ],
      [
        "an end that is not there",
        { model: around, statements: [{ chain: [1] }], facts: lacking("epoch=1,") },
        3,
        [whole, first, third],
      ],
      [
        "an end that is not there, and steps that are",
        { model: around, statements: [{ chain: [1] }], facts: lacking("epoch=1,step=end") },
        1,
        [whole, first, "epoch=1,step=end: legs epoch=1,step=1[2-] run along", third],
      ],
      ["what the steps change too", { model: inside, statements: [{ chain: [1] }] }, 9, [whole]],
    ])("%s", (_, given, iterations, expected) => {
      const planned = plan(given);
      expect(courses(planned)).toEqual([SKIP_PREPARE, ...expected]);
      expect(planned).toMatchObject({ units: [{ iterations }] });
    });

    test("each of two processes skips what the other executes, where it must go through it", () => {
      const planned = plan({ model: around, statements: [{ chain: [1, 2] }], workers: 2 });
      if (!("units" in planned)) throw new Error(planned.why);
      expect(planned.units.map(coursesOf)).toEqual([
        [SKIP_PREPARE, "epoch=end: legs [0-0] stop", "epoch=0,step=end: legs [0-2] stop"],
        [SKIP_PREPARE, whole, first, "epoch=2,step=end: legs [0-2] stop"],
      ]);
    });
  });

  const GATHERED = { carries: { name: "norms", depth: 1 } };

  test.each<[string, Given, string[]]>([
    [
      "in an inner loop",
      {
        statements: [{ chain: [1, 2], ...GATHERED }],
        asked: [{ epoch: [1, 1], step: [2, 2] }],
      },
      [SKIP_PREPARE, "epoch=end: legs epoch=0[1-1] stop", "epoch=1,step=end: legs [0-2] stop"],
    ],
    [
      "in an outer body",
      { statements: [{ chain: [1], ...GATHERED }], asked: [{ epoch: [1, 1] }] },
      [SKIP_PREPARE, "epoch=end: legs epoch=0[1-1] stop"],
    ],
  ])("%s, with what each epoch gathers: it is executed as a whole", (_, given, expected) => {
    const planned = plan(given);
    const unseen = "what became of norms before may matter, and no checkpoint holds it";
    const note = `${unseen}: whole iterations of loop "epoch" are executed`;
    expect(planned).toMatchObject({ scan: "inner", share: 0.25, notes: [note] });
    expect(courses(planned)).toEqual(expected);
  });

  const unmatched = ({ facts }: RecordedRun): Partial<RunFacts> => {
    return { entries: facts.entries.map((entry): LoopEntry => ({ ...entry, site: null })) };
  };

  test.each<[string, Given, RegExp]>([
    [
      "a function that anybody calls",
      { statements: [{ certain: false }] },
      /not certain when p.ts:7/,
    ],
    ["a computed name", { statements: [{ name: null }] }, /name that p.ts:7 logs is computed/],
    [
      "what is gathered since the start",
      { statements: [{ chain: [1], carries: { name: "norms", depth: 0 } }] },
      /norms before may matter, .*: the whole run/,
    ],
    [
      "loops without a place",
      { statements: [{ chain: [1] }], facts: unmatched },
      /not found in the/,
    ],
  ])("%s: everything is executed, and the plan says why", (_, given, note) => {
    const planned = plan(given);
    expect(planned).toMatchObject({ scan: "inner", share: 1, from_checkpoint: null });
    expect(planned).toMatchObject({ notes: [expect.stringMatching(note) as string] });
    expect(courses(planned)).toEqual([]);
  });

  test("a source in doubt is executed, but not beyond the last statement", () => {
    const planned = plan({ statements: [{ before: [1] }], model: { uncertain: ["eval: p.ts:3"] } });
    expect(courses(planned)).toEqual(["epoch=end: stop"]);
    expect(planned).toMatchObject({ share: 3 / 12, notes: ["eval: p.ts:3"] });
  });

  test.each<[string, Given, RegExp]>([
    ["nothing logs it", { statements: [] }, /nothing logs it/],
    ["its loop was never entered", { statements: [{ chain: [2] }] }, /never entered/],
    [
      "no such iteration",
      { statements: [{ chain: [0] }], asked: [{ prepare: [3, 9] }] },
      /no iter/,
    ],
    ["it is not over", { facts: () => ({ status: "recording" }) }, /still being recorded/],
  ])("left out: %s", (_, given, why) => {
    expect(plan(given)).toMatchObject({ why: expect.stringMatching(why) as string });
  });

  test("loops that were running when the process ended are executed as far as they came", () => {
    const interrupted = ({ facts }: RecordedRun): Partial<RunFacts> => ({
      status: "interrupted",
      entries: facts.entries.map((entry): LoopEntry => {
        return entry.loop === "epoch" ? { ...entry, how: null } : entry;
      }),
    });
    const last = { statements: [{ chain: [1] }], facts: interrupted };
    expect(courses(plan(last))).toEqual([SKIP_PREPARE, "epoch=end: legs [0-2] stop", ...STEPS]);
    // What would follow it never happened.
    expect(courses(plan({ facts: interrupted }))).toEqual([SKIP_PREPARE, "epoch=end: stop"]);
    const { facts } = new Recording(CHOICES).run(SPECS);
    const whole = wholeUnit(
      { ...facts, ...interrupted({ facts } as RecordedRun) },
      { ranges: [] },
      COSTS,
    );
    expect(whole.courses).toEqual([
      {
        entry: "epoch=end",
        do: "legs",
        legs: [{ from: 0, to: 2, restore: null }],
        after: "stop",
      },
    ]);
  });

  // An iteration takes 400 ms, and a control two seconds: five steps, or less.
  const slow = ({ facts: { entries } }: RecordedRun): Partial<RunFacts> => {
    const slowed = (entry: LoopEntry): LoopEntry => ({
      ...entry,
      times: { ...entry.times, head: entry.times.head.map(() => 1500) },
      children: new Map([...entry.children].map(([at, inner]) => [at, inner.map(slowed)])),
    });
    return { entries: entries.map(slowed) };
  };

  test.each<[string, Given, string[] | undefined]>([
    ["before all loops", { statements: [{ before: [0, 1] }] }, undefined],
    ["after all loops", {}, [SKIP_PREPARE, "epoch=end: legs epoch=1[2-] run"]],
    [
      "after all loops, which are slow",
      { facts: slow },
      [SKIP_PREPARE, "epoch=end: legs epoch=1[2-] run", STEPS[2] ?? ""],
    ],
    [
      "in an outer body, one iteration",
      { statements: [{ chain: [1] }], asked: [{ epoch: [2, 2] }] },
      [SKIP_PREPARE, "epoch=end: legs epoch=1[2-2] stop"],
    ],
    [
      "in the first loop, the last of its iterations",
      { statements: [{ chain: [0] }], asked: [{ prepare: [2, 2] }] },
      ["prepare=end: legs [0-2] stop"],
    ],
    [
      "in an inner loop that is executed from its start",
      { statements: [{ chain: [1, 2] }], asked: [{ epoch: [2, 2] }] },
      [
        SKIP_PREPARE,
        "epoch=end: legs epoch=1[2-2] stop",
        "epoch=2,step=end: legs epoch=2,step=0[1-2] stop",
      ],
    ],
  ])("its control, %s", (_, given, expected) => {
    const planned = plan(given);
    const control = "units" in planned ? planned.control : undefined;
    expect(control && coursesOf(control)).toEqual(expected);
  });

  test("where executing costs next to nothing, restoring is still preferred", () => {
    const quick = ({ facts }: RecordedRun): Partial<RunFacts> => ({
      entries: facts.entries.map((entry): LoopEntry => {
        const none = entry.times.head.map(() => 0);
        return { ...entry, times: { next: none, head: none, inner: none, tail: none } };
      }),
    });
    expect(plan({ facts: quick })).toMatchObject({ share: 0 });
  });
});
