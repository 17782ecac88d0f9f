/**
 * @file A run that was interrupted is resumed from its newest checkpoint that can be reached, as the
 * same run: one log, with a mark where it went back.
 */
import { hostname } from "node:os";
import { readLoopsByValue } from "../../catalog/index.ts";
import type { Directive, LoopPath, Manifest, Settings } from "../../format/index.ts";
import { AfterlogError, formatPath, shownPath } from "../../format/index.ts";
import type { SourceModel } from "../../languages/index.ts";
import { matchLoops, planPoint } from "../../planner/index.ts";
import { readRunFacts, remotesOf } from "../../replayer/index.ts";
import type { Project } from "../../store/index.ts";
import { listRunIds, readManifest, storePaths } from "../../store/index.ts";
import {
  changedFiles,
  checkAlone,
  makeOrders,
  recordWithOrders,
  sourceChanged,
} from "./continue-run.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { sourceOfFork } from "./fork-source.ts";
import type { RecordedProgram, RecordingSession } from "./recording-report.ts";
import { findResumePoint } from "./resume-point.ts";
import { resolveRun } from "../run-reference.ts";
import { handOver } from "../settings.ts";
import { requireTrust } from "../trust.ts";

export interface ResumeRequest {
  readonly project: Project;
  /** From the project's root. */
  readonly program: string;
  readonly argv: readonly string[];
  /** A certain run; undefined: the newest of the program, if that was interrupted. */
  readonly reference: string | undefined;
  readonly settings: Settings;
  /** A run that another machine recorded is not recorded any more. */
  readonly force: boolean;
}

/** Continues a run; undefined if there is none to continue, and none was named. */
export async function resumeRun(
  ports: Ports,
  request: ResumeRequest,
  session: RecordingSession,
): Promise<RecordedProgram | undefined> {
  const { project, reference, settings } = request;
  const found =
    reference === undefined ? newestOf(request) : await namedRun(ports, reference, request);
  if (!found) return undefined;
  const remotes = remotesOf(project, [found.run]);
  await requireTrust(ports, remotes);
  const begun = found.directive as Directive | null;
  checkArguments(found, request.argv);
  checkAlone(found);
  const folder = storePaths.run(project.store, found.run);
  const { model, point, why, lost } = findResumePoint(project, found);
  await checkSources(ports, project, found, { model, path: point?.path });
  if (!point && found.kind === "fork") throw forkWithout(found);
  for (const { remote } of remotes) session.emit({ kind: "foreign", run: found.run, remote });
  // By index, without the catalog: a run must be resumed where there is no room for that.
  const after = point ? formatPath(point.path) : null;
  // One that did not end by itself has computed more than its log tells.
  const known = { again: lost.iterations, atLeast: found.overhead === null };
  session.emit({ kind: "resumes", run: found.run, after, why, ...known });
  const orders = makeOrders({
    parent: folder,
    courses: point?.courses ?? [],
    arrive: point?.checkpoint ?? null,
    args: {},
  });
  const { name, argv } = found;
  const given = { project, manifest: found, orders, mode: "resume", name, argv } as const;
  const set = {
    overhead: handOver(settings["record.overhead"], begun?.overhead),
    keep: handOver(settings["record.keep"], begun?.keep),
    graceS: settings["record.grace"].value,
  };
  return recordWithOrders(ports, { ...given, ...set }, session);
}

/**
 * Throws AL034 if the working tree is not what the run executed: a run has one version. What was
 * written since may be trained on with as another run, a fork, where it fits the checkpoint.
 */
async function checkSources(
  ports: Ports,
  project: Project,
  manifest: Manifest,
  { model, path }: { readonly model: SourceModel; readonly path: LoopPath | undefined },
): Promise<void> {
  const [file] = changedFiles(project, manifest, model);
  if (file === undefined) return;
  const why = "a checkpoint fits only the source that it was taken of";
  const instead = path && (await forkOfChanged(ports, project, manifest, { model, path }));
  throw sourceChanged(project, manifest, { file, why, instead });
}

