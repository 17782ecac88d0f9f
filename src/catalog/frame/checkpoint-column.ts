/**
 * @file The columns `checkpoint` and `checkpoint_exact` of a frame: from a row to the state of its model
 * (FlorDB §3: a dataframe chooses the checkpoint to load).
 *
 * A row is about an iteration, and its checkpoint is the one of that iteration's end; where none was
 * taken, the newest one before. Paths become texts that sort as the program came to them: at each
 * level the record that entered the loop, then the index; the end of an iteration behind all that is
 * inside of it.
 */
import type { Connection } from "../database.ts";
import { readLoopsByValue } from "../loop-names.ts";
import { indexColumns, literal } from "../schema.ts";
import type { ShapeTree } from "./shapes.ts";

/** The end of an iteration; that of the last one is also where its loop ended. */
const ITERATION_END = "~";
const LAST_END = "~~";
/** Of a loop end whose number of iterations nobody knows. */
const INDEX_MAX = "999999999999";

/** What joins checkpoints to rows. */
export interface CheckpointJoin {
  /** A FROM item instead of the rows themselves, which it calls `u`. */
  readonly from: string;
  /** The expression of each column. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Joins the checkpoints of runs to `rows`, the SQL of a frame's rows. */
export async function joinCheckpoints(
  connection: Connection,
  rows: string,
  tree: ShapeTree,
): Promise<CheckpointJoin> {
  const [meta] = await connection.rows("SELECT width FROM store.meta");
  const width = Number(meta?.["width"]);
  const byValue = [...(await readLoopsByValue(connection))].flatMap(([run, loops]) =>
    [...loops].map((loop) => `(${literal(run)}, ${literal(encodeURIComponent(loop))})`),
  );
  const named = byValue.length === 0 ? "(NULL, NULL)" : byValue.join(", ");
  const isAll = `u.__key = ${literal(LAST_END)}`;
  return {
    from: `(SELECT u.*, k.checkpoint AS __checkpoint,
      CASE WHEN ${isAll} THEN k.at_end ELSE rtrim(k.key, '~') = rtrim(u.__key, '~') END AS __exact
    FROM (${keyedRows(rows, tree)}) u
    ASOF LEFT JOIN (${checkpointKeys(width, named)}) k ON k.no = u.__no AND u.__key >= k.key) u`,
    sources: new Map([
      ["checkpoint", "u.__checkpoint"],
      ["checkpoint_exact", "u.__exact"],
    ]),
  };
}

/** Each time a loop was entered: its own shape, the iteration around it, and the record. */
function entered(depth: number): string {
  const indices = indexColumns(depth - 1);
  const around = ["no", "shape", ...indices].join(", ");
  return `(SELECT ${around}, min(seq) AS seq FROM store.enters GROUP BY ${around})`;
}

function keyPart(depth: number, index: string): string {
  return `printf('%012d:%012d', coalesce(e${depth}.seq, 0), (${index})::BIGINT)`;
}

/** The rows, each with the text of where its iteration ended. */
function keyedRows(rows: string, tree: ShapeTree): string {
  const depths = tree.levels.slice(1).map((_, at) => at + 1);
  const joins = depths.map((depth) => {
    const shapes = (tree.levels[depth] ?? []).map(({ shape }) => literal(shape)).join(", ");
    const around = indexColumns(depth - 1).map(
      (column, at) => ` AND e${depth}.${column} = v.__x${at + 1}`,
    );
    return `LEFT JOIN ${entered(depth)} e${depth} ON e${depth}.no = v.__no
      AND e${depth}.shape = ([${shapes}])[v.__s${depth}]${around.join("")}`;
  });
  const parts = depths.map(
    (depth) => `CASE WHEN v.__s${depth} IS NOT NULL THEN ${keyPart(depth, `v.__x${depth}`)} END`,
  );
  const key = parts.length === 0 ? "''" : `concat_ws(',', ${parts.join(", ")})`;
  return `SELECT v.*, ${key} || ${literal(LAST_END)} AS __key FROM (${rows}) v ${joins.join("\n")}`;
}

/** Checkpoints that can be restored by themselves, with the text of where each was taken. */
function checkpointKeys(width: number, byValue: string): string {
  const depths = indexColumns(width).map((_, at) => at + 1);
  const joins = depths.map((depth) => {
    const around = indexColumns(depth - 1).map(
      (column, at) => ` AND e${depth}.${column} = c.indices[${at + 1}]`,
    );
    return `LEFT JOIN ${entered(depth)} e${depth} ON e${depth}.no = c.no AND len(c.parts) >= ${depth}
      AND e${depth}.shape = array_to_string(c.shapes[1:${depth}], ',')${around.join("")}`;
  });
  const same = indexColumns(width).map(
    (column, at) => ` AND x.${column} IS NOT DISTINCT FROM c.indices[${at + 1}]`,
  );
  const last = `greatest(coalesce(x.iterations - 1, ${INDEX_MAX}), 0)`;
  const parts = depths.map((depth) => {
    const index = `coalesce(c.indices[${depth}]::BIGINT, ${last})`;
    return `CASE WHEN len(c.parts) >= ${depth} THEN ${keyPart(depth, index)} END`;
  });
  const end = `CASE WHEN c.kind = 'loop' THEN ${literal(LAST_END)} ELSE ${literal(ITERATION_END)} END`;
  const shown = `list_transform(c.parts, lambda p: CASE WHEN NOT ends_with(p, '=end')
    AND list_contains(coalesce(v.loops, []), split_part(split_part(p, '=', 1), '#', 1))
    THEN replace(p, '=', '#=') ELSE p END)`;
  return `SELECT c.no, concat_ws(',', ${parts.join(", ")}) || ${end} AS key,
      c.run || '@' || array_to_string(${shown}, ',') AS checkpoint,
      c.kind = 'loop' AND len(c.parts) = 1 AND e1.seq = o.seq AS at_end
    FROM (${restorable()}) c ${joins.join("\n")}
    LEFT JOIN store.exits x ON x.no = c.no AND x.shape = array_to_string(c.shapes, ',')${same.join("")}
    LEFT JOIN (SELECT no, max(seq) AS seq FROM store.enters WHERE i1 IS NULL GROUP BY no) o ON o.no = c.no
    LEFT JOIN (SELECT run, list(loop) AS loops FROM (VALUES ${byValue}) n(run, loop) GROUP BY run) v
      ON v.run = c.run`;
}

/** The newest at each path, of those that need no checkpoint that is gone. */
function restorable(): string {
  return `SELECT *, list_transform(parts, lambda p: split_part(p, '=', 1)) AS shapes,
      list_transform(parts, lambda p: try_cast(split_part(p, '=', 2) AS INTEGER)) AS indices
    FROM (SELECT r.no, m.run, m.path, m.kind, string_split(m.path, ',') AS parts
      FROM main.checkpoints m JOIN store.runs r USING (run)
      JOIN (SELECT run, list(path) AS paths FROM main.checkpoints WHERE NOT superseded GROUP BY run) p USING (run)
      WHERE NOT m.superseded
        AND len(list_filter(coalesce(m.needs, []), lambda n: NOT list_contains(p.paths, n))) = 0
      QUALIFY row_number() OVER (PARTITION BY m.run, m.path ORDER BY m.seq DESC, m.t DESC) = 1)`;
}
