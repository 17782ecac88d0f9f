/**
 * @file The SQL of a frame (FlorDB §4: logs pivoted into a wide relation). Pure: plan -> text.
 *
 * Values are grouped by path, one common table expression a depth (`level2`); each depth's rows
 * take the shallower values of their enclosing iterations by joins, and a row that encloses deeper
 * rows is left out, because those repeat its values.
 */
import { isAmong } from "../ingest/batch.ts";
import type { FrameBase } from "./iterations.ts";
import { iterationsSql } from "./iterations.ts";
import type { LoopValue } from "./loop-values.ts";
import { loopValueParts } from "./loop-values.ts";
import { identifier, literal } from "../schema.ts";
import type { ShapeNode, ShapeTree } from "./shapes.ts";
import type { ColumnType } from "../value-columns.ts";
import { cellExpression } from "../value-columns.ts";

/** A column of values: a logged name, an argument, or both. */
export interface FrameCell {
  /** As a column: `stored` is what was logged or given. */
  readonly name: string;
  readonly stored: string;
  readonly alias: string;
  readonly type: ColumnType;
  /** Shapes in which it was logged. */
  readonly shapes: readonly string[];
  readonly isArg: boolean;
  /** Only a condition mentions it. */
  readonly hidden: boolean;
}

/** A loop's index, and its item and entry where they say something. */
export interface FrameLoop {
  readonly key: string;
  readonly alias: string;
  readonly value: LoopValue | undefined;
  readonly reentered: boolean;
}

export interface FramePlan {
  readonly tree: ShapeTree;
  readonly cells: readonly FrameCell[];
  readonly loops: readonly FrameLoop[];
  /** Rows that are there whatever was logged; `undefined`: only where a name was logged. */
  readonly base: FrameBase | undefined;
  /** Some values come from replays, and belong to the replays' parents. */
  readonly hindsight: boolean;
  /** Numbers of the runs that can have rows; `undefined`: all. */
  readonly only: readonly number[] | undefined;
}

/** SQL of all rows, with internal column names: `__no`, `__l1`, `__c1`, `__s1`, `__x1`, … */
export function frameRowsSql(plan: FramePlan): string {
  const parts: string[] = plan.hindsight ? [OWNERS] : [];
  const levels = plan.tree.levels.map((_, depth) => describeLevel(plan, depth));
  for (const level of levels)
    if (level.cells.length > 0 || level.isBase) parts.push(levelSql(plan, level));
  for (const loop of plan.loops) {
    if (loop.value) parts.push(...loopValueParts(loop.alias, loop.value));
  }
  const rows = levels.filter((level) => level.hasRows).map((level) => rowsSql(plan, levels, level));
  return `WITH ${parts.join(",\n")}\n${rows.join("\nUNION ALL\n")}`;
}

/** A replay's values belong to its parent. Recorded ones win, then those of the newest replay. */
const OWNERS = `owners AS (SELECT r.no, coalesce(p.no, r.no) AS owner, r.kind = 'replay' AS replay,
  CASE WHEN r.kind = 'replay' THEN rank() OVER (ORDER BY r.ordinal, r.no) ELSE 1000000 END
    * 1000000000000 AS precedence
  FROM store.runs r LEFT JOIN store.runs p ON r.kind = 'replay' AND p.run = r.parent)`;

interface Level {
  readonly depth: number;
  readonly nodes: readonly ShapeNode[];
  readonly cells: readonly FrameCell[];
  /** It has rows in which nothing may have been logged. */
  readonly isBase: boolean;
  readonly hasRows: boolean;
  readonly hasHidden: boolean;
}

function describeLevel(plan: FramePlan, depth: number): Level {
  const nodes = plan.tree.levels[depth] ?? [];
  const isHere = (shape: string): boolean => plan.tree.nodeOf.get(shape)?.elements.length === depth;
  const cells = plan.cells.filter(
    (cell) => cell.shapes.some(isHere) || (depth === 0 && cell.isArg),
  );
  const isBase = plan.base?.depth === depth;
  const hasHidden = cells.some((cell) => cell.hidden);
  return {
    depth,
    nodes,
    cells,
    isBase,
    hasHidden,
    hasRows: isBase || cells.some((c) => !c.hidden),
  };
}

