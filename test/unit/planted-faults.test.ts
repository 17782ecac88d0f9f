/** The list of planted faults stays alive: each can still be planted, and has its tests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSources, ROOT, testFiles } from "../../scripts/planted-faults/copy.js";
import { applyEdit, describeEdit, locate } from "../../scripts/planted-faults/edits.js";
import type { Edit } from "../../scripts/planted-faults/edits.js";
import { distancesTo } from "../../scripts/planted-faults/imports.js";
import { findTests, roomOf, stepsFor } from "../../scripts/planted-faults/test-steps.js";
import type { Expected } from "../../scripts/planted-faults/test-steps.js";

interface Listed extends Edit {
  readonly id: string;
  readonly gone?: string;
  readonly caughtBy?: readonly Expected[];
}

function listed(name: string): Listed[] {
  const file = join(ROOT, "scripts/planted-faults", name);
  return JSON.parse(readFileSync(file, "utf8")) as Listed[];
}

const sources = readSources();
const files = testFiles();
const FAULTS = listed("faults.json");
const MUTANTS = listed("mutants.json");

test("ids are unique", () => {
  const ids = [...FAULTS, ...MUTANTS].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([...FAULTS, ...MUTANTS].filter(({ gone }) => gone === undefined))(
  "$id can be planted in $file",
  (fault) => {
    const file = locate(sources, fault);
    const text = sources.get(file) ?? "";
    expect(applyEdit(text, fault)).not.toBe(text);
  },
);

test.each(FAULTS)("the tests that catch $id are there", ({ caughtBy = [] }) => {
  expect(caughtBy.length).toBeGreaterThan(0);
  for (const expected of caughtBy) expect(findTests(files, expected)).not.toEqual([]);
});

describe("an edit", () => {
  const TEXT = "if (a) {\n  go();\n}\nif (b) {\n  go();\n}\n";

  test("is described by lines that stand once, without indentation", () => {
    const start = TEXT.lastIndexOf("go();");
    const edit = describeEdit(TEXT, { file: "a.ts", start, end: start + 5, put: ";" });
    expect(edit).toEqual({ file: "a.ts", find: "if (b) {\n  go();", replace: "if (b) {\n  ;" });
    expect(applyEdit(TEXT, edit)).toBe("if (a) {\n  go();\n}\nif (b) {\n  ;\n}\n");
    const unique = describeEdit(TEXT, { file: "a.ts", start: 4, end: 5, put: "!a" });
    expect(unique).toEqual({ file: "a.ts", find: "if (a) {", replace: "if (!a) {" });
  });

  test("follows its text into another file, and is refused where it is not certain", () => {
    const edit = { file: "a.ts", find: "one", replace: "two" };
    const locateIn = (texts: { [file: string]: string }): string =>
      locate(new Map(Object.entries(texts)), edit);
    expect(locateIn({ "a.ts": "one", "b.ts": "one" })).toBe("a.ts");
    expect(locateIn({ "a.ts": "", "b.ts": "one" })).toBe("b.ts");
    expect(() => locateIn({ "a.ts": "one one" })).toThrow(/2 times/);
    expect(() => locateIn({ "b.ts": "one", "c.ts": "one" })).toThrow(/neither/);
    expect(() => locateIn({ "b.py": "one" })).toThrow(/neither/);
  });
});

test("the likely and the cheap tests come first", () => {
  const known = [
    "python/tests/test_state.py",
    "src/planner/restorable-points.test.ts",
    "src/planner/cost.test.ts",
    "src/store/runs.test.ts",
    "test/planner/dear.test.ts",
    "test/planner/cheap.test.ts",
    "test/git/exchange.test.ts",
  ];
  const costs = new Map([["test/planner/dear.test.ts", 50]]);
  const distances = new Map([
    ["src/planner/cost.test.ts", 5],
    ["src/store/runs.test.ts", 4],
    ["src/planner/restorable-points.test.ts", 1],
  ]);
  const caughtBy = [{ file: "cheap.test.ts", test: "x" }];
  const steps = stepsFor(known, { room: "planner", caughtBy }, { costs, distances });
  expect(steps).toEqual([
    { kind: "vitest", files: ["test/planner/cheap.test.ts"], test: "x" },
    { kind: "vitest", files: ["src/planner/restorable-points.test.ts"] },
    { kind: "vitest", files: ["src/planner/cost.test.ts"] },
    { kind: "vitest", files: ["test/planner/cheap.test.ts"] },
    { kind: "vitest", files: ["src/store/runs.test.ts"] },
    { kind: "vitest", files: ["test/planner/dear.test.ts"] },
    { kind: "vitest", files: ["test/git/exchange.test.ts"] },
  ]);
  expect(roomOf("python/afterlog/state/walk.py")).toBe("python/state");
  expect(roomOf("src/tree/lcs.ts")).toBe("tree");
});

test("imports are followed in both languages", () => {
  const texts = new Map([
    ["src/a/one.ts", ""],
    ["src/a/index.ts", `export { one } from "./one.ts";`],
    ["src/b/two.ts", `import { one } from "../a/index.ts";`],
    ["src/b/two.test.ts", `const { two } = await import("./two.ts");`],
    ["src/b/other.test.ts", `import { fs } from "node:fs";`],
    ["python/afterlog/state/walk.py", "from .places import Place\nfrom . import kinds\n"],
    ["python/tests/test_state.py", "from afterlog.state.walk import (\n    capture,\n)\n"],
  ]);
  expect(Object.fromEntries(distancesTo(texts, "src/a/one.ts"))).toEqual({
    "src/a/one.ts": 0,
    "src/a/index.ts": 1,
    "src/b/two.ts": 2,
    "src/b/two.test.ts": 3,
  });
  for (const name of ["places", "kinds"]) {
    const distances = distancesTo(texts, `python/afterlog/state/${name}.py`);
    expect(distances.get("python/tests/test_state.py")).toBe(2);
  }
});