/** The fork that goes on there with the source as it is now; undefined if none can. */
async function forkOfChanged(
  ports: Ports,
  project: Project,
  manifest: Manifest,
  { model: recorded, path }: { readonly model: SourceModel; readonly path: LoopPath },
): Promise<string | undefined> {
  const { run } = manifest;
  const facts = readRunFacts(storePaths.run(project.store, run));
  try {
    const model = sourceOfFork(project, manifest, { recorded, facts, at: path });
    if ("why" in planPoint(facts, model, matchLoops(recorded, model), path)) return undefined;
  } catch (error) {
    if (error instanceof AfterlogError) return undefined;
    throw error;
  }
  const byValue = await withCatalog(ports, ({ connection }) => readLoopsByValue(connection, run));
  const point = shownPath(formatPath(path), byValue.get(run));
  return `train on with what is there now, as a new run:  afterlog fork ${run}@${point}`;
}

/** Its start is a point of another run, which is not where the program starts. */
function forkWithout({ run, parent, argv }: Manifest): AfterlogError {
  return new AfterlogError("AL034", `${run} cannot be resumed: it is a fork without a checkpoint`, {
    notes: [`it began at a point of ${parent ?? "another run"}`],
    help: [`fork it again:  afterlog fork ${[`${parent ?? "RUN"}@…`, ...argv].join(" ")}`],
    data: { run },
  });
}

/** The newest run of the program, unless it has done all that it wanted. */
function newestOf({ project, program, force }: ResumeRequest): Manifest | undefined {
  const manifests = listRunIds(project.store).flatMap((run) => {
    try {
      return [readManifest(storePaths.run(project.store, run))];
    } catch {
      // A run that cannot be read cannot be resumed.
      return [];
    }
  });
  const newest = manifests
    .filter((manifest) => manifest.kind !== "replay" && manifest.program === program)
    .toSorted((a, b) => b.order - a.order)[0];
  if (newest === undefined || newest.status === "done") return undefined;
  checkNotRunning(newest, force);
  return newest;
}

/** Throws if somebody records it, as far as can be told from here. */
function checkNotRunning(manifest: Manifest, force: boolean): void {
  const { status, host } = manifest;
  if (status === "recording" && !(force && host.name !== hostname())) throw stillRunning(manifest);
}

async function namedRun(
  ports: Ports,
  reference: string,
  { project, program, force }: ResumeRequest,
): Promise<Manifest> {
  const run = await withCatalog(ports, ({ connection }) => resolveRun(connection, reference));
  const manifest = readManifest(storePaths.run(project.store, run));
  checkNotRunning(manifest, force);
  if (manifest.program === program && manifest.kind !== "replay" && manifest.status !== "done") {
    return manifest;
  }
  const [why, help] = whyNot(manifest, program);
  throw new AfterlogError("AL034", `${run} cannot be resumed: ${why}`, {
    help: [help],
    data: { run },
  });
}

/** Why a run that is not being recorded cannot be resumed, and what can be done instead. */
function whyNot({ run, kind, parent, status, program }: Manifest, asked: string): [string, string] {
  if (kind === "replay") return ["it is a replay", `resume its run:  afterlog show ${parent}`];
  if (program !== asked) {
    return [`it ran ${program}`, `name its program:  afterlog run --resume=${run} ${program}`];
  }
  return [`it is ${status}`, `train on from a point of it:  afterlog fork ${run}@end`];
}

function stillRunning({ run, host, program }: Manifest): AfterlogError {
  const isHere = host.name === hostname();
  const what = isHere ? "it is still running" : "it may still be running, on another machine";
  return new AfterlogError("AL034", `${run} cannot be resumed: ${what}`, {
    notes: [`process ${host.pid} on ${host.name}`],
    help: [
      isHere
        ? `wait for it, or end it first:  kill ${host.pid}`
        : `if it is gone, say so:  afterlog run --resume=${run} --force ${program}`,
    ],
    data: { run },
  });
}

/** A run is resumed with its own arguments; others make another run. */
function checkArguments({ run, argv: recorded }: Manifest, argv: readonly string[]): void {
  if (argv.length === 0 || JSON.stringify(argv) === JSON.stringify(recorded)) return;
  throw new AfterlogError("AL034", `${run} cannot be resumed with other arguments`, {
    notes: [`it was started with: ${recorded.join(" ") || "(none)"}`],
    help: [
      "leave the arguments out, or give the same ones",
      `train on with others:  afterlog fork ${run}@end ${argv.join(" ")}`,
    ],
    data: { run },
  });
}
