/**
 * @file Properties that a statement reads and that the old version may not have: nothing declares
 * them, so the only witness is whether their names occur there.
 */
import type { Syntax } from "../../languages/index.ts";
import type { NeutralTree } from "../pairing/version-tree.ts";
import type { VersionPair } from "../pairing/version-pair.ts";

export interface MissingProperty {
  readonly name: string;
  /** The newer version uses it elsewhere too, or it is one of `this`: it came with a change. */
  readonly isNewer: boolean;
}

/** Names of properties that the statement reads, and nothing in the older version. */
export function missingProperties(pair: VersionPair, statement: Syntax): MissingProperty[] {
  const [now, then] = [propertyNamesIn(pair.now.tree), propertyNamesIn(pair.then.tree)];
  return [...propertiesOf(pair, statement)]
    .filter(([name]) => !then.has(name))
    .map(([name, isThis]) => ({ name, isNewer: now.has(name) || isThis }));
}

/** Properties read in a node that not all values of their kind have, and whether of `this`. */
function propertiesOf({ now }: VersionPair, { start, end }: Syntax): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const { node, name, isOwn, isKnown } of now.source.uses.members) {
    if (isKnown || node.start < start || node.end > end) continue;
    found.set(name, isOwn || found.get(name) === true);
  }
  return found;
}

/** Names of properties that a tree without the statement has. */
function propertyNamesIn({ nodes }: NeutralTree): ReadonlySet<string> {
  return new Set(nodes.filter(({ type }) => type === "PropertyName").map(({ label }) => label));
}
