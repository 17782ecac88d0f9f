/** @file What expressions of TypeScript do, in the words that languages share. */
import type { Node } from "oxc-parser";
import type { Call, Member, Syntax, Mutations, Uses, Write } from "../../parsed-file.ts";
import { childrenOf } from "../syntax.ts";
import { effectOf, effectOfName } from "./statement-effects.ts";
import { isKnownMethod, isKnownObject } from "./described-effects.ts";
import { TRANSPARENT } from "./neutral-tree.ts";

export function usesIn(program: Node): Uses {
  const calls: Call[] = [];
  const members: Member[] = [];
  const writes: Write[] = [];
  const visit = (node: Node): void => {
    switch (node.type) {
      case "CallExpression":
        calls.push(callOf(node));
        break;
      case "MemberExpression": {
        const member = memberOf(node);
        if (member) members.push(member);
        break;
      }
      case "AssignmentExpression":
        writes.push({ ...written(node.left), accumulates: node.operator === "+=" });
        break;
      case "UpdateExpression":
        writes.push({ ...written(node.argument), accumulates: node.operator === "++" });
        break;
      default:
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  return { calls, members, writes };
}

export function mutationsIn(program: Node): Mutations {
  const mutated = new Set<Syntax>();
  const passed = new Set<Syntax>();
  const visit = (node: Node): void => {
    const root = rootOf(changedBy(node));
    // What a call does is looked at last: all that it holds counts.
    if (root && (node.type !== "CallExpression" || effectOf(node) === "changes")) mutated.add(root);
    if (node.type === "CallExpression" || node.type === "NewExpression") {
      for (const one of node.arguments) passed.add(held(one));
    }
    for (const child of childrenOf(node)) visit(child);
  };
  visit(program);
  return { mutated, passed };
}

/** The part of a node that it may change. */
function changedBy(node: Node): Node | undefined {
  switch (node.type) {
    case "CallExpression":
      return node.callee;
    case "AssignmentExpression":
      return node.left;
    case "UpdateExpression":
      return node.argument;
    case "UnaryExpression":
      return node.operator === "delete" ? node.argument : undefined;
    default:
      return undefined;
  }
}

function callOf(node: Extract<Node, { type: "CallExpression" }>): Call {
  const { callee } = node;
  return {
    node,
    callee,
    byName: callee.type === "Identifier" ? effectOfName(callee) : undefined,
    given: node.arguments.length,
    named: [],
    isOpen: false,
  };
}

/** Names of private fields have their `#`. */
function memberOf(node: Extract<Node, { type: "MemberExpression" }>): Member | undefined {
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

function written(target: Node): Pick<Write, "target" | "path"> {
  return { target, path: pathOf(target) };
}

/** The name that a chain of members begins with; undefined for a name alone, and for other things. */
function rootOf(node: Node | undefined): Node | undefined {
  if (!node) return undefined;
  let at = held(node);
  if (at.type !== "MemberExpression") return undefined;
  while (at.type === "MemberExpression") at = held(at.object);
  return at.type === "Identifier" ? at : undefined;
}

/** What stands in wrappers that only types see. */
function held(node: Node): Node {
  const inner = TRANSPARENT[node.type];
  return inner === undefined ? node : held(node[inner as keyof Node] as unknown as Node);
}
