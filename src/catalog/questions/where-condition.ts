/**
 * @file A `--where` condition: SQL over the columns of a frame and of its runs.
 *
 * DuckDB's own parser says which columns it mentions, so that names that were not asked for can be
 * brought in. What it means is left to DuckDB.
 */
import { AfterlogError, nearestName } from "../../format/index.ts";
import type { Connection } from "../database.ts";
import { duckdbReason, isDamaged } from "../database.ts";
import { readLoopForms } from "../frame/loop-forms.ts";
import { dottedColumns } from "../frame/value-names.ts";
import { quoteLoops } from "./index-columns.ts";

/** The error for SQL that DuckDB refuses. */
export function sqlError(sql: string, reason: string, help: readonly string[]): AfterlogError {
  const [first = "see the tables and columns in docs/sql.md", ...rest] = help;
  return new AfterlogError("AL020", reason, {
    notes: sql.trim() === "" ? [] : [`in: ${sql.trim()}`],
    help: [first, ...rest],
    data: { sql },
  });
}

/** One of the conditions that `and` joins. */
export interface ConditionPart {
  readonly columns: readonly string[];
  /** It asks a table of its own. */
  readonly hasSubquery: boolean;
  readonly sql: string;
}

export interface Condition {
  /** The condition, as SQL may say it. */
  readonly sql: string;
  /** Columns that it mentions, in order, each once. */
  readonly columns: readonly string[];
  /** What `and` joins; empty if that cannot be told. */
  readonly parts: readonly ConditionPart[];
}

/** Takes a condition apart. Throws AL020 if it cannot be read. */
export async function parseCondition(connection: Connection, where: string): Promise<Condition> {
  const { spellings } = await readLoopForms(connection);
  const quoted = quoteLoops(where, [...spellings, ...dottedColumns(where)]);
  const [row] = await connection.rows("SELECT json_serialize_sql($sql::VARCHAR)::VARCHAR AS tree", {
    // The newline ends a comment that the condition may end with.
    sql: `SELECT 1 WHERE (${quoted}\n)`,
  });
  // Places in the text, of which some are 2^64 - 1, are no part of what it means.
  const json = String(row?.["tree"]).replaceAll(/"query_location":\d+/g, '"query_location":0');
  const tree = JSON.parse(keepNumbers(json)) as SerializedSql;
  if (tree.error) {
    const reason = syntaxReason(where, tree.error_message);
    throw sqlError(where, reason, [...WHERE_HELP, ...quotesHelp(reason)]);
  }
  const [statement] = tree.statements?.length === 1 ? tree.statements : [];
  const node = statement?.node;
  const isCondition =
    node?.type === "SELECT_NODE" &&
    node.from_table?.type === "EMPTY" &&
    node.modifiers?.length === 0;
  if (!isCondition) throw sqlError(where, "it is not one condition", WHERE_HELP);
  const parts: ConditionPart[] = [];
  // A number with more digits than a double holds would not survive being taken apart here.
  const exact = !/\d{16}/.test(json);
  for (const part of exact ? conjuncts(node.where_clause) : []) {
    const alone = {
      ...tree,
      statements: [{ ...statement, node: { ...node, where_clause: part } }],
    };
    const [text] = await connection.rows("SELECT json_deserialize_sql($tree::JSON) AS sql", {
      tree: numbersBack(JSON.stringify(alone)),
    });
    const sql = String(text?.["sql"]).replace(/^SELECT 1 WHERE /, "");
    parts.push({ columns: columnsIn(part), hasSubquery: hasSubquery(part), sql });
  }
  return { sql: quoted, columns: columnsIn(node.where_clause), parts };
}

/**
 * The double of `1e9` is written `1000000000.0`, which as a number of JavaScript would come back as
 * an integer, and be refused: literals are kept as the text they are. Inside a JSON string the
 * quotes would be escaped, so that none is met there.
 */
function keepNumbers(json: string): string {
  return json.replaceAll(/"value":(-?\d[\d.eE+-]*)/g, '"value":{"number":"$1"}');
}

function numbersBack(json: string): string {
  return json.replaceAll(/"value":\{"number":"([^"]*)"\}/g, '"value":$1');
}

function columnsIn(node: unknown): string[] {
  const found = new Set<string>();
  collectColumns(node, found);
  return [...found];
}

function hasSubquery(node: unknown): boolean {
  return JSON.stringify(node).includes('"class":"SUBQUERY"');
}

function conjuncts(node: unknown): unknown[] {
  const { type, children } = (node ?? {}) as {
    readonly type?: unknown;
    readonly children?: unknown;
  };
  if (type !== "CONJUNCTION_AND" || !Array.isArray(children)) return [node];
  return children.flatMap(conjuncts);
}

/** The closing parenthesis that the parser met is ours: the condition ended too early. */
function syntaxReason(where: string, message = "it cannot be parsed"): string {
  const isOurs = message.includes('near ")"') && !where.includes(")");
  return isOurs ? "syntax error: the condition ends too early" : message;
}

/** A loop may be called by a word of SQL: `do`, `for`. */
function quotesHelp(reason: string): string[] {
  const [, word] = /near "([a-z]\w*)"/i.exec(reason) ?? [];
  return word === undefined ? [] : [`if ${word} is a name, it stands in quotes:  "${word}" = 3`];
}

const WHERE_HELP = [`a condition looks like  lr < 0.01 and started >= '2026-06-01' and epoch > 3`];

interface SerializedSql {
  readonly error: boolean;
  readonly error_message?: string;
  readonly statements?: readonly {
    readonly node: {
      readonly type: string;
      readonly from_table?: { readonly type: string };
      readonly modifiers?: readonly unknown[];
      readonly where_clause?: unknown;
    };
  }[];
}

function collectColumns(node: unknown, found: Set<string>): void {
  if (Array.isArray(node)) {
    for (const item of node) collectColumns(item, found);
  } else if (typeof node === "object" && node !== null) {
    const fields = node as { readonly [key: string]: unknown };
    const names = fields["column_names"];
    if (fields["class"] === "COLUMN_REF" && Array.isArray(names)) found.add(String(names[0]));
    for (const item of Object.values(fields)) collectColumns(item, found);
  }
}

/** Runs `work`; DuckDB's refusal of the user's SQL becomes AL020, with the `known` columns. */
export async function refusingSql<T>(
  sql: string,
  known: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AfterlogError || isDamaged(error)) throw error;
    const reason = duckdbReason(error);
    const dotted = unknownDotted(sql, reason);
    const name = dotted ?? /(?:column|Table with name) "?([^"\s]+)"?/.exec(reason)?.[1];
    const close = name === undefined ? undefined : nearestName(name, known);
    throw sqlError(sql, dotted === undefined ? reason : `${dotted} is no loop and no column`, [
      ...(close === undefined ? [] : [`did you mean ${close}?`]),
      ...quotesHelp(reason),
      ...(known.length === 0 ? [] : [`known: ${known.join(", ")}`]),
    ]);
  }
}

/** `trian.i`, which DuckDB takes for a column of a table. */
function unknownDotted(sql: string, reason: string): string | undefined {
  const table = /Referenced table "([^"]+)" not found/.exec(reason)?.[1];
  return sql.match(/\w+(?:\.\w+)+/g)?.find((name) => name.startsWith(`${table}.`));
}
