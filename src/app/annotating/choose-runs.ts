/** @file The runs that a command is about: named one by one, or all for which a condition holds. */
import type { Connection } from "../../catalog/index.ts";
import { planFrame, refusingSql } from "../../catalog/index.ts";
import { AfterlogError } from "../../format/index.ts";
import { resolveRun } from "../run-reference.ts";

export interface RunChoice {
  /** References, as everywhere. */
  readonly runs: readonly string[];
  /** SQL over the runs, as in `ls`. */
  readonly where?: string | undefined;
}

/** Their ids, each once. Throws AL004, AL020, and AL001 if nothing is said. */
export async function chooseRuns(
  connection: Connection,
  { runs, where }: RunChoice,
): Promise<readonly string[]> {
  if (runs.length === 0 && where === undefined) {
    throw new AfterlogError("AL001", "no run is named", {
      help: ["name runs, or say which:  --where \"status = 'failed'\"", "list them:  afterlog ls"],
    });
  }
  const chosen = new Set<string>();
  for (const reference of runs) chosen.add(await resolveRun(connection, reference));
  if (where === undefined) return [...chosen];
  const frame = await planFrame(connection, { names: ["ordinal"], where, grain: "run" });
  const rows = await refusingSql(where, frame.known, () => connection.rows(frame.sql));
  const matching = rows.map(({ run }) => String(run));
  if (matching.length === 0) {
    throw new AfterlogError("AL004", `no run matches  ${where}`, {
      help: [`see what does:  afterlog ls -w "…"`],
    });
  }
  return [...new Set([...chosen, ...matching])];
}
