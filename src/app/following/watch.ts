/** @file A run or a replay that another process executes, looked at from outside, by what it leaves on disk. */
import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LoopStatus, StatusMetrics } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { ReplayState } from "../../replayer/index.ts";
import { lineEndBefore, LogFollower, readManifest, runPaths } from "../../store/index.ts";
import { requireProject } from "../required-project.ts";
import type { Ports } from "../ports.ts";
import type { FoundRun } from "./find-run.ts";
import { findRun, runsByFolder } from "./find-run.ts";
import { RunProgress } from "./run-progress.ts";
import { POLL_MS } from "./tail-run.ts";

/** What is told of it, as JSON; each when something has changed. */
export type WatchEvent =
  | {
      readonly kind: "run";
      readonly run: string;
      readonly status: string;
      readonly loops: readonly LoopStatus[];
      readonly metrics: StatusMetrics;
    }
  | {
      readonly kind: "replay";
      readonly replay: string;
      readonly status: ReplayState["status"];
      readonly names: readonly string[];
      readonly units: number;
      readonly done: number;
      readonly failed: number;
      readonly cells: number;
    };

/** Of a log that is there already its beginning and its end are read: the loops, and the last values. */
const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 1024 * 1024;

/** Tells how far it is until it ends. Throws AL004, AL050. */
export async function* watch(
  ports: Pick<Ports, "cwd" | "env">,
  reference: string | undefined,
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent> {
  const { store } = requireProject(ports);
  const target = reference === undefined ? await underWay(store) : reference;
  const isReplay = /^r\d+$/.test(target) && (await findReplay(store, target)) !== undefined;
  const states = isReplay ? replayStates(store, target) : runStates(findRun(ports, target));
  let told = "";
  for await (const state of states) {
    const text = JSON.stringify(state);
    if (text !== told) yield state;
    told = text;
    if (signal?.aborted) return;
    await sleep(POLL_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
    if (signal?.aborted) return;
  }
}

async function findReplay(store: string, id: string): Promise<ReplayState | undefined> {
  const { listReplays } = await import("../../replayer/index.ts");
  return listReplays(store).find(({ replay }) => replay === id);
}

/** The newest run that records, else the newest replay that runs. */
async function underWay(store: string): Promise<string> {
  const runs = runsByFolder(store);
  const run = runs.find(({ manifest }) => {
    return manifest.status === "recording" && manifest.kind !== "replay";
  });
  if (run) return run.run;
  const { listReplays } = await import("../../replayer/index.ts");
  const replay = listReplays(store).find(({ status }) => status === "running");
  if (replay) return replay.replay;
  throw new AfterlogError("AL004", "no run and no replay is under way here", {
    help: ["look at the newest run:  afterlog show", "list the replays:  afterlog ps --all"],
  });
}

async function* replayStates(store: string, id: string): AsyncGenerator<WatchEvent> {
  while (true) {
    const state = await findReplay(store, id);
    if (state === undefined) return;
    const count = (status: string): number =>
      state.units.filter((unit) => unit.status === status).length;
    yield {
      kind: "replay",
      replay: id,
      status: state.status,
      names: state.names,
      units: state.units.length,
      done: count("done"),
      failed: count("failed"),
      cells: state.units.reduce((sum, unit) => sum + unit.cells, 0),
    };
    if (state.status !== "running") return;
  }
}

async function* runStates({ run, folder }: FoundRun): AsyncGenerator<WatchEvent> {
  const log = runPaths.log(folder);
  const progress = new RunProgress();
  let follower: LogFollower | undefined;
  while (true) {
    // In this order: what is written before the end is read after it.
    const { status } = readManifest(folder);
    const { size } = statSync(log, { throwIfNoEntry: false }) ?? { size: 0 };
    if (follower === undefined && size > HEAD_BYTES + TAIL_BYTES) {
      for (const record of new LogFollower(log).read(HEAD_BYTES)) progress.take(record);
      follower = new LogFollower(log, lineEndBefore(log, size - TAIL_BYTES));
    }
    if (size > 0) {
      follower ??= new LogFollower(log);
      for (const record of follower.read()) progress.take(record);
    }
    const { loops, metrics } = progress;
    yield { kind: "run", run, status, loops, metrics };
    if (status !== "recording") return;
  }
}
