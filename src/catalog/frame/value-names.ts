/**
 * @file What logged values and arguments are called as columns: by their names, unless every row has a
 * column of that name anyway. Such a value is `log.status`, such an argument `arg.seed`, so that nothing
 * that a program logs hides what is known of its run. Each column is one name, and each name one column.
 */

/** Columns of the view `runs`, which can be asked for too. */
export const RUN_COLUMNS: readonly string[] = (
  "run name kind parent point status started ended seconds projid filename language argv commit head " +
  "branch dirty seed host exit_code signal overhead budget overhead_parts checkpoints " +
  "checkpoint_bytes damaged warnings off log_lines ordinal tags note hidden alerts"
).split(" ");

/**
 * Of these, what people say of runs gives way: `hidden` is an argument of half the programs that there
 * are, and questions about it are older than these columns.
 */
export const GIVING_WAY: readonly string[] = ["tags", "note", "hidden", "alerts"];

/** In this order; loops win. */
export const CHECKPOINT_COLUMNS: readonly string[] = ["checkpoint", "checkpoint_exact"];

const OWN_COLUMNS: ReadonlySet<string> = new Set(
  [...RUN_COLUMNS, ...CHECKPOINT_COLUMNS, "origin"].filter((name) => !GIVING_WAY.includes(name)),
);

type Kind = "arg" | "log";

/** The column of a logged name, or of an argument. */
export function valueColumn(kind: Kind, name: string): string {
  return isTaken(name) ? `${kind}.${name}` : name;
}

/** The name that was logged or given, of its column. */
export function nameOfColumn(column: string): string {
  const name = behindKind(column);
  return name !== undefined && isTaken(name) ? name : column;
}

/** In SQL the case of letters does not matter. */
function isTaken(name: string): boolean {
  const inner = behindKind(name);
  return OWN_COLUMNS.has(name.toLowerCase()) || (inner !== undefined && isTaken(inner));
}

function behindKind(column: string): string | undefined {
  return /^(?:arg|log)\.(.+)$/s.exec(column)?.[1];
}

/** Columns with a dot, which SQL has in quotes only. Unless the query calls a table of its own so. */
export function dottedColumns(sql: string): string[] {
  return (["arg", "log"] as const)
    .filter((kind) => !new RegExp(`\\b${kind}\\b(?!\\s*[.(])`, "i").test(sql))
    .flatMap((kind) =>
      [...OWN_COLUMNS].flatMap((name) => [`${kind}.${name}`, `${kind}.${name}_origin`]),
    );
}
