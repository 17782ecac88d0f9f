/**
 * @file In which runs a condition holds anywhere, and where first: the rows of the frame of the logged
 * names that it mentions, in their order. A row in which one of them has no value says nothing, so that
 * what a run says while it is recorded stays true of it.
 */
import { AfterlogError } from "../../format/index.ts";
import type { Connection } from "../database.ts";
import { columnSpelling, planFrame } from "../frame/plan-frame.ts";
import type { Frame } from "../frame/plan-frame.ts";
import { readLoggedNames } from "../frame/names.ts";
import type { Cell } from "../result.ts";
import { runQuery } from "../result.ts";
import { identifier } from "../schema.ts";
import { readAbsent } from "./sql-columns.ts";
import type { Condition } from "./where-condition.ts";
import { parseCondition, refusingSql } from "./where-condition.ts";

export interface FiredRun {
  readonly run: string;
  /** The loops of the first row for which it holds: `epoch=3`; undefined: it holds for none. */
  readonly path: string | undefined;
  /** The logged values there. */
  readonly values: ReadonlyMap<string, Cell>;
  /** A mark of one of these values, if it is less than verified. */
  readonly mark: string | undefined;
  /** Of the compared value the smallest, or the largest, whichever is nearer to firing. */
  readonly extreme: number | undefined;
}

/** A comparison with a number, as which the condition can be tried with other numbers. */
export interface Sweep {
  /** `f1_score <` */
  readonly text: string;
  readonly operator: "<" | "<=" | ">" | ">=";
  readonly threshold: number;
}

export interface FiredRuns {
  /** Names that it mentions and that a run has logged; and those that none has, nor anybody knows. */
  readonly logged: readonly string[];
  readonly missing: readonly string[];
  /** Those that have a row with all values. */
  readonly runs: readonly FiredRun[];
  readonly sweep: Sweep | undefined;
}

/** Asks all runs. Throws AL020 if it is no condition on logged values. */
export async function readFired(connection: Connection, condition: string): Promise<FiredRuns> {
  const parsed = await parseCondition(connection, condition);
  const known = await readLoggedNames(connection);
  const missing = await readAbsent(connection, { where: condition });
  const logged = [
    ...new Set(parsed.columns.flatMap((column) => columnSpelling(column, known) ?? [])),
  ];
  if (logged.length + missing.length === 0) throw noValue(condition);
  if (missing.length > 0) return { logged, missing, runs: [], sweep: undefined };
  const whole = logged.map((name) => `${identifier(name)} IS NOT NULL`).join(" AND ");
  const held = await planFrame(connection, {
    names: logged,
    where: `(${condition}\n) AND ${whole}`,
  });
  const first = await readFirst(connection, condition, held);
  const sweep = sweepOf(parsed, logged);
  const all = await planFrame(connection, {
    names: logged,
    where: [whole, ...(sweep?.others ?? []).map((part) => `(${part})`)].join(" AND "),
  });
  // A run of which the other parts of the condition never hold is asked, and fires at no number.
  const rows = await planFrame(connection, { names: logged, where: whole });
  const extremes = sweep ? await readExtremes(connection, sweep, all) : new Map<string, number>();
  const runs = await readNames(connection, rows);
  return {
    logged,
    missing,
    sweep: sweep && { text: sweep.text, operator: sweep.operator, threshold: sweep.threshold },
    runs: runs.map((run) => ({
      ...(first.get(run) ?? { run, path: undefined, values: new Map(), mark: undefined }),
      extreme: extremes.get(run),
    })),
  };
}

type First = Omit<FiredRun, "extreme">;

