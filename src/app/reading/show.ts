/** @file One run at a glance. */
import { statSync } from "node:fs";
import type { Connection, LoopSummary, RunDetails } from "../../catalog/index.ts";
import { cellToJson, parseJson, readLoopsByValue, readRunDetails } from "../../catalog/index.ts";
import type { Manifest } from "../../format/index.ts";
import type { LostWork } from "../../planner/index.ts";
import type { CheckpointsElsewhere, Project, ReceivedFrom } from "../../store/index.ts";
import {
  checkpointsElsewhere,
  readCheckpointIndex,
  readManifest,
  readReceived,
  runPaths,
  storePaths,
} from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { valueOf } from "./cells.ts";
import type { GivenDifferences } from "./differences.ts";
import { givenDifferences } from "./differences.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";
import { resolveRun } from "../run-reference.ts";

/** A logged name of a run, with its last value. */
export interface MetricReport {
  readonly name: string;
  /** Loops it was logged in, outermost first. */
  readonly loops: readonly string[];
  readonly count: number;
  readonly last: unknown;
  readonly origin: "recorded" | "hindsight";
  /** Of values in hindsight: how many have which mark. */
  readonly checks: Readonly<{ [mark: string]: number }>;
}

type Pairs = Readonly<{ [name: string]: readonly [parents: unknown, own: unknown] }>;

/** A run as JSON: the columns of the table `runs` (docs/sql.md), and what belongs to it. */
export interface RunReport {
  readonly [column: string]: unknown;
  readonly off: unknown;
  readonly overhead_parts: unknown;
  readonly args: Readonly<{ [name: string]: unknown }>;
  readonly loops: readonly LoopSummary[];
  readonly metrics: readonly MetricReport[];
  readonly checkpoint_list: unknown;
  /** What an interruption costs or has cost; null for a run that is done. */
  readonly lost_seconds: number | null;
  /** The iterations of that, as far as they were recorded; absent for a run that is done. */
  readonly lost_iterations?: number;
  /** The most that one could have cost at any moment so far; null for a run without checkpoints. */
  readonly lost_seconds_max: number | null;
  /** The machine that has the checkpoints, of a run that came from there without them; absent: they are here. */
  readonly checkpoints_on?: string;
  /** The remote from which it was pulled; absent: it was recorded here. */
  readonly received_from?: { readonly remote: string; readonly address: string };
  readonly replays: readonly string[];
  /** Alerts that fired in it: where first, and the values there. */
  readonly fired: readonly unknown[];
  /** What a fork was given that its parent was not: `[parent's, own]`; null: it is no fork. */
  readonly differs: {
    readonly args: Pairs;
    readonly data: Pairs;
    readonly sources: readonly string[];
  } | null;
  readonly hands_free: boolean;
  readonly main_loop: string | null;
  readonly loops_left_alone: FoundLoops["leftAlone"];
  /** Long calls whose inside is not seen. */
  readonly calls: RunDetails["calls"];
}

/** A run that was looked up. */
export interface ShownRun {
  readonly report: RunReport;
  /** As the index has it: with the points of each series, and cells that JSON lacks. */
  readonly details: RunDetails;
  readonly found: FoundLoops | undefined;
  /** What a fork was given that its parent was not; undefined: it is none, or the parent is gone. */
  readonly differs: GivenDifferences | undefined;
  /** Loops whose names mean their own values, which are not the indices. */
  readonly byValue: ReadonlySet<string>;
  /** What an interruption costs, or has cost; undefined for a run that is done. */
  readonly lost: LostWork | undefined;
  /** The most that one could have cost at any moment so far, ms; undefined without checkpoints. */
  readonly lostMostMs: number | undefined;
  readonly elsewhere: CheckpointsElsewhere | undefined;
  /** Where it came from, if it was not recorded here. */
  readonly received: ReceivedFrom | undefined;
}

/** What the analysis found by itself. */
export interface FoundLoops {
  readonly leftAlone: NonNullable<Manifest["rewriter"]["leftAlone"]>;
}

/** Looks a run up. Throws AL004 if there is none. */
export async function showRun(ports: Ports, reference: string): Promise<ShownRun> {
  const project = requireProject(ports);
  const { details, byValue, differs } = await withCatalog(ports, async ({ connection }) => {
    const run = await resolveRun(connection, reference);
    const loops = (await readLoopsByValue(connection, run)).get(run);
    const details = await readRunDetails(connection, run);
    const differs = await forkDifferences(connection, project, details);
    return { details, byValue: loops ?? new Set<string>(), differs };
  });
  const lost = isUnfinished(details.run["status"])
    ? await lostWork(ports, project, details)
    : undefined;
  const found = foundLoops(project, String(details.run["run"]));
  const lostMostMs = await lostAtMost(project, details);
  const elsewhere = checkpointsOf(project, String(details.run["run"]));
  const received = readReceived(storePaths.run(project.store, String(details.run["run"])));
  const known = { lost, lostMostMs, differs, elsewhere, received };
  return { report: reportOf(details, found, known), details, found, byValue, ...known };
}