/** `a.i1, a.i2, …` up to a depth. */
function indexColumns(depth: number, alias = ""): string[] {
  return Array.from({ length: depth }, (_, at) => `${alias}i${at + 1}`);
}

const VALUES = "type, number, text, value";

/** Values of one depth by path: for each name the last one logged there. */
function levelSql(plan: FramePlan, level: Level): string {
  const { depth, cells } = level;
  const columns = cells.map((cell) => {
    const filter =
      cells.length === 1 && !level.isBase ? "" : ` FILTER (name = ${literal(cell.name)})`;
    const origin = plan.hindsight
      ? `, arg_max(origin, seq)${filter} AS ${identifier(`${cell.alias}_origin`)}`
      : "";
    return `arg_max_null(${cellExpression(cell.type)}, seq)${filter} AS ${cell.alias}${origin}`;
  });
  const asked = cells.filter((cell) => !cell.hidden).map((cell) => literal(cell.name));
  const isOwn =
    asked.length === 0 ? "name IS NULL" : `name IS NULL OR name IN (${asked.join(", ")})`;
  const own = level.hasHidden ? [`bool_or(${isOwn}) AS own`] : [];
  const keys = ["no", "node", ...indexColumns(depth)].join(", ");
  return `level${depth} AS MATERIALIZED (SELECT ${[keys, ...own, ...columns].join(", ")}
  FROM (${sourcesSql(plan, level).join("\n  UNION ALL ")}) GROUP BY ${keys})`;
}

/** Where the values of a level come from: logs, and at the top level arguments and the runs. */
function sourcesSql(plan: FramePlan, level: Level): string[] {
  const { depth, cells } = level;
  const shapes = [...plan.tree.nodeOf].filter(([, node]) => node.elements.length === depth);
  const logged = cells.filter((cell) =>
    cell.shapes.some((shape) => plan.tree.nodeOf.get(shape)?.elements.length === depth),
  );
  const args = depth === 0 ? cells.filter((cell) => cell.isArg) : [];
  const origin = plan.hindsight ? ", 'recorded' AS origin" : "";
  const rank = plan.hindsight ? "seq + 1000000000000000000" : "seq";
  const sources: string[] = [];
  if (logged.length > 0) sources.push(loggedSql(plan, depth, shapes, logged));
  if (args.length > 0) {
    sources.push(`SELECT no, 1 AS node, ${columnSql(args)}, ${VALUES}, ${rank} AS seq${origin}
      FROM store.args WHERE name IN (${storedNames(args)})`);
  }
  if (level.isBase) {
    const rows = plan.base && depth > 0 ? `(${iterationsSql(plan.base)})` : "store.runs";
    const path = ["no", depth > 0 ? "node" : "1 AS node", ...indexColumns(depth)].join(", ");
    sources.push(`SELECT ${path}, NULL AS name, NULL AS type, NULL::DOUBLE AS number,
      NULL AS text, NULL::JSON AS value, -1 AS seq${origin} FROM ${rows}`);
  }
  return sources;
}

function loggedSql(
  plan: FramePlan,
  depth: number,
  shapes: readonly (readonly [string, ShapeNode])[],
  cells: readonly FrameCell[],
): string {
  // Of the whole run only the last values are wanted, and the summary has them.
  const table = depth === 0 ? "store.names" : "store.logs";
  const names = storedNames(cells);
  const path = ["", ...indexColumns(depth, "l.")].join(", ");
  const [only] = shapes.length === 1 ? shapes : [];
  const node = only ? String(numberOf(only[1])) : "m.node";
  const join = only ? "" : ` JOIN (VALUES ${shapeMap(shapes)}) m(shape, node) ON m.shape = l.shape`;
  const condition = (only ? ` AND l.shape = ${literal(only[0])}` : "") + runsCondition(plan, depth);
  if (!plan.hindsight) {
    return `SELECT l.no, ${node} AS node${path}, ${columnSql(cells)}, ${VALUES}, seq
    FROM ${table} l${join} WHERE name IN (${names})${condition}`;
  }
  return `SELECT o.owner AS no, ${node} AS node${path}, ${columnSql(cells)}, ${VALUES}, seq + o.precedence AS seq,
      CASE WHEN o.replay THEN 'hindsight' || coalesce(':' || "check", '') ELSE 'recorded' END AS origin
    FROM ${table} l${join} JOIN owners o ON o.no = l.no
    WHERE name IN (${names})${condition} AND (NOT o.replay OR probe)`;
}

