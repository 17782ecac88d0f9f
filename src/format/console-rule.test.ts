import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConsolePiece } from "./console-rule.ts";
import { consoleNames, consoleValues, tableValues } from "./console-rule.ts";
import { HOLE } from "./console-text.ts";

/** An argument as the SDK hands it over: texts as texts, plain objects by their entries. */
function pieceOf(value: unknown): ConsolePiece {
  if (typeof value === "string") return { kind: "text", text: value };
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
  return isPlain ? { kind: "record", entries: Object.entries(value) } : { kind: "value", value };
}

type Logged = readonly (readonly [name: string, value: unknown])[];

/** Arguments of `console.log`, and what they log. */
const CALLS: readonly (readonly [args: readonly unknown[], logged: Logged])[] = [
  // A label and a value.
  [["loss", 0.5], [["loss", 0.5]]],
  [["loss:", 0.5], [["loss", 0.5]]],
  [["loss: ", 0.5], [["loss", 0.5]]],
  [["loss =", -0.25], [["loss", -0.25]]],
  [["loss", -0], [["loss", -0]]],
  [["loss", Number.NaN], [["loss", Number.NaN]]],
  [["loss", -Infinity], [["loss", -Infinity]]],
  [["steps", 12n], [["steps", 12n]]],
  [["converged", true], [["converged", true]]],
  [["means", [1, 2]], [["means", [1, 2]]]],
  [["final loss", 0.5], [["final_loss", 0.5]]],
  [["mean of the fakes", 2], [["mean_of_the_fakes", 2]]],
  [["log-likelihood", -3.5], [["log-likelihood", -3.5]]],
  [["val/loss", 1], [["val/loss", 1]]],
  [["Genauigkeit für Klasse", 1], [["Genauigkeit_für_Klasse", 1]]],
  // Several of them.
  [
    ["epoch", 3, "loss", 0.5],
    [
      ["epoch", 3],
      ["loss", 0.5],
    ],
  ],
  [
    ["loss:", 0.5, "acc:", 0.9],
    [
      ["loss", 0.5],
      ["acc", 0.9],
    ],
  ],
  [
    ["loss:", "0.5000", "acc:", "97.3%"],
    [
      ["loss", 0.5],
      ["acc", 97.3],
    ],
  ],
  [["train", "loss", 0.5], [["loss", 0.5]]],
  [[3, "loss", 0.5], [["loss", 0.5]]],
  [["loss", 0.5, 0.6], [["loss", 0.5]]],
  // A text.
  [["loss 0.5"], [["loss", 0.5]]],
  [["loss: 0.5"], [["loss", 0.5]]],
  [["loss=0.5"], [["loss", 0.5]]],
  [["loss = 0.5"], [["loss", 0.5]]],
  [["loss -> 0.5"], [["loss", 0.5]]],
  [["loss - 0.5"], [["loss", 0.5]]],
  [["the loss is 0.5."], [["the_loss", 0.5]]],
  [["accuracy of 0.97!"], [["accuracy", 0.97]]],
  [["loss 0.30000000000000004"], [["loss", 0.1 + 0.2]]],
  [
    ["loss 5e-324 max 1.7976931348623157e+308"],
    [
      ["loss", 5e-324],
      ["max", Number.MAX_VALUE],
    ],
  ],
  [
    ["loss NaN acc -Infinity"],
    [
      ["loss", Number.NaN],
      ["acc", -Infinity],
    ],
  ],
  [
    ["epoch 3 loss 0.5"],
    [
      ["epoch", 3],
      ["loss", 0.5],
    ],
  ],
  [
    ["epoch 3/10 loss=0.5 acc 97.3%"],
    [
      ["epoch", 3],
      ["loss", 0.5],
      ["acc", 97.3],
    ],
  ],
  [
    ["Epoch 3 of 10: loss 0.5"],
    [
      ["Epoch", 3],
      ["loss", 0.5],
    ],
  ],
  [
    ["[epoch 3] loss 0.1"],
    [
      ["epoch", 3],
      ["loss", 0.1],
    ],
  ],
  [
    ["train loss 0.5, val loss 0.4"],
    [
      ["train_loss", 0.5],
      ["val_loss", 0.4],
    ],
  ],
  [
    ["loss 0.5 (best 0.4)"],
    [
      ["loss", 0.5],
      ["best", 0.4],
    ],
  ],
  [
    ["| loss 0.5 | acc 0.9 |"],
    [
      ["loss", 0.5],
      ["acc", 0.9],
    ],
  ],
  [["loss: 0.5 ± 0.1"], [["loss", 0.5]]],
  [
    ["lr=1e-3;loss=.5"],
    [
      ["lr", 0.001],
      ["loss", 0.5],
    ],
  ],
  [
    ["x=-1 y=+2"],
    [
      ["x", -1],
      ["y", 2],
    ],
  ],
  [["loss = undefined accuracy = 0.9"], [["accuracy", 0.9]]],
  [["converged: true"], [["converged", true]]],
  [
    ["size 12.5 MB loss 3"],
    [
      ["size", 12.5],
      ["loss", 3],
    ],
  ],
  [
    ["after 3 epochs loss 0.5"],
    [
      ["after", 3],
      ["loss", 0.5],
    ],
  ],
  [["top5 0.9"], [["top5", 0.9]]],
  [
    ["loss 0.5\nacc 0.9"],
    [
      ["loss", 0.5],
      ["acc", 0.9],
    ],
  ],
  [["\u001B[32mloss\u001B[0m 0.5"], [["loss", 0.5]]],
  // With directives.
  [["loss %d", 0.5], [["loss", 0.5]]],
  [
    ["epoch %i loss %f%%", 3.7, 0.5],
    [
      ["epoch", 3],
      ["loss", 0.5],
    ],
  ],
  [["%closs %s", "color: red", "0.25"], [["loss", 0.25]]],
  [
    ["loss %d", 0.5, "acc", 0.9],
    [
      ["loss", 0.5],
      ["acc", 0.9],
    ],
  ],
  [["loss %d"], []],
  [["loss %o", { a: 1 }], []],
  // Objects and JSON lines.
  [
    [{ loss: 0.5, acc: 0.9 }],
    [
      ["loss", 0.5],
      ["acc", 0.9],
    ],
  ],
  [
    ["epoch", 3, { loss: 0.5 }],
    [
      ["epoch", 3],
      ["loss", 0.5],
    ],
  ],
  [["done", { loss: 0.5 }], [["loss", 0.5]]],
  [["val:", { loss: 0.5 }], [["val.loss", 0.5]]],
  [
    ['{"loss":0.5,"model":"mlp","best":true}'],
    [
      ["loss", 0.5],
      ["model", "mlp"],
      ["best", true],
    ],
  ],
  [['{"loss":0.5,"at":"2026-11-15T10:00:00Z","list":[1]}'], [["loss", 0.5]]],
  [["{ loss: 0.5 }"], [["loss", 0.5]]],
  // A name and a text, and nothing else.
  [["model", "mlp"], [["model", "mlp"]]],
  [["model:", "a small one"], [["model", "a small one"]]],
  [["saved", "model", "mlp"], []],
  // What a clock says.
  [["took 12 ms"], []],
  [["loss 0.5 in 3.2s"], [["loss", 0.5]]],
  [["loss 0.5 speed 120 it/s"], [["loss", 0.5]]],
  [["time", 3.2], []],
  [["elapsed_ms", 3.2, "loss", 0.5], [["loss", 0.5]]],
  [[{ loss: 0.5, durationMs: 12 }], [["loss", 0.5]]],
  [
    ["params", 12, "terms", 3],
    [
      ["params", 12],
      ["terms", 3],
    ],
  ],
  [["pid", 12, "heapUsed", 3], []],
  // What fits nothing.
  [[], []],
  [[0.5], []],
  [["done"], []],
  [["Training the model on the whole data 60000"], []],
  [["at 2026-11-15 10:30:00"], []],
  [["version 1.2.3"], []],
  [["total 1,234"], []],
  [["http://localhost:8080/3"], []],
  [["the 3rd"], []],
  [["-----"], []],
  [["=".repeat(40)], []],
];

