/**
 * @file The loops of a frame as a tree: which rows there can be, and in which order.
 *
 * A shape is a loop path without its indices: `epoch,step#1`. The shapes in which the asked names
 * were logged, cut at the grain, are the nodes that have rows; their prefixes are nodes too. Nodes
 * of one depth are numbered from 1 in the order in which programs first came to them, and that
 * number is both the join key and the sort key. Pure.
 */

export interface LoopElement {
  readonly loop: string;
  readonly entry: number;
}

export interface ShapeNode {
  readonly shape: string;
  readonly elements: readonly LoopElement[];
  /** For each element, the key of its column: what the loop is called, `name_2` if nested in itself. */
  readonly keys: readonly string[];
  /** Number of this node's prefix at each depth, from depth 1; the last is its own. */
  readonly numbers: readonly number[];
}

export interface ShapeTree {
  /** By depth; depth 0 holds the top level. */
  readonly levels: readonly (readonly ShapeNode[])[];
  /** Each shape of the logs, and the node its values belong to. */
  readonly nodeOf: ReadonlyMap<string, ShapeNode>;
}

/** Where rows end: at a run, in a loop, or wherever the names were logged. */
export type Grain =
  | { readonly kind: "deepest" }
  | { readonly kind: "run" }
  | { readonly kind: "loop"; readonly loops: readonly string[] };

export function parseShape(shape: string): LoopElement[] {
  if (shape === "") return [];
  return shape.split(",").map((text) => {
    const [name = "", entry] = text.split("#");
    return { loop: decodeURIComponent(name), entry: Number(entry ?? 0) };
  });
}

function prefixOf(shape: string, depth: number): string {
  return depth === 0 ? "" : shape.split(",").slice(0, depth).join(",");
}

export interface ShapeUse {
  readonly shape: string;
  readonly firstSeq: number;
  /** Values that only a condition mentions make no rows: they are cut to the rows there are. */
  readonly makesRows: boolean;
}

interface TreeOptions {
  readonly grain: Grain;
  /** Shapes in which the grain's loop occurs, in any run. */
  readonly shapes: readonly string[];
  /** What the columns of loops are called in a frame of these shapes. */
  readonly columnsOf: (shapes: readonly string[]) => (loop: string) => string;
}

export function buildTree(
  uses: readonly ShapeUse[],
  { grain, shapes: loopShapes, columnsOf }: TreeOptions,
): ShapeTree {
  const cut = new Map<string, string>();
  const depthOf = grainDepth(grain, [...loopShapes, ...uses.map((use) => use.shape)]);
  const first = new Map<string, number>([["", 0]]);
  for (const { shape, firstSeq, makesRows } of uses) {
    if (!makesRows) continue;
    const depth = depthOf(shape);
    cut.set(shape, prefixOf(shape, depth));
    for (let level = 1; level <= depth; level++) {
      const prefix = prefixOf(shape, level);
      first.set(prefix, Math.min(first.get(prefix) ?? Infinity, firstSeq));
    }
  }
  for (const { shape, makesRows } of uses) {
    if (makesRows || cut.has(shape)) continue;
    let depth = parseShape(shape).length;
    while (!first.has(prefixOf(shape, depth))) depth -= 1;
    cut.set(shape, prefixOf(shape, depth));
  }
  const nodes = numberNodes(first, columnsOf([...first.keys()]));
  const root = nodes.get("");
  const nodeOf = new Map([...cut].map(([shape, to]) => [shape, nodes.get(to) ?? root] as const));
  const levels: ShapeNode[][] = [];
  for (const node of nodes.values()) (levels[node.elements.length] ??= []).push(node);
  return { levels, nodeOf: nodeOf as Map<string, ShapeNode> };
}

/** How deep the rows of a shape may be. */
function grainDepth(grain: Grain, shapes: readonly string[]): (shape: string) => number {
  if (grain.kind === "deepest") return (shape) => parseShape(shape).length;
  if (grain.kind === "run") return () => 0;
  const chains = new Set<string>([JSON.stringify([])]);
  for (const shape of shapes) {
    const loops = parseShape(shape).map((element) => element.loop);
    const at = loops.findIndex((loop) => grain.loops.includes(loop));
    for (let depth = 1; depth <= at + 1; depth++) chains.add(JSON.stringify(loops.slice(0, depth)));
  }
  return (shape) => {
    const loops = parseShape(shape).map((element) => element.loop);
    const at = loops.findIndex((loop) => grain.loops.includes(loop));
    let depth = at < 0 ? loops.length : at + 1;
    while (!chains.has(JSON.stringify(loops.slice(0, depth)))) depth -= 1;
    return depth;
  };
}

/** Numbers the nodes of each depth in the order in which they were first come to. */
function numberNodes(
  first: ReadonlyMap<string, number>,
  columnOf: (loop: string) => string,
): Map<string, ShapeNode> {
  const ordered = [...first.keys()].sort((a, b) => {
    const depth = parseShape(a).length - parseShape(b).length;
    if (depth !== 0) return depth;
    return (first.get(a) ?? 0) - (first.get(b) ?? 0) || (a < b ? -1 : 1);
  });
  const nodes = new Map<string, ShapeNode>();
  const counts: number[] = [];
  for (const shape of ordered) {
    const elements = parseShape(shape);
    const depth = elements.length;
    counts[depth] = (counts[depth] ?? 0) + 1;
    const parent = nodes.get(prefixOf(shape, depth - 1));
    const numbers = depth === 0 ? [] : [...(parent?.numbers ?? []), counts[depth]];
    nodes.set(shape, { shape, elements, keys: loopKeys(elements, columnOf), numbers });
  }
  return nodes;
}

/** Column keys of a chain of loops: a loop inside one of the same name gets a number. */
export function loopKeys(
  elements: readonly LoopElement[],
  columnOf = (loop: string): string => loop,
): string[] {
  const columns = elements.map(({ loop }) => columnOf(loop));
  return columns.map((column, at) => {
    const nth = columns.slice(0, at).filter((other) => other === column).length + 1;
    return nth === 1 ? column : `${column}_${nth}`;
  });
}

/** All loop columns of a tree, outer before inner, siblings in the order of their nodes. */
export function loopColumns(tree: ShapeTree): string[] {
  const keys = new Set<string>();
  for (const level of tree.levels)
    for (const node of level) for (const key of node.keys) keys.add(key);
  return [...keys];
}
