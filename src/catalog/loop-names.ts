/**
 * @file Points of a run as people write and read them: `epoch=3` is the iteration whose own value is 3
 * in a run that is asked by values (`LOOP_RULES`), `epoch#=2` the one with index 2. On disk and in the
 * tables paths hold indices.
 */
import { AfterlogError, decodedWord, PATH_ELEMENT, shownPath } from "../format/index.ts";
import type { Connection, SqlRow } from "./database.ts";
import { readLoopForms } from "./frame/loop-forms.ts";
import { literal } from "./schema.ts";

/** Loops of each run whose own values are not just the indices. */
export type LoopsByValue = ReadonlyMap<string, ReadonlySet<string>>;

/** Of one run, or of all of them. */
export async function readLoopsByValue(
  connection: Connection,
  run?: string,
): Promise<LoopsByValue> {
  const only = run === undefined ? "" : `AND r.run = ${literal(run)}`;
  const rows = await connection.rows(`SELECT DISTINCT run, loop FROM (
    SELECT r.run, e.loop FROM store.enters e JOIN store.runs r USING (no)
    WHERE r.loop_rules > 0 ${only} AND e.start IS NOT NULL AND (e.start <> 0 OR e.step <> 1)
    UNION ALL
    SELECT i.run, url_decode(split_part(split_part(split_part(i.path, ',', -1), '=', 1), '#', 1)) AS loop
    FROM main.items i JOIN store.runs r USING (run) WHERE r.loop_rules > 0 ${only}
      AND i.number IS DISTINCT FROM try_cast(split_part(i.path, '=', -1) AS DOUBLE))`);
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    const name = String(row["run"]);
    const loops = found.get(name) ?? new Set();
    found.set(name, loops.add(String(row["loop"])));
  }
  return found;
}

/**
 * The path with indices that `asked` means in a run. What is no path is given back as it is. Throws
 * AL035 if no iteration has such a value, or several have.
 */
export async function pathByIndex(
  connection: Connection,
  run: string,
  asked: string,
): Promise<string> {
  const byValue = (await readLoopsByValue(connection, run)).get(run);
  const forms = await readLoopForms(connection, run);
  const path: string[] = [];
  for (const element of asked.split(",")) {
    const [, said = "", entry = "", mark, word = ""] = PATH_ELEMENT.exec(element) ?? [];
    if (said === "") return asked;
    const meant = forms.meantBy(decodedWord(said));
    const loop = await loopAt(connection, { run, path: path.join(","), said, meant });
    const isIndex = mark === "#" || word === "end" || !byValue?.has(decodedWord(loop));
    const place = { run, path: path.join(","), loop, entry, byValue };
    const index = isIndex ? word : await indexOf(connection, place, word);
    path.push(`${loop}${entry}=${index}`);
  }
  return path.join(",");
}

/** The recorded name of the loop that `said` means in an iteration. Throws AL035 if several may be meant. */
async function loopAt(
  connection: Connection,
  at: { run: string; path: string; said: string; meant: readonly string[] },
): Promise<string> {
  const { run, path, said, meant } = at;
  if (meant.length === 0) return said;
  const rows = await connection.rows(`SELECT DISTINCT loop FROM main.loops
    WHERE run = ${literal(run)} AND path = ${literal(path)}
      AND loop IN (${meant.map(literal).join(", ")}) ORDER BY loop`);
  const there = rows.map((row) => encodeURIComponent(String(row["loop"])));
  const [loop = said, ...others] = there.includes(said) ? [said] : there;
  if (others.length === 0) return loop;
  throw new AfterlogError("AL035", `${said} may be ${[loop, ...others].join(" or ")} there`, {
    help: [`say which:  ${run}@${path === "" ? "" : `${path},`}${loop}=0`],
    data: { run, path: `${path === "" ? "" : `${path},`}${said}` },
  });
}

interface LoopPlace {
  readonly run: string;
  /** Of the iteration around it, with indices. */
  readonly path: string;
  readonly loop: string;
  readonly entry: string;
  readonly byValue: ReadonlySet<string> | undefined;
}

async function indexOf(connection: Connection, place: LoopPlace, word: string): Promise<number> {
  const { run, path, loop, entry, byValue } = place;
  const own = `${path === "" ? "" : `${path},`}${loop}${entry}=`;
  const number = entry === "" ? 0 : Number(entry.slice(1));
  const value = word.trim() === "" ? NaN : Number(word);
  const [entered] =
    await connection.rows(`SELECT start, step, iterations::DOUBLE AS n FROM main.loops
    WHERE run = ${literal(run)} AND path = ${literal(path)} AND entry = ${number}
      AND loop = ${literal(decodedWord(loop))} AND start IS NOT NULL`);
  const inRange = entered ? rangeIndices(entered, value) : [];
  const items = await connection.rows(`SELECT path FROM main.items WHERE run = ${literal(run)}
    AND starts_with(path, ${literal(own)}) AND NOT contains(path[${own.length + 1}:], ',')
    AND (text = ${literal(decodedWord(word))}
      OR ${Number.isFinite(value) ? `number = ${value}` : "false"})`);
  const found = [...inRange, ...items.map((row) => Number(String(row["path"]).slice(own.length)))];
  const [index] = found;
  if (index !== undefined && found.length === 1) return index;
  const around = path === "" ? "" : `${shownPath(path, byValue)},`;
  const named = (at: number): string => `${run}@${around}${loop}${entry}#=${at}`;
  const shown = (found.length === 0 ? [0] : found).slice(0, 3).map(named);
  const how = found.length === 0 ? "no iteration" : `${found.length} iterations`;
  throw new AfterlogError("AL035", `${how} of ${loop} had the value ${word} there`, {
    notes: [`${loop} is the loop's own value, ${loop}# the index, from 0`],
    help: [`name it by its index:  ${shown.join("  ")}`],
    data: { run, path: own + word },
  });
}

function rangeIndices({ start, step, n }: SqlRow, value: number): number[] {
  const index = (value - Number(start)) / Number(step);
  const isThere = Number.isInteger(index) && index >= 0 && (n === null || index < Number(n));
  return isThere ? [index] : [];
}
