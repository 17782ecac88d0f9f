/**
 * @file Logged values as columns: the SQL that tells numbers, texts and the rest apart, and back.
 *
 * `number` holds what a double holds exactly; `text` strings; `value` JSON text of everything
 * else. A bigint is a JSON integer in `value`, and also a `number` where that loses nothing.
 */

/** Columns `type, number, text, value` of a JSON column, as a FROM-able subquery of `source`. */
export function withValueColumns(source: string, json: string): string {
  return `(SELECT *, ${NUMBER} AS number,
    CASE WHEN initial = '"' THEN json_extract_string(${json}, '$') END AS text,
    ${VALUE.replaceAll("$json", json)} AS value_rest,
    ${TYPE} AS type
  FROM (SELECT *,
    CASE tag WHEN 'float' THEN json_extract_string(${json}, '/v')
      WHEN 'bigint' THEN json_extract_string(${json}, '/v')
      WHEN 'tensor' THEN coalesce(json_extract_string(${json}, '/stats/item/v'),
        json_extract_string(${json}, '/stats/item')) END AS inside
    FROM (SELECT *, CASE WHEN starts_with(raw, '{"$":') THEN json_extract_string(raw, '/$') END AS tag
      FROM (SELECT *, ${json}::VARCHAR AS raw, (${json}::VARCHAR)[1] AS initial FROM ${source}))))`;
}

const IS_NUMBER = `(initial >= '0' AND initial <= '9' OR initial = '-')`;

/** An integer that a double holds exactly. HUGEINT bounds what is tried: 38 digits. */
const EXACT = `try_cast(try_cast(inside AS HUGEINT) AS DOUBLE)::HUGEINT = try_cast(inside AS HUGEINT)`;

const NUMBER = `CASE WHEN ${IS_NUMBER} THEN try_cast(raw AS DOUBLE)
  WHEN tag IS NULL THEN NULL
  WHEN tag = 'float' THEN try_cast(inside AS DOUBLE)
  WHEN tag = 'bigint' AND try(${EXACT}) THEN try_cast(inside AS DOUBLE)
  WHEN tag = 'tensor' AND NOT coalesce(regexp_full_match(inside, '-?[0-9]{16,}'), false)
    THEN try_cast(inside AS DOUBLE)
  WHEN tag = 'tensor' AND try(${EXACT}) THEN try_cast(inside AS DOUBLE) END`;

const TYPE = `CASE WHEN raw IS NULL OR raw = 'null' OR tag = 'undefined' THEN 'null'
  WHEN ${IS_NUMBER} THEN 'number' WHEN initial = '"' THEN 'text'
  WHEN initial = 't' OR initial = 'f' THEN 'boolean'
  WHEN tag = 'float' THEN 'number' WHEN tag = 'bigint' THEN 'bigint'
  WHEN tag = 'tensor' AND (${NUMBER}) IS NOT NULL THEN 'number' ELSE 'json' END`;

const VALUE = `CASE WHEN raw IS NULL OR raw = 'null' OR ${IS_NUMBER} OR initial = '"'
    OR tag IN ('undefined', 'float') THEN NULL
  WHEN tag = 'bigint' THEN inside::JSON
  WHEN tag = 'tensor' AND (${NUMBER}) IS NOT NULL THEN NULL
  ELSE $json END`;

/** How the values of one name are shown in a table column. */
export type ColumnType = "DOUBLE" | "VARCHAR" | "BOOLEAN" | "HUGEINT" | "JSON";

/** How many values of each type a name has; `large` bigints are those no double holds. */
export interface TypeCounts {
  readonly numbers: number;
  readonly texts: number;
  readonly booleans: number;
  readonly bigints: number;
  readonly large: number;
  readonly others: number;
}

/** The narrowest column that shows all values of a name without loss. */
export function columnType(counts: TypeCounts): ColumnType {
  const { numbers, texts, booleans, bigints, large, others } = counts;
  if (others > 0) return "JSON";
  if (texts > 0) return numbers + booleans + bigints > 0 ? "JSON" : "VARCHAR";
  if (booleans > 0) return numbers + bigints > 0 ? "JSON" : "BOOLEAN";
  if (bigints > 0 && numbers === 0) return "HUGEINT";
  return large > 0 ? "JSON" : "DOUBLE";
}

/** The cell of a row that has `type, number, text, value`, as a column of `type`. */
export function cellExpression(type: ColumnType): string {
  switch (type) {
    case "DOUBLE":
      return "number";
    case "VARCHAR":
      return "text";
    case "BOOLEAN":
      return "(value::VARCHAR = 'true')";
    case "HUGEINT":
      return "try_cast(value::VARCHAR AS HUGEINT)";
    case "JSON":
      return JSON_CELL;
  }
}

/** NaN and the infinities have no JSON: they are the strings that the JSON output uses. */
const JSON_CELL = `(CASE type WHEN 'number' THEN
    CASE WHEN isfinite(number) THEN to_json(number) WHEN isnan(number) THEN '"NaN"'
      WHEN number > 0 THEN '"Infinity"' ELSE '"-Infinity"' END
  WHEN 'text' THEN to_json(text) ELSE value END)::JSON`;
