/** @file The statement that a person means by a line: the unit that is propagated. */
import type { Grammar, Source, Syntax } from "./grammar.ts";

/** A statement, and the list of statements in which it stands. */
export interface Unit {
  readonly node: Syntax;
  readonly owner: Syntax;
}

/**
 * The statement at a place; without a column, the first that begins on the line, or the one of which
 * the line is a part. Undefined where there is none: a comment, a blank line, a closing brace.
 */
export function unitAt(
  source: Source,
  place: { readonly line: number; readonly column?: number },
): Unit | undefined {
  const { text, lines, grammar } = source;
  const start = lines.startOf(place.line);
  if (place.line < 1 || place.line > lines.count) return undefined;
  const line = /^[^\r\n]*/.exec(text.slice(start))?.[0] ?? "";
  const offset = start + (place.column ?? line.length - line.trimStart().length + 1) - 1;
  const path = pathTo(source, offset);
  const last = path.at(-1);
  if (!last || isBetween(grammar, last, offset)) return undefined;
  const at = path.findLastIndex((node, index) => isListed(grammar, path[index - 1], node));
  const [node, owner] = [path[at], path[at - 1]];
  return node && owner ? { node, owner } : undefined;
}

/** The statement of a list that holds a node. */
export function unitAround(source: Source, inner: Syntax): Unit | undefined {
  const { grammar } = source;
  const whole = pathTo(source, inner.start);
  // What begins and ends with it may lie in it all the same.
  const own = whole.indexOf(inner);
  const path =
    own >= 0
      ? whole.slice(0, own + 1)
      : whole.filter(({ start, end }) => start <= inner.start && inner.end <= end);
  const at = path.findLastIndex((node, index) => isListed(grammar, path[index - 1], node));
  const [node, owner] = [path[at], path[at - 1]];
  return node && owner ? { node, owner } : undefined;
}

function isListed({ reading }: Grammar, owner: Syntax | undefined, node: Syntax): boolean {
  return owner !== undefined && (reading.statementsOf(owner)?.includes(node) ?? false);
}

/** Whether an offset in a node lies between its statements. */
function isBetween({ reading }: Grammar, node: Syntax, offset: number): boolean {
  const list = reading.statementsOf(node);
  return list !== undefined && !list.some(({ start, end }) => start <= offset && offset < end);
}

/** The nodes that hold an offset, outermost first. */
function pathTo({ program, grammar }: Source, offset: number): Syntax[] {
  const { childrenOf } = grammar.reading;
  const path: Syntax[] = [program];
  for (let at: Syntax | undefined = program; at;) {
    at = childrenOf(at).find(({ start, end }) => start <= offset && offset < end);
    if (at) path.push(at);
  }
  return path;
}
