/** @file One run in full: what `afterlog show` prints. */
import type { Connection, SqlRow } from "./database.ts";
import { numberOf, textOf } from "./database.ts";
import { literal } from "./schema.ts";
import { loopKeys, parseShape } from "./frame/shapes.ts";

/** A logged name of a run. */
export interface Metric {
  readonly name: string;
  /** Loops it was logged in, outermost first. */
  readonly loops: readonly string[];
  readonly count: number;
  readonly type: string;
  readonly number: number | null;
  readonly text: string | null;
  readonly value: string | null;
  readonly origin: "recorded" | "hindsight";
  /** Of values in hindsight: how many have which mark. */
  readonly checks: Readonly<{ [mark: string]: number }>;
  /** Least and greatest value of consecutive stretches of the series, alternating. */
  readonly points: readonly number[];
}

export interface LoopSummary {
  readonly loop: string;
  readonly loops: readonly string[];
  readonly entries: number;
  readonly iterations: number;
  /** How the entries were left, with counts; `open`: not left yet. */
  readonly exits: Readonly<{ [how: string]: number }>;
  /** Where it stands in the source, as far as one place is known. */
  readonly file: string | null;
  readonly line: number | null;
  /** Milliseconds that its iterations took, without recording; until now, if it is open. */
  readonly ms: number;
}

/** A call into code of which no loop is recorded, with the time of all its executions. */
export interface UnseenCallSummary {
  /** `trainer.fit() at train.py:12` */
  readonly call: string;
  readonly times: number;
  readonly ms: number;
}

export interface RunDetails {
  readonly run: SqlRow;
  readonly args: readonly SqlRow[];
  readonly loops: readonly LoopSummary[];
  /** Longest first. */
  readonly calls: readonly UnseenCallSummary[];
  readonly metrics: readonly Metric[];
  readonly checkpoints: readonly SqlRow[];
  readonly replays: readonly string[];
  /** Alerts that fired in it: the alert, its condition, the path and the values there. */
  readonly alerts: readonly SqlRow[];
  /** When its last record was made: milliseconds since the run began. */
  readonly lastMs: number;
}

/** Stretches of a series for a sparkline. */
const STRETCHES = 24;

/** Everything about a run that exists. */
export async function readRunDetails(connection: Connection, run: string): Promise<RunDetails> {
  const id = literal(run);
  const [row = {}] = await connection.rows(`SELECT * FROM runs WHERE run = ${id}`);
  const args = await connection.rows(`SELECT name, type, number, text, value::VARCHAR AS value,
    "from" FROM args WHERE run = ${id} ORDER BY seq`);
  const checkpoints =
    await connection.rows(`SELECT path, kind, file, bytes::DOUBLE AS bytes, t::DOUBLE AS t
    FROM checkpoints WHERE run = ${id} AND NOT superseded ORDER BY seq, t`);
  const replays = await connection.rows(
    `SELECT run FROM runs WHERE parent = ${id} AND kind = 'replay' ORDER BY ordinal`,
  );
  const [last] = await connection.rows(
    `SELECT last_t::DOUBLE AS t FROM store.runs WHERE run = ${id}`,
  );
  return {
    lastMs: Number(last?.["t"] ?? 0) / 1000,
    run: row,
    args,
    loops: await readLoops(connection, id),
    calls: await readUnseenCalls(connection, id),
    metrics: await readMetrics(connection, id),
    checkpoints,
    alerts: await connection.rows(
      `SELECT alert, condition, path, "values"::VARCHAR AS "values" FROM alerts WHERE run = ${id}`,
    ),
    replays: replays.map((replay) => String(replay["run"])),
  };
}

async function readLoops(connection: Connection, id: string): Promise<LoopSummary[]> {
  const rows = await connection.rows(`
    SELECT regexp_replace(e.shape, '#[0-9]+', '', 'g') AS shape, count(*)::DOUBLE AS entries,
      sum(x.iterations)::DOUBLE AS iterations, coalesce(x.how, 'open') AS how,
      min(e.seq)::DOUBLE AS first, any_value(x.file) AS file, any_value(x.line)::DOUBLE AS line,
      sum(coalesce(x.exit_t, r.last_t) - e.t)::DOUBLE / 1000 AS ms
    FROM store.enters e JOIN store.runs r USING (no)
      LEFT JOIN main.loops x ON x.run = r.run AND x.seq = e.seq
    WHERE r.run = ${id} GROUP BY ALL ORDER BY first`);
  const times = await readLoopTimes(connection, id);
  const found = new Map<string, LoopSummary>();
  for (const row of rows) {
    const shape = String(row["shape"]);
    const loops = loopKeys(parseShape(shape));
    const before = found.get(shape);
    const entries = Number(row["entries"]);
    const open = row["how"] === "open";
    const iterations = open
      ? await iterationsSeen(connection, id, shape, loops.length)
      : Number(row["iterations"] ?? 0);
    found.set(shape, {
      loop: loops.at(-1) ?? "",
      loops,
      entries: (before?.entries ?? 0) + entries,
      iterations: (before?.iterations ?? 0) + iterations,
      exits: { ...before?.exits, [String(row["how"])]: entries },
      file: before?.file ?? textOf(row, "file"),
      line: before?.line ?? numberOf(row, "line"),
      ms: times.get(loops.join("\n")) ?? (before?.ms ?? 0) + Number(row["ms"] ?? 0),
    });
  }
  return [...found.values()];
}

async function readUnseenCalls(connection: Connection, id: string): Promise<UnseenCallSummary[]> {
  const rows = await connection.rows(`SELECT loop AS call, count(*)::DOUBLE AS times, sum(ms) AS ms
    FROM profile WHERE run = ${id} AND kind = 'call' GROUP BY ALL ORDER BY ms DESC, call`);
  return rows.map(({ call, times, ms }) => {
    return { call: String(call), times: Number(times), ms: Number(ms) };
  });
}

