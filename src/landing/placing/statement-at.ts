/** @file The statement that a person means by a line: the unit that is propagated. */
import { isInside } from "../../tree/index.ts";
import type { ParsedFile, Statement, Syntax } from "../../languages/index.ts";

/**
 * The statement at a place; without a column, the first that begins on the line, or the one of which
 * the line is a part. Undefined where there is none: a comment, a blank line, a closing brace.
 */
export function statementAt(
  { text, lines, lists, statements }: ParsedFile,
  place: { readonly line: number; readonly column?: number },
): Statement | undefined {
  const start = lines.startOf(place.line);
  if (place.line < 1 || place.line > lines.count) return undefined;
  const line = /^[^\r\n]*/.exec(text.slice(start))?.[0] ?? "";
  const offset = start + (place.column ?? line.length - line.trimStart().length + 1) - 1;
  const holds = (node: { readonly start: number; readonly end: number }): boolean => {
    return node.start <= offset && offset < node.end;
  };
  // Inner ones come last.
  const list = lists.findLast(({ owner }) => holds(owner));
  const isBetween = list && !list.statements.some(({ node }) => holds(node));
  if (isBetween && !(list.head && holds(list.head))) return undefined;
  return statements.findLast(({ node }) => holds(node));
}

/** The statement of a list that holds a node, or is it. */
export function statementAround({ statements }: ParsedFile, inner: Syntax): Statement | undefined {
  return statements.findLast((statement) => {
    return isInside(inner, statement.node) && !liesIn(statement, inner);
  });
}

/** Whether a statement is one of a list of a node: it may begin and end with it all the same. */
function liesIn(statement: Statement, outer: Syntax): boolean {
  for (let at: Statement | null = statement; at; at = at.parent) {
    if (at.owner === outer) return true;
  }
  return false;
}
