/** Landings that are no case of a person's table: decisions, several at once, the safety net. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LandingRequest, Landings } from "../format/index.ts";
import { landStatements } from "./index.ts";
import { parsed } from "../../test/support/parsed.ts";

const NOW = `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(10))) {
  const loss = fit(epoch);
  al.log("loss", loss);
  al.log("twice", 2 * loss);
  save(epoch);
}
`;
const THEN = `import * as al from "afterlog";
for (const epoch of al.loop("epoch", al.range(10))) {
  const loss = fit(epoch);
  if (loss > 1) warn(epoch);
  save(epoch);
}
`;

function land(
  lines: readonly number[],
  decided?: LandingRequest["decided"],
  texts: { readonly now: string; readonly then: string } = { now: NOW, then: THEN },
): Landings {
  const one = (text: string) => (file: string) => (file === "train.ts" ? text : undefined);
  return landStatements({
    now: { file: "train.ts", text: one(texts.now) },
    statements: lines.map((line) => ({ line, column: 3 })),
    then: { files: ["train.ts"], text: one(texts.then) },
    ...(decided ? { decided } : {}),
  });
}

describe("a decision", () => {
  test.each([
    ["a line: before its statement", { line: 5 }, "  save(epoch);", 5],
    ["a closing brace: at the end of its block", { line: 6 }, "}", 6],
  ])("of %s", (_, decided, before, line) => {
    const { landings, overlays } = land([4], decided);
    expect(landings[0]).toMatchObject({ verdict: "moved", line, confidence: 1 });
    const added = `  al.log("loss", loss);\n${before}`;
    expect(overlays[0]?.text).toBe(THEN.replace(before === "}" ? /^\}/m : before, () => added));
  });

  test("of a place where a name has no value yet is refused", () => {
    expect(land([4], { line: 3 }).landings[0]).toMatchObject({
      verdict: "cannot",
      refusal: "use_before_def",
    });
  });

  test("of a text is written as it is, and unbound names are told", () => {
    const { landings, overlays } = land([4], { line: 5, text: `al.log("loss", lost)` });
    expect(landings[0]).toMatchObject({ verdict: "moved", text: `al.log("loss", lost)` });
    expect(landings[0]?.warnings.map(({ code }) => code)).toEqual(["unbound_name"]);
    expect(overlays[0]?.text).toContain(`  al.log("loss", lost)\n  save`);
  });

  test.each(["al.log(`a\nb`, loss)", "al.log(\n  `\n  a\n`, loss)"])(
    "of a text with a string of several lines keeps the string: %j",
    (text) => {
      const value = text.slice(text.indexOf("`"), text.lastIndexOf("`"));
      const { overlays } = land([4], { line: 5, text });
      expect(overlays[0]?.text).toContain(value);
    },
  );

  test("of a text that is no statement is refused", () => {
    expect(land([4], { text: "al.log(" }).landings[0]).toMatchObject({ verdict: "cannot" });
  });
});

test("calls that show no name share none", () => {
  const now = "for (const epoch of xs) {\n  console.log(f(epoch));\n  save(epoch);\n}\n";
  const text = (of: string) => () => of;
  const { landings } = landStatements({
    handsFree: true,
    now: { file: "train.ts", text: text(now) },
    statements: [{ line: 2, column: 3 }],
    then: { files: ["train.ts"], text: text(now.replace("log(f(epoch))", "log(2 * f(7))")) },
  });
  expect(landings[0]).toMatchObject({ verdict: "moved", warnings: [] });
});

test.each(["`a\n  b`", "`\n  a\n`"])("a string of several lines keeps its breaks: %j", (value) => {
  const now = NOW.replace(`"loss"`, () => value);
  const { overlays } = land([4], undefined, { now, then: THEN.replace("  const", "    const") });
  expect(overlays[0]?.text).toContain(value);
});

describe("several statements", () => {
  test("keep their order in one gap, whatever the order of the question", () => {
    for (const lines of [
      [4, 5],
      [5, 4],
    ]) {
      const { landings, overlays } = land(lines);
      expect(overlays[0]?.text).toContain(
        `  al.log("loss", loss);\n  al.log("twice", 2 * loss);\n`,
      );
      const [one, other] = landings.map(({ line }) => line ?? 0) as [number, number];
      expect(other - one).toBe(lines[0] === 4 ? 1 : -1);
    }
  });

  test("one that cannot land keeps no other out", () => {
    const now = NOW.replace(
      "  save",
      "  const f1 = (await ask()).f1;\n  al.log('f1', f1);\n  save",
    );
    const { landings } = land([4, 7], undefined, { now, then: THEN });
    expect(landings.map(({ verdict }) => verdict === "cannot")).toEqual([false, true]);
  });
});

describe("the text around", () => {
  const statement = `al.log("loss", loss);`;
  test.each([
    ["Windows line endings", (text: string) => text.replaceAll("\n", "\r\n")],
    ["tabs", (text: string) => text.replaceAll("  ", "\t")],
    ["four spaces", (text: string) => text.replaceAll("  ", "    ")],
    ["no semicolons", (text: string) => text.replaceAll(";", "")],
    ["no last line break", (text: string) => text.trimEnd()],
    ["one line", (text: string) => text.replaceAll("\n", " ")],
  ])("with %s stays as it is, and the statement is written like it", (_, write) => {
    const then = write(THEN);
    const { landings, overlays } = land([4], undefined, { now: NOW, then });
    const text = overlays[0]?.text ?? "";
    expect(landings[0]?.verdict).not.toBe("cannot");
    expect(isSubsequence(then, text)).toBe(true);
    expect(text).toBe(write(text.replaceAll(/\r?\n/g, "\n").replaceAll(/\t| {4}/g, "  ")));
    expect(text).toContain(write(statement));
  });
});

/** Whether a text can be got from another by leaving characters out. */
function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const character of long) if (character === short[at]) at += 1;
  return at === short.length;
}

