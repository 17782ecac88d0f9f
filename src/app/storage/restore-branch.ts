/** @file The source of a run as a branch, with the state of a checkpoint beside it if that is wanted. */
import { resolve } from "node:path";
import type { PreparedBranch } from "../../store/index.ts";
import { prepareBranch, readManifest, readReceived, storePaths } from "../../store/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { isRow } from "../row-point.ts";
import { findPoint } from "../run-point.ts";
import { resolveRun, splitReference } from "../run-reference.ts";
import type { RestoreReport } from "./restore.ts";
import { refuseExisting, restoreCheckpoint } from "./restore.ts";

export interface BranchRequest {
  /** A run, or a point of it, as for `restoreCheckpoint`. */
  readonly reference: string;
  readonly branch: string;
  /** Where to write the state as well. */
  readonly file?: string | undefined;
  readonly force?: boolean | undefined;
}

/** What will be made, nothing of which is there yet. */
export interface PlannedBranch extends Omit<PreparedBranch, "make"> {
  readonly run: string;
  /** The remote that the run came from; null: it was recorded here. */
  readonly remote: string | null;
  readonly make: () => Promise<BranchReport>;
}

/** What was made, as JSON. */
export interface BranchReport {
  readonly schema: 1;
  readonly run: string;
  readonly branch: string;
  readonly commit: string;
  readonly parent: string | null;
  /** What the branch does not have: what looks like a secret, and what was kept by its hash only. */
  readonly left_out: readonly { readonly file: string; readonly what: string }[];
  readonly large: readonly string[];
  readonly remote: string | null;
  /** The state that was written; null: none was asked for. */
  readonly restored: RestoreReport | null;
}

/** Finds out what the branch will hold. Throws AL004, AL035, AL038, AL042, AL045. */
export async function planBranch(
  ports: Ports,
  { reference, branch, file, force }: BranchRequest,
): Promise<PlannedBranch> {
  const project = requireProject(ports);
  const run = await runOf(ports, reference, file !== undefined);
  const folder = storePaths.run(project.store, run);
  const { make, ...prepared } = prepareBranch(project, readManifest(folder), branch);
  if (file !== undefined) refuseExisting(resolve(ports.cwd, file), file, force);
  const remote = readReceived(folder)?.remote ?? null;
  return {
    ...prepared,
    run,
    remote,
    make: async () => {
      // First what may fail without a trace.
      const restored =
        file === undefined ? null : await restoreCheckpoint(ports, { reference, file, force });
      const { parent, leftOut, large } = prepared;
      const commit = make();
      return { schema: 1, run, branch, commit, parent, left_out: leftOut, large, remote, restored };
    },
  };
}

/** A run without any checkpoint has a source all the same; a point that was named must be there. */
async function runOf(ports: Ports, reference: string, needsState: boolean): Promise<string> {
  const isRun = !isRow(reference) && splitReference(reference).path === undefined;
  if (needsState || !isRun) return (await findPoint(ports, reference)).run;
  return withCatalog(ports, ({ connection }) => resolveRun(connection, reference));
}
