/**
 * @file Which names a tree uses, other than in types. Scopes are not told apart: one that something else
 * is called as well counts as used.
 */
import type { Node } from "oxc-parser";
import { childrenOf } from "./syntax.ts";

/** Adds the names that code refers to, of those that are asked for. */
export function noteUses(node: Node, asked: ReadonlySet<string>, used: Set<string>): void {
  if (TYPES.test(node.type)) return;
  switch (node.type) {
    case "ImportDeclaration":
      return;
    case "Identifier":
      if (asked.has(node.name)) used.add(node.name);
      return;
    case "MemberExpression":
      noteUses(node.object, asked, used);
      if (node.computed) noteUses(node.property, asked, used);
      return;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
      if (node.computed) noteUses(node.key, asked, used);
      if (node.value) noteUses(node.value, asked, used);
      return;
    case "ExportNamedDeclaration":
      if (node.source) return;
      break;
    default:
  }
  for (const child of childrenOf(node)) noteUses(child, asked, used);
}

const TYPES =
  /^TS(?:\w+Type|TypeReference|TypeQuery|TypeLiteral|TypeOperator|TypePredicate|TypeAnnotation|TypeParameter\w*|InterfaceDeclaration|TypeAliasDeclaration|ClassImplements)$/;
