/** @file `annotations.jsonl` -> rows of `store.annotations`: small, so read as a whole when it has changed. */
import { annotationsStamp, readRunAnnotations } from "../../store/index.ts";
import type { Connection } from "../database.ts";

/** Whether the index holds what the file says now. */
export async function hasAnnotations(connection: Connection, store: string): Promise<boolean> {
  const [row] = await connection.rows("SELECT annotations FROM store.meta");
  return row?.["annotations"] === annotationsStamp(store);
}

/** The caller has begun a transaction and commits it. */
export async function ingestAnnotations(connection: Connection, store: string): Promise<void> {
  if (await hasAnnotations(connection, store)) return;
  // First: lines that come meanwhile change it again.
  const stamp = annotationsStamp(store);
  const rows = [...readRunAnnotations(store)].map(([run, { name, note, tags, hidden, alerts }]) => {
    return { run, named: name !== undefined, name: name ?? null, note, tags, hidden, alerts };
  });
  await connection.run("DELETE FROM store.annotations");
  await connection.run(
    `INSERT INTO store.annotations BY NAME
     SELECT unnest(from_json($rows, $shape), recursive := true)`,
    { rows: JSON.stringify(rows), shape: JSON.stringify([COLUMNS]) },
  );
  await connection.run("UPDATE store.meta SET annotations = $stamp", { stamp });
}

const COLUMNS = {
  run: "VARCHAR",
  named: "BOOLEAN",
  name: "VARCHAR",
  note: "VARCHAR",
  tags: ["VARCHAR"],
  hidden: "BOOLEAN",
  alerts: [
    { alert: "VARCHAR", condition: "VARCHAR", path: "VARCHAR", values: "JSON", at: "BIGINT" },
  ],
} as const;
