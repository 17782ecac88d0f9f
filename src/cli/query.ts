/** @file `afterlog query SQL`: read-only SQL over the tables of `docs/sql.md`. */
import { queryReadOnly } from "../catalog/index.ts";
import type { OptionsOf } from "./commands/table.ts";
import type { CliContext } from "./context.ts";
import { withAbsent } from "./offer.ts";
import { printRows } from "./output.ts";
import { withCatalog } from "./project.ts";

/** Prints the result of one query. */
export async function queryCommand(
  outer: CliContext,
  sql: string,
  options: OptionsOf<"query">,
): Promise<number> {
  return withAbsent(outer, { sql }, (absent) =>
    withCatalog(outer, async (catalog, context) => {
      const result = await queryReadOnly(catalog.connection, sql, absent);
      const count = await printRows(context, limited(result, options.limit), {
        all: options.limit !== undefined,
        release: () => catalog.close(),
      });
      if (count === 0 && !context.json) context.err("no rows\n");
      return 0;
    }),
  );
}

type Rows = Awaited<ReturnType<typeof queryReadOnly>>;

function limited(result: Rows, limit: number | undefined): Rows {
  if (limit === undefined || limit === 0) return result;
  return {
    columns: result.columns,
    batches: async function* () {
      let left = limit;
      for await (const batch of result.batches()) {
        yield batch.slice(0, left);
        left -= batch.length;
        if (left <= 0) return;
      }
    },
  };
}
