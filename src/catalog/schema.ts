/**
 * @file The tables of `index.duckdb` and the views that people query (`docs/sql.md`).
 *
 * Rows are kept in the schema `store`, narrow and numeric: a run is a number, a loop path is its
 * shape (`epoch,step#1`: names and entries, few distinct values) and one integer column a level.
 * The views in `main` are the stable surface (FlorDB §4: the logs as relations); the tables of
 * `store` may change with any version, which rebuilds the index.
 */

/** Raised with every change below: an index of another version is rebuilt. */
export const SCHEMA_VERSION = 8;

/** Loop levels that a new index has columns for; deeper loops add columns. */
export const FIRST_WIDTH = 4;

/** A name or text as an SQL identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as an SQL literal. NUL cannot stand in SQL text, and cannot stand in an index either. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** `i1, i2, …`: the index columns of `width` levels. */
export function indexColumns(width: number): string[] {
  return Array.from({ length: width }, (_, level) => `i${level + 1}`);
}

const VALUE_COLUMNS = "type VARCHAR, number DOUBLE, text VARCHAR, value JSON";

/** Tables that hold a loop path, and so grow a column when loops nest deeper. */
export const PATH_TABLES = ["logs", "items", "enters", "exits"] as const;

/** Creates the tables of an empty index. */
export function createTables(identity: string): string {
  const levels = indexColumns(FIRST_WIDTH)
    .map((column) => `${column} INTEGER`)
    .join(", ");
  return `
CREATE SCHEMA store;
CREATE TABLE store.meta (
  version INTEGER, width INTEGER, identity VARCHAR, generation BIGINT, annotations VARCHAR);
CREATE TABLE store.annotations (
  run VARCHAR, named BOOLEAN, name VARCHAR, note VARCHAR, tags VARCHAR[], hidden BOOLEAN,
  alerts STRUCT(alert VARCHAR, condition VARCHAR, path VARCHAR, "values" JSON, "at" BIGINT)[]);
CREATE TABLE store.runs (
  no INTEGER, run VARCHAR, name VARCHAR, kind VARCHAR, parent VARCHAR, point VARCHAR, status VARCHAR,
  ordinal DOUBLE, started TIMESTAMP, ended TIMESTAMP, seconds DOUBLE, projid VARCHAR,
  filename VARCHAR, language VARCHAR, argv VARCHAR[], "commit" VARCHAR, head VARCHAR,
  branch VARCHAR, dirty INTEGER, seed VARCHAR, host VARCHAR, exit_code INTEGER, signal VARCHAR,
  overhead DOUBLE, budget DOUBLE, overhead_parts JSON, off JSON, warnings VARCHAR[],
  manifest_damage VARCHAR, log_damage VARCHAR, profile_damage VARCHAR, checkpoint_damage VARCHAR,
  landing VARCHAR, differs VARCHAR[], bad_lines BIGINT, loop_rules INTEGER, sealed VARCHAR, final BOOLEAN, stamp VARCHAR,
  log_bytes BIGINT, log_lines BIGINT, log_crc BIGINT, last_t BIGINT);
CREATE TABLE store.args (
  no INTEGER, seq BIGINT, name VARCHAR, ${VALUE_COLUMNS}, "default" JSON, "from" VARCHAR, t BIGINT);
CREATE TABLE store.logs (
  no INTEGER, seq BIGINT, name VARCHAR, shape VARCHAR, ${levels}, ${VALUE_COLUMNS},
  probe BOOLEAN, "check" VARCHAR, site INTEGER, t BIGINT);
CREATE TABLE store.items (no INTEGER, seq BIGINT, shape VARCHAR, ${levels}, ${VALUE_COLUMNS});
CREATE TABLE store.enters (
  no INTEGER, seq BIGINT, shape VARCHAR, ${levels}, loop VARCHAR, entry INTEGER, length BIGINT,
  start DOUBLE, step DOUBLE, site INTEGER, t BIGINT);
CREATE TABLE store.exits (
  no INTEGER, seq BIGINT, shape VARCHAR, ${levels}, how VARCHAR, iterations BIGINT, t BIGINT);
CREATE TABLE store.names (
  no INTEGER, name VARCHAR, item BOOLEAN, shape VARCHAR, rows BIGINT, numbers BIGINT, texts BIGINT,
  booleans BIGINT, bigints BIGINT, large BIGINT, others BIGINT, first_seq BIGINT, seq BIGINT,
  ${VALUE_COLUMNS}, probe BOOLEAN, "check" VARCHAR);
CREATE TABLE store.sites (
  no INTEGER, site INTEGER, file VARCHAR, line INTEGER, "column" INTEGER, kind VARCHAR,
  "function" VARCHAR);
CREATE TABLE store.files (
  no INTEGER, seq BIGINT, op VARCHAR, file VARCHAR, path VARCHAR, hash VARCHAR, bytes BIGINT,
  before VARCHAR, t BIGINT);
CREATE TABLE store.rewinds (no INTEGER, at_byte BIGINT, seq BIGINT);
CREATE TABLE store.checkpoints (
  no INTEGER, kind VARCHAR, path VARCHAR, seq BIGINT, log_bytes BIGINT, file VARCHAR, bytes BIGINT,
  state_bytes BIGINT, holds VARCHAR[], needs VARCHAR[], state_hash VARCHAR, absent JSON,
  capture_ms DOUBLE, snapshot_ms DOUBLE, wait_ms DOUBLE, persist_ms DOUBLE, t BIGINT);
CREATE TABLE store.profile (
  no INTEGER, kind VARCHAR, path VARCHAR, loop VARCHAR, entry INTEGER, iteration BIGINT, ms DOUBLE,
  next_ms DOUBLE, head_ms DOUBLE, inner_ms DOUBLE, tail_ms DOUBLE, bytes BIGINT);
INSERT INTO store.meta VALUES (${SCHEMA_VERSION}, ${FIRST_WIDTH}, ${literal(identity)}, 0, '');
${createViews(FIRST_WIDTH)}`;
}