/** Measured milliseconds by the names of a loop and of those around it. */
async function readLoopTimes(connection: Connection, id: string): Promise<Map<string, number>> {
  const rows = await connection.rows(`
    SELECT regexp_replace(path, '(#[0-9]+)?=[^,]*', '', 'g') AS around, loop, sum(ms) AS ms
    FROM profile WHERE run = ${id} AND kind = 'iteration' GROUP BY ALL`);
  return new Map(
    rows.map((row) => {
      const own = { loop: String(row["loop"]), entry: 0 };
      const loops = loopKeys([...parseShape(textOf(row, "around") ?? ""), own]);
      return [loops.join("\n"), Number(row["ms"])];
    }),
  );
}

/** Iterations of a loop that never ended: no exit counted them, but what was recorded in them did. */
async function iterationsSeen(
  connection: Connection,
  id: string,
  shape: string,
  depth: number,
): Promise<number> {
  const index = `i${depth}`;
  const inside = `starts_with(regexp_replace(shape, '#[0-9]+', '', 'g') || ',', ${literal(`${shape},`)})`;
  const records = ["logs", "items", "enters"].map((table) => {
    return `SELECT max(seq) AS seq, arg_max(${index}, seq) AS last FROM store.${table}
      JOIN store.runs USING (no) WHERE run = ${id} AND ${inside} AND ${index} IS NOT NULL`;
  });
  const [row] = await connection.rows(
    `SELECT arg_max(last, seq)::DOUBLE + 1 AS seen FROM (${records.join(" UNION ALL ")})`,
  );
  return Number(row?.["seen"] ?? 0);
}

async function readMetrics(connection: Connection, id: string): Promise<Metric[]> {
  const rows = await connection.rows(`
    SELECT n.name, regexp_replace(n.shape, '#[0-9]+', '', 'g') AS shape,
      sum(n.rows)::DOUBLE AS count, arg_max(n.type, n.seq) AS type,
      arg_max_null(n.number, n.seq) AS number, arg_max_null(n.text, n.seq) AS text,
      arg_max_null(n.value::VARCHAR, n.seq) AS value, bool_and(r.kind = 'replay') AS hindsight
    FROM store.names n JOIN store.runs r USING (no)
    WHERE NOT n.item AND (r.run = ${id} OR r.kind = 'replay' AND r.parent = ${id} AND n.probe)
    GROUP BY ALL ORDER BY min(n.first_seq)`);
  const points = await readPoints(connection, id);
  const checks = await readChecks(connection, id);
  return rows.map((row) => ({
    name: String(row["name"]),
    checks: checks.get(`${String(row["name"])}\n${String(row["shape"])}`) ?? {},
    loops: loopKeys(parseShape(String(row["shape"]))),
    count: Number(row["count"]),
    type: String(row["type"]),
    number: numberOf(row, "number"),
    text: textOf(row, "text"),
    value: textOf(row, "value"),
    origin: row["hindsight"] === true ? "hindsight" : "recorded",
    points: points.get(`${String(row["name"])}\n${String(row["shape"])}`) ?? [],
  }));
}

/** Marks of values in hindsight, by name and shape. */
async function readChecks(
  connection: Connection,
  id: string,
): Promise<Map<string, { [mark: string]: number }>> {
  const rows = await connection.rows(`
    SELECT l.name, regexp_replace(l.shape, '#[0-9]+', '', 'g') AS shape,
      coalesce(l."check", 'unchecked') AS mark, count(*)::DOUBLE AS count
    FROM store.logs l JOIN store.runs r USING (no)
    WHERE r.kind = 'replay' AND r.parent = ${id} AND l.probe GROUP BY ALL ORDER BY mark DESC`);
  const found = new Map<string, { [mark: string]: number }>();
  for (const row of rows) {
    const key = `${String(row["name"])}\n${String(row["shape"])}`;
    found.set(key, { ...found.get(key), [String(row["mark"])]: Number(row["count"]) });
  }
  return found;
}

/** Series cut into stretches, by name and shape; a stretch with a NaN is NaN. */
async function readPoints(connection: Connection, id: string): Promise<Map<string, number[]>> {
  const rows = await connection.rows(`
    SELECT name, shape, list(low ORDER BY stretch) AS low, list(high ORDER BY stretch) AS high
    FROM (
      SELECT name, shape, (nth - 1) * ${STRETCHES} // total AS stretch,
        CASE WHEN bool_or(NOT isfinite(number)) THEN 'NaN' ELSE min(number) END AS low,
        CASE WHEN bool_or(NOT isfinite(number)) THEN 'NaN' ELSE max(number) END AS high
      FROM (
        SELECT name, shape, number, row_number() OVER (PARTITION BY name, shape ORDER BY seq) AS nth,
          count(*) OVER (PARTITION BY name, shape) AS total
        FROM (SELECT l.name, regexp_replace(l.shape, '#[0-9]+', '', 'g') AS shape, l.number, l.seq
          FROM store.logs l
          WHERE l.no = (SELECT no FROM store.runs WHERE run = ${id}) AND l.number IS NOT NULL)
      ) GROUP BY ALL
    ) GROUP BY ALL`);
  return new Map(
    rows.map((row) => {
      const low = row["low"] as number[];
      const high = row["high"] as number[];
      const isSame = low.every((value, at) => value === high[at]);
      const both = isSame ? low : low.flatMap((value, at) => [value, high[at] ?? value]);
      return [`${String(row["name"])}\n${String(row["shape"])}`, both];
    }),
  );
}
