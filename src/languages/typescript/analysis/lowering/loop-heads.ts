/**
 * @file How a plain loop is written: where in the text its test stands, and what it may be called
 * by. Parentheses and semicolons are no nodes of the tree, so they are looked for in the text.
 */
import type {
  DoWhileStatement,
  Expression,
  ForOfStatement,
  ForStatement,
  ForStatementLeft,
  VariableDeclaration,
  WhileStatement,
} from "oxc-parser";
import type { Span, WrittenLoop } from "./ir.ts";
import { namesIn } from "./syntax-names.ts";

/** A loop before its body is walked. */
interface LoopNode {
  readonly text: string;
  readonly labels: readonly string[];
  /** Where the statement begins, its labels included. */
  readonly start: number;
}

const TRIVIA = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/y;

/** The first offset from `at` on that is neither blank nor comment. */
function afterTrivia(text: string, at: number): number {
  TRIVIA.lastIndex = at;
  return at + (TRIVIA.exec(text)?.[0].length ?? 0);
}

/** Behind an expression that ends at `at`, and the parentheses around it. */
function afterParentheses(text: string, at: number): number {
  let end = afterTrivia(text, at);
  while (text[end] === ")") end = afterTrivia(text, end + 1);
  return end;
}

/** Offset of the last closing parenthesis between the end of an expression and what follows it. */
function closing(text: string, at: number): number {
  let found = -1;
  let next = afterTrivia(text, at);
  for (; text[next] === ")"; next = afterTrivia(text, next + 1)) found = next;
  return found;
}

export function writtenOf(node: ForOfStatement, where: LoopNode): WrittenLoop {
  const { labels } = where;
  const names = { given: givenName(where), variable: variableOf(node.left) };
  return { kind: "of", labels, ...names, init: null, test: null };
}

/** Undefined: its parts were not found. */
export function writtenFor(node: ForStatement, where: LoopNode): WrittenLoop | undefined {
  const { text, labels } = where;
  const { init, test } = node;
  const open = afterTrivia(text, node.start + "for".length);
  const first = init ? afterParentheses(text, init.end) : afterTrivia(text, open + 1);
  const second = test ? afterParentheses(text, test.end) : afterTrivia(text, first + 1);
  if (text[open] !== "(" || text[first] !== ";" || text[second] !== ";") return undefined;
  const isDeclaration = init?.type === "VariableDeclaration";
  return {
    kind: "for",
    labels,
    given: givenName(where),
    variable: init && variableOf(init),
    init: init && { start: isDeclaration ? init.start : open + 1, end: first, isDeclaration },
    test: { start: first + 1, end: second, isEmpty: !test },
  };
}

export function writtenWhile(
  node: WhileStatement | DoWhileStatement,
  where: LoopNode,
): WrittenLoop | undefined {
  const { text, labels } = where;
  const isDo = node.type === "DoWhileStatement";
  const keyword = isDo ? afterSemicolon(text, node.body) : node.start;
  const open = afterTrivia(text, keyword + "while".length);
  const end = closing(text, node.test.end);
  if (!text.startsWith("while", keyword) || text[open] !== "(" || end < 0) return undefined;
  const names = { given: givenName(where), variable: null };
  const test = { start: open + 1, end, isEmpty: false };
  return { kind: isDo ? "do" : "while", labels, ...names, init: null, test };
}

function afterSemicolon(text: string, { end }: Span): number {
  const at = afterTrivia(text, end);
  return text[at] === ";" ? afterTrivia(text, at + 1) : at;
}

/** The variable of a head: of several the first. */
function variableOf(left: ForStatementLeft | VariableDeclaration | Expression): string | null {
  switch (left.type) {
    case "VariableDeclaration": {
      const [first] = left.declarations;
      return (first && namesIn(first.id)[0]) ?? null;
    }
    case "Identifier":
      return left.name;
    case "AssignmentExpression":
      return left.left.type === "Identifier" ? left.left.name : null;
    case "SequenceExpression":
      return left.expressions[0] ? variableOf(left.expressions[0]) : null;
    default:
      return null;
  }
}

const NAMED = /\/[/*]\s*afterlog:\s*loop\s+([^\s*,=@[\]]+)/;

/** `// afterlog: loop NAME` on the line of the loop, or alone on the line before. */
function givenName({ text, start }: LoopNode): string | null {
  const line = text.lastIndexOf("\n", start - 1) + 1;
  const end = text.indexOf("\n", start);
  const own = NAMED.exec(text.slice(line, end < 0 ? undefined : end));
  if (own) return own[1] ?? null;
  if (line === 0) return null;
  const before = text.slice(text.lastIndexOf("\n", line - 2) + 1, line).trim();
  return before.startsWith("/") ? (NAMED.exec(before)?.[1] ?? null) : null;
}
