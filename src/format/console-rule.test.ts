import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConsolePiece } from "./console-rule.ts";
import { consoleNames, consoleValues, isNameOfLoop, tableValues } from "./console-rule.ts";
import { HOLE } from "./console-text.ts";

/** An argument as the SDK hands it over: texts as texts, plain objects by their entries. */
function pieceOf(value: unknown): ConsolePiece {
  if (typeof value === "string") return { kind: "text", text: value };
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
  return isPlain ? { kind: "record", entries: Object.entries(value) } : { kind: "value", value };
}

type Logged = readonly (readonly [name: string, value: unknown])[];

interface Row {
  readonly args: readonly unknown[];
  readonly logged: Logged;
}

/** Lines that both languages read alike; the tests of the Python package read them too. */
const TABLE = JSON.parse(
  readFileSync(new URL("../../test/fixtures/console-lines.json", import.meta.url), "utf8"),
  (_, value: unknown) => (isFloat(value) ? Number(value.v) : value),
) as {
  readonly calls: readonly Row[];
  readonly shapes: readonly {
    readonly shape: readonly (string | { readonly [name: string]: string })[];
    readonly names: readonly string[];
    readonly patterns: readonly string[];
  }[];
  readonly unnamed: readonly (Row & { readonly written: readonly string[] })[];
  /** As a replay reads them, which may be asked for what sounds like a clock. */
  readonly clocks: readonly (Row & { readonly written?: readonly string[] })[];
  readonly rule: string;
  readonly ruled: readonly Row[];
};

/** What JSON has no word for. */
function isFloat(value: unknown): value is { readonly v: string } {
  return typeof value === "object" && value !== null && "$" in value;
}

/** Arguments of the console alone, and what they log. */
const CALLS: readonly Row[] = [
  ...TABLE.calls,
  { args: ["steps", 12n], logged: [["steps", 12n]] },
  // With directives.
  { args: ["loss %d", 0.5], logged: [["loss", 0.5]] },
  {
    args: ["epoch %i loss %f%%", 3.7, 0.5],
    logged: [
      ["epoch", 3],
      ["loss", 0.5],
    ],
  },
  { args: ["%closs %s", "color: red", "0.25"], logged: [["loss", 0.25]] },
  {
    args: ["loss %d", 0.5, "acc", 0.9],
    logged: [
      ["loss", 0.5],
      ["acc", 0.9],
    ],
  },
  { args: ["loss %d"], logged: [] },
  { args: ["loss %o", { a: 1 }], logged: [] },
];

test.each(CALLS)("console.log(...$args) logs what it shows", ({ args, logged }) => {
  expect(consoleValues(args.map(pieceOf))).toEqual(logged);
});

test.each(TABLE.unnamed)("a call of $args that shows no name", ({ args, written, logged }) => {
  expect(consoleValues(args.map(pieceOf), {}, written)).toEqual(logged);
});

test.each(TABLE.clocks)("a replay reads clocks in $args", ({ args, written, logged }) => {
  expect(consoleValues(args.map(pieceOf), { withClocks: true }, written)).toEqual(logged);
});

describe("console.table", () => {
  const rows = [
    { name: "a", loss: 0.5, ms: 3 },
    { name: "b", loss: 0.25, ms: 4 },
  ];

  test("logs the numbers of each row, but no times", () => {
    const pieces = rows.map((row) => ({ kind: "record", entries: Object.entries(row) }) as const);
    expect(tableValues(pieces)).toEqual([
      ["loss", 0.5],
      ["loss", 0.25],
    ]);
    expect(tableValues(pieces, { withClocks: true })).toContainEqual(["ms", 4]);
  });
});

describe("a rule of the user's own", () => {
  const RULE = new RegExp(TABLE.rule);

  test.each<Row>([
    ...TABLE.ruled,
    {
      args: ["it %d", 3, "L=0.25"],
      logged: [
        ["iteration", 3],
        ["loss", 0.25],
      ],
    },
  ])("console.log(...$args)", ({ args, logged }) => {
    expect(consoleValues(args.map(pieceOf), { rule: RULE })).toEqual(logged);
  });

  test("is seen in the source too", () => {
    const shape = [text(`it ${HOLE} L=${HOLE}`)];
    expect(consoleNames(shape, { rule: RULE }).names).toEqual(["iteration", "loss"]);
  });
});

function shapeOf(piece: string | { readonly [name: string]: string }): ConsolePiece {
  if (typeof piece === "string") return text(piece.replaceAll("{}", HOLE));
  return { kind: "record", entries: Object.keys(piece).map((name) => [name, HOLE]) };
}

test.each(TABLE.shapes)("a call of the shape $shape", ({ shape, names, patterns }) => {
  const open = names.length > 0 && shape.includes("{}") ? { isOpen: true } : {};
  expect(consoleNames(shape.map(shapeOf))).toEqual({ names, patterns, ...open });
});

test("a directive takes a hole", () => {
  expect(consoleNames([text("loss %d"), text(HOLE)]).names).toEqual(["loss"]);
});

function text(written: string): ConsolePiece {
  return { kind: "text", text: written };
}

describe("a run logs no name that its source does not show", () => {
  /** Words, marks and numbers as people put them together; a number is a hole in the source. */
  const word = fc.constantFrom(
    "loss",
    "val",
    "acc",
    "is",
    "of",
    "top5",
    "ms",
    "a.b",
    "x-y",
    "true",
  );
  const mark = fc.constantFrom(" ", ": ", "=", ", ", " | ", " (", ") ", "\n", " - ", " [", "; ");
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 0.5, 12, 1e-7));
  const unit = fc.constantFrom("", "", "%", "/10", " of 10", ".", "ms", " s", " epochs", "x");
  const held = fc.tuple(number, unit).map(([value, after]) => {
    return { run: printed(value) + after, source: HOLE + after };
  });
  const known = word.map((written) => ({ run: written, source: written }));
  const part = fc.tuple(mark, fc.oneof(known, held));
  const joined = fc.array(part, { maxLength: 6 }).map((parts) => ({
    run: text(parts.map(([before, { run }]) => before + run).join("")),
    source: text(parts.map(([before, { source }]) => before + source).join("")),
  }));
  const alone = fc.oneof(
    known.map(({ run, source }) => ({ run: text(run), source: text(source) })),
    number.map((value) => ({ run: { kind: "value", value } as const, source: text(HOLE) })),
  );

  test("whatever numbers fill its holes", () => {
    const call = fc.array(fc.oneof(joined, alone), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(call, (args) => {
        const { names, patterns } = consoleNames(args.map(({ source }) => source));
        for (const [name] of consoleValues(args.map(({ run }) => run))) {
          const fits = patterns.some((pattern) => new RegExp(pattern).test(name));
          expect(fits || names.includes(name), name).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

function printed(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

test.each([
  ["epoch", "epoch", true],
  ["Epoch", "epoch", true],
  ["r", "r", true],
  ["R", "r", false],
  ["step", "epoch", false],
])("%s is the loop %s: %s", (name, loop, isSame) => {
  expect(isNameOfLoop(name, loop)).toBe(isSame);
});
