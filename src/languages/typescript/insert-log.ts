/**
 * @file Logpoints: `grad_norm = l2(grads)` at a line becomes a log statement in the text, where a
 * person would have written it.
 */
import type { Node, Program, Statement } from "oxc-parser";
import type { RunMode } from "../../format/index.ts";
import { isPrintedName } from "../../format/index.ts";
import { declaresConsole } from "./console-calls.ts";
import { sdkNames } from "./log-calls.ts";
import { Lines } from "../lines.ts";
import type { InsertedLog } from "../logpoint.ts";
import { noSuchLine, splitAssignment } from "../logpoint.ts";
import { parseSource } from "./parse.ts";

/** Puts the statement before the one at that line, in the innermost block that holds the line. */
export function insertLog(
  text: string,
  file: string,
  line: number,
  { assignment, handsFree }: RunMode & { readonly assignment: string },
): InsertedLog {
  const wanted = splitAssignment(assignment);
  if ("problem" in wanted) return wanted;
  const { name, expression } = wanted;
  const value = parseExpression(file, expression.replace(/;$/, ""));
  if ("problem" in value) return value;
  const { program, problem } = parseSource(file, text);
  const lines = new Lines(text);
  if (problem) {
    const help = `repair line ${lines.at(problem.offset).line} first`;
    return { problem: `the file cannot be parsed: ${problem.message}`, help };
  }
  const absent = noSuchLine(line, lines.count);
  if (absent) return absent;
  const isPrinted = handsFree && isPrintedName(name) && !declaresConsole(program);
  return new Insertion(text, file, program, lines).at(line, { name, value: value.text, isPrinted });
}

function parseExpression(
  file: string,
  text: string,
): { readonly text: string } | { readonly problem: string; readonly help: string } {
  // The newline ends a comment that it may end with.
  const { program, problem } = parseSource(file, `(${text}\n)`);
  const [statement] = program.body;
  if (problem || program.body.length !== 1 || statement?.type !== "ExpressionStatement") {
    const why = problem?.message ?? "it is more than one expression";
    return { problem: `${text} is not an expression: ${why}`, help: "give one expression" };
  }
  const isList = statement.expression.type === "SequenceExpression";
  return { text: isList || text.includes("//") ? `(${text}\n)` : text };
}

/** Statements that stand one after the other, and what is around them. */
interface StatementList {
  readonly start: number;
  readonly end: number;
  readonly statements: readonly Statement[];
}

interface Logged {
  readonly name: string;
  readonly value: string;
  /** The program knows nothing of Afterlog: what it prints is logged. */
  readonly isPrinted: boolean;
}

class Insertion {
  readonly #text: string;
  readonly #file: string;
  readonly #program: Program;
  readonly #lines: Lines;

  constructor(text: string, file: string, program: Program, lines: Lines) {
    this.#text = text;
    this.#file = file;
    this.#program = program;
    this.#lines = lines;
  }

  at(line: number, logged: Logged): InsertedLog {
    const { name, value, isPrinted } = logged;
    const { call, header } = this.#callee(isPrinted);
    const { before, offset } = this.#position(line);
    const written = `${call}(${JSON.stringify(name)}, ${value});`;
    const text =
      this.#text.slice(0, offset) +
      this.#laidOut(before, offset, written) +
      this.#text.slice(offset);
    const at = text.indexOf(written, offset) + header.text.length;
    const whole = text.slice(0, header.offset) + header.text + text.slice(header.offset);
    return { text: whole, place: { file: this.#file, ...new Lines(whole).at(at) } };
  }

  /** The offset at which it is put, and the statement that follows, if any. */
  #position(line: number): { readonly before: Statement | undefined; readonly offset: number } {
    const list = this.#innermost(line);
    const own = list.statements.filter(
      (statement) => !("directive" in statement && statement.directive),
    );
    const before = own.find((statement) => this.#lineOf(statement.end) >= line);
    if (before) return { before, offset: this.#startOf(before) };
    const last = list.statements.at(-1);
    return { before: undefined, offset: last ? last.end : list.start };
  }

  /** Before the indentation, if the statement is the first on its line. */
  #startOf(statement: Statement): number {
    const start = this.#lines.startOf(this.#lineOf(statement.start));
    return this.#text.slice(start, statement.start).trim() === "" ? start : statement.start;
  }

  /** The new statement with the line ending and indentation of its neighbours. */
  #laidOut(before: Statement | undefined, offset: number, written: string): string {
    const eol = this.#text.includes("\r\n") ? "\r\n" : "\n";
    if (!before) return `${eol}${this.#indentAt(offset)}${written}`;
    if (offset === before.start && this.#lines.at(offset).column > 1) return `${written} `;
    return `${this.#text.slice(offset, before.start)}${written}${eol}`;
  }

  #indentAt(offset: number): string {
    const start = this.#lines.startOf(this.#lineOf(offset));
    return /^[ \t]*/.exec(this.#text.slice(start))?.[0] ?? "";
  }

  #lineOf(offset: number): number {
    return this.#lines.at(offset).line;
  }

  /** A block holds the lines after its first one, the one of its closing brace included. */
  #innermost(line: number): StatementList {
    let found: StatementList = { start: 0, end: this.#text.length, statements: this.#program.body };
    for (const list of statementLists(this.#program)) {
      const isHere = this.#lineOf(list.start) < line && line <= this.#lineOf(list.end);
      // Outer ones come first.
      if (isHere && list.start >= found.start) found = list;
    }
    return found;
  }

  /** What the file calls `log`; if it has no name for it, an import that gives it one. */
  #callee(isPrinted: boolean): {
    call: string;
    header: { readonly offset: number; readonly text: string };
  } {
    const { wholes, logs } = sdkNames(this.#program);
    const none = { offset: 0, text: "" };
    const [whole] = wholes;
    if (whole !== undefined) return { call: `${whole}.log`, header: none };
    const [log] = logs;
    if (log !== undefined) return { call: log, header: none };
    // An import would make a module of a script that is none.
    if (isPrinted) return { call: "console.log", header: none };
    const name = ["al", "afterlog", "al_"].find((word) => !this.#text.includes(word)) ?? "al__";
    const eol = this.#text.includes("\r\n") ? "\r\n" : "\n";
    const first = this.#program.body.find((one) => !("directive" in one && one.directive));
    const offset = first ? this.#startOf(first) : this.#text.length;
    const text = this.#isModule
      ? `import * as ${name} from "afterlog";${eol}`
      : `const ${name} = require("afterlog");${eol}`;
    return { call: `${name}.log`, header: { offset, text } };
  }

  get #isModule(): boolean {
    if (/\.c[jt]s$/.test(this.#file)) return false;
    const hasModuleSyntax = this.#program.body.some(({ type }) => /^(Import|Export)/.test(type));
    return hasModuleSyntax || /\.m[jt]s$/.test(this.#file) || !/\brequire\(/.test(this.#text);
  }
}

/** All lists of statements inside a node, outer ones first. */
function* statementLists(node: Node): Generator<StatementList> {
  if (node.type === "BlockStatement" || node.type === "StaticBlock") {
    const { start, end, body } = node;
    yield { start: start + 1, end: end - 1, statements: body };
  } else if (node.type === "SwitchCase" && node.consequent.length > 0) {
    yield { start: node.start, end: node.end, statements: node.consequent };
  }
  for (const value of Object.values(node) as unknown[]) {
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof item === "object" && item !== null && "type" in item && "start" in item) {
        yield* statementLists(item as Node);
      }
    }
  }
}
