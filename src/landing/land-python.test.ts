/** Landings of Python that are no case of a person's table: decisions, logpoints, the safety net. */
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LandingRequest, Landings } from "../format/index.ts";
import { languageOf, prepareLanguages } from "../languages/index.ts";
import { insertLog, landStatements } from "./index.ts";
import { needs } from "../../test/support/needs.ts";
import { parsed } from "../../test/support/parsed.ts";

await prepareLanguages(["train.py"]);
const { anchorOf, isStillProgram } = languageOf("train.py");

const NOW = `import afterlog as al
for epoch in al.loop("epoch", range(10)):
    loss = fit(epoch)
    al.log("loss", loss)
    al.log("twice", 2 * loss)
    save(epoch)
`;
const THEN = `import afterlog as al
for epoch in al.loop("epoch", range(10)):
    loss = fit(epoch)
    if loss > 1:
        warn(epoch)
    save(epoch)
`;

function land(
  lines: readonly number[],
  texts: { readonly now: string; readonly then: string } = { now: NOW, then: THEN },
  decided?: LandingRequest["decided"],
): Landings {
  const one = (text: string) => (file: string) => (file === "train.py" ? text : undefined);
  return landStatements({
    now: { file: "train.py", text: one(texts.now) },
    statements: lines.map((line) => {
      const indent = /^\s*/.exec(texts.now.split("\n")[line - 1] ?? "")?.[0] ?? "";
      return { line, column: indent.length + 1 };
    }),
    then: { files: ["train.py"], text: one(texts.then) },
    ...(decided ? { decided } : {}),
  });
}

describe("a decision", () => {
  test.each([
    ["a line: before its statement", 6, "    save(epoch)\n", "    "],
    ["a line of an inner block", 5, "        warn(epoch)\n", "        "],
  ])("of %s", (_, line, before, indent) => {
    const { landings, overlays } = land([4], undefined, { line });
    expect(landings[0]).toMatchObject({ verdict: "moved", line, confidence: 1 });
    const added = `${indent}al.log("loss", loss)\n${before}`;
    expect(overlays[0]?.text).toBe(THEN.replace(before, added));
  });

  test("of a place where a name has no value yet is refused", () => {
    const { landings } = land([4], undefined, { line: 3 });
    expect(landings[0]).toMatchObject({ verdict: "cannot", refusal: "use_before_def" });
  });

  test("of a text is written as it is, and unbound names are told", () => {
    const { landings } = land([4], undefined, { line: 6, text: `al.log("loss", lost)` });
    expect(landings[0]).toMatchObject({ verdict: "moved", text: `al.log("loss", lost)` });
    expect(landings[0]?.warnings.map(({ code }) => code)).toEqual(["unbound_name"]);
  });

  test("of a text that is no statement is refused", () => {
    expect(land([4], undefined, { text: "al.log(" }).landings[0]).toMatchObject({
      verdict: "cannot",
    });
  });
});

describe("the text around", () => {
  test.each([
    ["Windows line endings", (text: string) => text.replaceAll("\n", "\r\n")],
    ["tabs", (text: string) => text.replaceAll("    ", "\t")],
    ["two spaces", (text: string) => text.replaceAll("    ", "  ")],
    ["no last line break", (text: string) => text.trimEnd()],
    ["a byte order mark", (text: string) => `\uFEFF${text}`],
  ])("with %s stays as it is, and the statement is written like it", (_, write) => {
    const expected = THEN.replace("    if", `    al.log("loss", loss)\n    if`);
    const { overlays } = land([4], { now: NOW, then: write(THEN) });
    expect(overlays[0]?.text).toBe(write(expected));
  });
});

