/** @file Definitions that a statement needs: which can come along, and which stood with it. */
import type { Binding, Statement, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { Side } from "../pairing/version-tree.ts";

/** Whether a statement is nothing but the definition of a binding. */
export function canBeCarried({ defines }: Statement, { kind, name }: Binding): boolean {
  // The declaration around a parameter declares the function, not the parameter.
  if (!defines || kind === "parameter" || kind === "catch") return false;
  if (defines.kind !== "value") return kind === defines.kind;
  return defines.name === null || defines.name === name;
}

/**
 * Whether statements other than its definition, and the one that needs it, change what a name holds: a
 * list that they push to, a table whose entries they set. Alone it would be empty.
 */
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

/** Whether a definition stands before a statement, with nothing that the old version has between them. */
export function standTogether(
  { now, mapping }: VersionPair,
  one: Statement,
  other: Statement,
): boolean {
  if (one.owner !== other.owner || one.node.start >= other.node.start) return false;
  const block = now.tree.nodeOf.get(one.owner);
  return !block?.children.some((node) => {
    const isBetween = one.node.end <= node.start && node.end <= other.node.start;
    return isBetween && mapping.partnerOf(node) !== undefined;
  });
}

/** Whether a definition reads what it reads where it stands, not where it is called. */
export function givesValue({ isDeclaration, parameters }: Statement): boolean {
  return !isDeclaration && parameters === undefined;
}
