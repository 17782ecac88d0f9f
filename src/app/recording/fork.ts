/**
 * @file A new run that continues where an iteration of another one ended. It runs in the project's own
 * folder, as `afterlog run` does, because what it writes is wanted there; so the source there must be
 * the one of the run, but for what stands inside of the loop that it continues.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Connection } from "../../catalog/index.ts";
import { literal, pathByIndex } from "../../catalog/index.ts";
import type { LoopPath, Manifest } from "../../format/index.ts";
import {
  AfterlogError,
  formatPath,
  nearestName,
  parsePath,
  pathElement,
} from "../../format/index.ts";
import type { SourceModel } from "../../languages/index.ts";
import type { PlannedPoint, RunFacts } from "../../planner/index.ts";
import { matchLoops, planPoint } from "../../planner/index.ts";
import { modelOfVersion, readRunFacts, remotesOf } from "../../replayer/index.ts";
import type { Project } from "../../store/index.ts";
import {
  checkpointsElsewhere,
  fileFingerprint,
  readManifest,
  storePaths,
} from "../../store/index.ts";
import { checkAlone, makeOrders, recordWithOrders } from "./continue-run.ts";
import { sourceOfFork } from "./fork-source.ts";
import { checkRunName } from "../annotating/run-name.ts";
import type { Ports } from "../ports.ts";
import { requireTrust } from "../trust.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";
import type { RecordedProgram, RecordingSession } from "./recording-report.ts";
import { resolveRun, splitReference } from "../run-reference.ts";
import { handOver, requireSettings } from "../settings.ts";

/** Of the newest ends of iterations, when another one cannot be forked from. */
const POINTS_TRIED = 20;
const POINTS_SHOWN = 6;

export interface ForkRequest {
  /** `RUN@epoch=3`; `RUN` or `RUN@end` for its last iteration. */
  readonly reference: string;
  /** Arguments that differ: `lr=0.001`. */
  readonly args: readonly string[];
  readonly name?: string | undefined;
}

/** Starts the run. Throws AL001 for an argument that the other does not have, AL004, AL009, AL034, AL035. */
export async function forkRun(
  ports: Ports,
  request: ForkRequest,
  session: RecordingSession,
): Promise<RecordedProgram> {
  if (request.name !== undefined) checkRunName(request.name);
  const project = requireProject(ports);
  const { run: word, path: asked } = splitReference(request.reference);
  const { run, path, args, read } = await withCatalog(ports, async ({ connection }) => {
    const found = await resolveRun(connection, word);
    return {
      run: found,
      path: asked === undefined ? undefined : await pathByIndex(connection, found, asked),
      args: await parseArguments(connection, found, request.args),
      read: await readFiles(connection, found),
    };
  });
  const folder = storePaths.run(project.store, run);
  const manifest = readManifest(folder);
  const remotes = remotesOf(project, [run]);
  await requireTrust(ports, remotes);
  checkAlone(manifest);
  const recorded = modelOfVersion(project, manifest);
  const facts = readRunFacts(folder);
  const at = pointOf(facts, path);
  const model = at ? sourceOfFork(project, manifest, { recorded, facts, at }) : recorded;
  const { courses, checkpoint } = findPoint({ recorded, model }, facts, { folder, path, at });
  const files = changedData(project, manifest, read);
  if (files.length > 0) session.emit({ kind: "other-data", run, files });
  for (const { remote } of remotes) session.emit({ kind: "foreign", run, remote });
  const settings = requireSettings(ports, project);
  const orders = makeOrders({ parent: folder, courses, arrive: checkpoint, args });
  const name = request.name ?? null;
  const argv = argvOf(manifest, args);
  const given = { project, manifest, orders, mode: "fork", name, point: at, argv } as const;
  const set = {
    overhead: handOver(settings["record.overhead"]),
    keep: handOver(settings["record.keep"]),
    graceS: settings["record.grace"].value,
  };
  return recordWithOrders(ports, { ...given, ...set }, session);
}

/** Files that a run has read, as they were when it first did. */
interface ReadFile {
  readonly file: string;
  readonly hash: string;
  readonly bytes: number;
}

async function readFiles(connection: Connection, run: string): Promise<ReadFile[]> {
  const rows = await connection.rows(`SELECT file, arg_min(hash, seq) AS hash,
      arg_min(bytes, seq)::DOUBLE AS bytes FROM files
    WHERE run = ${literal(run)} AND access = 'read' AND hash IS NOT NULL GROUP BY file ORDER BY file`);
  return rows.map((row) => ({
    file: String(row["file"]),
    hash: String(row["hash"]),
    bytes: Number(row["bytes"]),
  }));
}