/** Widens an index to `width` loop levels. */
export function widenTables(from: number, width: number): string {
  const added = indexColumns(width).slice(from);
  const alter = PATH_TABLES.flatMap((table) =>
    added.map((column) => `ALTER TABLE store.${table} ADD COLUMN ${column} INTEGER;`),
  );
  return `${alter.join("\n")}
UPDATE store.meta SET width = ${width};
${createViews(width)}`;
}

/** Path as text from shape and index columns: the SQL twin of `formatPath`. */
export function pathText(alias: string, width: number): string {
  return `array_to_string(${loopList(alias, width, "x || '=' || i")}, ',')`;
}

/** Maps over the elements of a path: `x` is a level of the shape, `i` its index. */
function loopList(alias: string, width: number, each: string): string {
  const indices = indexColumns(width).map((column) => `${alias}.${column}`);
  return `CASE WHEN ${alias}.shape = '' THEN [] ELSE list_transform(list_zip(
    string_split(${alias}.shape, ','), [${indices.join(", ")}], true),
    lambda p: ${each.replaceAll(/\bx\b/g, "p[1]").replaceAll(/\bi\b/g, "p[2]")}) END`;
}

const RUN_OF = "coalesce(CASE WHEN r.kind = 'replay' THEN r.parent END, r.run)";

/** Where a value came from; a replay holds what was logged in hindsight. */
const ORIGIN = `CASE r.kind WHEN 'replay' THEN 'hindsight' WHEN 'import' THEN 'imported'
  ELSE 'recorded' END`;

const ALERTS_VIEW = `CREATE OR REPLACE VIEW main.alerts AS
SELECT run, x.alert, x.condition, x.path, x."values", make_timestamp(x."at" * 1000) AS fired
FROM (SELECT run, unnest(alerts) AS x FROM store.annotations) JOIN store.runs USING (run);`;

