/** @file Run references: `@`, `@~1`, an id, a unique prefix of one, or a name. */
import type { Connection } from "../catalog/index.ts";
import {
  AfterlogError,
  looksLikeRunId,
  nearestName,
  runLabels,
  splitSharedName,
} from "../format/index.ts";
import { withCatalog } from "./lend-catalog.ts";
import type { Ports } from "./ports.ts";

/** A run, as far as a reference needs it; newest first. */
export interface RunName {
  readonly run: string;
  readonly name: string | null;
  readonly kind: string;
}

const SHOWN = 8;

/** `RUN@epoch=3` as run and path; `@`, `@~1` and `@~1@end` too. */
export function splitReference(reference: string): { run: string; path: string | undefined } {
  const [, run = "", path] = /^(@(?:~\d+)?|[^@]+)(?:@(.*))?$/s.exec(reference) ?? [];
  return run === "" ? { run: reference, path } : { run, path };
}

/** All runs, newest first; replays only when named by their id. */
export async function readRunNames(connection: Connection): Promise<RunName[]> {
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

/** The runs that these name, in their order. Throws AL004. */
export function resolveRuns(ports: Ports, references: readonly string[]): Promise<string[]> {
  return withCatalog(ports, async ({ connection }) => {
    const all = await readRunNames(connection);
    return references.map((reference) => matchRun(all, reference));
  });
}

/** The same of runs that are known, newest first. */
export function matchRun(all: readonly RunName[], reference: string): string {
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
  const named = namedRuns(runs, reference);
  const matches = named.length > 0 ? named : all.filter((run) => run.run.startsWith(reference));
  const [first, second] = matches;
  if (first && !second) return first.run;
  if (first === undefined || reference === "") throw unknownRun(reference, runs);
  throw new AfterlogError("AL004", `${matches.length} runs match ${JSON.stringify(reference)}`, {
    notes: listRunNames(matches),
    help: [
      named.length > 0
        ? "give the name as it stands in tables, with ~ and the end of the id, or the id"
        : "give more of the id, or @ for the newest run and @~1 for the one before",
    ],
    data: { reference, candidates: matches.map((run) => run.run) },
  });
}

/** Those of that name; where several have it, `name~x7q2` is one of them. */
function namedRuns(runs: readonly RunName[], word: string): readonly RunName[] {
  if (looksLikeRunId(word)) return [];
  const named = runs.filter(({ name }) => name === word);
  const shared = named.length === 0 ? splitSharedName(word) : undefined;
  if (!shared) return named;
  return runs.filter(({ run, name }) => name === shared.name && run.endsWith(`-${shared.end}`));
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

/** With their ids, whatever a screen calls them. */
function listRunNames(runs: readonly RunName[]): string[] {
  const labels = runLabels(runs.flatMap(({ run, name }) => (name === null ? [] : [[run, name]])));
  const lines = runs.slice(0, SHOWN).map(({ run }) => {
    const label = labels.get(run);
    return label === undefined ? run : `${label} (id ${run})`;
  });
  return runs.length > SHOWN ? [...lines, `… and ${runs.length - SHOWN} more`] : lines;
}
