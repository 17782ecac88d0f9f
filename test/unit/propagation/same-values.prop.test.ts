/**
 * @file Programs by chance, edited by chance: a landing that asks nobody to look logs what the older program
 * logs with the statement where it stood. Both languages, executed.
 */
import { execFileSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Landing } from "../../../src/format/index.ts";
import { landStatements } from "../../../src/landing/index.ts";
import { prepareLanguages } from "../../../src/languages/index.ts";
import { needs } from "../../support/needs.ts";

await prepareLanguages(["train.py"]);

/** A statement of both languages. */
type Line =
  | { readonly kind: "set"; readonly target: string; readonly value: string }
  | { readonly kind: "add"; readonly target: string; readonly value: string }
  | { readonly kind: "call"; readonly word: string; readonly value: string }
  | { readonly kind: "log"; readonly value: string }
  | {
      readonly kind: "if";
      readonly condition: string;
      readonly body: Program;
      readonly other: Program;
    }
  | { readonly kind: "loop"; readonly times: number; readonly body: Program };
type Program = readonly Line[];

const target = fc.constantFrom("loss", "size", "state.best");
const number = fc.integer({ min: 1, max: 9 }).map(String);
const value = fc.oneof(
  number,
  target,
  fc.tuple(target, fc.constantFrom("+", "*", "-"), fc.oneof(target, number)).map((parts) => {
    return parts.join(" ");
  }),
);
const condition = fc
  .tuple(target, fc.constantFrom(">", "<"), number)
  .map((parts) => parts.join(" "));
const word = fc.constantFrom("note", "keep", "send", "check");
const simple: fc.Arbitrary<Line> = fc.oneof(
  fc.record({ kind: fc.constant("set"), target, value }),
  fc.record({ kind: fc.constant("add"), target, value }),
  fc.record({ kind: fc.constant("call"), word, value }),
  fc.record({ kind: fc.constant("call"), word, value }),
);
const inner = fc.array(simple, { minLength: 1, maxLength: 4 });
const line: fc.Arbitrary<Line> = fc.oneof(
  { arbitrary: simple, weight: 5 },
  {
    arbitrary: fc.record({
      kind: fc.constant("if"),
      condition,
      body: inner,
      other: fc.oneof(fc.constant([]), inner),
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ kind: fc.constant("loop"), times: fc.constantFrom(2, 3), body: inner }),
    weight: 1,
  },
);
const program: fc.Arbitrary<Program> = fc.array(line, { minLength: 2, maxLength: 5 });

/** A change of a program, at a place that a number chooses among those there are. */
type Edit =
  | { readonly kind: "rename"; readonly from: string }
  | { readonly kind: "delete" | "swap"; readonly at: number }
  | { readonly kind: "insert"; readonly at: number; readonly line: Line }
  | { readonly kind: "replace"; readonly at: number; readonly line: Line }
  | { readonly kind: "wrap"; readonly at: number; readonly condition: string };
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant("rename"), from: fc.constantFrom("loss", "size") }),
  fc.record({ kind: fc.constantFrom("delete", "swap"), at: fc.nat(50) }),
  fc.record({ kind: fc.constantFrom("insert", "replace"), at: fc.nat(50), line: simple }),
  fc.record({ kind: fc.constant("wrap"), at: fc.nat(50), condition }),
);

/** All lists of a program, outermost first. */
function listsOf(all: Program): Program[] {
  const parts = all.flatMap((one) => {
    return one.kind === "if" ? [one.body, one.other] : one.kind === "loop" ? [one.body] : [];
  });
  return [all, ...parts.flatMap(listsOf)];
}

/** The program with one of its lists changed. */
function withList(all: Program, list: Program, change: (list: Program) => Program): Program {
  if (all === list) return change(all);
  return all.map((one): Line => {
    if (one.kind === "loop") return { ...one, body: withList(one.body, list, change) };
    if (one.kind !== "if") return one;
    const [body, other] = [one.body, one.other].map((own) => withList(own, list, change));
    return { ...one, body: body ?? [], other: other ?? [] };
  });
}

/** Where something can stand: a list, and an index of it. */
function gapsOf(all: Program): { readonly list: Program; readonly index: number }[] {
  return listsOf(all).flatMap((list, at) => {
    // An `else` that is not there has no place.
    if (list.length === 0 && at > 0) return [];
    return [...list, null].map((_, index) => ({ list, index }));
  });
}