const words = fc.constantFrom("loss", "epoch", "fit", "save", "warn");
const statementText: fc.Arbitrary<string> = fc.oneof(
  words.map((word) => `${word}(epoch);`),
  fc.tuple(words, words).map(([a, b]) => `if (${a}) { ${b}(1); }`),
  fc.tuple(words, words).map(([a, b]) => `for (const x of ${a}) ${b}(x)`),
  words.map((word) => `run((y) => ${word}(y));`),
  fc.nat(9).map((n) => `let v${n} = ${n}\n`),
  fc.constant("try { save(2) } catch { warn() } finally { }"),
  fc.constant("switch (epoch) { case 1: save(3); break; default: }"),
  fc.constant("label: for (;;) { break label }"),
);
const programText = fc.array(statementText, { maxLength: 8 }).map((all) => all.join("\n"));

test("whatever the versions are, a result is the old text with something put in, and parses", () => {
  fc.assert(
    fc.property(programText, programText, fc.nat(8), (before, after, at) => {
      const lines = after.split("\n");
      lines.splice(at % (lines.length + 1), 0, `console.log("here", epoch)`);
      const now = lines.join("\n");
      const line = lines.findIndex((one) => one.startsWith("console")) + 1;
      if (!parsed("train.ts", now) || !parsed("train.ts", before)) return;
      const { landings, overlays } = landStatements({
        now: { file: "train.ts", text: (file) => (file === "train.ts" ? now : undefined) },
        statements: [{ line, column: 1 }],
        then: {
          files: ["train.ts"],
          text: (file) => (file === "train.ts" ? before : undefined),
        },
      });
      const [landing] = landings;
      if (!landing || landing.verdict === "cannot") return;
      const text = overlays[0]?.text ?? "";
      expect(isSubsequence(before, text)).toBe(true);
      const result = parsed("train.ts", text);
      expect(result).toBeDefined();
      const row = text.split("\n")[(landing.line ?? 0) - 1] ?? "";
      expect(row.slice((landing.column ?? 0) - 1)).toContain(`console.log("here", epoch)`);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["a comment of several lines", "  /* why\n     it stands */\n"],
  ["a comment for the next", "  // keep\n"],
  ["two comments", "  // one\n\n  // two\n"],
])("is put beside %s, never into it", (_, comment) => {
  const then = THEN.replace("  if (loss > 1) warn(epoch);\n", comment);
  for (const now of [
    NOW.replace("  save", `${comment}  save`),
    NOW.replace("  al.log", `${comment}  al.log`),
  ]) {
    const line = now.split("\n").findIndex((one) => one.includes(`"loss"`)) + 1;
    const { landings, overlays } = land([line], undefined, { now, then });
    expect(landings[0]?.verdict).not.toBe("cannot");
    const isAbove = now.indexOf(comment.trim()) > now.indexOf(`"loss"`);
    const text = overlays[0]?.text ?? "";
    expect(text.indexOf(comment.trim()) > text.indexOf(`"loss"`)).toBe(isAbove);
  }
});
