/**
 * @file The columns of loops in a frame: what the name of a loop means in a run (decision 0050), and what
 * other words mean that loops may be called (decision 0051).
 */
import type { Connection } from "../database.ts";
import type { ColumnType } from "../value-columns.ts";
import { literal } from "../schema.ts";
import { LOOPS_BY_FUNCTION } from "../../format/index.ts";
import { indexColumn } from "../questions/index-columns.ts";
import type { FrameColumn } from "./plan-frame.ts";
import type { FrameLoop } from "./frame-sql.ts";
import type { LoopForms } from "./loop-forms.ts";
import type { LoopValue } from "./loop-values.ts";
import { describeLoopValue } from "./loop-values.ts";
import type { ShapeTree } from "./shapes.ts";

/** By which rules runs of the index name the iterations of their loops (`LOOP_RULES`). */
export interface LoopRules {
  readonly someByIndex: boolean;
  readonly someByValue: boolean;
}

export const ONLY_INDICES: LoopRules = { someByIndex: true, someByValue: false };

export async function readLoopRules(connection: Connection): Promise<LoopRules> {
  const rows = await connection.rows(
    "SELECT DISTINCT loop_rules AS rules FROM store.runs WHERE kind <> 'replay'",
  );
  const rules = rows.map((row) => Number(row["rules"]));
  return { someByIndex: rules.includes(0), someByValue: rules.some((rule) => rule > 0) };
}

/** What the name of a loop means: its own value by the rules of the run, else the index. */
export function meaningOf({ alias, value }: FrameLoop): string {
  if (!value) return `u.${alias}`;
  const type = shownType(value.type);
  const as = (sql: string): string => (type === "JSON" ? `to_json(${sql})` : `${sql}::${type}`);
  const [item, index] = [as(`u.${alias}_value`), as(`u.${alias}`)];
  // Of long loops only the first items are kept: what the others were is not known then, unless the
  // kept ones are the indices.
  return `CASE WHEN r.__rules = 0 THEN ${index} WHEN r.no IN (${othersSql(value)}) THEN ${item}
    ELSE coalesce(${item}, ${index}) END`;
}

/** Numbers of the runs in which an item of the loop was not its index. */
function othersSql({ byDepth }: LoopValue): string {
  const differs = [...byDepth].flatMap(([depth, { items }]) => {
    const shapes = items?.map(({ shape }) => literal(shape)) ?? [];
    if (shapes.length === 0) return [];
    return `shape IN (${shapes.join(", ")}) AND number IS DISTINCT FROM i${depth}`;
  });
  return `SELECT no FROM store.items WHERE ${differs.join(" OR ") || "false"}`;
}

/** A column that holds values and indices. */
function shownType(type: ColumnType): ColumnType {
  return type === "BOOLEAN" ? "JSON" : type;
}

export function ownValue(loop: FrameLoop): string[] {
  return loop.value ? [`${meaningOf(loop)} AS ${loop.alias}_own`] : [];
}

/** Columns that a loop may have. */
export function columnsOf(loop: string): string[] {
  return [loop, indexColumn(loop), `${loop}_value`, `${loop}_entry`];
}

export function addLoop(
  loop: FrameLoop,
  { someByIndex, someByValue }: LoopRules,
  add: (column: FrameColumn, sql: string) => void,
): void {
  const { key, alias } = loop;
  if (loop.value && someByValue) {
    add({ key, kind: "loop", of: key, type: shownType(loop.value.type) }, `f.${alias}_own`);
    add({ key: indexColumn(key), kind: "item", of: key, type: "INTEGER" }, `f.${alias}`);
  } else add({ key, kind: "loop", of: key, type: "INTEGER" }, `f.${alias}`);
  if (loop.value && someByIndex) {
    add({ key: `${key}_value`, kind: "item", of: key, type: loop.value.type }, `f.${alias}_value`);
  }
  if (loop.reentered) {
    add({ key: `${key}_entry`, kind: "entry", of: key, type: "INTEGER" }, `f.${alias}_entry`);
  }
}

export function describeLoop(
  key: string,
  at: number,
  from: {
    readonly tree: ShapeTree;
    readonly ranges: Parameters<typeof describeLoopValue>[2];
    readonly items: Parameters<typeof describeLoopValue>[3];
  },
): FrameLoop {
  const { tree, ranges, items } = from;
  const reentered = tree.levels
    .flat()
    .some(({ elements, keys }) =>
      elements.some((element, depth) => keys[depth] === key && element.entry > 0),
    );
  const value = describeLoopValue(key, tree, ranges, items);
  return { key, alias: `__l${at + 1}`, value, reentered };
}

/** The columns of a frame whose loops a word means. */
export type MeantColumns = (word: string) => readonly string[];

export function loopWords({ levels }: ShapeTree, forms: LoopForms): MeantColumns {
  const nodes = levels.flat();
  return (word) => {
    const loops = new Set(forms.meantBy(word));
    const columns = nodes.flatMap(({ elements, keys }) =>
      keys.filter((_, at) => loops.has(elements[at]?.loop ?? "")),
    );
    return [...new Set(columns)];
  };
}

/** What stands behind the name of a loop in its columns, and what they hold. */
const LOOP_COLUMNS: readonly (readonly [end: string, source: (loop: FrameLoop) => string])[] = [
  ["", meaningOf],
  ["#", ({ alias }) => `u.${alias}`],
  ["_value", ({ alias, value }) => (value ? `u.${alias}_value` : "NULL")],
  ["_entry", ({ alias, reentered }) => (reentered ? `u.${alias}_entry` : "NULL")],
];

/** The words that a name may be a column of, and what that column holds. */
function readings(name: string): { word: string; source: (loop: FrameLoop) => string }[] {
  return LOOP_COLUMNS.filter(([end]) => name.toLowerCase().endsWith(end)).map(([end, source]) => {
    return { word: name.slice(0, name.length - end.length), source };
  });
}

export function wordsIn(name: string): string[] {
  return readings(name).map(({ word }) => word);
}

/**
 * What a name means that may be another word for loops of a frame, or one that only some of its runs
 * know; undefined: nothing more than the column of that name. Of loops inside one another it is the outer one.
 */
export function wordSource(
  name: string,
  loops: readonly FrameLoop[],
  meant: MeantColumns,
): string | undefined {
  for (const { word, source } of readings(name)) {
    const columns = meant(word);
    const own = loops.filter(({ key }) => key === word);
    const others = loops.filter(({ key }) => key !== word && columns.includes(key));
    if (others.length === 0) continue;
    const types = new Set(
      [...own, ...others].map(({ value }) => shownType(value?.type ?? "DOUBLE")),
    );
    const as = (sql: string): string => (types.size > 1 ? `to_json(${sql})` : sql);
    const cases = [
      ...own.map((loop) => `WHEN u.${loop.alias} IS NOT NULL THEN ${as(source(loop))}`),
      ...others.map((loop) => {
        const isIn = `r.__rules >= ${LOOPS_BY_FUNCTION} AND u.${loop.alias} IS NOT NULL`;
        return `WHEN ${isIn} THEN ${as(source(loop))}`;
      }),
    ];
    return `CASE ${cases.join(" ")} END`;
  }
  return undefined;
}
