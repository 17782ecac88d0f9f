/**
 * @file What has a name: functions, classes and methods by their qualified names, loops by the names
 * they give to `loop`, callbacks by the text that they are registered under; variables of the module.
 */
import type { Node } from "oxc-parser";
import type { ModuleVariable } from "../../facts-reader.ts";

/** The variable that a statement declares, if it does nothing else. */
export function variableSetBy(child: Node): ModuleVariable<Node> | undefined {
  const statement = child.type === "ExportNamedDeclaration" ? child.declaration : child;
  if (statement?.type !== "VariableDeclaration") return undefined;
  const [variable, ...more] = statement.declarations;
  if (!variable || more.length > 0 || variable.id.type !== "Identifier") return undefined;
  return { called: variable.id.name, parts: { statement, variable, name: variable.id } };
}

/** Of a function, a class or a loop: the name that its parent gives to it, or its own. */
export function nameOf(node: Node, parent: Node | undefined): string | undefined {
  if (!canHaveName(node)) return undefined;
  return (parent && nameFor(parent, node)) ?? ownName(node);
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