/** Limits a scan of the logs to the runs that can have rows. */
function runsCondition({ only }: FramePlan, depth: number): string {
  if (only === undefined || depth === 0) return "";
  return only.length === 0
    ? " AND false"
    : ` AND l.${isAmong(only).replace(" AND no", " AND l.no")}`;
}

/** A node's number at its own depth; the top level is 1. */
function numberOf(node: ShapeNode): number {
  return node.numbers.at(-1) ?? 1;
}

/** Rows of a VALUES list that maps shapes to numbers of nodes. */
export function shapeMap(shapes: readonly (readonly [string, ShapeNode])[]): string {
  return shapes.map(([shape, node]) => `(${literal(shape)}, ${numberOf(node)})`).join(", ");
}

/** A value that depends on the node of row `a`: a constant if it is one, else looked up. */
export function pickByNode(values: readonly (string | number | null)[], type: string): string {
  const texts = values.map((value) => (value === null ? "NULL" : String(value)));
  if (texts.every((text) => text === texts[0])) return `${texts[0] ?? "NULL"}::${type}`;
  return `([${texts.join(", ")}]::${type}[])[a.node]`;
}

function rowsSql(plan: FramePlan, levels: readonly Level[], level: Level): string {
  const { depth, nodes } = level;
  const outer = levels.filter((other) => other.depth < depth && other.cells.length > 0);
  const joins = outer.map((other) => {
    const k = other.depth;
    const node =
      k === 0
        ? "1"
        : pickByNode(
            nodes.map((at) => at.numbers[k - 1] ?? null),
            "INTEGER",
          );
    const same = indexColumns(k).map((column) => ` AND b${k}.${column} = a.${column}`);
    return `LEFT JOIN level${k} b${k} ON b${k}.no = a.no AND b${k}.node = ${node}${same.join("")}`;
  });
  const cells = plan.cells.map((cell) => cellSql(plan, cell, level, outer));
  const loops = plan.loops.map((loop) => loopSql(loop, level, joins));
  const deeper = levels.filter((other) => other.depth > depth && other.hasRows);
  const conditions = [
    ...(level.hasHidden ? ["a.own"] : []),
    ...deeper.map((other) => enclosesNone(level, other)),
  ];
  const where = conditions.length === 0 ? "" : `\nWHERE ${conditions.join("\n  AND ")}`;
  const sorts = sortColumns(levels.length - 1, level);
  return `SELECT ${["a.no AS __no", ...loops, ...cells, ...sorts].join(", ")}
FROM level${depth} a ${joins.join("\n")}${where}`;
}

/** Whether row `a` encloses no row of a deeper level. */
function enclosesNone(level: Level, deeper: Level): string {
  const { depth } = level;
  const own = deeper.hasHidden ? " WHERE a.own" : "";
  const node =
    depth === 0
      ? "1"
      : pickByNode(
          deeper.nodes.map((at) => at.numbers[depth - 1] ?? null),
          "INTEGER",
        );
  const path = indexColumns(depth);
  const keys = ["a.no", `${node} AS node`, ...path.map((column) => `a.${column}`)];
  const same = ["node", ...path].map((column) => ` AND x.${column} = a.${column}`).join("");
  return `NOT EXISTS (SELECT 1 FROM (SELECT DISTINCT ${keys.join(", ")}
    FROM level${deeper.depth} a${own}) x WHERE x.no = a.no${same})`;
}

/** The cell of a row: its own value, else that of the nearest enclosing iteration. */
function cellSql(plan: FramePlan, cell: FrameCell, level: Level, outer: readonly Level[]): string {
  const from = [
    ...(level.cells.includes(cell) ? ["a"] : []),
    ...outer
      .toReversed()
      .filter((other) => other.cells.includes(cell))
      .map((other) => `b${other.depth}`),
  ];
  const values = from.map((alias) => `${alias}.${cell.alias}`);
  const value = values.length === 0 ? `NULL::${cell.type}` : `coalesce(${values.join(", ")})`;
  if (!plan.hindsight) return `${value} AS ${cell.alias}`;
  const cases = from.map(
    (alias) => `WHEN ${alias}.${cell.alias} IS NOT NULL THEN ${alias}.${cell.alias}_origin`,
  );
  const origin = cases.length === 0 ? "NULL::VARCHAR" : `CASE ${cases.join(" ")} END`;
  return `${value} AS ${cell.alias}, ${origin} AS ${cell.alias}_origin`;
}

