/**
 * The properties of pairing, on trees that were changed at random and on trees
 * that have nothing to do with each other.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
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
