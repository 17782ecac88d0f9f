/** @file What a log statement of Python is written with. */
import type { Language } from "../../language.ts";
import { parsePython } from "./parser.ts";
import { namedChildren } from "./syntax.ts";

/** One expression, as an argument of a call. */
export const readExpression: Language["readExpression"] = (_file, text) => {
  // The newline ends a comment that it may end with.
  const { program, problem } = parsePython(`(${text}\n)`);
  const [statement, ...more] = namedChildren(program);
  const [only] = statement ? namedChildren(statement) : [];
  const isWhole = only !== undefined && only.start === 0 && only.end === text.length + 3;
  if (problem || more.length > 0 || !isWhole) {
    const why = problem?.message ?? "it is more than one expression";
    return { problem: `${text} is not an expression: ${why}`, help: "give one expression" };
  }
  const isBare = only.type === "parenthesized_expression" && !text.includes("#");
  return { text: isBare ? text : `(${text}\n)` };
};

export const loggerIn: Language["loggerIn"] = ({ imports, scopes }) => {
  const own = imports.filter(({ module }) => module === "afterlog");
  const whole = own.find(({ isWhole }) => isWhole);
  if (whole) return { call: `${whole.local}.log`, end: "" };
  const log = own.find(({ imported }) => imported === "log");
  if (log) return { call: log.local, end: "" };
  const { references, bindingOf } = scopes;
  const taken = new Set([
    ...references.map((reference) => reference.name),
    ...[...bindingOf.values()].map((binding) => binding.name),
  ]);
  const local = ["al", "afterlog", "al_"].find((word) => !taken.has(word)) ?? "al__";
  const needs = { module: "afterlog", imported: "*", local, isWhole: true };
  return { call: `${local}.log`, end: "", needs };
};

export const logOfKey: Language["logOfKey"] = (source, key, value, mode) => {
  const { call, end, needs } = loggerIn(source, key, { handsFree: false });
  if (!needs) return `${call}(${JSON.stringify(key)}, ${value})${end}`;
  const isRead = mode.handsFree && mode.consoleRule === undefined;
  return isRead ? `print({${JSON.stringify(key)}: ${value}})` : undefined;
};
