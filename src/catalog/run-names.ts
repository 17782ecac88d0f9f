/** @file The runs that have a name, be it from when they were recorded or from later. */
import type { Connection } from "./database.ts";

/** The newest first, without replays: they are called by their ids. */
export async function readNamedRuns(
  connection: Connection,
): Promise<[run: string, name: string][]> {
  const rows = await connection.rows(`SELECT run, name FROM (
      SELECT r.run, r.ordinal, CASE WHEN a.named THEN a.name ELSE r.name END AS name
      FROM store.runs r LEFT JOIN store.annotations a USING (run) WHERE r.kind <> 'replay')
    WHERE name IS NOT NULL ORDER BY ordinal DESC, run`);
  return rows.map(({ run, name }) => [String(run), String(name)]);
}
