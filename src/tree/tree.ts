/**
 * @file The neutral syntax tree that versions of a file are compared by: type, label, children. What
 * it means is the language's affair. Numbers that GumTree asks for again and again (size, height,
 * hashes) are computed once.
 *
 * Hashes are not sums but names: two subtrees have the same one exactly if they are equal, so that
 * nothing is ever paired by a collision.
 */

/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function isInside(inner: Span, outer: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/**
 * What a node is to propagation. A statement is any child of a block; behind one that is a jump
 * (return, throw, break, continue) nothing of its block is executed.
 */
export type Role = "block" | "loop" | "function" | "class" | "jump";

/** A node before it is part of a tree. */
export interface TreeDraft {
  readonly type: string;
  readonly label: string;
  readonly role: Role | null;
  /** Nothing behind it in its block is executed, though it is no jump itself. */
  readonly leaves?: boolean;
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  readonly children: readonly TreeDraft[];
}

export interface TreeNode extends TreeDraft {
  readonly children: readonly TreeNode[];
  readonly parent: TreeNode | null;
  /** In pre-order: the descendants are those of the next `size - 1` ids. */
  readonly id: number;
  /** Position among the children of the parent. */
  readonly index: number;
  /** Number of nodes, this one included. */
  readonly size: number;
  /** Leaves have 0. */
  readonly height: number;
  readonly depth: number;
  /** Equal for subtrees that are equal. */
  readonly hash: number;
  /** Equal for subtrees that differ by labels only. */
  readonly structure: number;
}

export interface Tree {
  readonly root: TreeNode;
  /** By id. */
  readonly nodes: readonly TreeNode[];
}

/** Gives equal texts equal numbers. Trees that are compared must share one. */
export class Interner {
  readonly #numbers = new Map<string, number>();

  numberOf(text: string): number {
    let found = this.#numbers.get(text);
    if (found === undefined) this.#numbers.set(text, (found = this.#numbers.size));
    return found;
  }
}

/** Makes a tree; `onNode` hears which node came of which draft. */
export function makeTree(
  draft: TreeDraft,
  interner: Interner,
  onNode?: (draft: TreeDraft, node: TreeNode) => void,
): Tree {
  const nodes: TreeNode[] = [];
  const make = (from: TreeDraft, parent: TreeNode | null, index: number): TreeNode => {
    const children: TreeNode[] = [];
    const { type, label, role, leaves = false, start, end } = from;
    const node: Mutable<TreeNode> = {
      type,
      label,
      role,
      leaves,
      start,
      end,
      children,
      parent,
      index,
      id: nodes.length,
      depth: parent ? parent.depth + 1 : 0,
      size: 1,
      height: 0,
      hash: 0,
      structure: 0,
    };
    nodes.push(node);
    onNode?.(from, node);
    let names = "";
    let structures = "";
    for (const [at, child] of from.children.entries()) {
      const made = make(child, node, at);
      children.push(made);
      node.size += made.size;
      node.height = Math.max(node.height, made.height + 1);
      names += `,${made.hash}`;
      structures += `,${made.structure}`;
    }
    node.hash = interner.numberOf(`${type}\n${label}\n${names}`);
    node.structure = interner.numberOf(`${type}${structures}`);
    return node;
  };
  return { root: make(draft, null, 0), nodes };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The node and its descendants, in pre-order. */
export function subtree({ nodes }: Tree, { id, size }: TreeNode): readonly TreeNode[] {
  return nodes.slice(id, id + size);
}

/** Whether nothing behind a statement in its block is executed. */
export function isLeaving({ role, leaves }: Pick<TreeDraft, "role" | "leaves">): boolean {
  return role === "jump" || leaves === true;
}

/** Whether a block never comes to its end. */
export function isLeft({ children }: TreeDraft): boolean {
  return children.some(isLeaving);
}

/** From the parent up to the root. */
export function* ancestors(node: TreeNode): Generator<TreeNode> {
  for (let at = node.parent; at; at = at.parent) yield at;
}

/** Whether one node is another or lies in it. */
export function isWithin(node: TreeNode, outer: TreeNode): boolean {
  return node.id >= outer.id && node.id < outer.id + outer.size;
}

/** The statement that a node is part of, or is. */
export function statementAround(node: TreeNode): TreeNode | undefined {
  for (let at: TreeNode | null = node; at; at = at.parent) {
    if (at.parent?.role === "block") return at;
  }
  return undefined;
}
