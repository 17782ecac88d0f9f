/**
 * @file Runs that continue from a checkpoint, in the project's own folder: forks, and runs that were
 * interrupted. The source there must be the one that the checkpoint was taken of.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Directive, LoopPath, Manifest, Orders } from "../../format/index.ts";
import { AfterlogError, formatPath, modeOf, whyNotAlone } from "../../format/index.ts";
import type { SourceModel } from "../../languages/index.ts";
import { interpreterOfRun } from "../../languages/index.ts";
import type { Project } from "../../store/index.ts";
import { readVersionFiles, storePaths } from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { recordProgram } from "./record-program.ts";
import type { RecordedProgram, RecordingSession } from "./recording-report.ts";

export function makeOrders(
  given: Pick<Orders, "parent" | "courses" | "args"> & { readonly arrive: string | null },
): Orders {
  return { v: 1, out: null, names: [], probes: [], ...given };
}

/** Starts the program of a run with orders. */
export async function recordWithOrders(
  ports: Ports,
  given: {
    readonly project: Project;
    readonly manifest: Manifest;
    readonly orders: Orders;
    readonly mode: "fork" | "resume";
    readonly name: string | null;
    /** Where a fork begins: the iteration that has ended. */
    readonly point?: LoopPath | undefined;
    readonly argv: readonly string[];
    readonly overhead: Directive["overhead"];
    readonly keep: string | null;
    readonly graceS: number;
  },
  session: RecordingSession,
): Promise<RecordedProgram> {
  const { project, manifest, orders, mode, name, argv, overhead, keep } = given;
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
      ...modeOf(manifest),
      terminal: session.terminal,
      orders: file,
      resumed: manifest.resumed?.length ?? 0,
      ...(given.point ? { point: formatPath(given.point) } : {}),
    };
    const cwd = resolve(project.root, manifest.cwd ?? ".");
    const { command: python, isAnother } = interpreterOfRun(manifest.interpreter, ports.env);
    if (isAnother) {
      session.emit({ kind: "interpreter", gone: manifest.interpreter ?? "", used: python });
    }
    const { graceS } = given;
    return await recordProgram(ports, { directive, argv, cwd, graceS, python }, session);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Throws AL034 if others trained together with the run: they would begin anew. */
export function checkAlone(manifest: Manifest): void {
  const why = whyNotAlone(manifest);
  if (why === undefined) return;
  throw new AfterlogError("AL034", `${manifest.run} cannot be continued: ${why}`, {
    help: ["start all of them again, from a file of weights that the program itself has saved"],
    data: { run: manifest.run },
  });
}

/** That a run cannot be continued with the source that is there; `instead` is what can be done with that. */
export function sourceChanged(
  project: Project,
  { run, version }: Manifest,
  given: { readonly file: string; readonly why: string; readonly instead?: string | undefined },
): AfterlogError {
  const { file, why, instead } = given;
  const commit = version?.commit.slice(0, 10) ?? "COMMIT";
  const git = version?.private ? `git --git-dir ${storePaths.privateGit(project.store)}` : "git";
  const here = version?.private ? `${git} --work-tree ${project.root}` : git;
  return new AfterlogError("AL034", `${run} cannot be continued: ${file} has changed since`, {
    notes: [why],
    help: [
      `see the difference:  ${here} diff ${commit} -- ${file}`,
      ...(instead === undefined ? [] : [instead]),
      `work on it as it was:  ${git} worktree add ../${run} ${commit}`,
    ],
    data: { run, file },
  });
}

/** Files that are not what the run executed; `model` is of the latter. */
export function changedFiles(
  project: Project,
  manifest: Manifest,
  { files }: SourceModel,
): readonly string[] {
  return [...changedSinceLoaded(project, manifest), ...changedInVersion(project, manifest, files)];
}

/** By the hashes that were taken when the files were loaded. */
function changedSinceLoaded({ root }: Project, { sources }: Manifest): string[] {
  return Object.keys(sources).filter((file) => {
    const path = join(root, file);
    if (!existsSync(path)) return true;
    return createHash("sha256").update(readFileSync(path)).digest("hex") !== sources[file];
  });
}

/** A run that was killed could not say all that it had loaded: its version has it. */
function changedInVersion(
  project: Project,
  { run, version, sources }: Manifest,
  files: readonly string[],
): string[] {
  if (version === null) return [];
  const wanted = files
    .filter((file) => !Object.hasOwn(sources, file))
    .map((file) => ({ run, version, file }));
  const kept = readVersionFiles(project, wanted);
  const changed = wanted.filter(({ file }, at) => {
    const path = join(project.root, file);
    const text = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    return text !== kept[at]?.text;
  });
  return changed.map(({ file }) => file);
}
