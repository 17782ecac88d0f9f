/** @file What a log statement of TypeScript is written with. */
import type { Program } from "oxc-parser";
import { isPrintedName } from "../../../format/index.ts";
import type { Language } from "../../language.ts";
import { declaresConsole } from "../console-calls.ts";
import { sdkNames } from "../log-calls.ts";
import { parseSource } from "../parse.ts";

/** One expression, as an argument of a call. */
export const readExpression: Language["readExpression"] = (file, given) => {
  const text = given.replace(/;$/, "");
  // The newline ends a comment that it may end with.
  const { program, problem } = parseSource(file, `(${text}\n)`);
  const [statement] = program.body;
  if (problem || program.body.length !== 1 || statement?.type !== "ExpressionStatement") {
    const why = problem?.message ?? "it is more than one expression";
    return { problem: `${text} is not an expression: ${why}`, help: "give one expression" };
  }
  const isList = statement.expression.type === "SequenceExpression";
  return { text: isList || text.includes("//") ? `(${text}\n)` : text };
};

export const loggerIn: Language["loggerIn"] = (source, name, { handsFree }) => {
  const program = source.program as Program;
  const end = ";";
  const { wholes, logs } = sdkNames(program);
  const [whole] = wholes;
  if (whole !== undefined) return { call: `${whole}.log`, end };
  const [log] = logs;
  if (log !== undefined) return { call: log, end };
  // An import would make a module of a script that is none.
  if (handsFree && isPrintedName(name) && !declaresConsole(program))
    return { call: "console.log", end };
  const local = ["al", "afterlog", "al_"].find((word) => !source.text.includes(word)) ?? "al__";
  const needs = { module: "afterlog", imported: "*", local, isWhole: true };
  return { call: `${local}.log`, end, needs };
};

export const logOfKey: Language["logOfKey"] = (source, key, value, mode) => {
  const { call, end, needs } = loggerIn(source, key, { handsFree: false });
  if (!needs) return `${call}(${JSON.stringify(key)}, ${value})${end}`;
  const isRead = mode.handsFree && mode.consoleRule === undefined;
  return isRead ? `console.log({ ${JSON.stringify(key)}: ${value} });` : undefined;
};
