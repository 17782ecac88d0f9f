/**
 * @file What is known of a replay on disk, under `.afterlog/replays/<id>/`: its plan, how far it
 * is, and a folder for each unit. Everything that a killed replayer must find again stands here.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Plan, ProbePlace } from "../../format/index.ts";
import { AfterlogError, planFromJson } from "../../format/index.ts";
import { ownPid, processExists, sendSignal, wallClock } from "../../host/index.ts";
import { bootId, makeFolder, processStart, replaceFile, storePaths } from "../../store/index.ts";
import type { Difference } from "../checking/check-replay.ts";
import type { SilentName, UnitTimes } from "../checking/judge-unit.ts";
import type { ReplayEvent } from "./replay-events.ts";

/** How often it is looked whether it may go on. */
const LOOK_MS = 200;

/** `waiting` units are still to be executed; all other states but `running` are final. */
export type UnitStatus = "waiting" | "running" | "done" | "failed";

export interface UnitState {
  readonly run: string;
  /** Which unit of its run. */
  readonly unit: number;
  readonly status: UnitStatus;
  /** Runs that hold its values; several, if it was interrupted before. */
  readonly results: readonly string[];
  readonly cells: number;
  /** The GPU that its process saw; absent: what its replayer sees. */
  readonly gpu?: string;
  /** It was executed whole, because what was planned was not enough. */
  readonly whole: boolean;
  /** Why that was so; absent: it was, or nobody said. */
  readonly wholeBecause?: string;
  /** Why it failed, for the user. */
  readonly why: string | null;
  /** It failed because what is asked changes the run; absent: it did not. */
  readonly review?: true;
  /** Where what is asked threw, and what; absent: nowhere. */
  readonly failures?: readonly string[];
  /** How often, if it is told of fewer; absent: as often as is told. */
  readonly failureCount?: number;
  /** Asked names that it did not log; absent: it logged all, or has not ended. */
  readonly silent?: readonly SilentName[];
  /** Names with values beside which there was nothing to compare; absent: none, or nothing was compared at all. */
  readonly alone?: readonly string[];
  /** What it wrote outside its project, which went to copies; absent: nothing. */
  readonly outside?: { readonly files: number; readonly bytes: number };
  readonly compared: { readonly equal: number; readonly close: number; readonly different: number };
  readonly first_difference: Difference | null;
  readonly likely_cause: string | null;
  readonly predicted_s: number;
  /** Of the process, when it has ended by itself; and of making its tree. */
  readonly actual_s: number | null;
  readonly tree_s: number | null;
  readonly times: UnitTimes | null;
}

export type ReplayStatus = "running" | "done" | "failed" | "stopped" | "interrupted";

/** `go`: a file, by which anybody says that it goes on. `answer`: somebody at its terminal. */
export type Awaited = "go" | "answer";

export interface ReplayState {
  readonly v: 1;
  readonly replay: string;
  /** `failed`: some unit did. `stopped`: by the user or the time allowed. */
  readonly status: ReplayStatus;
  readonly names: readonly string[];
  readonly created: string;
  readonly ended: string | null;
  readonly process: {
    readonly host: string;
    readonly bootId: string | null;
    readonly pid: number;
    readonly pidStart: string | null;
  };
  /** Statements that are not in the runs. */
  readonly probes: readonly ProbePlace[];
  /** Seconds on the wall clock: as planned, and as it took, all sessions together. */
  readonly predicted_s: number;
  readonly actual_s: number;
  readonly workers: number;
  /** It waits to be told to go on after the canary; absent: it does not. */
  readonly awaits?: Awaited | undefined;
  /** How often it was begun or continued. */
  readonly sessions: number;
  readonly units: readonly UnitState[];
}

/** Where the parts of a replay are. */
export const replayPaths = {
  folder: (store: string, id: string): string => join(storePaths.replays(store), id),
  plan: (folder: string): string => join(folder, "plan.json"),
  state: (folder: string): string => join(folder, "state.json"),
  /** What it told, but for the plan. */
  events: (folder: string): string => join(folder, "events.jsonl"),
  /** There when it may go on after the canary. */
  go: (folder: string): string => join(folder, "go"),
  unit: (folder: string, index: number): string => join(folder, "units", String(index)),
  tree: (store: string, id: string, index: number): string =>
    join(storePaths.trees(store), `${id}-${index}`),
} as const;

