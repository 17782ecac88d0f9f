/**
 * @file The items of loops in a frame: `epoch_value` beside `epoch`. An item comes from a range
 * (`start + step * index`) or from a record of its own.
 */
import type { Connection } from "../database.ts";
import type { NameShape } from "./names.ts";
import { addCounts } from "./names.ts";
import { literal } from "../schema.ts";
import type { ShapeNode, ShapeTree } from "./shapes.ts";
import type { ColumnType } from "../value-columns.ts";
import { cellExpression, columnType } from "../value-columns.ts";

export interface ItemRange {
  readonly start: number;
  readonly step: number;
}

/** Where the items of a loop at one depth come from. */
export interface LoopValueSource {
  /** Ranges that are the same in all entries, by number of the node. */
  readonly constant: ReadonlyMap<number, ItemRange>;
  /** Nodes whose entries have different ranges: looked up by entry. */
  readonly ranges: readonly ShapeNode[] | undefined;
  /** Nodes with items of their own. */
  readonly items: readonly ShapeNode[] | undefined;
}

export interface LoopValue {
  readonly type: ColumnType;
  readonly byDepth: ReadonlyMap<number, LoopValueSource>;
}

interface NodeRange {
  readonly constant: ItemRange | undefined;
  readonly varies: boolean;
}

/** Items of the loop column `key`; `undefined` if no iteration had a scalar. */
export function describeLoopValue(
  key: string,
  tree: ShapeTree,
  ranges: ReadonlyMap<string, NodeRange>,
  items: readonly NameShape[],
): LoopValue | undefined {
  const byDepth = new Map<number, LoopValueSource>();
  const itemShapes = new Map(items.map((item) => [item.shape, item]));
  const used: NameShape[] = [];
  let hasRange = false;
  tree.levels.forEach((nodes, depth) => {
    const own = nodes.filter((node) => node.keys.at(-1) === key);
    const withItems = own.filter((node) => itemShapes.has(node.shape));
    const varying = own.filter((node) => ranges.get(node.shape)?.varies);
    const constant = new Map<number, ItemRange>();
    for (const node of own) {
      const range = ranges.get(node.shape)?.constant;
      if (range) constant.set(node.numbers.at(-1) ?? 1, range);
    }
    for (const node of withItems) {
      const item = itemShapes.get(node.shape);
      if (item) used.push(item);
    }
    hasRange ||= constant.size > 0 || varying.length > 0;
    if (constant.size + varying.length + withItems.length === 0) return;
    byDepth.set(depth, {
      constant,
      ranges: varying.length > 0 ? varying : undefined,
      items: withItems.length > 0 ? withItems : undefined,
    });
  });
  if (byDepth.size === 0) return undefined;
  const total = addCounts(used);
  const type = columnType({ ...total, numbers: total.numbers + (hasRange ? 1 : 0) });
  return { type, byDepth };
}

function indexList(depth: number): string {
  return Array.from({ length: depth }, (_, at) => `, l.i${at + 1}`).join("");
}

/** The right side of a join that gives shapes the numbers of their nodes. */
function nodeMap(nodes: readonly ShapeNode[]): string {
  const rows = nodes.map((node) => `(${literal(node.shape)}, ${node.numbers.at(-1) ?? 1})`);
  return `(VALUES ${rows.join(", ")}) m(shape, node) ON m.shape = l.shape`;
}

/** Common table expressions that `frameRowsSql` joins. */
export function loopValueParts(alias: string, value: LoopValue): string[] {
  const parts: string[] = [];
  for (const [depth, source] of value.byDepth) {
    if (source.items) {
      const keys = `l.no, m.node${indexList(depth)}`;
      parts.push(`${alias}_items${depth} AS (SELECT ${keys},
  arg_max_null(${cellExpression(value.type)}, seq) AS item
  FROM store.items l JOIN ${nodeMap(source.items)} GROUP BY ${keys})`);
    }
    if (source.ranges) {
      const keys = `l.no, m.node${indexList(depth - 1)}`;
      parts.push(`${alias}_ranges${depth} AS (SELECT ${keys},
  arg_max(l.start, seq) AS start, arg_max(l.step, seq) AS step
  FROM store.enters l JOIN ${nodeMap(source.ranges)} WHERE l.start IS NOT NULL GROUP BY ${keys})`);
    }
  }
  return parts;
}

/** The ranges that loops of these shapes went over. */
export async function readRanges(
  connection: Connection,
  tree: ShapeTree,
): Promise<Map<string, NodeRange>> {
  const shapes = tree.levels.slice(1).flatMap((nodes) => nodes.map((node) => literal(node.shape)));
  if (shapes.length === 0) return new Map();
  const rows = await connection.rows(`SELECT shape, start, step FROM store.enters
    WHERE shape IN (${shapes.join(", ")}) GROUP BY shape, start, step`);
  const found = new Map<string, NodeRange>();
  for (const row of rows) {
    const shape = String(row["shape"]);
    const isRange = row["start"] !== null && row["step"] !== null;
    const constant = isRange
      ? { start: Number(row["start"]), step: Number(row["step"]) }
      : undefined;
    const before = found.get(shape);
    if (before === undefined) found.set(shape, { constant, varies: false });
    else if (before.constant || constant || before.varies) {
      found.set(shape, { constant: undefined, varies: true });
    }
  }
  return found;
}