/** Index, item and entry of a loop in the rows of a level; adds the joins that the item needs. */
function loopSql(loop: FrameLoop, level: Level, joins: string[]): string {
  const { depth, nodes } = level;
  const at = nodes.map((node) => node.keys.indexOf(loop.key));
  const columns: string[] = [];
  const [first = -1] = at;
  if (at.every((k) => k === first)) {
    columns.push(`${first < 0 ? "NULL::INTEGER" : `a.i${first + 1}`} AS ${loop.alias}`);
  } else {
    const place = pickByNode(
      at.map((k) => k + 1),
      "INTEGER",
    );
    columns.push(`[${indexColumns(depth, "a.").join(", ")}][nullif(${place}, 0)] AS ${loop.alias}`);
  }
  if (loop.value) {
    columns.push(`${itemSql(loop, loop.value, level, joins)} AS ${loop.alias}_value`);
  }
  if (loop.reentered) {
    const entries = nodes.map((node, n) => node.elements[at[n] ?? -1]?.entry ?? null);
    columns.push(`${pickByNode(entries, "INTEGER")} AS ${loop.alias}_entry`);
  }
  return columns.join(", ");
}

function itemSql(loop: FrameLoop, value: LoopValue, level: Level, joins: string[]): string {
  const terms: string[] = [];
  for (const [k, source] of value.byDepth) {
    if (k > level.depth) continue;
    const prefix = (node: ShapeNode): number | null =>
      node.keys[k - 1] === loop.key ? (node.numbers[k - 1] ?? null) : null;
    const node = pickByNode(level.nodes.map(prefix), "INTEGER");
    for (const [kind, depth] of [
      ["items", k],
      ["ranges", k - 1],
    ] as const) {
      if (!source[kind]) continue;
      const table = `${loop.alias}_${kind}${k}`;
      const same = indexColumns(depth).map((column) => ` AND ${table}.${column} = a.${column}`);
      joins.push(
        `LEFT JOIN ${table} ON ${table}.no = a.no AND ${table}.node = ${node}${same.join("")}`,
      );
      terms.push(
        kind === "items"
          ? `${table}.item`
          : asType(value.type, `${table}.start + ${table}.step * a.i${k}`),
      );
    }
    const ranges = level.nodes.map((at) => {
      const number = prefix(at);
      return number === null ? undefined : source.constant.get(number);
    });
    if (ranges.some((range) => range !== undefined)) {
      const start = pickByNode(
        ranges.map((range) => range?.start ?? null),
        "DOUBLE",
      );
      const step = pickByNode(
        ranges.map((range) => range?.step ?? null),
        "DOUBLE",
      );
      terms.push(asType(value.type, `${start} + ${step} * a.i${k}`));
    }
  }
  return terms.length === 0 ? `NULL::${value.type}` : `coalesce(${terms.join(", ")})`;
}

function asType(type: ColumnType, number: string): string {
  return type === "DOUBLE" ? `(${number})` : `to_json(${number})`;
}

/** Order of paths: at each depth first the loop, then the index. */
function sortColumns(depthMax: number, level: Level): string[] {
  return Array.from({ length: depthMax }, (_, at) => {
    const node = pickByNode(
      level.nodes.map((n) => n.numbers[at] ?? null),
      "INTEGER",
    );
    const index = at < level.depth ? `a.i${at + 1}` : "NULL::INTEGER";
    return `${node} AS __s${at + 1}, ${index} AS __x${at + 1}`;
  });
}

function storedNames(cells: readonly FrameCell[]): string {
  return cells.map(({ stored }) => literal(stored)).join(", ");
}

/** The names of values as those of their columns. */
function columnSql(cells: readonly FrameCell[]): string {
  const others = cells.filter(({ name, stored }) => name !== stored);
  if (others.length === 0) return "name";
  const whens = others.map(({ name, stored }) => `WHEN ${literal(stored)} THEN ${literal(name)}`);
  return `CASE name ${whens.join(" ")} ELSE name END AS name`;
}