function createViews(width: number): string {
  const loops = loopList("l", width, "url_decode(split_part(x, '#', 1))");
  const columns = indexColumns(width).map((column) => `l.${column}`);
  const indices = `CASE WHEN l.shape = '' THEN [] ELSE
    [${columns.join(", ")}][1:len(string_split(l.shape, ','))] END`;
  const entries = loopList("l", width, "coalesce(try_cast(split_part(x, '#', 2) AS INTEGER), 0)");
  return `
CREATE OR REPLACE VIEW main.runs AS SELECT r.run,
  CASE WHEN a.named THEN a.name ELSE r.name END AS name, r.kind, r.parent, r.point, r.status, r.started,
  r.ended, r.seconds, r.projid, r.filename, r.language, r.argv, r."commit", r.head, r.branch,
  r.dirty, r.seed, r.host, r.exit_code, r.signal, r.overhead, r.budget, r.overhead_parts,
  coalesce(c.checkpoints, 0) AS checkpoints, coalesce(c.bytes, 0) AS checkpoint_bytes,
  nullif(concat_ws('; ', r.manifest_damage, r.log_damage,
    CASE WHEN r.bad_lines > 0 THEN 'log.jsonl: ' || r.bad_lines || ' lines cannot be read' END,
    r.profile_damage, r.checkpoint_damage), '') AS damaged,
  r.warnings, r.off, r.log_lines, r.ordinal, coalesce(a.tags, []) AS tags, a.note,
  coalesce(a.hidden, false) AS hidden, list_transform(coalesce(a.alerts, []), x -> x.alert) AS alerts
FROM store.runs r LEFT JOIN store.annotations a USING (run) LEFT JOIN (
  SELECT no, count(*) AS checkpoints, sum(bytes)::BIGINT AS bytes FROM store.checkpoints GROUP BY no
) c USING (no);
${ALERTS_VIEW}
CREATE OR REPLACE VIEW main.args AS SELECT r.run, a.name, a.type, a.number, a.text, a.value,
  a."default", a."from", a.seq, a.t
FROM store.args a JOIN store.runs r USING (no);
CREATE OR REPLACE VIEW main.logs AS SELECT ${RUN_OF} AS run, l.seq, l.name,
  ${pathText("l", width)} AS path, ${loops} AS loops, ${indices} AS indices, ${entries} AS entries,
  l.type, l.number, l.text, l.value, ${ORIGIN} AS origin, l."check", l.t, l.site,
  s.file, s.line, r.run AS source, r.landing, r.differs
FROM store.logs l JOIN store.runs r USING (no) LEFT JOIN store.sites s USING (no, site);
CREATE OR REPLACE VIEW main.loops AS SELECT r.run, ${pathText("l", width)} AS path,
  l.loop, l.entry, l.length, l.start, l.step, x.iterations, x.how, l.seq, x.seq AS exit_seq,
  l.t, x.t AS exit_t, s.file, s.line
FROM (SELECT * REPLACE (regexp_replace(shape, '(^|,)[^,]*$', '') AS shape), shape AS own
      FROM store.enters) l
  JOIN store.runs r USING (no)
  LEFT JOIN store.exits x ON x.no = l.no AND x.shape = l.own AND ${sameIndices("x", "l", width)}
  LEFT JOIN store.sites s ON s.no = l.no AND s.site = l.site;
CREATE OR REPLACE VIEW main.items AS SELECT r.run, ${pathText("l", width)} AS path,
  l.type, l.number, l.text, l.value, l.seq
FROM store.items l JOIN store.runs r USING (no);
CREATE OR REPLACE VIEW main.checkpoints AS SELECT r.run, c.kind, c.path, c.seq, c.file, c.bytes,
  c.state_bytes, c.holds, c.needs, c.state_hash, c.absent, c.capture_ms, c.snapshot_ms, c.wait_ms,
  c.persist_ms, c.t,
  EXISTS (SELECT 1 FROM store.rewinds w
    WHERE w.no = c.no AND c.log_bytes <= w.at_byte AND c.seq > w.seq) AS superseded
FROM store.checkpoints c JOIN store.runs r USING (no);
CREATE OR REPLACE VIEW main.files AS SELECT r.run, f.file,
  CASE f.op WHEN 'read' THEN 'read' ELSE 'written' END AS access,
  CASE f.op WHEN 'read' THEN f.hash ELSE s.hash END AS hash,
  CASE f.op WHEN 'read' THEN f.bytes ELSE s.bytes END AS bytes, f.path, f.before, f.seq, f.t
FROM store.files f JOIN store.runs r USING (no) LEFT JOIN (
  SELECT no, file, arg_max_null(hash, seq) AS hash, arg_max_null(bytes, seq) AS bytes
  FROM store.files WHERE op = 'sealed' GROUP BY no, file) s
  ON f.op = 'write' AND s.no = f.no AND s.file = f.file
WHERE f.op <> 'sealed';
CREATE OR REPLACE VIEW main.ancestry AS WITH RECURSIVE line AS (
  SELECT run, parent AS ancestor, point, 1 AS generation FROM store.runs
  WHERE kind = 'fork' AND parent IS NOT NULL
  UNION ALL
  SELECT l.run, r.parent, r.point, l.generation + 1 FROM line l
  JOIN store.runs r ON r.run = l.ancestor WHERE r.kind = 'fork' AND r.parent IS NOT NULL)
SELECT run, ancestor, generation, point FROM line;
CREATE OR REPLACE VIEW main.profile AS SELECT r.run, p.* EXCLUDE (no)
FROM store.profile p JOIN store.runs r USING (no);
CREATE OR REPLACE VIEW main.frame AS SELECT * FROM main.logs
  WHERE origin <> 'hindsight' OR run <> source
  QUALIFY row_number() OVER (PARTITION BY run, name, path
    ORDER BY origin = 'hindsight', source DESC, seq DESC) = 1;`;
}

/** Equality of all index columns, absent ones included. */
export function sameIndices(left: string, right: string, width: number): string {
  return indexColumns(width)
    .map((column) => `${left}.${column} IS NOT DISTINCT FROM ${right}.${column}`)
    .join(" AND ");
}