function holdsLog(one: Line): boolean {
  return (
    one.kind === "log" ||
    (one.kind === "if" && [...one.body, ...one.other].some(holdsLog)) ||
    (one.kind === "loop" && one.body.some(holdsLog))
  );
}

/** The gaps around the statement that logs, and some further off: elsewhere an edit does it nothing. */
function nearestGaps(all: Program): ReturnType<typeof gapsOf> {
  const distance = ({ list, index }: ReturnType<typeof gapsOf>[number]): number => {
    const at = list.findIndex(({ kind }) => kind === "log");
    return at === -1 ? 9 : Math.abs(at - index);
  };
  return gapsOf(all)
    .toSorted((one, other) => distance(one) - distance(other))
    .slice(0, 7);
}

function edited(all: Program, change: Edit): Program {
  if (change.kind === "rename") return all;
  const places = nearestGaps(all);
  const { list, index } = places[change.at % places.length] ?? { list: all, index: 0 };
  const [own, next] = [list[index], list[index + 1]];
  switch (change.kind) {
    case "insert":
      return withList(all, list, (old) => old.toSpliced(index, 0, change.line));
    case "replace":
      if (!own || holdsLog(own)) return all;
      return withList(all, list, (old) => old.toSpliced(index, 1, change.line));
    case "delete":
      if (!own || holdsLog(own) || (list !== all && list.length === 1)) return all;
      return withList(all, list, (old) => old.toSpliced(index, 1));
    case "swap":
      if (!own || !next || holdsLog(own) || holdsLog(next)) return all;
      return withList(all, list, (old) => old.toSpliced(index, 2, next, own));
    case "wrap": {
      // A condition on nothing but the statement is a part of the question.
      if (!own || own.kind === "log") return all;
      const { condition: around } = change;
      const whole: Line = { kind: "if", condition: around, body: [own], other: [] };
      return withList(all, list, (old) => old.toSpliced(index, 1, whole));
    }
  }
}

/** How a language writes the program. */
interface Notation {
  readonly file: string;
  readonly head: string;
  readonly log: string;
  readonly end: string;
  readonly isIf: (condition: string) => string;
  readonly isElse: string;
  readonly isLoop: (times: number) => string;
  readonly close: readonly string[];
}

const JAVASCRIPT: Notation = {
  file: "train.js",
  head: "function train(loss, size, rate, state) {",
  log: "console.log",
  end: ";",
  isIf: (around) => `if (${around}) {`,
  isElse: "} else {",
  isLoop: (times) => `for (let i = 0; i < ${times}; i++) {`,
  close: ["}"],
};
const PYTHON: Notation = {
  file: "train.py",
  head: "def train(loss, size, rate, state):",
  log: "print",
  end: "",
  isIf: (around) => `if ${around}:`,
  isElse: "else:",
  isLoop: (times) => `for i in range(${times}):`,
  close: [],
};

function linesOf(all: Program, notation: Notation): string[] {
  const { log, end, isIf, isElse, isLoop, close } = notation;
  const block = (list: Program): string[] => linesOf(list, notation).map((text) => `    ${text}`);
  return all.flatMap((one): string[] => {
    switch (one.kind) {
      case "set":
        return [`${one.target} = ${one.value}${end}`];
      case "add":
        return [`${one.target} += ${one.value}${end}`];
      case "call":
        return [`${one.word}(${one.value})${end}`];
      case "log":
        return [`${log}("q", ${one.value})${end}`];
      case "if": {
        const other = one.other.length > 0 ? [isElse, ...block(one.other)] : [];
        return [isIf(one.condition), ...block(one.body), ...other, ...close];
      }
      case "loop":
        return [isLoop(one.times), ...block(one.body), ...close];
    }
  });
}

function textOf(all: Program, notation: Notation): string {
  const body = linesOf(all, notation).map((text) => `    ${text}`);
  return [notation.head, ...body, ...notation.close, ""].join("\n");
}

/** A landing, and the older text with the statement where it stood. */
interface Landed {
  readonly landing: Landing | undefined;
  readonly now: string;
  readonly truth: string;
  readonly text: string;
}