/** Those of them that hold something else now, and are no sources: what the program made of them may be in its state. */
export function changedData(
  { root }: Pick<Project, "root">,
  { sources, program }: Pick<Manifest, "sources" | "program">,
  read: readonly ReadFile[],
): string[] {
  const isData = ({ file }: ReadFile): boolean => file !== program && !Object.hasOwn(sources, file);
  const differs = ({ file, hash, bytes }: ReadFile): boolean => {
    const whole = hash.startsWith("sha256:");
    const path = resolve(root, file);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return false;
    return size !== bytes || fileFingerprint(path, whole ? Infinity : 0)?.hash !== hash;
  };
  return read.filter((one) => isData(one) && differs(one)).map(({ file }) => file);
}

/** `lr=0.01` to name and text. Throws AL001 for a name that the run does not have. */
async function parseArguments(
  connection: Connection,
  run: string,
  words: readonly string[],
): Promise<{ [name: string]: string }> {
  const rows = await connection.rows(`SELECT name FROM args WHERE run = ${literal(run)}`);
  const known = rows.map((row) => String(row["name"]));
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^(?:--)?([^=]+)=(.*)$/s.exec(word) ?? [];
      if (name !== undefined && value !== undefined && known.includes(name)) return [name, value];
      const close = nearestName(name ?? word, known);
      throw new AfterlogError("AL001", `${JSON.stringify(word)} is not an argument of ${run}`, {
        help: [
          close === undefined ? "give arguments as  name=value" : `did you mean  ${close}=…`,
          known.length === 0 ? "it has none" : `it has: ${known.join(", ")}`,
        ],
      });
    }),
  );
}

/** The program's words as they were, with those that differ at the end. */
function argvOf({ argv }: Manifest, args: Readonly<{ [name: string]: string }>): string[] {
  const kept = argv.filter((word) => {
    const name = /^(?:--)?([^=]+)=/.exec(word)?.[1];
    return name === undefined || !Object.hasOwn(args, name);
  });
  return [...kept, ...Object.entries(args).map(([name, value]) => `${name}=${value}`)];
}

function findPoint(
  { recorded, model }: { readonly recorded: SourceModel; readonly model: SourceModel },
  facts: RunFacts,
  {
    folder,
    path,
    at,
  }: {
    readonly folder: string;
    readonly path: string | undefined;
    readonly at: LoopPath | undefined;
  },
): Extract<PlannedPoint, { checkpoint: string }> {
  if (!at) {
    throw new AfterlogError(
      "AL035",
      `${JSON.stringify(path ?? "")} is not a point of ${facts.run}`,
      {
        help: [`name the end of an iteration:  afterlog fork ${facts.run}@epoch=3`],
      },
    );
  }
  const plan = (there: LoopPath): PlannedPoint =>
    planPoint(facts, model, matchLoops(recorded, model), there);
  const point = plan(at);
  if ("courses" in point) return point;
  const kept = [...facts.checkpoints.values()].filter(({ kind }) => kind === "iteration");
  const paths = kept
    .slice(-POINTS_TRIED)
    .filter(({ path: there }) => "courses" in plan(there))
    .map((record) => formatPath(record.path))
    .slice(-POINTS_SHOWN);
  const elsewhere = checkpointsElsewhere(folder);
  throw new AfterlogError("AL035", `${facts.run} cannot be continued at ${formatPath(at)}`, {
    notes: [
      ...point.why,
      elsewhere?.note ??
        (paths.length === 0 ? nothingToForkFrom(kept.length) : `it can be at: ${paths.join("  ")}`),
    ],
    help: [
      elsewhere?.help ?? "take another point, or keep more of them:  afterlog run --overhead 10% …",
    ],
    data: { run: facts.run, path: formatPath(at) },
  });
}

function nothingToForkFrom(kept: number): string {
  return kept === 0 ? "no end of an iteration was kept" : "nor at the others that were kept last";
}

/** Without a path, or `end`: the last iteration of the last outermost loop. */
function pointOf({ entries }: RunFacts, path: string | undefined): LoopPath | undefined {
  if (path !== undefined && path !== "" && path !== "end") return parsePath(path);
  const last = entries.at(-1);
  if (!last || last.iterations === 0) return undefined;
  return [pathElement(last.loop, last.iterations - 1, last.entry)];
}