/** A new folder, `r1`, `r2`, …; answers its name. */
export function makeReplayFolder(store: string): string {
  makeFolder(storePaths.replays(store));
  for (let number = lastReplayNumber(store) + 1; ; number++) {
    try {
      mkdirSync(replayPaths.folder(store, `r${number}`));
      return `r${number}`;
    } catch (error) {
      // Another one was faster.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function lastReplayNumber(store: string): number {
  return Math.max(0, ...listReplayIds(store).map((id) => Number(id.slice(1))));
}

function listReplayIds(store: string): string[] {
  return listFolder(storePaths.replays(store)).filter((name) => REPLAY_ID.test(name));
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The process that this is. */
function ownProcess(): ReplayState["process"] {
  const pidStart = processStart(ownPid);
  return { host: hostname(), bootId: bootId(), pid: ownPid, pidStart };
}

/** A replay that begins. */
export function newState(
  replay: string,
  plan: Plan,
  { workers, probes }: Pick<ReplayState, "workers" | "probes">,
): ReplayState {
  return {
    v: 1,
    replay,
    status: "running",
    names: plan.names,
    created: wallClock().toISOString(),
    ended: null,
    process: ownProcess(),
    probes,
    predicted_s: plan.seconds,
    actual_s: 0,
    workers,
    sessions: 1,
    units: plan.runs.flatMap(({ run, units }) => {
      return units.map(({ seconds }, unit) => newUnitState(run, unit, seconds));
    }),
  };
}

function newUnitState(run: string, unit: number, predicted_s: number): UnitState {
  return {
    run,
    unit,
    status: "waiting",
    results: [],
    cells: 0,
    whole: false,
    why: null,
    compared: { equal: 0, close: 0, different: 0 },
    first_difference: null,
    likely_cause: null,
    predicted_s,
    actual_s: null,
    tree_s: null,
    times: null,
  };
}

/** A replay that is taken up again by this process, without the runs to be skipped. */
export function continuedState(
  before: ReplayState,
  { workers, skip = [] }: { readonly workers: number; readonly skip?: readonly string[] },
): ReplayState {
  return {
    ...before,
    status: "running",
    awaits: undefined,
    ended: null,
    process: ownProcess(),
    workers,
    sessions: before.sessions + 1,
    units: before.units.map((unit): UnitState => {
      // What it has stays.
      if (skip.includes(unit.run) && unit.status !== "done") {
        return { ...unit, status: "done", why: "it was left out" };
      }
      // What failed may succeed now: a file is back, there is memory again.
      return unit.status === "failed" ? { ...unit, status: "waiting", why: null } : unit;
    }),
  };
}

export function writeState(store: string, state: ReplayState): void {
  const folder = replayPaths.folder(store, state.replay);
  replaceFile(replayPaths.state(folder), `${JSON.stringify(state)}\n`);
}

/** All replays of a store, newest first. One whose files cannot be read is left out. */
export function listReplays(store: string): ReplayState[] {
  const ids = listReplayIds(store).toSorted((a, b) => Number(b.slice(1)) - Number(a.slice(1)));
  return ids.flatMap((id) => tryReadReplay(store, id) ?? []);
}

/** A replay as it is now; the newest if no id is given. Throws AL050 if there is none. */
export function readReplay(store: string, id?: string): ReplayState {
  const found = id === undefined ? listReplays(store)[0] : tryReadReplay(store, id);
  if (found) return found;
  const what = id === undefined ? "there is no replay here" : `there is no replay ${id}`;
  throw new AfterlogError("AL050", what, {
    help: ["list the replays:  afterlog ps --all"],
    data: { id },
  });
}

/** A name of anything else leads out of the folder. */
const REPLAY_ID = /^r\d+$/;

function tryReadReplay(store: string, id: string): ReplayState | undefined {
  if (!REPLAY_ID.test(id)) return undefined;
  try {
    const folder = replayPaths.folder(store, id);
    const state = JSON.parse(readFileSync(replayPaths.state(folder), "utf8")) as ReplayState;
    const gone = state.status === "running" && !isReplayerAlive(state.process);
    return gone ? { ...state, status: "interrupted", awaits: undefined } : state;
  } catch {
    return undefined;
  }
}

/** Whether the replaying process still exists. On another host nobody can tell: yes. */
function isReplayerAlive(process: ReplayState["process"]): boolean {
  if (process.host !== hostname()) return true;
  if (process.bootId !== null && process.bootId !== bootId()) return false;
  if (process.pidStart !== null) return processStart(process.pid) === process.pidStart;
  return processExists(process.pid);
}

/** Removes the trees of replays that are gone: they were killed, and may never be continued. */
export function removeStaleTrees(store: string): void {
  const trees = storePaths.trees(store);
  for (const tree of listFolder(trees)) {
    const [, id] = /^(r\d+)-\d+$/.exec(tree) ?? [];
    if (id === undefined || tryReadReplay(store, id)?.status === "running") continue;
    rmSync(join(trees, tree), { recursive: true, force: true });
  }
}

/** The plan of a replay. Throws AL050 if it cannot be read. */
export function readPlan(store: string, id: string): Plan {
  const file = replayPaths.plan(replayPaths.folder(store, id));
  try {
    const plan = planFromJson(JSON.parse(readFileSync(file, "utf8")));
    if (plan) return plan;
  } catch (cause) {
    throw noPlan(id, file, cause);
  }
  throw noPlan(id, file);
}

function noPlan(id: string, file: string, cause?: unknown): AfterlogError {
  return new AfterlogError("AL050", `the plan of replay ${id} cannot be read`, {
    help: ["ask again:  afterlog replay NAME"],
    data: { id, file },
    cause,
  });
}

/** Lets a replay go on that waits after its canary; false if it does not wait for that. */
export function goOn(store: string, id: string): boolean {
  if (readReplay(store, id).awaits !== "go") return false;
  replaceFile(replayPaths.go(replayPaths.folder(store, id)), "");
  return true;
}

/** Until somebody says that it goes on; false: it was told to stop. */
export async function untilGo(store: string, id: string, signal: AbortSignal): Promise<boolean> {
  const file = replayPaths.go(replayPaths.folder(store, id));
  while (!signal.aborted) {
    if (existsSync(file)) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

/** The events of a replay as they were told; a line that is not whole yet is left. */
export function readEvents(store: string, id: string): ReplayEvent[] {
  let text = "";
  try {
    text = readFileSync(replayPaths.events(replayPaths.folder(store, id)), "utf8");
  } catch {
    // Of a version before there were any, or nothing was told yet.
  }
  return text.split("\n").flatMap((line) => parseEvent(line) ?? []);
}

function parseEvent(line: string): ReplayEvent | undefined {
  try {
    return JSON.parse(line) as ReplayEvent;
  } catch {
    return undefined;
  }
}

/** Tells a running replay to stop and keep what it has; false if it is not running. */
export function cancelReplay(store: string, id: string): boolean {
  const state = readReplay(store, id);
  if (state.status !== "running") return false;
  if (state.process.host !== hostname()) {
    throw new AfterlogError("AL050", `replay ${id} runs on ${state.process.host}`, {
      help: [`cancel it there:  afterlog cancel ${id}`],
      data: { id },
    });
  }
  sendSignal(state.process.pid, "SIGINT");
  return true;
}

/**
 * What earlier replays took against what was planned, for the cost model (semantics, "Plans and
 * prices").
 */
export interface PastReplay {
  readonly replay: string;
  readonly host: string;
  readonly predicted_s: number;
  readonly actual_s: number;
  readonly workers: number;
  /** Only units that did what was planned for them. */
  readonly units: readonly PastUnit[];
}

export interface PastUnit {
  readonly run: string;
  readonly predicted_s: number;
  readonly actual_s: number;
  readonly tree_s: number;
  readonly times: UnitTimes;
}

/** Replays that ended as planned, oldest first. */
export function pastReplays(store: string): PastReplay[] {
  // One that was continued has done some of its work twice.
  const ended = listReplays(store).filter(({ status, sessions }) => {
    return status === "done" && sessions === 1;
  });
  return ended.toReversed().map((state) => ({
    replay: state.replay,
    host: state.process.host,
    predicted_s: state.predicted_s,
    actual_s: state.actual_s,
    workers: state.workers,
    units: state.units.flatMap(pastUnit),
  }));
}

function pastUnit(unit: UnitState): PastUnit[] {
  const { run, predicted_s, actual_s, tree_s, times } = unit;
  if (unit.status !== "done" || unit.whole || actual_s === null || tree_s === null) return [];
  return times === null ? [] : [{ run, predicted_s, actual_s, tree_s, times }];
}
