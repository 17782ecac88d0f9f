/**
 * @file Whether a value is more than its definition: a list that other statements push to, a table
 * whose entries they set. Brought along alone, it would be empty, and what is logged of it wrong.
 */
import type { Binding, Statement, Syntax } from "../../languages/index.ts";
import type { Side } from "../pairing/version-pair.ts";

/** Whether statements other than its definition, and the one that needs it, change what a name holds. */
export function isMutatedAfterDefinition(
  { source, tree, scopes }: Side,
  binding: Binding,
  definition: Statement,
  user: Syntax,
): boolean {
  const { mutated, passed } = source.mutations;
  return scopes.references.some(({ node, binding: own }) => {
    if (own !== binding || isInside(node, definition.node) || isInside(node, user)) return false;
    // What lands is not in the tree, and does nothing elsewhere.
    if (!tree.nodeOf.has(node)) return false;
    return mutated.has(node) || (definition.isEmptyValue && passed.has(node));
  });
}

function isInside({ start, end }: Syntax, outer: Syntax): boolean {
  return outer.start <= start && end <= outer.end;
}
