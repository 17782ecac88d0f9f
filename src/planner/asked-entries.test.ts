import fc from "fast-check";
import { expect, test } from "vitest";
import type { AskedEntry } from "./asked-entries.ts";
import { Indices, lastAsked } from "./asked-entries.ts";
import type { LoopEntry } from "./facts.ts";

test("indices in order are found, and no others", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(40)), fc.nat(41), (list, index) => {
      const indices = new Indices(list.toSorted((a, b) => a - b));
      expect(indices.has(index)).toBe(list.includes(index));
      expect(indices.size).toBe(list.length);
    }),
  );
});

test("all that is gathered in the last iteration belongs to the last place", () => {
  const loop = (key: string, children: LoopEntry["children"] = new Map()): LoopEntry =>
    ({ key, children }) as LoopEntry;
  const [first, second, earlier] = ["a", "b", "c"].map((key) => loop(key));
  if (!first || !second || !earlier) throw new Error("no loops");
  const epoch = loop(
    "epoch",
    new Map([
      [0, [earlier]],
      [1, [first, second]],
    ]),
  );
  const asked = (visits: readonly number[]): AskedEntry => {
    return { visits, targets: new Indices(visits), statements: [] };
  };
  const whole = { ...asked([0, 1, 2]), whole: true as const };
  const entries = new Map([
    [epoch, asked([0, 1])],
    [earlier, whole],
    [first, whole],
    [second, whole],
  ]);
  const last = lastAsked({ outside: [], placed: new Set(), entries }, [epoch]);
  expect([...last.entries].map(([{ key }, { visits }]) => [key, visits])).toEqual([
    ["epoch", [1]],
    ["a", [0, 1, 2]],
    ["b", [0, 1, 2]],
  ]);
});
