/** @file Which names there are: logged, given as arguments, or columns of `runs`. */
import { AfterlogError, nearestName } from "../../format/index.ts";
import type { Connection } from "../database.ts";
import { textOf } from "../database.ts";
import { literal } from "../schema.ts";
import type { TypeCounts } from "../value-columns.ts";
import { nameOfColumn, valueColumn } from "./value-names.ts";

/** A name in one shape of loops, over all runs. */
export interface NameShape extends TypeCounts {
  readonly name: string;
  readonly shape: string;
  /** The item of a loop's iteration, not a logged value. */
  readonly item: boolean;
  readonly firstSeq: number;
  /** Some of it was logged in hindsight. */
  readonly hindsight: boolean;
}

const COUNTS = `sum(numbers)::DOUBLE AS numbers, sum(texts)::DOUBLE AS texts,
  sum(booleans)::DOUBLE AS booleans, sum(bigints)::DOUBLE AS bigints, sum(large)::DOUBLE AS large,
  sum(others)::DOUBLE AS others`;

/** Each process of a replay numbers what it logs by itself: when runs came to that loop says more. */
const FIRST = "CASE WHEN r.kind = 'replay' THEN coalesce(e.entered, first_seq) ELSE first_seq END";

/** Logged values (and loop items) by column and shape; `names` limits the logged ones. */
export async function readNameShapes(
  connection: Connection,
  names: readonly string[],
): Promise<NameShape[]> {
  const list = names.map((name) => literal(nameOfColumn(name))).join(", ");
  const rows = await connection.rows(`
    SELECT n.name, n.shape, n.item, ${COUNTS}, min(${FIRST})::DOUBLE AS first_seq,
      bool_or(r.kind = 'replay') AS hindsight
    FROM store.names n JOIN store.runs r USING (no) LEFT JOIN (
      SELECT shape, min(seq) AS entered FROM store.enters GROUP BY shape
    ) e ON e.shape = n.shape
    WHERE n.item ${list === "" ? "" : `OR n.name IN (${list})`}
    GROUP BY n.name, n.shape, n.item`);
  const shapes = rows.map((row) => ({
    ...typeCounts(row),
    name: valueColumn("log", textOf(row, "name") ?? ""),
    shape: String(row["shape"]),
    item: row["item"] === true,
    firstSeq: Number(row["first_seq"]),
    hindsight: row["hindsight"] === true,
  }));
  // An argument of the same name is another column.
  return shapes.filter(({ item, name }) => item || names.includes(name));
}

/** Types of each argument's values over all runs, by column. */
export async function readArgTypes(connection: Connection): Promise<Map<string, TypeCounts>> {
  const rows = await connection.rows(`
    SELECT name, count(*) FILTER (type = 'number')::DOUBLE AS numbers,
      count(*) FILTER (type = 'text')::DOUBLE AS texts,
      count(*) FILTER (type = 'boolean')::DOUBLE AS booleans,
      count(*) FILTER (type = 'bigint')::DOUBLE AS bigints,
      count(*) FILTER (type = 'bigint' AND number IS NULL)::DOUBLE AS large,
      count(*) FILTER (type = 'json'
        OR type = 'bigint' AND try_cast(value::VARCHAR AS HUGEINT) IS NULL)::DOUBLE AS others
    FROM store.args GROUP BY name ORDER BY min(seq), name`);
  return new Map(rows.map((row) => [valueColumn("arg", String(row["name"])), typeCounts(row)]));
}

function typeCounts(row: { readonly [column: string]: unknown }): TypeCounts {
  return {
    numbers: Number(row["numbers"]),
    texts: Number(row["texts"]),
    booleans: Number(row["booleans"]),
    bigints: Number(row["bigints"]),
    large: Number(row["large"]),
    others: Number(row["others"]),
  };
}

export function addCounts(list: readonly TypeCounts[]): TypeCounts {
  const sum = (key: keyof TypeCounts): number => list.reduce((total, item) => total + item[key], 0);
  return {
    numbers: sum("numbers"),
    texts: sum("texts"),
    booleans: sum("booleans"),
    bigints: sum("bigints"),
    large: sum("large"),
    others: sum("others"),
  };
}

/** All logged names, as columns, most used first. */
export async function readLoggedNames(connection: Connection): Promise<string[]> {
  const rows = await connection.rows(`SELECT name FROM store.names WHERE NOT item
    GROUP BY name ORDER BY min(len(string_split(shape, ','))), sum(rows) DESC, name`);
  return rows.map((row) => valueColumn("log", String(row["name"])));
}

/** The error for a name that no run has. */
export function unknownName(name: string, known: readonly string[]): AfterlogError {
  const close = nearestName(name, known);
  const list = known.slice(0, 12).join(", ") + (known.length > 12 ? ", …" : "");
  return new AfterlogError("AL021", `no run has logged ${JSON.stringify(name)}`, {
    help: [
      ...(close === undefined ? [] : [`did you mean ${JSON.stringify(close)}?`]),
      known.length === 0 ? "nothing has been logged yet" : `names that were logged: ${list}`,
    ] as unknown as [string, ...string[]],
    data: { name, close: close ?? null },
  });
}
