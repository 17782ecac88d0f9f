/**
 * @file The recorded iterations of a chain of loops, as rows: what a question about a name that
 * nobody logged is asked of. An entry without an exit (the process ended in it) has the iterations
 * in which something was recorded.
 */
import type { Connection } from "../database.ts";
import { literal } from "../schema.ts";
import type { ShapeNode, ShapeUse } from "./shapes.ts";
import { parseShape } from "./shapes.ts";

/** Names of loops, outermost first. */
export type LoopChain = readonly string[];

/** Rows of a frame that are there whether or not anything was logged in them. */
export interface FrameBase {
  /** 0: one row for each run. */
  readonly depth: number;
  readonly nodes: readonly ShapeNode[];
}

/** The shapes in which loops of these names were entered inside one another, in any run. */
export async function readChainShapes(
  connection: Connection,
  chain: LoopChain,
): Promise<ShapeUse[]> {
  const rows = await connection.rows(
    "SELECT shape, min(seq)::DOUBLE AS first FROM store.enters GROUP BY shape ORDER BY shape",
  );
  return rows.flatMap((row) => {
    const shape = String(row["shape"]);
    const loops = parseShape(shape).map((element) => element.loop);
    const isChain = loops.length === chain.length && loops.every((name, at) => name === chain[at]);
    return isChain ? [{ shape, firstSeq: Number(row["first"]), makesRows: true }] : [];
  });
}

/** The shapes in which any run entered a loop. */
export async function readEnteredShapes(connection: Connection): Promise<string[]> {
  const rows = await connection.rows("SELECT DISTINCT shape FROM store.enters");
  return rows.map((row) => String(row["shape"]));
}

/** The names of the loops of some shapes, each once. */
export function loopsOf(shapes: readonly string[]): string[] {
  return [...new Set(shapes.flatMap((shape) => parseShape(shape).map(({ loop }) => loop)))];
}

/** SQL of `no, node, i1, i2, …`: one row for each recorded iteration. */
export function iterationsSql({ depth, nodes }: FrameBase): string {
  const last = `i${depth}`;
  const outer = Array.from({ length: depth - 1 }, (_, at) => `i${at + 1}`);
  const keys = (alias: string): string =>
    ["no", "shape", ...outer].map((column) => `${alias}.${column}`).join(", ");
  const same = (a: string, b: string): string =>
    ["no", "shape", ...outer].map((column) => `${a}.${column} = ${b}.${column}`).join(" AND ");
  const map = nodes.map((node) => `(${literal(node.shape)}, ${node.numbers.at(-1) ?? 1})`);
  const shapes = nodes.map((node) => literal(node.shape)).join(", ");
  const prefix = `array_to_string(string_split(shape, ',')[1:${depth}], ',')`;
  const seen = ["logs", "items", "enters"].map((table) => {
    return `SELECT no, ${prefix} AS shape, ${[...outer, last].join(", ")}
      FROM store.${table} WHERE ${last} IS NOT NULL AND no IN (SELECT no FROM open_entries)`;
  });
  return `SELECT e.no, m.node, ${outer.map((column) => `e.${column}, `).join("")}
    unnest(range(coalesce(e.iterations, e.seen, 0)))::INTEGER AS ${last}
  FROM (WITH entries AS (
      SELECT DISTINCT ${keys("e")}, x.iterations FROM store.enters e
      LEFT JOIN store.exits x ON ${same("x", "e")} WHERE e.shape IN (${shapes})),
    open_entries AS (SELECT * FROM entries WHERE iterations IS NULL),
    seen AS (SELECT ${keys("u")}, max(u.${last}) + 1 AS seen
      FROM (${seen.join("\n      UNION ALL ")}) u GROUP BY ALL)
    SELECT e.*, s.seen FROM entries e LEFT JOIN seen s ON ${same("s", "e")}) e
  JOIN (VALUES ${map.join(", ")}) m(shape, node) ON m.shape = e.shape`;
}
