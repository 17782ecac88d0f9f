/** @file Functions and what they are called: by themselves, or by the variable, property or key that holds them. */
import type { TreeNode } from "../../tree/index.ts";
import type { NeutralTree } from "./version-tree.ts";

export interface NamedFunction {
  readonly name: string;
  readonly node: TreeNode;
}

const known = new WeakMap<NeutralTree, readonly NamedFunction[]>();

/** All functions, methods and arrow functions that have a name. */
export function functionsIn(tree: NeutralTree): readonly NamedFunction[] {
  const found =
    known.get(tree) ??
    tree.nodes.flatMap((node) => {
      const name = node.role === "function" ? functionName(node) : undefined;
      return name === undefined ? [] : [{ name, node }];
    });
  known.set(tree, found);
  return found;
}

/** What a function is called; undefined: it has no name. */
export function functionName(made: TreeNode | undefined): string | undefined {
  const holder = made?.parent;
  if (!holder || holder.role === "block") return nameOf(made);
  const [target, value] = holder.children;
  if (value !== made || !HOLDS.test(holder.type)) return undefined;
  let name = target;
  while (name && name.children.length > 0) name = name.children.at(-1);
  return name?.label;
}

/** What gives a function a name. */
const HOLDS = /^(?:Definition|AssignmentExpression|(?:Method|Property)Definition|Property)$/;

/** The name of a function or class that has one itself. */
export function nameOf(node: TreeNode | undefined): string | undefined {
  return node?.children.find(({ label }) => label !== "")?.label;
}
