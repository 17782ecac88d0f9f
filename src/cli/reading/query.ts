/** @file `afterlog query SQL`: read-only SQL over the tables of `docs/sql.md`. */
import { askSql } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { printOffer } from "./suggest-replay.ts";
import { printRows } from "../terminal/output.ts";
import { portsOf, watchOutput } from "../command-ports.ts";

/** Prints the result of one query. */
export async function queryCommand(
  outer: CliContext,
  sql: string,
  { limit, project: projects }: OptionsOf<"query">,
): Promise<number> {
  const { context, isRepeatable } = watchOutput(outer);
  const answer = await askSql(
    portsOf(context),
    { sql, limit, projects },
    (table) => printRows(context, table, { all: limit !== undefined }),
    { isRepeatable },
  );
  if (answer.value === 0 && !context.json) context.err("no rows\n");
  printOffer(context, answer.offer);
  return 0;
}
