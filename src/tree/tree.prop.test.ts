/**
 * The properties of pairing and of edit scripts, on trees that were changed at random and on trees
 * that have nothing to do with each other.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { editScript } from "./edit-script.ts";
import type { Edit } from "./edit-script.ts";
import type { Mapping } from "./mapping.ts";
import { matchTrees } from "./match.ts";
import type { Tree, TreeDraft } from "./tree.ts";
import { Interner, makeTree } from "./tree.ts";

interface Shape {
  readonly type: string;
  readonly label: string;
  readonly children: readonly Shape[];
}

const LABELS = ["", "a", "b", "c", "loss"];

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.record({
    type: fc.constantFrom("Block", "Call", "If", "Name"),
    label: fc.constantFrom(...LABELS),
    children: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constant([]),
      fc.array(tie("shape"), { maxLength: 4 }),
    ),
  }),
}));

const program = fc.array(shape, { maxLength: 6 }).map((children): Shape => {
  return { type: "Block", label: "", children };
});

function draftOf({ type, label, children }: Shape): TreeDraft {
  const role = type === "Block" ? "block" : null;
  return { type, label, role, start: 0, end: 0, children: children.map(draftOf) };
}

function pair(a: Shape, b: Shape): { from: Tree; to: Tree; mapping: Mapping } {
  const interner = new Interner();
  const from = makeTree(draftOf(a), interner);
  const to = makeTree(draftOf(b), interner);
  return { from, to, mapping: matchTrees(from, to) };
}

/** Changes one node of a tree, the n-th: its label, its children, or their order. */
function changed(root: Shape, n: number, how: number, label: string): Shape {
  let count = 0;
  const visit = (node: Shape): Shape => {
    const isIt = count++ === n;
    const children = node.children.map(visit);
    if (!isIt) return { ...node, children };
    const [first, ...rest] = children;
    switch (how % 4) {
      case 0:
        return { ...node, label, children };
      case 1:
        return { ...node, children: rest };
      case 2:
        return { ...node, children: first ? [...rest, first] : children };
      default:
        return { ...node, children: [{ type: "Call", label, children: [] }, ...children] };
    }
  };
  return visit(root);
}

const edited = fc
  .tuple(
    program,
    fc.array(fc.tuple(fc.nat(30), fc.nat(3), fc.constantFrom(...LABELS)), { maxLength: 5 }),
  )
  .map(([before, changes]) => {
    const after = changes.reduce((tree, [n, how, label]) => {
      // The root stays what it is: a file is a block.
      return { ...changed(tree, n, how, label), label: "" };
    }, before);
    return [before, after] as const;
  });
const pairs = fc.oneof(edited, fc.tuple(program, program));

interface Node {
  type: string;
  label: string;
  children: Node[];
  parent: Node | null;
}

/** Makes the changes of a script, one after the other, knowing nothing of how they were found. */
function apply(tree: Tree, edits: readonly Edit[]): Node {
  const nodes = new Map<number, Node>();
  for (const { id, type, label, parent } of tree.nodes) {
    const above = parent ? nodes.get(parent.id)! : null;
    const node: Node = { type, label, children: [], parent: above };
    nodes.set(id, node);
    above?.children.push(node);
  }
  const detach = (node: Node): void => {
    const siblings = node.parent!.children;
    siblings.splice(siblings.indexOf(node), 1);
  };
  for (const edit of edits) {
    if (edit.kind === "insert") {
      const parent = nodes.get(edit.parent)!;
      const node = { type: edit.type, label: edit.label, children: [], parent };
      nodes.set(edit.node, node);
      parent.children.splice(edit.index, 0, node);
      continue;
    }
    const node = nodes.get(edit.node)!;
    if (edit.kind === "update") node.label = edit.label;
    else if (edit.kind === "delete") {
      expect(node.children).toEqual([]);
      detach(node);
    } else {
      detach(node);
      node.parent = nodes.get(edit.parent)!;
      node.parent.children.splice(edit.index, 0, node);
    }
  }
  return nodes.get(0)!;
}

function shapeOf({ type, label, children }: Shape | Node): Shape {
  return { type, label, children: children.map(shapeOf) };
}

describe("pairing", () => {
  test("is one to one, and the same each time", () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const first = [...pair(a, b).mapping.pairs()].map(([one, other]) => [one.id, other.id]);
        expect(new Set(first.map(([one]) => one)).size).toBe(first.length);
        expect(new Set(first.map(([, other]) => other)).size).toBe(first.length);
        const second = [...pair(a, b).mapping.pairs()].map(([one, other]) => [one.id, other.id]);
        expect(second).toEqual(first);
      }),
    );
  });

  test("pairs every node of a tree with itself", () => {
    fc.assert(
      fc.property(program, (a) => {
        const { from, mapping } = pair(a, a);
        for (const node of from.nodes) expect(mapping.partnerOf(node)?.id).toBe(node.id);
      }),
    );
  });
});

describe("the edit script", () => {
  test("turns one tree into the other", () => {
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const { from, mapping } = pair(a, b);
        expect(shapeOf(apply(from, editScript(mapping)))).toEqual(b);
      }),
      { numRuns: 300 },
    );
  });

  test("is empty for the same tree", () => {
    fc.assert(
      fc.property(program, (a) => {
        expect(editScript(pair(a, a).mapping)).toEqual([]);
      }),
    );
  });

  test("of one change is one change", () => {
    const call = (label: string): Shape => {
      return { type: "Call", label: "", children: [{ type: "Name", label, children: [] }] };
    };
    const block = (...children: Shape[]): Shape => ({ type: "Block", label: "", children });
    const kinds = (a: Shape, b: Shape): string[] => {
      return editScript(pair(a, b).mapping).map(({ kind }) => kind);
    };
    const [one, two, three] = [call("one"), call("two"), call("three")];
    expect(kinds(block(one, two, three), block(one, call("other"), three))).toEqual(["update"]);
    expect(kinds(block(one, two, three), block(two, three, one))).toEqual(["move"]);
    expect(kinds(block(one, two), block(one, three, two))).toEqual(["insert", "insert"]);
    expect(kinds(block(one, three, two), block(one, two))).toEqual(["delete", "delete"]);
  });
});
