/**
 * @file TypeScript and JavaScript to the neutral tree of `tree/`. What people change without meaning
 * anything is left out, so that it does not keep statements apart: comments, parentheses, quotes,
 * types, `export`, braces around a single statement.
 */
import type { Node } from "oxc-parser";
import type { Role } from "../../../tree/index.ts";
import { isLeaving, isLeft } from "../../../tree/index.ts";
import type { SyntaxDraft } from "../../parsed-file.ts";
import { fieldOf, isNode } from "../syntax.ts";

export function syntaxTree(program: Node): SyntaxDraft {
  return convert(program);
}

type Draft = SyntaxDraft & { readonly syntax: Node[] };

const ROLES: Readonly<{ [type: string]: Role }> = {
  Program: "block",
  BlockStatement: "block",
  StaticBlock: "block",
  TSModuleBlock: "block",
  ForStatement: "loop",
  ForInStatement: "loop",
  ForOfStatement: "loop",
  WhileStatement: "loop",
  DoWhileStatement: "loop",
  FunctionDeclaration: "function",
  FunctionExpression: "function",
  ArrowFunctionExpression: "function",
  ClassDeclaration: "class",
  ClassExpression: "class",
  ReturnStatement: "jump",
  ThrowStatement: "jump",
  BreakStatement: "jump",
  ContinueStatement: "jump",
};

/** Fields that hold types, or that say where and how a node was written. */
const LEFT_OUT = new Set(
  (
    "type start end range loc parent raw comments sourceType hashbang typeAnnotation returnType " +
    "typeParameters typeArguments superTypeArguments implements accessibility readonly override " +
    "declare definite shorthand directive"
  ).split(" "),
);
/** Wrappers that stand for what they hold. */
export const TRANSPARENT: Readonly<{ [type: string]: string }> = {
  TSAsExpression: "expression",
  TSSatisfiesExpression: "expression",
  TSNonNullExpression: "expression",
  TSTypeAssertion: "expression",
  TSInstantiationExpression: "expression",
  ChainExpression: "expression",
};
/** Fields that hold one statement, with or without braces. */
const BODIES: Readonly<{ [type: string]: readonly string[] }> = {
  IfStatement: ["consequent", "alternate"],
  ForStatement: ["body"],
  ForInStatement: ["body"],
  ForOfStatement: ["body"],
  WhileStatement: ["body"],
  DoWhileStatement: ["body"],
  ArrowFunctionExpression: ["body"],
};

function convert(node: Node): Draft {
  const draft = draftFor(node);
  draft.syntax.push(node);
  return draft;
}

function draftFor(node: Node): Draft {
  const inner = TRANSPARENT[node.type];
  if (inner !== undefined) return convert(fieldOf(node, inner) as Node);
  switch (node.type) {
    case "ExportNamedDeclaration":
    case "ExportDefaultDeclaration":
      if (node.declaration) return exported(node, node.declaration);
      return plainNode(node);
    case "SwitchCase":
      return switchCase(node);
    case "Literal":
      return leaf(node, "Literal", literalLabel(node));
    case "TemplateLiteral": {
      const [only, ...more] = node.quasis;
      if (!only || more.length > 0) return plainNode(node);
      return leaf(node, "Literal", JSON.stringify(only.value.cooked ?? only.value.raw));
    }
    case "Identifier":
      return leaf(node, node.type, node.name);
    case "TemplateElement":
      return leaf(node, node.type, node.value.raw);
    default:
      // What only types are made of is compared as text would be, and never looked into.
      return plainNode(node);
  }
}

/** A declaration with its `export`, which says nothing about what it does. */
function exported(node: Node, declaration: Node): Draft {
  const isStatement = declaration.type.endsWith("Declaration");
  if (!isStatement) return plainNode(node);
  return { ...draftFor(declaration), start: node.start, syntax: [declaration] };
}

function switchCase(node: Extract<Node, { type: "SwitchCase" }>): Draft {
  const { test, consequent, start, end } = node;
  const statements = statementsIn(consequent);
  const from = consequent[0]?.start ?? end;
  const block = draftOf("Block", "block", { start: from, end, children: statements });
  // The statements' owner is the case; in the tree it is this block of it.
  block.syntax.push(node);
  const head = test ? [convert(test)] : [];
  return draftOf(node.type, null, { start, end, children: [...head, block] });
}

function statementsIn(list: readonly Node[]): Draft[] {
  return list.filter((one) => one.type !== "EmptyStatement").map((one) => convert(one));
}

