/**
 * @file What turns one tree into another, given which nodes are the same: insertions, deletions,
 * new labels and moves (S. Chawathe et al., "Change Detection in Hierarchically Structured
 * Information", SIGMOD 1996, figures 8 and 9). For showing a difference; landing needs only the pairs.
 */
import assert from "node:assert";
import { align } from "./lcs.ts";
import type { Mapping } from "./mapping.ts";
import type { TreeNode } from "./tree.ts";

/**
 * One change. Nodes are named by the ids of the first tree; an inserted one gets the next number.
 * An index counts the children that the parent has at that moment, without the node itself.
 */
export type Edit =
  | {
      readonly kind: "insert";
      readonly node: number;
      readonly type: string;
      readonly label: string;
      readonly parent: number;
      readonly index: number;
    }
  | { readonly kind: "delete"; readonly node: number }
  | { readonly kind: "update"; readonly node: number; readonly label: string }
  | {
      readonly kind: "move";
      readonly node: number;
      readonly parent: number;
      readonly index: number;
    };

/** A node of the first tree while it becomes the second. */
interface Working {
  readonly id: number;
  readonly children: Working[];
  label: string;
  parent: Working | null;
  /** The node of the second tree that it becomes. */
  target: TreeNode | null;
}

/** The changes, in an order in which they can be made. Pairs of nodes of different types count as none. */
export function editScript(mapping: Mapping): Edit[] {
  return new Script(mapping).edits;
}

class Script {
  readonly edits: Edit[] = [];
  /** By the nodes of the second tree. */
  readonly #working = new Map<TreeNode, Working>();
  /** Nodes of the second tree whose counterparts stand where they should among their siblings. */
  readonly #settled = new Set<TreeNode>();
  readonly #root: Working;
  #next: number;

  constructor(mapping: Mapping) {
    this.#next = mapping.from.nodes.length;
    this.#root = this.#copy(mapping, mapping.from.root, null);
    for (const node of breadthFirst(mapping.to.root)) this.#place(node);
    this.#deleteRest(this.#root);
  }

  #copy(mapping: Mapping, node: TreeNode, parent: Working | null): Working {
    const partner = mapping.partnerOf(node) ?? null;
    const target = partner?.type === node.type ? partner : null;
    const copy: Working = { id: node.id, children: [], label: node.label, parent, target };
    if (target) this.#working.set(target, copy);
    copy.children.push(...node.children.map((child) => this.#copy(mapping, child, copy)));
    return copy;
  }

  /** Makes sure that a node of the second tree has its counterpart at its place. */
  #place(node: TreeNode): void {
    const parent = node.parent ? this.#working.get(node.parent) : undefined;
    let own = this.#working.get(node);
    if (!own) {
      assert(parent, "the roots are paired");
      own = this.#insert(node, parent);
    } else {
      if (own.label !== node.label) {
        own.label = node.label;
        this.edits.push({ kind: "update", node: own.id, label: node.label });
      }
      if (parent && own.parent !== parent) this.#move(own, node, parent);
    }
    this.#alignChildren(own, node);
  }

  #insert(target: TreeNode, parent: Working): Working {
    const { type, label } = target;
    const node = this.#next++;
    const own: Working = { id: node, children: [], label, parent, target };
    this.#working.set(target, own);
    const index = this.#positionOf(target);
    parent.children.splice(index, 0, own);
    this.edits.push({ kind: "insert", node, type, label, parent: parent.id, index });
    this.#settled.add(target);
    return own;
  }

  #move(own: Working, target: TreeNode, parent: Working): void {
    const siblings = own.parent?.children ?? [];
    siblings.splice(siblings.indexOf(own), 1);
    const index = this.#positionOf(target);
    parent.children.splice(index, 0, own);
    own.parent = parent;
    this.edits.push({ kind: "move", node: own.id, parent: parent.id, index });
    this.#settled.add(target);
  }

  /** Moves children that stay with their parent but change their order; as few as can be. */
  #alignChildren(own: Working, node: TreeNode): void {
    const ours = own.children.filter(({ target }) => target?.parent === node);
    const theirs = node.children.flatMap((child) => {
      const counterpart = this.#working.get(child);
      return counterpart?.parent === own ? [counterpart] : [];
    });
    const kept = new Set(align(ours, theirs, (a, b) => (a === b ? 1 : 0)).map(([one]) => one));
    for (const { target } of kept) if (target) this.#settled.add(target);
    for (const child of theirs) {
      if (child.target && !kept.has(child)) this.#move(child, child.target, own);
    }
  }

  /** Behind the nearest sibling to the left that is at its place. */
  #positionOf({ parent, index }: TreeNode): number {
    const left = parent?.children.slice(0, index).findLast((one) => this.#settled.has(one));
    const own = left && this.#working.get(left);
    return own?.parent ? own.parent.children.indexOf(own) + 1 : 0;
  }

  #deleteRest(node: Working): void {
    for (const child of node.children.slice()) this.#deleteRest(child);
    if (node.target) return;
    node.parent?.children.splice(node.parent.children.indexOf(node), 1);
    this.edits.push({ kind: "delete", node: node.id });
  }
}

function* breadthFirst(root: TreeNode): Generator<TreeNode> {
  const queue = [root];
  for (let at = 0; at < queue.length; at += 1) {
    const node = queue[at] as TreeNode;
    yield node;
    queue.push(...node.children);
  }
}
