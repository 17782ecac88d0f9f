/** @file What two runs were given otherwise: arguments, data that they read, sources that they loaded. */
import type { Cell, Connection } from "../../catalog/index.ts";
import type { Manifest } from "../../format/index.ts";
import { ANY_FILE } from "../../format/index.ts";
import { plainText, valueOf } from "./cells.ts";

/** A thing that both runs have, with what each has of it. */
export interface SharedFact {
  readonly name: string;
  readonly from: Cell;
  readonly to: Cell;
}

/** What a fork was given that its parent was not. */
export interface GivenDifferences {
  readonly args: readonly SharedFact[];
  /** Files that were read with other content, by the beginnings of their hashes; null: not read. */
  readonly data: readonly SharedFact[];
  /** Files of the program that are other ones. */
  readonly sources: readonly string[];
}

type Runs = readonly [from: Manifest, to: Manifest];

/** What is different, and nothing that is the same. */
export async function givenDifferences(
  connection: Connection,
  runs: Runs,
): Promise<GivenDifferences> {
  const [from, to] = runs;
  const [older, newer] = await Promise.all([argsOf(connection, from), argsOf(connection, to)]);
  const names = [...new Set([...older.keys(), ...newer.keys()])];
  const args = names.map((name) => {
    return { name, from: older.get(name) ?? null, to: newer.get(name) ?? null };
  });
  const sources = [...new Set([...Object.keys(from.sources), ...Object.keys(to.sources)])];
  return {
    args: args.filter((fact) => plainText(fact.from) !== plainText(fact.to)),
    data: await dataDifferences(connection, runs),
    sources: sources.filter((file) => from.sources[file] !== to.sources[file]).sort(),
  };
}

async function argsOf(connection: Connection, { run }: Manifest): Promise<Map<string, Cell>> {
  const rows = await connection.rows(
    `SELECT name, type, number, text, value::VARCHAR AS value FROM args WHERE run = $run ORDER BY seq`,
    { run },
  );
  return new Map(rows.map((row) => [String(row["name"]), valueOf(row)]));
}

/** Hashes can be compared if both are of all content, or both of samples; else sizes tell. */
export async function dataDifferences(
  connection: Connection,
  [from, to]: Runs,
): Promise<SharedFact[]> {
  const rows = await connection.rows(
    `WITH seen AS (SELECT file, run, arg_min(hash, seq) AS hash, arg_min(bytes, seq) AS bytes
      FROM files WHERE access = 'read' AND run IN ($from, $to) GROUP BY ALL)
    SELECT file, a.hash AS old, b.hash AS new
    FROM (FROM seen WHERE run = $from) a FULL JOIN (FROM seen WHERE run = $to) b USING (file)
    WHERE a.hash IS NULL OR b.hash IS NULL OR a.bytes <> b.bytes
      OR (a.hash <> b.hash AND split_part(a.hash, ':', 1) = split_part(b.hash, ':', 1))
    ORDER BY file`,
    { from: from.run, to: to.run },
  );
  const isSource = (file: string): boolean =>
    Object.hasOwn(from.sources, file) || Object.hasOwn(to.sources, file);
  const isProgram = (file: string): boolean => file === from.program || file === to.program;
  return rows
    .map((row) => {
      return { name: String(row["file"]), from: shortHash(row["old"]), to: shortHash(row["new"]) };
    })
    .filter(({ name }) => name !== ANY_FILE && !ORDERS.test(name))
    .filter(({ name }) => !isSource(name) && !isProgram(name));
}

/** Forks of earlier versions noted that they read what they were told to do. */
const ORDERS = /[/\\]afterlog-orders-\w+[/\\]orders\.json$/;

const DIGITS = 10;

function shortHash(hash: unknown): string | null {
  return typeof hash === "string" ? (hash.split(":")[1] ?? hash).slice(0, DIGITS) : null;
}