describe("a name that a text says", () => {
  test.each([
    ["{loss=}", "loss={l!r}"],
    ["at {epoch}: {loss = }", "at {epoch}: loss = {l !r}"],
    ["{loss=:.4f} {epoch=}", "loss={l:.4f} {epoch=}"],
    ["{loss=!s:>{len(str(loss))}}", "loss={l!s:>{len(str(l))}}"],
    ["{loss + sum({1: 2})=}", "loss + sum({{1: 2}})={l + sum({1: 2})!r}"],
    ["{loss}", "{l}"],
  ])(
    "%s stays what it is where the variable is called otherwise",
    needs("python"),
    (said, written) => {
      const now = NOW.replace('al.log("loss", loss)', `print(f"${said}")`);
      const then = THEN.replaceAll("loss", "l");
      const { landings } = land([4], { now, then });
      expect(landings[0]?.text).toBe(`print(f"${written}")`);
      const run = `loss = l = 0.5; epoch = 3; print(f"""${said}""" == f"""${written}""")`;
      expect(execFileSync("python3", ["-c", run], { encoding: "utf8" })).toBe("True\n");
    },
  );
});

test("a logpoint is written where its line is", () => {
  const at = (text: string, line: number, assignment = "x = epoch"): string => {
    const found = insertLog(text, "train.py", line, { handsFree: false, assignment });
    if ("problem" in found) return found.problem;
    const { line: own, column } = found.place;
    expect(found.text.split("\n")[own - 1]?.slice(column - 1)).toMatch(/^(?:al\.log|l)\("x", /);
    return found.text;
  };
  const call = `al.log("x", epoch)\n`;
  expect(at(THEN, 3)).toBe(THEN.replace("    loss =", `    ${call}    loss =`));
  expect(at(THEN, 5)).toBe(THEN.replace("        warn", `        ${call}        warn`));
  expect(at(THEN, 6, "x = max(a, b)  # why")).toContain(`al.log("x", (max(a, b)  # why\n))`);
  expect(at(THEN, 6, "x = 1, 2")).toContain(`al.log("x", (1, 2\n))`);
  const foreign = `"""Why."""\nfor epoch in range(3): fit(epoch)\n`;
  expect(at(foreign, 2)).toBe(
    `"""Why."""\nimport afterlog as al\nal.log("x", epoch)\nfor epoch in range(3): fit(epoch)\n`,
  );
  expect(at("from afterlog import log as l\nl('a', 1)\n", 2)).toContain(`l("x", epoch)\nl('a'`);
  expect(at(THEN, 99)).toContain("the file has 7 lines");
  expect(at(THEN, 3, "x = )")).toContain("is not an expression");
  expect(at(THEN, 3, "x = 1; f()")).toContain("its last statement is not");
  expect(at(THEN, 3, "nothing")).toContain("is not  name = expression");
});

test("where a statement stands is told in the same words when others are added", () => {
  const places = NOW.split("\n").flatMap((line, at) => (line.includes("twice") ? [at + 1] : []));
  const [line = 0] = places;
  const anchor = anchorOf(NOW, "train.py", { line, column: 5 }, {});
  const more = NOW.replace("for", "import math\ndef half(x):\n    y = x\n    return y / 2\nfor");
  expect(anchorOf(more, "train.py", { line: line + 4, column: 5 }, {})).toBe(anchor);
  const less = NOW.replace(`    al.log("loss", loss)\n`, "");
  expect(anchorOf(less, "train.py", { line: line - 1, column: 5 }, {})).toBe(anchor);
  const later = NOW.replace("    al.log", "    check()\n    al.log");
  expect(anchorOf(later, "train.py", { line: line + 1, column: 5 }, {})).not.toBe(anchor);
});

test.each([
  ["a program", "x = 1\n", "x = 1\ny = 2\n", true],
  ["no program any more, though the grammar reads it", "x = 1\n", "x = 1\n  y = 2\n", false],
  ["one that never was", "print 1\n", "print 1\nx = 2\n", true],
])("a changed text is %s", needs("python"), (_, before, after, expected) => {
  expect(isStillProgram(before, after)).toBe(expected);
});

const words = fc.constantFrom("loss", "epoch", "fit", "save", "warn");
const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ");
const statement: fc.Arbitrary<string> = fc.oneof(
  words.map((word) => `${word}(epoch)\n`),
  fc.tuple(words, words).map(([a, b]) => `if ${a}:\n    ${b}(1)\n    # why\nelse:\n    pass\n`),
  fc.tuple(words, words).map(([a, b]) => `for x in ${a}: ${b}(x); save(x)\n`),
  words.map((word) => `def run(y):\n    """Doc."""\n    return ${word}(y)\n`),
  fc.nat(9).map((n) => `v${n} = """a\n  b""" + \\\n    str(${n})  # n\n`),
  fc.constant("try:\n    save(2)\nexcept ValueError as e: warn(e)\nfinally:\n    pass\n"),
  fc.constant("match epoch:\n    case [1, x]:\n        save(x)\n    case _: pass\n"),
  fc.constant("while epoch:\n    with warn() as w:\n        break\n"),
  fc.constant("class A:\n    z = 1\n\n    @property\n    def m(self): return self.z\n\n"),
);
const block = fc.array(statement, { minLength: 1, maxLength: 5 }).map((all) => all.join(""));
const loop = block.map((inner) => `for epoch in fit:\n${indented(inner)}`);
const loops = fc.array(loop, { maxLength: 2 });
const program = fc
  .tuple(block, loops, block)
  .map(([first, middle, last]) => first + middle.join("") + last);

const PROBE = `print("here", 1)`;

/** Puts the probe before a line of code that begins a statement, at its indentation. */
function withProbe(text: string, at: number): { now: string; line: number } | undefined {
  const lines = text.split("\n");
  const places = lines.flatMap((line, index) => {
    const isStart = /^\s*(?:(?!str)\w+\(|if|for|def|try|while|class|match|return|v\d)/.test(line);
    return isStart ? [index] : [];
  });
  const index = places[at % places.length];
  if (index === undefined) return undefined;
  const indent = /^\s*/.exec(lines[index] ?? "")?.[0] ?? "";
  const now = lines.toSpliced(index, 0, indent + PROBE).join("\n");
  return parsed("train.py", now) && { now, line: index + 1 };
}

const landed: string[] = [];

test("a statement that is taken out is put back where it was", () => {
  fc.assert(
    fc.property(program, fc.nat(40), (text, at) => {
      const probed = withProbe(text, at);
      if (!probed) return;
      const { landings, overlays } = land([probed.line], { now: probed.now, then: text });
      expect(landings[0]).toMatchObject({ verdict: "exact", line: probed.line });
      expect(overlays[0]?.text).toBe(probed.now);
    }),
    { numRuns: 60 },
  );
});

test(
  "whatever the versions are, a result is the old text with the statement put in",
  needs("python"),
  () => {
    fc.assert(
      fc.property(program, program, fc.nat(40), (before, after, at) => {
        const probed = withProbe(after, at);
        if (!probed) return;
        const { landings, overlays } = land([probed.line], { now: probed.now, then: before });
        const [landing] = landings;
        const text = overlays[0]?.text;
        if (!landing || landing.verdict === "cannot" || text === undefined) return;
        const row = text.split("\n")[(landing.line ?? 0) - 1] ?? "";
        const [indent, own] = [row.slice(0, (landing.column ?? 0) - 1), row.indexOf(PROBE)];
        expect(indent.length).toBe(own);
        const ways = [`; ${PROBE}`, `${PROBE}; `, `${indent}${PROBE}\n`, `\n${indent}${PROBE}`];
        expect(ways.map((way) => text.replace(way, ""))).toContain(before);
        landed.push(before, text);
      }),
      { numRuns: 60 },
    );
    // Python itself must be able to read them.
    const code =
      "import sys, json\nfor t in json.load(sys.stdin):\n compile(t, 'a', 'exec')\nprint('ok')";
    const input = JSON.stringify(landed);
    expect(execFileSync("python3", ["-c", code], { input, encoding: "utf8" }).trim()).toBe("ok");
  },
);
