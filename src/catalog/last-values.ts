/**
 * @file The last value of each name in each run, a row for each: what lists of runs and comparisons show.
 *
 * A frame has a column of SQL for each name, and DuckDB computes each for each row: that grows with the
 * square of the names, of which a run may have thousands (norms of layers). This grows with the values.
 */
import type { Connection } from "./database.ts";
import { nameOfColumn, valueColumn } from "./frame/value-names.ts";
import { isAmong } from "./ingest/batch.ts";
import type { Cell } from "./result.ts";
import { parseJson } from "./result.ts";
import { literal } from "./schema.ts";

/** Values of a name, by numbers of runs (`store.runs.no`). Of what is missing there is nothing. */
export interface ValueColumn {
  readonly runs: number[];
  readonly cells: Cell[];
  /** `hindsight:verified`; null: the run logged it itself, or was given it. */
  readonly origins: (string | null)[];
}

export interface LastValues {
  /** Columns of arguments, in the order in which programs ask for them. */
  readonly args: readonly string[];
  /** Columns of logged names that are no arguments, too; those of outer loops first, then by how often. */
  readonly metrics: readonly string[];
  readonly columns: ReadonlyMap<string, ValueColumn>;
}

interface Wanted {
  /** Numbers; all runs that are no replays, if not given. */
  readonly runs?: readonly number[] | undefined;
  /** Columns; all, if not given. */
  readonly names?: readonly string[] | undefined;
}

/** Reads the last values. A replay's are its parent's; what is recorded wins, then the newest replay. */
export async function readLastValues(connection: Connection, wanted: Wanted): Promise<LastValues> {
  const { args, metrics, byPlace, merged } = await readColumns(connection, wanted);
  const [runs = [], places = [], types = [], numbers = [], rests = [], origins = []] =
    await connection.columns(valuesSql(wanted, merged));
  const columns = new Map<string, ValueColumn>();
  for (let at = 0; at < runs.length; at++) {
    const name = byPlace[places[at] as number] ?? "";
    let column = columns.get(name);
    if (column === undefined) columns.set(name, (column = { runs: [], cells: [], origins: [] }));
    const cell = cellOf(types[at] as number, numbers[at] as number | null, rests[at]);
    if (cell === null) continue;
    column.runs.push(runs[at] as number);
    column.cells.push(cell);
    column.origins.push(origins[at] as string | null);
  }
  return { args, metrics, columns };
}

interface Columns extends Omit<LastValues, "columns"> {
  /** By the number that stands for a name in the result. */
  readonly byPlace: readonly string[];
  /** Of arguments that are logged names too: their number, and that of the name. */
  readonly merged: readonly (readonly [arg: number, log: number])[];
}

async function readColumns(connection: Connection, wanted: Wanted): Promise<Columns> {
  const [kinds = [], names = [], depths = [], counts = []] = await connection.columns(
    `WITH ${foundSql(wanted)} SELECT logged, name, min(depth)::DOUBLE, sum(rows)::DOUBLE
     FROM found GROUP BY logged, name ORDER BY logged, name`,
  );
  const byPlace = names.map((name, at) => {
    return valueColumn(kinds[at] === true ? "log" : "arg", name as string);
  });
  const places = [...byPlace.keys()].sort((a, b) => {
    const deeper = (depths[a] as number) - (depths[b] as number);
    return deeper || (counts[b] as number) - (counts[a] as number) || a - b;
  });
  const args = places.flatMap((at) => (kinds[at] === true ? [] : (byPlace[at] ?? [])));
  const known = new Set(args);
  // A name that is both is shown once.
  const metrics = places.flatMap((at) => {
    const column = byPlace[at] ?? "";
    return kinds[at] === true && !known.has(column) ? [column] : [];
  });
  const logs = new Map(
    places.flatMap((at) => (kinds[at] === true ? [[byPlace[at], at] as const] : [])),
  );
  const merged = places.flatMap((at) => {
    const log = kinds[at] === true ? undefined : logs.get(byPlace[at]);
    return log === undefined ? [] : [[at, log] as const];
  });
  return { args, metrics, byPlace, merged };
}

/** Types as numbers: a text for each value would cost more than the values. */
const TYPES = ["null", "number", "text", "bigint"] as const;

function cellOf(type: number, number: number | null, rest: unknown): Cell {
  if (TYPES[type] === "number") return number;
  if (typeof rest !== "string") return null;
  if (TYPES[type] === "text") return rest;
  return TYPES[type] === "bigint" ? BigInt(rest) : parseJson(rest);
}

/** Ranks: what is recorded after all replays, these by their age. */
const RECORDED = 1_000_000;
const RANK_STEP = "1000000000000";

/** `found`: arguments and summaries of logs, with the run that each belongs to. */
function foundSql({ runs, names }: Wanted): string {
  const list = names && [...new Set(names.map((name) => literal(nameOfColumn(name))))].join(", ");
  const isNamed = list === undefined ? "" : list === "" ? " AND false" : ` AND s.name IN (${list})`;
  const isWanted =
    runs === undefined ? "" : runs.length === 0 ? "AND false" : `AND ${isAmong(runs)}`;
  return `wanted AS (SELECT no, run FROM store.runs WHERE kind <> 'replay' ${isWanted}),
    owners AS (SELECT no, no AS owner, false AS replay, ${RECORDED} * ${RANK_STEP} AS rank FROM wanted
      UNION ALL SELECT r.no, w.no, true, rank() OVER (ORDER BY r.ordinal, r.no) * ${RANK_STEP}
      FROM store.runs r JOIN wanted w ON r.kind = 'replay' AND r.parent = w.run),
    found AS (
      SELECT o.owner, false AS logged, s.name, s.type, s.number, s.text, s.value, s.seq + o.rank AS rank,
        NULL AS origin, s.seq AS depth, 0 AS rows
      FROM store.args s JOIN owners o USING (no) WHERE NOT o.replay${isNamed}
      UNION ALL
      SELECT o.owner, true, s.name, s.type, s.number, s.text, s.value, s.seq + o.rank,
        CASE WHEN o.replay THEN 'hindsight' || coalesce(':' || s."check", '') END,
        len(string_split(s.shape, ',')), s.rows
      FROM store.names s JOIN owners o USING (no)
      WHERE NOT s.item AND (NOT o.replay OR s.probe)${isNamed})`;
}

/** Names stand as their places in the order of `readColumns`. */
function valuesSql(wanted: Wanted, merged: Columns["merged"]): string {
  const code = TYPES.map((type, at) => `WHEN ${literal(type)} THEN ${at}`).join(" ");
  const pairs = merged.map(([arg, log]) => `(${arg}, ${log})`).join(", ");
  const place = merged.length === 0 ? "place" : "coalesce(log, place)";
  const join = merged.length === 0 ? "" : ` LEFT JOIN (VALUES ${pairs}) m(arg, log) ON arg = place`;
  return `WITH ${foundSql(wanted)},
    places AS (SELECT *, (row_number() OVER (ORDER BY logged, name) - 1)::INTEGER AS place
      FROM (SELECT DISTINCT logged, name FROM found))
  SELECT owner, ${place} AS place, (CASE arg_max(type, rank) ${code} ELSE ${TYPES.length} END)::INTEGER,
    arg_max_null(number, rank), arg_max_null(coalesce(text, value::VARCHAR), rank),
    arg_max_null(origin, rank)
  FROM found JOIN places USING (logged, name)${join} GROUP BY owner, ${place}`;
}
