/** @file What expressions of Python do, in the words that languages share. */
import type { Call, Member, Write } from "../../parsed-file.ts";
import { effectOfCall, effectOfName } from "./statement-effects.ts";
import { isKnownMethod, isKnownObject } from "./described-effects.ts";
import type { PyNode } from "./syntax.ts";
import { argumentsOf, fieldOf, hasToken, namedChildren } from "./syntax.ts";

export function callOf(node: PyNode): Call | undefined {
  const callee = node.type === "call" ? fieldOf(node, "function") : undefined;
  if (!callee) return undefined;
  const given = argumentsOf(node);
  const keywords = given.filter(({ type }) => type === "keyword_argument");
  return {
    node,
    callee,
    byName: callee.type === "identifier" ? effectOfName(callee) : undefined,
    effect: effectOfCall(node),
    // What a name says of Python's own objects is said of all: the effect tells it.
    fills: false,
    given: given.length - keywords.length,
    named: keywords.map((one) => fieldOf(one, "name")?.text ?? ""),
    isOpen: given.some(({ type }) => type.endsWith("_splat")),
  };
}

export function memberOf(node: PyNode): Member | undefined {
  const [object, attribute] = attributeIn(node);
  if (!object || !attribute) return undefined;
  const name = attribute.text;
  // By custom: Python itself has no word for it.
  const isOwn = object.type === "identifier" && (object.text === "self" || object.text === "cls");
  const isOfLibrary = isKnownObject(object.type === "identifier" ? object.text : "");
  const isKnown = isOfLibrary || (!isOwn && isKnownMethod(name));
  return { node, name, path: pathOf(node), isOwn, isKnown };
}

function attributeIn(node: PyNode): readonly (PyNode | undefined)[] {
  if (node.type !== "attribute") return [];
  return [fieldOf(node, "object"), fieldOf(node, "attribute")];
}

/** `state.loss`: a path of attributes from a name. */
function pathOf(node: PyNode): string | undefined {
  if (node.type === "identifier") return node.text;
  const [object, attribute] = attributeIn(node);
  const path = object && pathOf(object);
  return path === undefined || !attribute ? undefined : `${path}.${attribute.text}`;
}

export function writeOf(node: PyNode): Write | undefined {
  const isSum = node.type === "augmented_assignment";
  const target = isSum || node.type === "assignment" ? fieldOf(node, "left") : undefined;
  return target && { target, path: pathOf(target), accumulates: isSum && hasToken(node, "+=") };
}

/** The parts of a pattern, and what is deleted. */
export function alsoChangedBy(node: PyNode): readonly PyNode[] {
  return /^(?:pattern_list|delete_statement)$/.test(node.type) ? namedChildren(node) : [];
}

export function passedBy(node: PyNode): readonly PyNode[] {
  if (node.type === "call") return argumentsOf(node);
  if (node.type === "keyword_argument") return namedChildren(node).slice(1);
  return node.type.endsWith("_splat") ? namedChildren(node) : [];
}

/** The first part of `object.name` and of `object[key]`. */
export function objectOf(node: PyNode): PyNode | undefined {
  return /^(?:attribute|subscript)$/.test(node.type) ? namedChildren(node)[0] : undefined;
}
