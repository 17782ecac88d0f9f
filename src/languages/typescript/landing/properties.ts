/**
 * @file Properties that a statement reads and that the old version may not have: nothing declares
 * them, so the only witness is whether their names occur there.
 */
import type { Node } from "oxc-parser";
import { isKnownMethod, isKnownObject } from "./effects.ts";
import type { NeutralTree } from "./neutral-tree.ts";
import type { VersionPair } from "./pair.ts";
import { childrenOf } from "../syntax.ts";

export interface MissingProperty {
  readonly name: string;
  /** The newer version uses it elsewhere too, or it is one of `this`: it came with a change. */
  readonly isNewer: boolean;
}

/** Names of properties that the statement reads, and nothing in the older version. */
export function missingProperties(pair: VersionPair, statement: Node): MissingProperty[] {
  const asked = propertiesOf(statement);
  const [now, then] = [counts(pair.now.tree), counts(pair.then.tree)];
  return [...asked]
    .filter(([name]) => !then.has(name) && !isKnownMethod(name))
    .map(([name, isThis]) => ({ name, isNewer: now.has(name) || isThis }));
}

/** Properties read in a node, and whether of `this`. */
function propertiesOf(node: Node): Map<string, boolean> {
  const found = new Map<string, boolean>();
  const visit = (at: Node): void => {
    // Private names are declared: whether they exist is known.
    if (
      at.type === "MemberExpression" &&
      !at.computed &&
      "name" in at.property &&
      at.property.type !== "PrivateIdentifier"
    ) {
      const isThis = at.object.type === "ThisExpression";
      if (at.object.type === "Identifier" && isKnownObject(at.object.name)) return;
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
