/**
 * @file Replays: a plan is executed, continued, listed, cancelled. What happens is reported as events;
 * whoever must be asked is asked by the caller.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cellToJson, planFrame, valueColumn } from "../../catalog/index.ts";
import type { Plan } from "../../format/index.ts";
import { AfterlogError, withoutTexts } from "../../format/index.ts";
import type {
  Canary,
  MakeExecutor,
  Progress,
  ReplayEvent,
  ReplayOptions,
  ReplayState,
  UnitFailure,
  UnitState,
} from "../../replayer/index.ts";
import * as replayer from "../../replayer/index.ts";
import { storePaths } from "../../store/index.ts";
import { requireTrust } from "../trust.ts";
import { groupFailures } from "./failures.ts";
import { withForeignNotes } from "./foreign-notes.ts";
import { workersOf } from "./plan.ts";
import type { Ports } from "../ports.ts";
import { withCatalog } from "../lend-catalog.ts";
import { requireProject } from "../required-project.ts";
import { resolveRun } from "../run-reference.ts";
import { handOver, projectSettings } from "../settings.ts";

/** How a replay is watched and stopped. */
export interface ReplayWatcher {
  readonly emit: (event: ReplayEvent) => void;
  /** What is finished when it stops is kept, and the replay can be continued. */
  readonly signal?: AbortSignal | undefined;
  /** No unit is begun after it, and those that run are stopped. */
  readonly maxSeconds?: number | undefined;
  /** Where units are executed; as processes of this machine if it is not given. */
  readonly executor?: MakeExecutor | undefined;
}

export interface ReplayRequest {
  readonly plan: Plan;
  /** Executes one unit first and asks `confirmCanary` before the rest. */
  readonly canary?: boolean | undefined;
  /** After it, waits to be told: `goOn`. */
  readonly awaitGo?: boolean | undefined;
  /** The newest runs first, not the longest. */
  readonly newestFirst?: boolean | undefined;
  /** Whether to continue after the canary; yes if it is not given. */
  readonly confirmCanary?: ((canary: Canary) => boolean | Promise<boolean>) | undefined;
  /** Whether to continue with other versions though the canary failed; yes if it is not given. */
  readonly confirmOthers?: ((why: string, units: number) => boolean | Promise<boolean>) | undefined;
}

/** Executes a plan as a new replay; answers how it ended. */
export async function startReplay(
  ports: Ports,
  request: ReplayRequest,
  session: ReplayWatcher,
): Promise<ReplayState> {
  const { plan, confirmCanary, confirmOthers } = request;
  const options = optionsOf(ports, session);
  await requireTrust(ports, replayer.foreignRemotes(options.project, plan));
  return replayer.executePlan({
    ...options,
    plan,
    workers: plan.workers,
    canary: request.canary ?? false,
    newestFirst: request.newestFirst ?? false,
    awaitGo: request.awaitGo ?? false,
    ...(confirmOthers === undefined ? {} : { confirmOthers }),
    confirmCanary: async (canary) => {
      const isConfirmed = confirmCanary === undefined || (await confirmCanary(canary));
      return isConfirmed ? replayer.scalePlan(options.project, plan, canary) : false;
    },
  });
}

function optionsOf(
  ports: Ports,
  { emit, signal, maxSeconds, executor }: ReplayWatcher,
): Omit<ReplayOptions, "workers" | "canary"> {
  const project = requireProject(ports);
  const tolerance = handOver(projectSettings(ports)["replay.tolerance"]);
  return {
    project,
    emit,
    env: ports.env,
    fallback: (run, unit) => replayer.executeWhole(project, run, unit),
    ...(tolerance === null ? {} : { tolerance }),
    ...(signal === undefined ? {} : { signal }),
    ...(maxSeconds === undefined ? {} : { maxSeconds }),
    ...(executor === undefined ? {} : { executor }),
  };
}

/**
 * Whether a plan has anything to execute: `review` if somebody must look at landings first, `filled`
 * if the cells are there in all runs that can be replayed, `none` if no run has what is asked for.
 * Throws AL034 if no run can be replayed, and none has the values.
 */
