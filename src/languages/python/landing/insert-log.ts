/**
 * @file Logpoints: `grad_norm = l2(grads)` at a line becomes a log statement in the text, where a
 * person would have written it.
 */
import { Interner } from "../../../tree/index.ts";
import { gapAtLine } from "../../landing/decide.ts";
import type { ImportedName } from "../../landing/grammar.ts";
import { insertAll } from "../../landing/layout.ts";
import { neutralTree } from "../../landing/neutral-tree.ts";
import { offsetOf } from "../../landing/pair.ts";
import { scopesOf } from "../../landing/scopes.ts";
import type { InsertedLog, LogpointProblem } from "../../logpoint.ts";
import { noSuchLine, splitAssignment } from "../../logpoint.ts";
import { PYTHON_GRAMMAR, readSource } from "./grammar.ts";
import { importedNames } from "./imports.ts";
import { parsePython } from "./parser.ts";
import type { Source } from "./source.ts";
import { linesOf } from "./source.ts";
import { named } from "./syntax.ts";

/** Puts the statement before the one at that line, in the innermost block that holds the line. */
export function insertLog(
  text: string,
  file: string,
  line: number,
  assignment: string,
): InsertedLog {
  const wanted = splitAssignment(assignment);
  if ("problem" in wanted) return wanted;
  const value = readExpression(wanted.expression);
  if ("problem" in value) return value;
  const source = readSource(file, text);
  if (!source) {
    const { line: at, message } = PYTHON_GRAMMAR.reading.problemOf(file, text);
    return { problem: `the file cannot be parsed: ${message}`, help: `repair line ${at} first` };
  }
  return noSuchLine(line, source.lines.count) ?? insert(source, line, wanted.name, value.text);
}

/** One expression, as an argument of a call. */
function readExpression(text: string): { readonly text: string } | LogpointProblem {
  // The newline ends a comment that it may end with.
  const { program, problem } = parsePython(`(${text}\n)`);
  const [statement, ...more] = named(program);
  const [only] = statement ? named(statement) : [];
  const isWhole = only !== undefined && only.start === 0 && only.end === text.length + 3;
  if (problem || more.length > 0 || !isWhole) {
    const why = problem?.message ?? "it is more than one expression";
    return { problem: `${text} is not an expression: ${why}`, help: "give one expression" };
  }
  const isBare = only.type === "parenthesized_expression" && !text.includes("#");
  return { text: isBare ? text : `(${text}\n)` };
}

function insert(source: Source, line: number, name: string, value: string): InsertedLog {
  const { stylesOf, slotFor } = PYTHON_GRAMMAR.writing;
  const [style] = stylesOf(source.text);
  const tree = neutralTree(source, new Interner());
  const gap = gapAtLine(source, tree, line);
  if (!gap) return { problem: "there is no place for a statement", help: "name another line" };
  const offset = offsetOf(gap);
  const syntax = tree.syntaxOf.get(gap.block);
  const slot = slotFor({ source, style, ...gap, lines: { from: offset, to: offset }, syntax });
  const { call, needs } = calleeIn(source);
  const { all, own, at } = slot.insertions(`${call}(${JSON.stringify(name)}, ${value})`);
  const header = needs ? [PYTHON_GRAMMAR.imports.insertion(source, needs, style)] : [];
  const { text, spans } = insertAll(source.text, [...header, ...all]);
  const start = (spans[own + header.length]?.start ?? 0) + at;
  return { text, place: { file: source.file, ...linesOf(text).at(start) } };
}

/** What the file calls `log`; if it has no name for it, an import that gives it one. */
function calleeIn(source: Source): { readonly call: string; readonly needs?: ImportedName } {
  const own = importedNames(source).filter(({ module }) => module === "afterlog");
  const whole = own.find(({ imported }) => imported === "*");
  if (whole) return { call: `${whole.local}.log` };
  const log = own.find(({ imported }) => imported === "log");
  if (log) return { call: log.local };
  const { references, bindingOf } = scopesOf(source);
  const taken = new Set([
    ...references.map((reference) => reference.name),
    ...[...bindingOf.values()].map((binding) => binding.name),
  ]);
  const local = ["al", "afterlog", "al_"].find((word) => !taken.has(word)) ?? "al__";
  return { call: `${local}.log`, needs: { module: "afterlog", imported: "*", local } };
}
