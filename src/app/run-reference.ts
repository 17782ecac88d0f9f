/** @file Run references: `@`, `@~1`, an id, a unique prefix of one, or a name. */
import type { Connection } from "../catalog/index.ts";
import { AfterlogError, nearestName } from "../format/index.ts";

/** A run, as far as a reference needs it; newest first. */
export interface RunName {
  readonly run: string;
  readonly name: string | null;
}

const SHOWN = 8;

/** `RUN@epoch=3` as run and path; `@`, `@~1` and `@~1@end` too. */
export function splitReference(reference: string): { run: string; path: string | undefined } {
  const [, run = "", path] = /^(@(?:~\d+)?|[^@]+)(?:@(.*))?$/s.exec(reference) ?? [];
  return run === "" ? { run: reference, path } : { run, path };
}

/** All runs, newest first; replays only when named by their id. */
export async function readRunNames(
  connection: Connection,
): Promise<(RunName & { kind: string })[]> {
  const rows = await connection.rows("SELECT run, name, kind FROM runs ORDER BY ordinal DESC, run");
  return rows.map((row) => ({
    run: String(row["run"]),
    name: typeof row["name"] === "string" ? row["name"] : null,
    kind: String(row["kind"]),
  }));
}

/** The run that `reference` names. Throws AL004 with candidates. */
export async function resolveRun(connection: Connection, reference: string): Promise<string> {
  return matchRun(await readRunNames(connection), reference);
}

/** The same of runs that are known, newest first. */
export function matchRun(
  all: readonly (RunName & { readonly kind: string })[],
  reference: string,
): string {
  const runs = all.filter((run) => run.kind !== "replay");
  const back = /^@(?:~(\d+))?$/.exec(reference);
  if (back) {
    const found = runs[Number(back[1] ?? 0)];
    if (found) return found.run;
    throw unknownRun(
      reference,
      runs,
      runs.length === 1 ? "there is 1 run" : `there are ${runs.length} runs`,
    );
  }
  if (all.some((run) => run.run === reference)) return reference;
  const named = runs.filter((run) => run.name === reference);
  const matches = named.length > 0 ? named : all.filter((run) => run.run.startsWith(reference));
  const [first, second] = matches;
  if (first && !second) return first.run;
  if (first === undefined || reference === "") throw unknownRun(reference, runs);
  throw new AfterlogError("AL004", `${matches.length} runs match ${JSON.stringify(reference)}`, {
    notes: listRunNames(matches),
    help: ["give more of the id, or @ for the newest run and @~1 for the one before"],
    data: { reference, candidates: matches.map((run) => run.run) },
  });
}

function unknownRun(reference: string, runs: readonly RunName[], note?: string): AfterlogError {
  const words = runs.flatMap((run) => (run.name === null ? [run.run] : [run.run, run.name]));
  const close = nearestName(reference, words);
  return new AfterlogError("AL004", `there is no run ${JSON.stringify(reference)}`, {
    notes: note === undefined ? listRunNames(runs) : [note],
    help: [
      close === undefined ? "list the runs:  afterlog ls" : `did you mean ${close}?`,
      "@ is the newest run, @~1 the one before; a unique beginning of the id is enough",
    ],
    data: { reference, candidates: runs.slice(0, SHOWN).map((run) => run.run) },
  });
}

function listRunNames(runs: readonly RunName[]): string[] {
  const lines = runs
    .slice(0, SHOWN)
    .map(({ run, name }) => (name === null ? run : `${run}  ${name}`));
  return runs.length > SHOWN ? [...lines, `… and ${runs.length - SHOWN} more`] : lines;
}
