import { describe, expect, test } from "vitest";
import { analyzeProgram } from "./analyze.ts";
import { compareInserted } from "./comparing/compare-sources.ts";
import { insertLog, landStatements } from "../../landing/index.ts";

const HANDS_FREE = { handsFree: true };

/** What a program that is one call logs: names, and patterns of names in slashes. */
function namesOf(text: string, options = HANDS_FREE): string[] {
  const { logs } = analyzeProgram("train.ts", () => text, options);
  return logs.map(({ name, pattern }) => name ?? `/${pattern ?? ""}/`);
}

test.each([
  ['console.log("loss", x)', ["loss"]],
  ['console.info("loss:", x, "acc:", y)', ["loss", "acc"]],
  ["console.debug(`epoch ${e} loss ${x}`)", ["epoch", "loss"]],
  ["console.log(`epoch ${e + 1}/${n} acc ${(a * 100).toFixed(1)}%`)", ["epoch", "acc"]],
  ['console.log("loss: " + x + ", acc: " + y)', ["loss", "acc"]],
  ['console.log(a + b + " loss " + c)', ["loss"]],
  ["console.log({ loss, acc: 1, deep: { x: 1 }, ...rest })", ["loss", "acc"]],
  ["console.log(JSON.stringify({ loss, acc }))", ["loss", "acc"]],
  ['console.log("epoch", e, JSON.stringify({ loss }))', ["epoch", "loss"]],
  ["console.log(`loss_${k} ${x}`)", ["/^loss_\\S*$/"]],
  ["console.log({ [`loss_${k}`]: 1 })", ["{ [`loss_${k}`]: 1 }"]],
  ["console.log({ loss, [k]: 1 })", ["loss", "/^\\S*$/"]],
  ['console.log("loss %d acc %s", x, y)', ["loss", "acc"]],
  ["console.table([{ loss: 1, name: 2 }])", ["loss", "name"]],
  ['console.log("loss", x as number)', ["loss"]],
  ['const f = () => console.log("loss", x); f()', ["loss"]],
  // Asked for as the last value is written.
  ["console.log(x)", ["x"]],
  ["console.log(n, p.norm() as number)", ["p.norm()"]],
  ["console.log(`${n}: ${p\n  .norm()}`)", ["`${n}: ${p .norm()}`"]],
  ["console.log(`${p.norm()}`)", ["p.norm()"]],
  ["console.log(...all)", ["/^\\S*$/"]],
  ["console.table(rows)", []],
  ['console.table([row], ["loss"])', ["[row]"]],
  ["console.table([{ loss: 1 }, row])", ["loss"]],
  ["console.table([[1, 2], 3])", []],
  ['console.log("took", ms, "ms")', ["took"]],
  ['console.log("done")', []],
  ['console.warn("loss", x)', []],
  ['console?.log?.("loss", x)', []],
  ['const console = { log() {} }; console.log("loss", x)', []],
])("%s", (text, names) => {
  expect(namesOf(text)).toEqual(names);
  expect(namesOf(text, { handsFree: false })).toEqual([]);
});

function compare(before: string, after: string, mode = HANDS_FREE): string {
  return compareInserted(before, after, "train.ts", { ...mode, also: [] }).difference.kind;
}

describe("against the text of before", () => {
  const PROGRAM = `let w = 0;
for (let epoch = 0; epoch < 3; epoch++) {
  w += epoch;
  console.log("loss", w);
}
`;

  test.each([
    ['  console.log("grad", w * 2);', "logs"],
    ["  console.log(`grad ${w} best ${w}`);", "logs"],
    ["  console.log({ grad: w });", "logs"],
    ['  console.log("grad", w); console.log("more", w);', "logs"],
    ["  console.log(w);", "logs"],
    ['  console.error("grad", w);', "differs"],
    ['  w += console.log("grad", w) ?? 0;', "differs"],
  ])("a line with %s: %s", (line, kind) => {
    const after = PROGRAM.replace("  w += epoch;\n", `  w += epoch;\n${line}\n`);
    expect(compare(PROGRAM, after)).toBe(kind);
    expect(compare(PROGRAM, after, { handsFree: false })).toBe("differs");
  });

  test("a line that is gone, or logs more, is a difference", () => {
    const gone = PROGRAM.replace('  console.log("loss", w);\n', "");
    const more = PROGRAM.replace('"loss", w', '"loss", w, "grad", w');
    expect(compare(PROGRAM, gone)).toBe("differs");
    expect(compare(PROGRAM, more)).toBe("differs");
  });

  test("what is called `console` by the program itself is none", () => {
    const own = `const console = { log(...a) {} };\n${PROGRAM}`;
    const after = own.replace("  w += epoch;\n", '  w += epoch;\n  console.log("grad", w);\n');
    expect(compare(own, after)).toBe("differs");
  });

  test.each([
    ["grad = w * 2", 'console.log("grad", w * 2);'],
    // By such a name the console would log nothing.
    ["true = w", 'al.log("true", w);'],
    ["time = w", 'console.log("time", w);'],
  ])("a logpoint %s is %s", (assignment, statement) => {
    const inserted = insertLog(PROGRAM, "train.mts", 4, { assignment, ...HANDS_FREE });
    expect("text" in inserted && inserted.text).toContain(`  ${statement}\n  console.log("loss"`);
  });
});

describe("in an older version", () => {
  const OLD = `let w = 0;
for (let epoch = 0; epoch < 3; epoch++) {
  w += epoch;
  console.log("loss", w);
}
console.log("done", w);
`;

  test.each([
    ['  console.log("grad", w * 2);\n', "exact"],
    // More than was printed there before, and what was printed there by another statement.
    ["  console.log(`loss ${w} grad ${w}`);\n", "exact"],
    ['  console.log("done", w * 2);\n', "review"],
    ['  console.log("done", w);\n', "present"],
  ])("%s is %s", (line, verdict) => {
    const without = OLD.replace('console.log("done", w);\n', "").replace(
      "let w = 0;",
      "let w = 0; ",
    );
    const now = without.replace(
      '  console.log("loss", w);\n',
      `  console.log("loss", w);\n${line}`,
    );
    const { landings } = landStatements({
      ...HANDS_FREE,
      now: { file: "train.ts", text: () => now },
      statements: [{ line: 5, column: 3 }],
      then: { files: ["train.ts"], text: () => OLD },
    });
    expect(landings.map((landing) => landing.verdict)).toEqual([verdict]);
  });
});