async function readFirst(
  connection: Connection,
  condition: string,
  frame: Frame,
): Promise<ReadonlyMap<string, First>> {
  // The rows come in the order of the frame; of those of a run the first is kept.
  const sql = `SELECT DISTINCT ON (run) * FROM (
    SELECT *, row_number() OVER () AS __at FROM (${frame.sql}) f ${sound(frame)}) ORDER BY run, __at`;
  const rows = await refusingSql(condition, frame.known, () => cellsOf(connection, sql));
  const found = rows.map((row): readonly [string, First] => {
    const at = (kind: string): readonly (readonly [string, Cell])[] =>
      frame.columns.flatMap((column, place) => {
        return column.kind === kind ? [[column.key, row[place] ?? null] as const] : [];
      });
    const path = at("loop")
      .flatMap(([loop, value]) => {
        return value === null
          ? []
          : [`${encodeURIComponent(loop)}=${encodeURIComponent(plain(value))}`];
      })
      .join(",");
    const marks = at("origin").flatMap(
      ([, origin]) => /^hindsight:(.*)/.exec(plain(origin))?.[1] ?? [],
    );
    const mark = marks.find((one) => one !== "verified" && one !== "restored");
    const run = plain(row[0] ?? null);
    return [run, { run, path, values: new Map(at("name")), mark }];
  });
  return new Map(found);
}

/** Without rows of a replay that did not do again what was recorded. */
function sound({ columns }: Frame): string {
  const origins = columns.filter(({ kind }) => kind === "origin");
  const parts = origins.map(
    ({ key }) => `${identifier(key)} IS DISTINCT FROM 'hindsight:diverged'`,
  );
  return parts.length === 0 ? "" : `WHERE ${parts.join(" AND ")}`;
}

async function readNames(connection: Connection, frame: Frame): Promise<string[]> {
  const sql = `SELECT DISTINCT run FROM (${frame.sql}) f ${sound(frame)} ORDER BY run`;
  return (await cellsOf(connection, sql)).map(([run]) => plain(run ?? null));
}

async function readExtremes(
  connection: Connection,
  { value, operator }: FoundSweep,
  frame: Frame,
): Promise<ReadonlyMap<string, number>> {
  const nearest = operator.startsWith("<") ? "min" : "max";
  const sql = `SELECT run, ${nearest}((${value})::DOUBLE) FROM (${frame.sql}) f ${sound(frame)} GROUP BY run`;
  const rows = await cellsOf(connection, sql);
  // What is not a number is the greatest of all to SQL.
  const number = (cell: Cell): number => (Number.isNaN(Number(cell)) ? Infinity : Number(cell));
  return new Map(
    rows.flatMap(([run = null, cell = null]) =>
      cell === null ? [] : [[plain(run), number(cell)] as const],
    ),
  );
}

type FoundSweep = Sweep & { readonly value: string; readonly others: readonly string[] };

/** The one part of the condition that compares logged values with a number, if there is one. */
function sweepOf({ parts }: Condition, logged: readonly string[]): FoundSweep | undefined {
  const found = parts.flatMap((part) => {
    const [, value = "", operator, number] = COMPARISON.exec(part.sql) ?? [];
    const isLogged = part.columns.every((column) => columnSpelling(column, logged) !== undefined);
    if (operator === undefined || !isLogged || !isBalanced(value) || part.hasSubquery) return [];
    const text = `${value} ${operator}`;
    const others = parts.filter((other) => other !== part).map(({ sql }) => sql);
    const threshold = Number(number);
    return [{ text, value, operator: operator as Sweep["operator"], threshold, others }];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** As DuckDB writes a comparison. */
const COMPARISON = /^\((.+) (<|<=|>|>=) \(?(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\)?\)$/s;

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text.replaceAll(/'[^']*'|"[^"]*"/g, "")) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

async function cellsOf(connection: Connection, sql: string): Promise<Cell[][]> {
  const rows: Cell[][] = [];
  for await (const batch of (await runQuery(connection, sql)).batches()) rows.push(...batch);
  return rows;
}

function plain(cell: Cell): string {
  return cell === null ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

function noValue(condition: string): AfterlogError {
  return new AfterlogError("AL020", "the condition is on no logged value", {
    notes: [`in: ${condition.trim()}`],
    help: ["an alert is on what programs log, for example  loss > 10  or  f1 < 0.4 and epoch > 3"],
  });
}