export function readinessOf(plan: Plan): "ready" | "review" | "filled" | "none" {
  if (plan.runs.length > 0) return "ready";
  if (plan.review.length > 0) return "review";
  if (plan.left_out.some((one) => one.filled === true)) return "filled";
  if (plan.left_out.length === 0) return "none";
  const reasons = [...new Set(plan.left_out.map(({ run, why }) => `${run}: ${why}`))];
  throw new AfterlogError("AL034", "no run that is asked can be replayed", {
    notes: reasons.slice(0, 8),
    help: [`see where the statement would go:  afterlog where ${plan.names[0] ?? ""}`],
    data: { left_out: plan.left_out },
  });
}

/** The last event of a replay whose question could be asked only when its values were there. */
export interface MatchingRows {
  readonly schema: 1;
  readonly kind: "matching";
  /** The condition, as the plan's `after`. */
  readonly where: string | null;
  readonly rows: unknown;
}

/** The rows that meet the condition of a plan now. */
export async function readMatching(ports: Ports, plan: Plan): Promise<MatchingRows> {
  const rows = await withCatalog(ports, async ({ connection }) => {
    const { sql } = await planFrame(connection, matchingFrame(plan));
    return connection.rows(sql);
  });
  return { schema: 1, kind: "matching", where: plan.after, rows: cellToJson(rows) };
}

/** How many rows meet it. */
export async function countMatching(ports: Ports, plan: Plan): Promise<number> {
  return withCatalog(ports, async ({ connection }) => {
    const { sql } = await planFrame(connection, matchingFrame(plan));
    const [row] = await connection.rows(`SELECT count(*)::DOUBLE AS count FROM (${sql})`);
    return Number(row?.["count"] ?? 0);
  });
}

function matchingFrame({ names, where }: Plan): {
  readonly names: readonly string[];
  readonly where: string | undefined;
} {
  const columns = names.map((name) => valueColumn("log", name));
  return { names: columns, where: where ?? undefined };
}

/** All replays of the project, newest first. */
export function listReplays(ports: Ports): ReplayState[] {
  return replayer.listReplays(requireProject(ports).store);
}

/**
 * A replay as it is now. Without an id the newest that can be continued: others may have been started
 * and done since. Throws AL050 if there is none.
 */
export function findReplay(ports: Ports, id: string | undefined): ReplayState {
  const { store } = requireProject(ports);
  const isOpen = ({ status }: ReplayState): boolean => status !== "done" && status !== "running";
  const open = id === undefined ? replayer.listReplays(store).find(isOpen) : undefined;
  return open ?? replayer.readReplay(store, id);
}

/** The plan that a replay executes. Throws AL050 if it cannot be read. */
export function planOfReplay(ports: Ports, { replay }: ReplayState): Plan {
  return replayer.readPlan(requireProject(ports).store, replay);
}

export interface ContinueReplayRequest {
  readonly state: ReplayState;
  /** References of runs that are left out from now on. */
  readonly skip?: readonly string[] | undefined;
  /** Processes at a time; as before if it is not given. */
  readonly jobs?: number | undefined;
}

/**
 * Continues a replay; cells that are there are not computed again. Throws AL004, AL050, and AL034 if a run
 * of it was removed.
 */
export async function continueReplay(
  ports: Ports,
  { state, skip = [], jobs = state.workers }: ContinueReplayRequest,
  session: ReplayWatcher,
): Promise<ReplayState> {
  checkRuns(ports, state);
  const options = optionsOf(ports, session);
  const plan = replayer.readPlan(options.project.store, state.replay);
  await requireTrust(ports, replayer.foreignRemotes(options.project, plan));
  return replayer.continueReplay({
    ...options,
    id: state.replay,
    workers: workersOf(ports, { jobs }),
    canary: false,
    skip: await resolveAll(ports, skip),
  });
}

/** Throws AL034 if a run of the replay was removed: what was done is told by all of them. */
function checkRuns(ports: Ports, { replay, names, units }: ReplayState): void {
  const { store } = requireProject(ports);
  const runs = new Set(units.map(({ run }) => run));
  const gone = [...runs].filter((run) => !existsSync(storePaths.run(store, run)));
  const [first] = gone;
  if (first === undefined) return;
  const what = gone.length === 1 ? "a run of it was removed" : "runs of it were removed";
  throw new AfterlogError("AL034", `${replay} cannot be continued: ${what}`, {
    notes: gone.slice(0, 8).map((run) => `(id ${run})`),
    help: [
      `bring it back, if it is in the trash:  afterlog rm --undo ${first}`,
      `or ask again, where what is filled stays:  afterlog replay ${names.join(" ")}`,
    ],
    data: { replay, runs: gone },
  });
}

