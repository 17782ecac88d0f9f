/** What counts as another state. */
import { expect, test } from "vitest";
import type { StatePlace } from "../../adapters/index.ts";
import { capture, ClassRegistry, identify } from "../../adapters/index.ts";
import type { Varying } from "../../format/index.ts";
import { placeHashes } from "../../materialize/index.ts";
import type { ComparedState } from "./compare-state.ts";
import { compareState } from "./compare-state.ts";

const classes = new ClassRegistry();

function place(key: string, value?: unknown): StatePlace {
  const get = (): unknown => {
    if (value === undefined) throw new ReferenceError(key);
    return value;
  };
  return { key, source: "b", get };
}

function compare(
  then: readonly StatePlace[],
  now: readonly StatePlace[],
  varying?: Partial<Varying>,
): ComparedState {
  const { graph } = capture(then, identify(then, { classes }), classes);
  const generators: [] = [];
  return compareState(
    { places: now, entry: identify(now, { classes }), classes, generators },
    { places: placeHashes(graph, new Map()), generators },
    {
      varying: varying && { logs: [], places: [], fields: [], ...varying },
      read: () => ({ graph, checksums: new Map() }),
    },
  );
}

function failure(): Error {
  return new Error("a");
}

test.each([
  ["the same", place("t@0", 1), place("t@0", 1), []],
  ["another value", place("t@0", 1), place("t@0", 2), ["t@0"]],
  ["an error that came about elsewhere", place("t@0", new Error("a")), place("t@0", failure()), []],
  ["another error", place("t@0", new Error("b")), place("t@0", failure()), ["t@0"]],
  ["over, and skipped", place("t@gone"), place("t@none"), []],
  ["over, and there", place("t@gone"), place("t@0", 1), ["t@0", "t"]],
])("%s", (_, then, now, differs) => {
  expect(compare([then], [now]).differs).toEqual(differs);
});

const print = (): void => {};

test.each<[string, Partial<Varying>, unknown, unknown, readonly string[]]>([
  ["its own place", { places: ["a.ts:0:t"] }, 1, 2, []],
  ["one of its name in whatever scope", { places: ["a.ts:*:t"] }, 1, 2, []],
  ["another place", { places: ["a.ts:0:u"] }, 1, 2, ["a.ts:0:t#0"]],
  ["a field", { fields: ["t0"] }, { t0: 1, w: 1 }, { t0: 2, w: 1 }, []],
  ["beside a field", { fields: ["t0"] }, { t0: 1, w: 1 }, { t0: 2, w: 2 }, ["a.ts:0:t#0"]],
  [
    "an object in a field",
    { fields: ["at"] },
    { a: [{ at: new Date(1) }] },
    { a: [{ at: new Date(2) }] },
    [],
  ],
  ["a field that only one has", { fields: ["t0"] }, {}, { t0: [1] }, []],
  [
    "a field that shifts the numbers of others",
    { fields: ["t0"] },
    { a: [[1], [print, [2]]] },
    { t0: [[3], () => 1], a: [[1], [print, [2]]] },
    [],
  ],
  [
    "beside a field that shifts numbers",
    { fields: ["t0"] },
    { a: [[1], ["ref", 5]] },
    { t0: [[3]], a: [[1], ["ref", 7]] },
    ["a.ts:0:t#0"],
  ],
  ["a key of a map", { fields: ["t0"] }, new Map([["t0", 1]]), new Map([["t0", 2]]), []],
])("what varies is not compared: %s", (_, varying, then, now, differs) => {
  // Of a loop, and of a function or a module.
  for (const suffix of ["#0", "@0"]) {
    const key = `a.ts:0:t${suffix}`;
    const found = compare(
      [place(key, then), place("a.ts:0:w#0", [1])],
      [place(key, now), place("a.ts:0:w#0", [1])],
      varying,
    );
    const isLeftOut = varying.places?.some((one) => /^a\.ts:[0*]:t$/.test(one)) ?? false;
    const expected = differs.map((one) => one.replace("#0", suffix));
    expect(found).toEqual({ compared: isLeftOut ? 1 : 2, differs: expected });
  }
});

class Net {
  w = [1];
  forward(): number {
    return 1;
  }
}

test.each<[string, unknown, unknown, readonly string[]]>([
  ["a method", new Net(), Object.assign(new Net(), { forward: print }), []],
  [
    "a method beside another value",
    new Net(),
    Object.assign(new Net(), { forward: print, w: [2] }),
    ["t@0"],
  ],
  ["what is no function", new Net(), Object.assign(new Net(), { forward: 1 }), ["t@0"]],
  ["a function that the run has", { f: print, g: [1] }, { f: [1], g: print }, ["t@0"]],
])("what a question wraps: %s", (_, then, now, differs) => {
  expect(compare([place("t@0", then)], [place("t@0", now)]).differs).toEqual(differs);
});

test("of what was declared, by its name", () => {
  const varying = { fields: ["t0"] };
  const found = compare([place("d0.t0", 1)], [place("d0.t0", 2)], varying);
  expect(found).toEqual({ compared: 0, differs: [] });
});