interface Asked {
  readonly old: Program;
  readonly gap: number;
  readonly asked: string;
  readonly edits: readonly Edit[];
}

function land({ old, gap, asked, edits }: Asked, notation: Notation): Landed {
  const places = gapsOf(old);
  const { list, index } = places[gap % places.length] ?? { list: old, index: 0 };
  const log: Line = { kind: "log", value: asked };
  const whole = withList(old, list, (own) => own.toSpliced(index, 0, log));
  const newer = edits.reduce(edited, whole);
  const [written = "", then, truth] = [newer, old, whole].map((one) => textOf(one, notation));
  const now = edits.reduce((text, one) => {
    return one.kind === "rename"
      ? text.replaceAll(new RegExp(`\\b${one.from}\\b`, "g"), `${one.from}Now`)
      : text;
  }, written);
  const { file } = notation;
  const row = now?.split("\n").findIndex((text) => text.includes('"q"')) ?? 0;
  const { landings, overlays } = landStatements({
    handsFree: true,
    now: { file, text: (name) => (name === file ? now : undefined) },
    statements: [{ line: row + 1, column: (now?.split("\n")[row]?.search(/\S/) ?? 0) + 1 }],
    then: { files: [file], text: (name) => (name === file ? then : undefined) },
  });
  return {
    landing: landings[0],
    now: now ?? "",
    truth: truth ?? "",
    text: overlays[0]?.text ?? "",
  };
}

/** What programs of JavaScript log. */
function loggedByJavaScript(texts: readonly string[]): string[] {
  return texts.map((text) => {
    const said: unknown[] = [];
    const ignore = (): void => undefined;
    const console = { log: (...all: unknown[]) => said.push(all) };
    const names = { console, note: ignore, keep: ignore, send: ignore, check: ignore };
    const calls = "for (const size of [1, 5]) train(3, size, 2, { best: 4, count: 0 });";
    runInNewContext(`${text}${calls}`, names);
    return JSON.stringify(said);
  });
}

/** What programs of Python log. */
function loggedByPython(texts: readonly string[]): string[] {
  const code = `
import sys, json, types
for text in json.load(sys.stdin):
    said = []
    names = {"print": lambda *all: said.append(all)}
    names.update((word, lambda value: None) for word in ["note", "keep", "send", "check"])
    exec(text, names)
    for size in [1, 5]:
        names["train"](3, size, 2, types.SimpleNamespace(best=4, count=0))
    print(json.dumps(said))
`;
  const input = JSON.stringify(texts);
  return execFileSync("python3", ["-c", code], { input, encoding: "utf8" }).trim().split("\n");
}

const landings = fc.tuple(
  program,
  fc.nat(50),
  value,
  fc.array(edit, { minLength: 1, maxLength: 4 }),
);

/** Landings by chance that ask nobody to look. */
function sureLandings(notation: Notation): Landed[] {
  const found: Landed[] = [];
  for (const [old, gap, asked, edits] of fc.sample(landings, { numRuns: RUNS, seed: SEED })) {
    const landed = land({ old, gap, asked, edits }, notation);
    if (/^(?:exact|moved)$/.test(landed.landing?.verdict ?? "")) found.push(landed);
  }
  return found;
}

/** Of each language. */
const RUNS = 150;
const SEED = 1;

/** Those that log another thing than the statement did where it stood. */
function othersIn(
  landed: readonly Landed[],
  logged: (texts: readonly string[]) => readonly string[],
): string[] {
  const texts = logged(landed.flatMap(({ text, truth }) => [text, truth]));
  return landed.flatMap(({ now, truth, text }, at) => {
    if (texts[2 * at] === texts[2 * at + 1]) return [];
    return [[now, truth, text].join("---\n")];
  });
}

const LANGUAGES = [
  ["JavaScript", JAVASCRIPT, loggedByJavaScript, {}],
  ["Python", PYTHON, loggedByPython, needs("python")],
] as const;

describe.each(LANGUAGES)("in %s", (_, notation, logged, options) => {
  test("what asks nobody to look logs what it logged where it stood", options, () => {
    const sure = sureLandings(notation);
    expect(sure.length).toBeGreaterThan(RUNS / 2);
    expect(othersIn(sure, logged).join("======\n")).toBe("");
  });
});
