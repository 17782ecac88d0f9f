/**
 * @file What has a name: functions, classes and methods by their qualified names, loops by the names
 * they give to `loop`, callbacks by the text that they are registered under; variables of the module.
 */
import type { Node } from "oxc-parser";
import type { Named } from "../../parsed-file.ts";
import { childrenOf } from "../syntax.ts";

/** Variables of the module that are declared alone, by their names, and their declarations. */
export function moduleVariables(program: Node): Named {
  const found = new Map<string, Node[]>();
  for (const child of childrenOf(program)) {
    const node = child.type === "ExportNamedDeclaration" ? child.declaration : child;
    if (node?.type !== "VariableDeclaration") continue;
    const [only, ...more] = node.declarations;
    if (!only || more.length > 0 || only.id.type !== "Identifier") continue;
    for (const [kind, part] of Object.entries({ statement: node, variable: only, name: only.id })) {
      const key = `${kind} ${only.id.name}`;
      found.set(key, [...(found.get(key) ?? []), part]);
    }
  }
  return found;
}

/** Functions, classes and named loops by their qualified names. */
export function namedNodes(program: Node): Named {
  const found = new Map<string, Node[]>();
  const visit = (node: Node, path: string, given: string | undefined): void => {
    const name = given ?? ownName(node);
    const isNamed = name !== undefined && canHaveName(node);
    const inner = isNamed ? `${path}/${name}` : path;
    if (isNamed) found.set(inner, [...(found.get(inner) ?? []), node]);
    for (const child of childrenOf(node)) visit(child, inner, nameFor(node, child));
  };
  visit(program, "", undefined);
  return found;
}

function canHaveName({ type }: Node): boolean {
  return /^(?:Function|Arrow|Class(?:Decl|Expr)|For)/.test(type);
}

function ownName(node: Node): string | undefined {
  if ("id" in node && node.id && "name" in node.id && typeof node.id.name === "string") {
    return node.id.name;
  }
  if (node.type !== "ForOfStatement" || node.right.type !== "CallExpression") return undefined;
  const { callee, arguments: values } = node.right;
  const isLoop =
    callee.type === "MemberExpression"
      ? "name" in callee.property && callee.property.name === "loop"
      : callee.type === "Identifier" && callee.name === "loop";
  const literal = stringOf(values[0]);
  return isLoop && literal !== undefined ? `loop ${literal}` : undefined;
}

/** The name that a node gives to a function or class that is a part of it. */
function nameFor(node: Node, child: Node): string | undefined {
  switch (node.type) {
    case "VariableDeclarator":
      return child === node.init ? memberName(node.id) : undefined;
    case "AssignmentExpression":
      return child === node.right ? memberName(node.left) : undefined;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition": {
      if (child !== node.value || node.computed) return undefined;
      const kind = node.type === "MethodDefinition" ? `${node.kind} ` : "";
      return kind + (memberName(node.key) ?? stringOf(node.key) ?? "");
    }
    case "CallExpression": {
      const literal = stringOf(node.arguments[0]);
      const callee = memberName(node.callee);
      return literal === undefined || callee === undefined ? undefined : `${callee} ${literal}`;
    }
    default:
      return undefined;
  }
}

function memberName(node: Node): string | undefined {
  switch (node.type) {
    case "Identifier":
    case "PrivateIdentifier":
      return node.name;
    case "ThisExpression":
      return "this";
    case "MemberExpression": {
      if (node.computed) return undefined;
      const object = memberName(node.object);
      return object === undefined ? undefined : `${object}.${memberName(node.property) ?? ""}`;
    }
    default:
      return undefined;
  }
}

function stringOf(node: Node | undefined): string | undefined {
  return node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}
