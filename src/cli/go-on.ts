/**
 * @file Runs that go on from a checkpoint, in the project's own folder: forks, and runs that were
 * interrupted. The source there must be the one that the checkpoint was taken of.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Directive, Manifest, Orders } from "../format/index.ts";
import { AfterlogError } from "../format/index.ts";
import type { Project } from "../store/index.ts";
import type { CliContext } from "./context.ts";
import { recordProgram, terminalSizes } from "./record-program.ts";

export function makeOrders(
  given: Pick<Orders, "parent" | "courses" | "args"> & { readonly arrive: string | null },
): Orders {
  return { v: 1, out: null, names: [], probes: [], ...given };
}

/** Starts the program of a run with orders; its exit code. */
export async function recordWithOrders(
  context: CliContext,
  given: {
    readonly project: Project;
    readonly manifest: Manifest;
    readonly orders: Orders;
    readonly mode: "fork" | "resume";
    readonly name: string | null;
    readonly argv: readonly string[];
    readonly overhead?: Directive["overhead"];
    readonly keep?: string | null;
    readonly graceS?: number | undefined;
  },
): Promise<number> {
  const { project, manifest, orders, mode, name, argv, overhead = null, keep = null } = given;
  const temporary = mkdtempSync(join(tmpdir(), "afterlog-orders-"));
  const file = join(temporary, "orders.json");
  try {
    writeFileSync(file, JSON.stringify(orders));
    const directive: Directive = {
      v: 1,
      mode,
      ...project,
      program: join(project.root, manifest.program),
      live: true,
      name,
      seed: manifest.seed,
      overhead,
      persist: null,
      keep,
      terminal: terminalSizes(),
      orders: file,
    };
    const cwd = resolve(project.root, manifest.cwd ?? ".");
    return await recordProgram(context, directive, { argv, cwd, graceS: given.graceS });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Throws AL034 if the working tree is not what the run executed. */
export function checkSources({ root }: Project, { run, sources, version }: Manifest): void {
  const changed = Object.entries(sources).find(([file, sha256]) => {
    const path = join(root, file);
    if (!existsSync(path)) return true;
    return createHash("sha256").update(readFileSync(path)).digest("hex") !== sha256;
  });
  if (changed === undefined) return;
  throw new AfterlogError(
    "AL034",
    `${run} cannot be gone on with: ${changed[0]} has changed since`,
    {
      notes: ["a checkpoint fits only the source that it was taken of"],
      help: [
        `see the difference:  git diff ${version?.commit.slice(0, 10) ?? "COMMIT"} -- ${changed[0]}`,
        `work on it as it was:  git worktree add ../${run} ${version?.commit.slice(0, 10) ?? "COMMIT"}`,
      ],
      data: { run, file: changed[0] },
    },
  );
}
