/** @file What the audits of earlier runs found: the newest run of the program has it all. */
import type { AuditFinding } from "../../format/index.ts";
import { listRunIds, readManifest, storePaths } from "../../store/index.ts";

/** Runs that are looked at; the ids of runs begin with the program and the time. */
const RUNS_MAX = 8;

/** Empty if there was no run before, or none that can be read. */
export function previousFindings(
  store: string,
  { program, run }: { readonly program: string; readonly run: string },
): AuditFinding[] {
  const stem = stemOf(run);
  const before = listRunIds(store).filter((id) => stemOf(id) === stem && id !== run);
  for (const id of before.toSorted().toReversed().slice(0, RUNS_MAX)) {
    const findings = findingsOf(storePaths.run(store, id), program);
    if (findings) return findings;
  }
  return [];
}

/** `train-20261115-093000-x7q2` without what differs between runs of a program. */
function stemOf(run: string): string {
  return run.replace(/-\d{8}-\d{6}-\w{4}$/, "");
}

/** Undefined: it is not a run of this program. */
export function findingsOf(runFolder: string, program: string): AuditFinding[] | undefined {
  try {
    const manifest = readManifest(runFolder);
    if (manifest.program !== program || manifest.kind === "replay") return undefined;
    return (manifest.audit ?? []).map((finding) => ({ run: manifest.run, ...finding }));
  } catch {
    return undefined;
  }
}
