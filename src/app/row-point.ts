/** @file A row of a frame, as JSON, in the place of a reference: the checkpoint that belongs to it. */
import type { Connection } from "../catalog/index.ts";
import { identifier, pathByIndex, planFrame, readLoopForms } from "../catalog/index.ts";
import type { LoopPath } from "../format/index.ts";
import { AfterlogError, parsePath } from "../format/index.ts";
import { resolveRun } from "./run-reference.ts";

type Row = { readonly [column: string]: unknown };

export interface RowPoint {
  /** `RUN@epoch=3`. */
  readonly reference: string;
  /** False: none was taken where the row is about; this is the newest before it. */
  readonly exact: boolean;
}

/** Whether a reference is a row: no run is called so. */
export function isRow(reference: string): boolean {
  return reference.startsWith("{");
}

/** Throws AL001 if it is no row of a frame, AL004 if there is no such run, and AL035 if no checkpoint lies at it or before it. */
export async function pointOfRow(connection: Connection, text: string): Promise<RowPoint> {
  const row = parseRow(text);
  if (typeof row["run"] !== "string") throw noRow(text, "it has no column run");
  const run = await resolveRun(connection, row["run"]);
  const { checkpoint, checkpoint_exact: exact } = row;
  if (typeof checkpoint === "string" && checkpoint.startsWith(`${run}@`)) {
    if (typeof exact === "boolean") return { reference: checkpoint, exact };
  }
  const loops = await loopsOfRow(connection, run, row);
  const path = loops === "" ? [] : parsePath(await pathByIndex(connection, run, loops));
  if (path === undefined) throw noRow(text, "its loops lead nowhere");
  const found = await checkpointAt(connection, run, path);
  if (found) return found;
  throw new AfterlogError("AL035", `${run} has no checkpoint at that row, nor before it`, {
    help: [
      `see all of them:  afterlog show ${run}`,
      `ask for rows that have one:  afterlog frame … checkpoint --where "checkpoint is not null"`,
    ],
    data: { run, path: row },
  });
}

function parseRow(text: string): Row {
  try {
    return JSON.parse(text) as Row;
  } catch {
    throw noRow(text, "it is no JSON");
  }
}

function noRow(text: string, why: string): AfterlogError {
  return new AfterlogError("AL001", `that is no row of a frame: ${why}`, {
    notes: [text.length > 200 ? `${text.slice(0, 200)}…` : text],
    help: ['a row is such as  {"run": "train-…", "epoch": 3}', "or name a point:  RUN@epoch=3"],
  });
}

/** The loops of a row as a path, in the order of its columns: `epoch#=2,step=17`. */
async function loopsOfRow(connection: Connection, run: string, row: Row): Promise<string> {
  const forms = await readLoopForms(connection, run);
  const path: string[] = [];
  for (const [column, value] of Object.entries(row)) {
    if (column === "run" || !isCell(value)) continue;
    // Of loops of one name inside one another the columns are numbered.
    const words = [column, column.replace(/_\d+$/, "")];
    const loop = words.find((word) => forms.meantBy(word).length > 0);
    if (loop === undefined) continue;
    const entry = Number(row[`${column}_entry`] ?? 0);
    const index = row[`${column}#`];
    const [mark, at] = isCell(index) ? ["#", index] : ["", value];
    const element = `${encodeURIComponent(loop)}${entry > 0 ? `#${entry}` : ""}`;
    path.push(`${element}${mark}=${encodeURIComponent(at)}`);
  }
  return path.join(",");
}

/** What says which iteration it was. */
function isCell(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** The checkpoint of the end of an iteration, or of the run's if the path is empty. */
async function checkpointAt(
  connection: Connection,
  run: string,
  path: LoopPath,
): Promise<RowPoint | undefined> {
  const names = ["checkpoint", "checkpoint_exact"];
  const chain = path.map(([loop]) => loop);
  const frame = await planFrame(connection, {
    names,
    ...(path.length === 0 ? {} : { iterations: { of: chain, elsewhere: [] } }),
  });
  const keys = frame.columns.filter(({ kind }) => kind === "loop").map(({ key }) => key);
  const here = keys.map((key, at) => `${identifier(key)} = ${Number(path[at]?.[1])}`);
  for (const { kind, of, key } of frame.columns) {
    const entry = path[keys.indexOf(of)]?.[2] ?? 0;
    if (kind === "entry") here.push(`${identifier(key)} = ${entry}`);
  }
  const where = [`run = $run`, ...here].join(" AND ");
  const sql = `SELECT * FROM (${frame.sql}) WHERE ${where} AND checkpoint IS NOT NULL`;
  const [found] = await connection.rows(sql, { run });
  if (!found) return undefined;
  return { reference: String(found["checkpoint"]), exact: found["checkpoint_exact"] === true };
}
