/** @file Which statements are there for what they change. */
import { isInside } from "../../tree/index.ts";
import type { Statement } from "../../languages/index.ts";
import type { Side } from "../pairing/version-tree.ts";

/** Whether a statement may change something: a call of which nobody takes the result does. */
export function isForEffect({ source }: Side, statement: Statement): boolean {
  if (/^(?:calls|changes)$/.test(statement.effect)) return true;
  if (statement.isDeclaration) return false;
  return source.uses.calls.some(({ node }) => {
    const isAlone = (one: Statement): boolean =>
      one.node.start === node.start && one.isSimple && !one.defines && !one.isLogOnly;
    return isInside(node, statement.node) && source.statements.some(isAlone);
  });
}
