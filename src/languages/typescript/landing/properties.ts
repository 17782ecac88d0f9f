/**
 * @file Properties that a statement reads and that the old version may not have: nothing declares
 * them, so the only witness is whether their names occur there.
 */
import type { Node } from "oxc-parser";
import type { NeutralTree } from "./neutral-tree.ts";
import type { VersionPair } from "./pair.ts";
import { childrenOf } from "./source.ts";

/** Names of properties that the newer version uses elsewhere too, and the older one nowhere. */
export function missingProperties(pair: VersionPair, statement: Node): string[] {
  const asked = propertiesOf(statement);
  const [now, then] = [counts(pair.now.tree), counts(pair.then.tree)];
  return [...asked]
    .filter(([name, isThis]) => {
      return !then.has(name) && (now.has(name) || isThis);
    })
    .map(([name]) => name);
}

/** Properties read in a node, and whether of `this`. */
function propertiesOf(node: Node): Map<string, boolean> {
  const found = new Map<string, boolean>();
  const visit = (at: Node): void => {
    if (at.type === "MemberExpression" && !at.computed && "name" in at.property) {
      const isThis = at.object.type === "ThisExpression";
      found.set(at.property.name, isThis || found.get(at.property.name) === true);
    }
    for (const child of childrenOf(at)) visit(child);
  };
  visit(node);
  return found;
}

/** Names of properties that a tree without the statement has. */
function counts({ nodes }: NeutralTree): ReadonlySet<string> {
  return new Set(nodes.filter(({ type }) => type === "PropertyName").map(({ label }) => label));
}