async function forkDifferences(
  connection: Connection,
  { store }: Project,
  { run: { kind, run, parent } }: RunDetails,
): Promise<GivenDifferences | undefined> {
  if (kind !== "fork" || typeof parent !== "string") return undefined;
  try {
    const [from, to] = [parent, String(run)].map((id) => readManifest(storePaths.run(store, id)));
    return from && to && (await givenDifferences(connection, [from, to]));
  } catch {
    // The parent's folder is gone, or damaged: it is listed as such.
    return undefined;
  }
}

/**
 * What is done again if it is resumed. That of a run whose source cannot be brought back, which
 * cannot be resumed, is all of it.
 */
async function lostWork(ports: Ports, project: Project, details: RunDetails): Promise<LostWork> {
  const { findResumePoint } = await import("../recording/resume-point.ts");
  const silent = silentMs(ports, project, details);
  try {
    const manifest = readManifest(storePaths.run(project.store, String(details.run["run"])));
    const { point, lost } = findResumePoint(project, manifest);
    const elapsed = Math.max(0, details.lastMs - (point?.t ?? 0) / 1000);
    return { iterations: lost.iterations, ms: silent + Math.max(elapsed, lost.ms) };
  } catch {
    const iterations = details.loops.reduce((sum, loop) => sum + loop.iterations, 0);
    return { iterations, ms: silent + details.lastMs };
  }
}

async function lostAtMost(project: Project, details: RunDetails): Promise<number | undefined> {
  const { mostAtStake } = await import("../../planner/index.ts");
  const run = String(details.run["run"]);
  const { taken } = readCheckpointIndex(storePaths.run(project.store, run));
  return taken.length === 0 ? undefined : mostAtStake(taken, details.lastMs);
}

/** Since a run that is being recorded wrote its last record: work of which no record tells yet. */
function silentMs({ now }: Ports, { store }: Project, { run }: RunDetails): number {
  if (run["status"] !== "recording") return 0;
  const log = runPaths.log(storePaths.run(store, String(run["run"])));
  const written = statSync(log, { throwIfNoEntry: false })?.mtimeMs;
  return written === undefined ? 0 : Math.max(0, now().getTime() - written);
}

/** Undefined if the program said itself what its loops are, or nobody can tell. */
function foundLoops({ store }: Project, run: string): FoundLoops | undefined {
  try {
    const { handsFree, rewriter } = readManifest(storePaths.run(store, run));
    return handsFree === true ? { leftAlone: rewriter.leftAlone ?? [] } : undefined;
  } catch {
    // A damaged manifest is reported as such.
    return undefined;
  }
}

function checkpointsOf({ store }: Project, run: string): CheckpointsElsewhere | undefined {
  try {
    return checkpointsElsewhere(storePaths.run(store, run));
  } catch {
    // A damaged manifest is reported as such.
    return undefined;
  }
}

/** The outermost loop in which the run was longest (Flor §3.3.2: the main loop). */
export function mainLoop({ loops }: Pick<RunDetails, "loops">): LoopSummary | undefined {
  const outermost = loops.filter((loop) => loop.loops.length === 1);
  return outermost.toSorted((a, b) => b.ms - a.ms)[0];
}

/** Whether the run may still be computing, so that an interruption costs something. */
function isUnfinished(status: unknown): boolean {
  return status === "recording" || status === "interrupted" || status === "failed";
}

function reportOf(
  details: RunDetails,
  found: FoundLoops | undefined,
  {
    lost,
    lostMostMs,
    differs,
    elsewhere,
    received,
  }: Pick<ShownRun, "lost" | "lostMostMs" | "differs" | "elsewhere" | "received">,
): RunReport {
  const { run, args, loops, calls, metrics, checkpoints, replays } = details;
  const parsed = (column: string): unknown =>
    typeof run[column] === "string" ? JSON.parse(run[column]) : (run[column] ?? null);
  return {
    ...(cellToJson(run) as object),
    off: parsed("off"),
    overhead_parts: parsed("overhead_parts"),
    args: Object.fromEntries(args.map((arg) => [String(arg["name"]), cellToJson(valueOf(arg))])),
    loops,
    metrics: metrics.map((metric) => ({
      name: metric.name,
      loops: metric.loops,
      count: metric.count,
      last: cellToJson(valueOf({ ...metric })),
      origin: metric.origin,
      checks: metric.checks,
    })),
    checkpoint_list: cellToJson(checkpoints),
    lost_seconds: lost ? lost.ms / 1000 : null,
    ...(lost ? { lost_iterations: lost.iterations } : {}),
    lost_seconds_max: lostMostMs === undefined ? null : lostMostMs / 1000,
    ...(elsewhere ? { checkpoints_on: elsewhere.host } : {}),
    ...(received ? { received_from: { remote: received.remote, address: received.address } } : {}),
    replays,
    fired: details.alerts.map((one) => ({ ...one, values: parseJson(String(one["values"])) })),
    differs: differs ? differencesReport(differs) : null,
    hands_free: found !== undefined,
    main_loop: mainLoop(details)?.loop ?? null,
    loops_left_alone: found?.leftAlone ?? [],
    calls,
  };
}

function differencesReport({ args, data, sources }: GivenDifferences): RunReport["differs"] {
  const pairs = (facts: GivenDifferences["args"]): Pairs =>
    Object.fromEntries(
      facts.map(({ name, from, to }) => [name, [cellToJson(from), cellToJson(to)]] as const),
    );
  return { args: pairs(args), data: pairs(data), sources };
}
