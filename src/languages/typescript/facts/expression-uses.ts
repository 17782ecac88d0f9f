/** @file What expressions of TypeScript do, in the words that languages share. */
import type { Node } from "oxc-parser";
import type { Call, Member, Write } from "../../parsed-file.ts";
import { effectOfCall, effectOfName } from "./statement-effects.ts";
import { fillsSome, isKnownMethod, isKnownObject } from "./described-effects.ts";
import { TRANSPARENT } from "./neutral-tree.ts";

/** What is deleted. */
export function alsoChangedBy(node: Node): readonly Node[] {
  return node.type === "UnaryExpression" && node.operator === "delete" ? [node.argument] : [];
}

export function passedBy(node: Node): readonly Node[] {
  const isCall = node.type === "CallExpression" || node.type === "NewExpression";
  return isCall ? node.arguments : [];
}

/** A class is called to make an instance of it. */
export function callOf(node: Node): Call | undefined {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return undefined;
  const { callee } = node;
  const effect = effectOfCall(node);
  const byName = node.type === "NewExpression" ? effect : effectOfName(callee);
  return {
    node,
    callee,
    byName: callee.type === "Identifier" ? byName : undefined,
    effect,
    fills: callee.type === "MemberExpression" && fillsSome(propertyOf(callee) ?? ""),
    given: node.arguments.length,
    named: [],
    isOpen: false,
  };
}

/** Names of private fields have their `#`. */
export function memberOf(node: Node): Member | undefined {
  if (node.type !== "MemberExpression") return undefined;
  const name = propertyOf(node);
  if (name === undefined) return undefined;
  const { object } = node;
  const isOwn = object.type === "ThisExpression";
  const isOfPlatform = isKnownObject(object.type === "Identifier" ? object.name : "");
  const isKnown = isOfPlatform || name.startsWith("#") || (!isOwn && isKnownMethod(name));
  return { node, name, path: pathOf(node), isOwn, isKnown };
}

function propertyOf(node: Extract<Node, { type: "MemberExpression" }>): string | undefined {
  if (node.computed || !("name" in node.property)) return undefined;
  const { type, name } = node.property;
  return type === "PrivateIdentifier" ? `#${name}` : name;
}

/** `state.loss`, `this.model.loss`: a path of properties from a name. */
function pathOf(node: Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "ThisExpression") return "this";
  if (node.type !== "MemberExpression") return undefined;
  const [object, name] = [pathOf(node.object), propertyOf(node)];
  return object === undefined || name === undefined ? undefined : `${object}.${name}`;
}

export function writeOf(node: Node): Write | undefined {
  if (node.type !== "AssignmentExpression" && node.type !== "UpdateExpression") return undefined;
  const target = node.type === "UpdateExpression" ? node.argument : node.left;
  const accumulates = node.operator === "+=" || node.operator === "++";
  return { target, path: pathOf(target), accumulates };
}

export function objectOf(node: Node): Node | undefined {
  return node.type === "MemberExpression" ? node.object : undefined;
}

/** What stands in wrappers that only types see. */
export function held(node: Node): Node {
  const inner = TRANSPARENT[node.type];
  return inner === undefined ? node : held(node[inner as keyof Node] as unknown as Node);
}