async function resolveAll(ports: Ports, references: readonly string[]): Promise<string[]> {
  if (references.length === 0) return [];
  return withCatalog(ports, async ({ connection }) => {
    const runs: string[] = [];
    for (const reference of references) runs.push(await resolveRun(connection, reference));
    return runs;
  });
}

export interface CancelReport {
  readonly replay: string;
  /** False: it was not running. */
  readonly cancelled: boolean;
}

/** Tells a running replay to stop; what is finished is kept. Throws AL050. */
export function cancelReplay(ports: Ports, id: string): CancelReport {
  return { replay: id, cancelled: replayer.cancelReplay(requireProject(ports).store, id) };
}

export interface GoReport {
  readonly replay: string;
  /** False: it was not waiting for that. */
  readonly goes: boolean;
}

/** Lets a replay go on that waits after its canary. Throws AL050. */
export function goOn(ports: Ports, id: string): GoReport {
  return { replay: id, goes: replayer.goOn(requireProject(ports).store, id) };
}

/** A replay with what it told: what there is to look at while it runs, and after it. */
export interface WatchedReplay {
  readonly replay: ReplayState;
  /** Without the texts of files. */
  readonly plan: Plan;
  /** How far it was when it last said so; null: it has not. */
  readonly progress: Progress | null;
  readonly canary: Canary | null;
  /** Units that failed and were not done since, those with the same error as one. */
  readonly failures: readonly {
    readonly error: string;
    /** `train.ts:48  al.log("f1", f1.byClass)`; null: nobody knows. */
    readonly place: string | null;
    readonly runs: readonly string[];
    readonly first: UnitFailure;
  }[];
}

/** Throws AL050. */
export function watchedReplay(ports: Ports, id: string): WatchedReplay {
  const { store } = requireProject(ports);
  const replay = replayer.readReplay(store, id);
  const plan = replayer.readPlan(store, id);
  const events = replayer.readEvents(store, id);
  const failed = new Map<string, UnitFailure>();
  for (const event of events) {
    if (event.kind === "failure") failed.set(`${event.run} ${event.unit}`, event);
  }
  const open = [...failed.values()].filter(({ run, unit }) =>
    replay.units.some((one) => one.run === run && one.unit === unit && one.status === "failed"),
  );
  return {
    replay,
    plan: withoutTexts(plan),
    progress: events.findLast((event) => event.kind === "progress") ?? null,
    canary: events.findLast((event) => event.kind === "canary") ?? null,
    failures: groupFailures(open, plan).map(({ error, place, failures }) => ({
      error,
      place: place?.text ?? null,
      runs: failures.map(({ run }) => run),
      first: failures[0],
    })),
  };
}

/**
 * The plan to execute a run again as it was, and to compare all that it logged; where `left_out` says
 * so, it cannot be. Throws AL004.
 */
export async function planCheck(
  ports: Ports,
  { run: reference, jobs = 1 }: { readonly run: string; readonly jobs?: number | undefined },
): Promise<{ readonly run: string; readonly plan: Plan }> {
  const project = requireProject(ports);
  const run = await withCatalog(ports, ({ connection }) => resolveRun(connection, reference));
  const plan = replayer.buildCheckPlan({ project, run, workers: jobs });
  return { run, plan: withForeignNotes(ports, project, plan) };
}

/** What a unit logged and printed, for one that differs from the record. */
export function filesOfUnit(
  ports: Ports,
  { replay, units }: ReplayState,
  unit: UnitState,
): { readonly log: string; readonly stdout: string } {
  const replays = storePaths.replays(requireProject(ports).store);
  const folder = join(replays, replay, "units", String(units.indexOf(unit)));
  const { out, stdout } = replayer.unitPaths;
  return { log: join(out(folder), "log.jsonl"), stdout: stdout(folder) };
}
