/**
 * @file Properties that a statement reads and that the old version may not have: nothing declares
 * them, so the only witness is whether their names occur there.
 */
import type { Grammar, Syntax } from "./grammar.ts";
import type { NeutralTree } from "./neutral-tree.ts";
import type { VersionPair } from "./pair.ts";

export interface MissingProperty {
  readonly name: string;
  /** The newer version uses it elsewhere too, or it is one of `this`: it came with a change. */
  readonly isNewer: boolean;
}

/** Names of properties that the statement reads, and nothing in the older version. */
export function missingProperties(pair: VersionPair, statement: Syntax): MissingProperty[] {
  const asked = propertiesOf(pair.grammar, statement);
  const [now, then] = [counts(pair.now.tree), counts(pair.then.tree)];
  return [...asked]
    .filter(([name, isThis]) => {
      // What an object of the program has under such a name is nothing that all values have.
      return !then.has(name) && (isThis || !pair.grammar.effects.isKnownMethod(name));
    })
    .map(([name, isThis]) => ({ name, isNewer: now.has(name) || isThis }));
}

/** Properties read in a node, and whether of `this`. */
function propertiesOf(grammar: Grammar, node: Syntax): Map<string, boolean> {
  const { views, effects, reading } = grammar;
  const found = new Map<string, boolean>();
  const visit = (at: Syntax): void => {
    const member = views.memberOf(at);
    if (member && !member.isDeclared) {
      const { object, name } = member;
      if (effects.isKnownObject(views.nameOf(object) ?? "")) return;
      found.set(name, views.isSelf(object) || found.get(name) === true);
    }
    for (const child of reading.childrenOf(at)) visit(child);
  };
  visit(node);
  return found;
}

/** Names of properties that a tree without the statement has. */
function counts({ nodes }: NeutralTree): ReadonlySet<string> {
  return new Set(nodes.filter(({ type }) => type === "PropertyName").map(({ label }) => label));
}
