/** @file What a log call shows, without what it logs with: where a logger is missing nothing is logged, and no other value. */
import { isInside } from "../../tree/index.ts";
import type { Call, Reference, Syntax } from "../../languages/index.ts";
import { isVariable } from "./written-values.ts";
import type { Side } from "./version-tree.ts";

/**
 * `text`: all is written in it. `names`: values of variables, as they are. `state`: also what objects hold, or what
 * functions give, which calls may change that name none of it.
 */
export interface ShownValues {
  readonly kind: "text" | "names" | "state";
  readonly names: ReadonlySet<string>;
}

export function shownValues(side: Side, part: Syntax): ShownValues {
  const { calls, members } = side.source.uses;
  const loggers = loggersIn(side, part).map(({ callee }) => callee);
  const isShown = (node: Syntax): boolean => {
    return isInside(node, part) && !loggers.some((callee) => isInside(node, callee));
  };
  const shown = side.scopes.references.filter(({ node }) => isShown(node));
  const isState =
    calls.some(({ node, callee }) => isInside(node, part) && isShown(callee)) ||
    members.some(({ node }) => isShown(node)) ||
    shown.some((one) => !isVariable(one.binding) || isOpened(side, one));
  const names = new Set(shown.map(({ name }) => name));
  return { kind: isState ? "state" : names.size > 0 ? "names" : "text", names };
}

/** Whether a part of what a name holds is shown: `rows[0]`. */
function isOpened({ source: { text } }: Side, { node }: Reference): boolean {
  return /^\s*(?:\?\.|\[)/.test(text.slice(node.end));
}

/** The calls by which log statements of a part log. */
function loggersIn({ source }: Side, part: Syntax): Call[] {
  const logs = source.statements.filter(({ node, isLogOnly }) => isLogOnly && isInside(node, part));
  const calls = source.uses.calls.filter(({ node }) => isInside(node, part));
  const first = calls.filter(({ node }) => logs.some((log) => log.node.start === node.start));
  // `log(a)(b)`: the outermost of those that begin there.
  return first.filter(({ node }) => {
    return !first.some((other) => other.node !== node && isInside(node, other.node));
  });
}
