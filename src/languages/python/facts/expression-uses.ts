/** @file What expressions of Python do, in the words that languages share. */
import type { Call, Member, Syntax, Mutations, Uses, Write } from "../../parsed-file.ts";
import { effectOf, effectOfName } from "./statement-effects.ts";
import { isKnownMethod, isKnownObject } from "./described-effects.ts";
import type { PyNode } from "./syntax.ts";
import { argumentsOf, fieldOf, hasToken, held, named } from "./syntax.ts";

export function usesIn(program: PyNode): Uses {
  const calls: Call[] = [];
  const members: Member[] = [];
  const writes: Write[] = [];
  const visit = (node: PyNode): void => {
    const [call, member, write] = [callOf(node), memberOf(node), writeOf(node)];
    if (call) calls.push(call);
    if (member) members.push(member);
    if (write) writes.push(write);
    for (const child of named(node)) visit(child);
  };
  visit(program);
  return { calls, members, writes };
}

function callOf(node: PyNode): Call | undefined {
  const callee = node.type === "call" ? fieldOf(node, "function") : undefined;
  if (!callee) return undefined;
  const given = argumentsOf(node);
  const keywords = given.filter(({ type }) => type === "keyword_argument");
  return {
    node,
    callee,
    byName: callee.type === "identifier" ? effectOfName(callee) : undefined,
    given: given.length - keywords.length,
    named: keywords.map((one) => fieldOf(one, "name")?.text ?? ""),
    isOpen: given.some(({ type }) => type.endsWith("_splat")),
  };
}

function memberOf(node: PyNode): Member | undefined {
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

function writeOf(node: PyNode): Write | undefined {
  const isSum = node.type === "augmented_assignment";
  const target = isSum || node.type === "assignment" ? fieldOf(node, "left") : undefined;
  return target && { target, path: pathOf(target), accumulates: isSum && hasToken(node, "+=") };
}

export function mutationsIn(program: PyNode): Mutations {
  const mutated = new Set<Syntax>();
  const passed = new Set<Syntax>();
  const visit = (node: PyNode): void => {
    for (const part of changedBy(node)) {
      const root = rootOf(part);
      // What a call does is looked at last: all that it holds counts.
      if (root && (node.type !== "call" || effectOf(node) === "changes")) mutated.add(root);
    }
    for (const part of passedBy(node)) passed.add(held(part));
    for (const child of named(node)) visit(child);
  };
  visit(program);
  return { mutated, passed };
}

/** The parts of a node that it may change. */
function changedBy(node: PyNode): readonly PyNode[] {
  switch (node.type) {
    case "assignment":
    case "augmented_assignment":
    case "call":
      return named(node).slice(0, 1);
    case "pattern_list":
    case "delete_statement":
      return named(node);
    default:
      return [];
  }
}

function passedBy(node: PyNode): readonly PyNode[] {
  if (node.type === "call") return argumentsOf(node);
  if (node.type === "keyword_argument") return named(node).slice(1);
  return node.type.endsWith("_splat") ? named(node) : [];
}

/** The name that a chain of members begins with; undefined for a name alone, and for other things. */
function rootOf(node: PyNode): PyNode | undefined {
  let at = held(node);
  if (!isMember(at)) return undefined;
  while (isMember(at)) {
    const [inner] = named(at);
    if (!inner) return undefined;
    at = held(inner);
  }
  return at.type === "identifier" ? at : undefined;
}

function isMember({ type }: PyNode): boolean {
  return type === "attribute" || type === "subscript";
}
