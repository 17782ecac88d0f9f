import { describe, expect, test } from "vitest";
import { parsePath } from "../format/index.ts";
import type { LoopEntry, RunFacts } from "./facts.ts";
import { mostAtStake, workBehind } from "./lost-work.ts";

interface Given {
  readonly loop: string;
  /** Milliseconds of each iteration that has ended. */
  readonly ms: readonly number[];
  readonly how: LoopEntry["how"];
  readonly children?: ReadonlyMap<number, readonly LoopEntry[]>;
  /** Iterations begun, if more than have ended. */
  readonly begun?: number;
}

function entry({ loop, ms, how, children = new Map(), begun = ms.length }: Given): LoopEntry {
  const padded = [...ms, ...Array.from({ length: begun - ms.length }, () => NaN)];
  const none = padded.map((value) => (Number.isNaN(value) ? NaN : 0));
  const times = { next: none, head: padded, inner: none, tail: none };
  const rest = { entry: 0, depth: 0, site: null, iterator: 0, seq: 0, ranged: true, pending: [] };
  const more = { draws: null, outlasts: false, elapsedMs: null, path: [] };
  return { key: loop, loop, iterations: begun, how, children, times, ...rest, ...more };
}

/** Three epochs of three steps; killed in the last, in which two steps had ended. */
function killed(): RunFacts {
  const steps = (how: LoopEntry["how"], count: number): readonly LoopEntry[] => [
    entry({ loop: "step", ms: Array.from({ length: count }, () => 10), how }),
  ];
  const children = new Map([
    [0, steps("exhausted", 3)],
    [1, steps("exhausted", 3)],
    [2, steps(null, 2)],
  ]);
  const data = entry({ loop: "row", ms: [5, 5], how: "exhausted" });
  const epochs = entry({ loop: "epoch", ms: [1, 1], how: null, children, begun: 3 });
  const times = { start: 0, setup: 0, prefix: 100, gaps: [], suffix: 0, persistBytesPerMs: null };
  return { entries: [data, epochs], times } as unknown as RunFacts;
}

describe("what is done again", () => {
  test.each([
    // Of the step that was going on nobody has a record: it counts as long as the others.
    ["epoch=2,step=0", 2, 20],
    ["epoch=2,step=1", 1, 10],
    ["epoch=1", 3, 31],
    ["epoch=0", 6, 62],
    ["epoch=0,step=0", 8, 82],
    ["epoch=0,step=end", 6, 62],
    ["row=end", 9, 93],
    ["row=0", 10, 98],
    [null, 11, 203],
  ])("behind %s: %i iterations", (point, iterations, ms) => {
    const path = point === null ? null : (parsePath(point) ?? null);
    const found = workBehind(killed(), path);
    expect(found.iterations).toBe(iterations);
    expect(found.ms).toBeCloseTo(ms);
  });
});

describe("the worst moment", () => {
  const taken = (text: string, atMs: number, persist: number, needs: string[] = []) => {
    const kind = text.endsWith("end") ? ("loop" as const) : ("iteration" as const);
    const times = { capture: 0, wait: 0, snapshot: 1, persist };
    return { kind, path: parsePath(text)!, needs, t: atMs * 1000, times };
  };
  const step = (index: number, atMs: number, persist = 9) =>
    taken(`epoch=0,step=${index}`, atMs, persist);

  test.each<[string, Parameters<typeof mostAtStake>[0], number, number]>([
    ["no checkpoint", [], 500, 500],
    ["until the first is durable", [step(1, 100), step(2, 150)], 160, 110],
    ["until the next is durable", [step(1, 10), step(2, 60), step(3, 180)], 200, 130],
    ["one behind the other", [step(1, 10), step(2, 20, 100), step(3, 30, 100)], 400, 370],
    ["a slow persist", [step(1, 10), step(2, 60, 300)], 400, 351],
    ["since the last", [step(1, 10), step(2, 60)], 260, 200],
    ["an end that leads nowhere", [step(1, 10), taken("epoch=0,step=end", 60, 9)], 110, 100],
    [
      "a step whose epoch nothing leads to",
      [step(1, 10), taken("epoch=2,step=1", 60, 9)],
      110,
      100,
    ],
    [
      "one that is reached at every level",
      [step(1, 10), taken("epoch=1,step=2,batch=3", 60, 9, ["epoch=0", "epoch=1,step=1"])],
      110,
      60,
    ],
    ["a run that went on", [step(1, 1000), step(2, 10), step(3, 40)], 50, 1010],
  ])("%s", (_, checkpoints, endMs, most) => {
    expect(mostAtStake(checkpoints, endMs)).toBe(most);
  });
});
