/** @file Names of a question whose values are in no checkpoint, where a replay needs them. */
import type { Binding, Scopes, Statement } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import type { Shaped } from "./shapes.ts";

/** A statement of a question. */
interface Putting {
  readonly statement: Statement;
  readonly shaped: Shaped | undefined;
  readonly names: ReadonlySet<Binding>;
  /** Names that it gives a value. */
  readonly binds: ReadonlySet<Binding>;
  /** Those, and the ones whose values it changes. */
  readonly sets: ReadonlySet<Binding>;
}

/**
 * Whether a value of a name may come from another iteration, or from a loop that a replay skips: not if
 * it is always set first, and nowhere else than in the same iteration.
 */
export function isCarried(binding: Binding, question: readonly Putting[], scopes: Scopes): boolean {
  const users = question.filter(({ names, sets }) => names.has(binding) || sets.has(binding));
  const isRead = ({ node }: Statement): boolean =>
    scopes.references.some((use) => {
      return use.binding === binding && use.isRead && isInside(use.node, node);
    });
  return !question.some((one) => {
    const isHead = one.shaped?.then !== undefined && isLoop(one.statement);
    if (!one.binds.has(binding) || (isRead(one.statement) && !isHead)) return false;
    const { node, owner: block } = one.statement;
    const from = one.shaped?.wraps ? node.start : node.end;
    const reach = isHead ? node : { start: from, end: block.end };
    const around = isHead ? one.statement : iterationOf(one.statement);
    return users.every((other) => {
      if (other === one) return true;
      if (!isInside(other.statement.node, reach)) return false;
      if (!other.sets.has(binding)) return true;
      const isSameFunction = functionAt(other.statement.node, scopes) === functionAt(node, scopes);
      return isSameFunction && iterationOf(other.statement) === around;
    });
  });
}

/** The innermost loop or function around a statement. */
function iterationOf({ parent }: Statement): Statement | null {
  if (!parent || isLoop(parent) || parent.parameters !== undefined) return parent;
  return iterationOf(parent);
}

function isLoop({ node }: Statement): boolean {
  return /^(?:for|while|do)/i.test(node.type);
}

/** The innermost function around a part of the text. */
function functionAt(at: Span, { scopeOf }: Scopes): Span | undefined {
  const around = [...scopeOf.values()].filter(({ kind, node }) => {
    return kind === "function" && node !== at && isInside(at, node);
  });
  return around
    .map(({ node }) => node)
    .find((node) => around.every((other) => isInside(node, other.node)));
}

function isInside(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