/** A body that is one statement, or an expression, as the block that it could be. */
function bodyOf(node: Node): Draft {
  if (node.type === "BlockStatement") return convert(node);
  const { start, end } = node;
  const isStatement = /(?:Statement|Declaration)$/.test(node.type);
  const children = isStatement
    ? statementsIn([node])
    : [draftOf("ReturnStatement", "jump", { start, end, children: [convert(node)] })];
  return draftOf("Block", "block", { start, end, children });
}

function plainNode(node: Node): Draft {
  const children: Draft[] = [];
  const labels: string[] = [];
  const bodies = BODIES[node.type] ?? [];
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (LEFT_OUT.has(key) || isTypeField(node, key)) continue;
    if (isNode(value)) {
      children.push(childOf(node, key, value, bodies.includes(key)));
    } else if (Array.isArray(value)) {
      const nodes = value.filter(isNode);
      if (isStatementList(node, key)) children.push(...statementsIn(nodes));
      else children.push(...nodes.map((one) => childOf(node, key, one, false)));
    } else if (typeof value === "string") labels.push(value);
    else if (value === true) labels.push(key);
  }
  // In the order of the text: fields are listed in the order of their names' history.
  const ordered = children.toSorted((one, other) => one.start - other.start);
  const role = ROLES[node.type] ?? null;
  const { start, end } = node;
  if (role === "loop") labels.unshift(node.type);
  const label = labels.join(" ");
  const leaves = alwaysLeaves(node, ordered);
  const type = nameOfType(node);
  return { type, label, role, leaves, start, end, children: ordered, syntax: [] };
}

/** Whether the statement behind it is never reached, whichever way is taken in it. */
function alwaysLeaves(node: Node, children: readonly Draft[]): boolean {
  switch (node.type) {
    case "BlockStatement":
      return children.some(isLeaving);
    case "IfStatement": {
      const branches = children.slice(1);
      // `else if` is no block.
      const isEnded = (one: Draft): boolean =>
        one.role === "block" ? isLeft(one) : isLeaving(one);
      return branches.length === 2 && branches.every(isEnded);
    }
    case "TryStatement": {
      const [block, handler] = children;
      const last = children.at(-1);
      if (node.finalizer && last && isLeft(last)) return true;
      const isHandled = !node.handler || isLeft(handler?.children.at(-1) ?? NOTHING);
      return isHandled && isLeft(block ?? NOTHING);
    }
    case "ExpressionStatement":
      return isExit(node.expression);
    default:
      return false;
  }
}

/** `process.exit()` */
function isExit(node: Node): boolean {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  const { object, property } = node.callee;
  if (object.type !== "Identifier" || property.type !== "Identifier") return false;
  return object.name === "process" && property.name === "exit";
}

const NOTHING: Draft = draftOf("Block", "block", { start: 0, end: 0, children: [] });

function childOf(parent: Node, key: string, node: Node, isBody: boolean): Draft {
  // `else if` is a branch of the whole, not a statement in a block of its own.
  const isBranch = key === "alternate" && node.type === "IfStatement";
  if (isBody && !isBranch) return bodyOf(node);
  if (isPropertyName(parent, key) && (node.type === "Identifier" || node.type === "Literal")) {
    const name = node.type === "Identifier" ? node.name : literalLabel(node);
    return { ...leaf(node, "PropertyName", name.replaceAll(/^"|"$/g, "")), syntax: [node] };
  }
  return convert(node);
}

/** Kinds of loops, and of functions, are exchanged for one another; blocks are blocks. */
function nameOfType({ type }: Node): string {
  const role = ROLES[type];
  if (role === "loop") return "Loop";
  if (role === "function") return "Function";
  if (type === "VariableDeclarator") return "Definition";
  return role === "block" ? "Block" : type;
}

function draftOf(
  type: string,
  role: Role | null,
  rest: Pick<Draft, "start" | "end" | "children">,
): Draft {
  return { type, label: "", role, ...rest, syntax: [] };
}

function leaf({ start, end }: Node, type: string, label: string): Draft {
  return { type, label, role: null, start, end, children: [], syntax: [] };
}

function literalLabel(node: Extract<Node, { type: "Literal" }>): string {
  return typeof node.value === "string" ? JSON.stringify(node.value) : (node.raw ?? "null");
}

/** Whether a field holds the name of a property, which no variable has to do with. */
function isPropertyName(parent: Node, key: string): boolean {
  switch (parent.type) {
    case "MemberExpression":
      return key === "property" && !parent.computed;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return key === "key" && !parent.computed;
    default:
      return false;
  }
}

/** An arrow function repeats in a field what its body shows. */
function isTypeField({ type }: Node, key: string): boolean {
  return key === "expression" && /^(?:Arrow|Function)/.test(type);
}

function isStatementList({ type }: Node, key: string): boolean {
  return key === "body" && ROLES[type] === "block";
}
