/**
 * @file Code from elsewhere that a replay would execute: versions of runs that came by `pull`, and
 * statements that were taken from one.
 */
import type { Plan } from "../../format/index.ts";
import type { Project, ReceivedFrom } from "../../store/index.ts";
import { listRunIds, readManifest, readReceived, storePaths } from "../../store/index.ts";

/** A remote, and the runs of it that are to be executed. */
export interface ForeignRemote extends Pick<ReceivedFrom, "remote" | "address"> {
  readonly runs: readonly string[];
}

/** The remotes from which runs came. */
export function remotesOf({ store }: Project, runs: readonly string[]): ForeignRemote[] {
  const found = new Map<string, ForeignRemote>();
  for (const run of new Set(runs)) {
    const received = readReceived(storePaths.run(store, run));
    if (!received) continue;
    const { remote, address } = received;
    const before = found.get(address);
    found.set(address, { remote, address, runs: [...(before?.runs ?? []), run] });
  }
  return [...found.values()];
}

/** Those whose code a plan executes. */
export function foreignRemotes(
  project: Project,
  { runs, review, statements }: Pick<Plan, "runs" | "review" | "statements">,
): ForeignRemote[] {
  const asked = [...runs, ...review].map(({ run }) => run);
  return remotesOf(project, [...asked, ...foreignSources(project, { statements })]);
}

/** Runs from elsewhere in whose versions the asked statements were found. */
export function foreignSources(
  { store }: Project,
  { statements }: Pick<Plan, "statements">,
): string[] {
  const commits = new Set(statements.flatMap(({ version }) => version ?? []));
  if (commits.size === 0) return [];
  return listRunIds(store).filter((run) => {
    const folder = storePaths.run(store, run);
    if (!readReceived(folder)) return false;
    return commits.has(readManifest(folder).version?.commit ?? "");
  });
}
