/** @file Nodes of Python's syntax: those of tree-sitter's grammar, without comments. */
import type { Syntax } from "../../parsed-file.ts";

export interface PyNode extends Syntax {
  /** False for punctuation, operators and keywords. */
  readonly isNamed: boolean;
  /** What it is to its parent: `body`, `left`; null: nothing that has a name. */
  readonly field: string | null;
  readonly children: readonly PyNode[];
  /** Of a leaf; empty for any other. */
  readonly text: string;
}

export function namedChildren({ children }: PyNode): readonly PyNode[] {
  return children.filter(({ isNamed }) => isNamed);
}

export function fieldOf({ children }: PyNode, field: string): PyNode | undefined {
  return children.find((child) => child.field === field);
}

export function hasToken({ children }: PyNode, token: string): boolean {
  return children.some(({ isNamed, type }) => !isNamed && type === token);
}

/** Wrappers that stand for what they hold. */
const TRANSPARENT = new Set(["parenthesized_expression", "typed_parameter", "as_pattern_target"]);

/** What stands in a wrapper; undefined if it is none. */
export function wrapped(node: PyNode): PyNode | undefined {
  const [only, ...more] = TRANSPARENT.has(node.type) ? valuesIn(node) : [];
  return more.length === 0 ? only : undefined;
}

/** What stands in all wrappers. */
export function held(node: PyNode): PyNode {
  const inner = wrapped(node);
  return inner ? held(inner) : node;
}

/** The parts that count, types left out. */
export function valuesIn(node: PyNode): readonly PyNode[] {
  return namedChildren(node).filter(({ type }) => type !== "type");
}

/** The text of a dotted name, `a.b.c`, or of a relative one. */
export function dotted(node: PyNode): string {
  return node.children.length === 0 ? node.text : node.children.map(dotted).join("");
}

/** The statements of a node that holds a list of them; undefined for any other. */
export function statementsOf(node: PyNode): readonly PyNode[] | undefined {
  if (node.type !== "module" && node.type !== "block") return undefined;
  const list = namedChildren(node);
  // The body of `match` holds cases, and nothing else can stand between them.
  return list.some(({ type }) => type === "case_clause") ? undefined : list;
}

/** The function or class that a statement defines, decorated or not. */
export function definitionIn(node: PyNode): PyNode | undefined {
  if (node.type === "decorated_definition") return fieldOf(node, "definition");
  return /^(?:function|class)_definition$/.test(node.type) ? node : undefined;
}

/** `name = value` and nothing more, as a statement. */
export function assignmentIn(
  node: PyNode,
): { readonly name: PyNode; readonly value: PyNode } | undefined {
  if (node.type !== "expression_statement") return undefined;
  const [only, ...more] = namedChildren(node);
  if (only?.type !== "assignment" || more.length > 0) return undefined;
  const [name, value] = [fieldOf(only, "left"), fieldOf(only, "right")];
  if (name?.type !== "identifier" || !value || value.type === "assignment") return undefined;
  return { name, value };
}

/** The call that a statement is, awaited or not. */
export function callIn(node: PyNode): PyNode | undefined {
  if (node.type !== "expression_statement") return undefined;
  const [only, ...more] = namedChildren(node);
  const call = only?.type === "await" ? namedChildren(only)[0] : only;
  return call?.type === "call" && more.length === 0 ? call : undefined;
}

/** The arguments of a call; a generator alone is one. */
export function argumentsOf(call: PyNode): readonly PyNode[] {
  const list = fieldOf(call, "arguments");
  if (!list) return [];
  return list.type === "argument_list" ? namedChildren(list) : [list];
}

/** The text of a string that is nothing else: one piece, no values in it. */
export function stringIn(node: PyNode | undefined): string | undefined {
  if (node?.type !== "string") return undefined;
  const inner = namedChildren(node);
  if (inner.some(({ type }) => type === "interpolation")) return undefined;
  return inner.map(({ type, text }) => (type === "string_content" ? text : "")).join("");
}

/** Whether a statement is a text that says what its module, class or function is for. */
export function isDocstring(node: PyNode): boolean {
  const [only, ...more] = namedChildren(node);
  const isText = only?.type === "string" || only?.type === "concatenated_string";
  return node.type === "expression_statement" && isText && more.length === 0;
}
