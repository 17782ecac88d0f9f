/** Every `unchecked` value has a reason, and no other value has one. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoopPath, PlannedStatement } from "../../format/index.ts";
import type { Line } from "../recorded/raw-log.ts";
import type { CheckedCell } from "./check-replay.ts";
import { checkReplay, valueKey } from "./check-replay.ts";
import { describeDoubts } from "./describe-doubts.ts";

const PATHS: readonly LoopPath[] = [[], [["epoch", 0]], [["epoch", 1]]];
const path = fc.constantFrom(...PATHS);
const KNOWN: Pick<PlannedStatement, "unsure" | "mayChange">[] = [
  {},
  { unsure: ["a clock"] },
  { mayChange: "f()" },
  { unsure: ["a clock"], mayChange: "f()" },
];

const line = fc
  .oneof(
    fc.record({
      k: fc.constant("log"),
      path,
      name: fc.constantFrom("x/1", "acc"),
      value: fc.nat(1),
    }),
    fc.record({ k: fc.constant("state"), path, equal: fc.boolean(), differs: fc.constant(["w"]) }),
    fc.record({ k: fc.constantFrom("restore", "iter"), path }),
  )
  .map((fields): Line => ({ seq: 0, t: 0, site: null, ...fields }));

test("why a value is unchecked", () => {
  const lines = fc.array(line, { maxLength: 12 });
  const met = new Set<string>();
  fc.assert(
    fc.property(lines, fc.constantFrom(...KNOWN), fc.boolean(), (replayed, known, isComputed) => {
      const own = new Set(["x/*"]);
      const { cells } = checkReplay({
        recorded: {
          values: new Map(PATHS.map((at) => [valueKey(at, "acc"), [0, 0]])),
          iterations: new Map(),
          names: new Set(["acc"]),
        },
        replayed,
        askedNameOf: ({ name }) => (name === "x/1" ? "x/*" : undefined),
        ...(known.unsure ? { unsure: own } : {}),
        ...(known.mayChange === undefined ? {} : { unconfirmed: own }),
        ...(isComputed ? { computed: own } : {}),
        probes: [],
        directed: new Set(),
        outcome: null,
        compare: (a, b) => (a === b ? "equal" : "different"),
      });
      const place = { file: "a.py", line: 1, column: 1, text: "", loops: [] };
      const statements: PlannedStatement[] = [{ name: "x/*", ...place, ...known }];
      const reasonsOf = (cell: CheckedCell): number =>
        describeDoubts([cell], statements)["x/1"]?.length ?? 0;
      for (const { doubt } of cells) if (doubt) met.add(doubt.kind);
      expect(cells.map((cell) => reasonsOf(cell) > 0)).toEqual(
        cells.map(({ check }) => check === "unchecked"),
      );
    }),
    { numRuns: 1000 },
  );
  expect([...met].toSorted()).toEqual(["alone", "differed", "unconfirmed", "unsure"]);
});