test.each(CALLS)("console.log(...%o) logs what it shows", (args, logged) => {
  expect(consoleValues(args.map(pieceOf))).toEqual(logged);
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
  });
});

describe("a rule of the user's own", () => {
  const RULE = /^it (?<iteration>\d+)(?: L=(?<loss>\S+))?(?: (?<phase>train|val))?/;

  test.each<[args: readonly unknown[], logged: Logged]>([
    [
      ["it 3 L=0.5 train"],
      [
        ["iteration", 3],
        ["loss", 0.5],
        ["phase", "train"],
      ],
    ],
    [["it", 3], [["iteration", 3]]],
    [
      ["it %d", 3, "L=0.25"],
      [
        ["iteration", 3],
        ["loss", 0.25],
      ],
    ],
    [
      ["it 1\nit 2"],
      [
        ["iteration", 1],
        ["iteration", 2],
      ],
    ],
    // What it does not fit is read as ever.
    [["loss", 0.5], [["loss", 0.5]]],
  ])("console.log(...%o)", (args, logged) => {
    expect(consoleValues(args.map(pieceOf), RULE)).toEqual(logged);
  });

  test("is seen in the source too", () => {
    const shape = [text(`it ${HOLE} L=${HOLE}`)];
    expect(consoleNames(shape, { rule: RULE }).names).toEqual(["iteration", "loss"]);
  });
});

/** Shapes of calls in the source, the names that they may log, and patterns of others. */
const SHAPES: readonly (readonly [
  pieces: readonly ConsolePiece[],
  names: readonly string[],
  patterns: readonly string[],
])[] = [
  [[text("loss"), text(HOLE)], ["loss"], []],
  [[text(`epoch ${HOLE}/${HOLE} loss=${HOLE} acc ${HOLE}%`)], ["epoch", "loss", "acc"], []],
  [[text(`loss_${HOLE} ${HOLE}`)], [], ["^loss_\\S*$"]],
  [[text(`${HOLE}_loss: ${HOLE}`)], [], ["^\\S*_loss$"]],
  [[text("loss %d"), text(HOLE)], ["loss"], []],
  [[text(`took ${HOLE}ms`)], [], []],
  [[text(`loss ${HOLE}${HOLE}`)], ["loss"], []],
  [[text(HOLE)], [], []],
  [[text(HOLE), text(HOLE)], [], []],
  [
    [
      {
        kind: "record",
        entries: [
          ["loss", HOLE],
          ["acc", HOLE],
        ],
      },
    ],
    ["loss", "acc"],
    [],
  ],
  [[text(`{"loss":${HOLE}}`)], ["loss"], []],
];

test.each(SHAPES)("a call of the shape %j", (pieces, names, patterns) => {
  expect(consoleNames(pieces)).toEqual({ names, patterns });
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
