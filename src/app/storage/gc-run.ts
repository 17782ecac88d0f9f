/**
 * @file What `gc` would remove of one run, what questions to it cost before and after, and the
 * removal itself.
 */
import type { CheckpointRecord, KeepPolicy, LoopPath, Manifest } from "../../format/index.ts";
import { describeError, formatPath } from "../../format/index.ts";
import type { Costs, RunFacts, ScanPrices } from "../../planner/index.ts";
import { allEntries, matchLoops, priceScans } from "../../planner/index.ts";
import { listReplays, modelOfVersion, readRunFacts } from "../../replayer/index.ts";
import type { Leftover, Project, RetainedCheckpoint } from "../../store/index.ts";
import {
  CheckpointIndex,
  chooseRemoved,
  findLeftovers,
  listCheckpoints,
  listRunIds,
  readManifest,
  removeCheckpoints,
  removeLeftovers,
  storePaths,
} from "../../store/index.ts";

/** Two of a run that may be resumed: one of them may turn out to be damaged. */
const NEWEST_OPEN = 2;

export interface GcPlan {
  readonly run: string;
  readonly manifest: Manifest;
  /** In the order in which they go. */
  readonly removed: readonly CheckpointRecord[];
  readonly kept: number;
  readonly leftovers: readonly Leftover[];
  readonly freedBytes: number;
  /** Null if the source of the run cannot be read: nobody can tell. */
  readonly prices: { readonly before: ScanPrices; readonly after: ScanPrices } | null;
}

export interface GcQuestion {
  readonly project: Project;
  readonly policy: KeepPolicy;
  readonly costs: Costs;
  readonly nowMs: number;
}

/** When loops were entered (ms, by the path of their end), and where the best value was logged. */
export interface LoggedFacts {
  readonly entered: ReadonlyMap<string, number>;
  readonly peak: LoopPath | undefined;
}

export function planRemoval(question: GcQuestion, run: string, logged: LoggedFacts): GcPlan {
  const { project, policy, nowMs } = question;
  const folder = storePaths.run(project.store, run);
  const manifest = readManifest(folder);
  const facts = readRunFacts(folder);
  const current = [...facts.checkpoints.values()].toSorted((a, b) => a.t - b.t || a.seq - b.seq);
  const chosen = chooseRemoved({
    checkpoints: asRetained(facts, current, logged.entered),
    policy,
    newest: manifest.status === "done" ? 0 : NEWEST_OPEN,
    peak: logged.peak,
  });
  const files = new Map(current.map((record) => [record.file, record]));
  const goes = chosen.flatMap(({ file }) => files.get(file) ?? []);
  const removed = [...supersededOnes(folder, facts), ...goes];
  const leftovers = findLeftovers(folder, nowMs);
  return {
    run,
    manifest,
    removed,
    kept: current.length - goes.length,
    leftovers,
    freedBytes: [...removed, ...leftovers].reduce((sum, { bytes }) => sum + bytes, 0),
    prices: goes.length === 0 ? null : pricesOf(question, manifest, facts, goes),
  };
}

function asRetained(
  facts: RunFacts,
  records: readonly CheckpointRecord[],
  entered: ReadonlyMap<string, number>,
): RetainedCheckpoint[] {
  const entries = [...allEntries(facts.entries)];
  const withInner = new Set(
    entries
      .filter(({ children }) => children.size > 0)
      .map(({ path, loop }) => loopNames(path, loop)),
  );
  return records.map(({ file, path, kind, bytes, holds, needs, t }) => {
    const [name = "", , entry = 0] = path.at(-1) ?? [];
    const around = path.slice(0, -1);
    const isInner = kind === "iteration" && around.length > 0;
    const step = isInner && !withInner.has(loopNames(around, name));
    const atMs = t / 1000;
    const enteredMs = entered.get(entryKey(around, name, entry)) ?? atMs;
    return { file, path, kind, bytes, holds, needs, step, enteredMs, atMs };
  });
}

function loopNames(path: LoopPath, loop: string): string {
  return JSON.stringify([...path.map(([name]) => name), loop]);
}

/** A loop entry, by the path of its end. */
export function entryKey(around: LoopPath, loop: string, entry: number): string {
  return formatPath([...around, entry === 0 ? [loop, "end"] : [loop, "end", entry]]);
}

/** Taken in a part of the run that was done again: nothing of the run refers to them. */
function supersededOnes(folder: string, facts: RunFacts): CheckpointRecord[] {
  const listed = listCheckpoints(folder);
  const standing = new Set([...facts.checkpoints.values()].map(({ file }) => file));
  const lost = new Set(facts.lost);
  const isSuperseded = ({ file, path }: CheckpointRecord): boolean =>
    !standing.has(file) && !lost.has(formatPath(path));
  const held = new Set(
    listed.filter((record) => !isSuperseded(record)).flatMap(({ holds }) => holds),
  );
  return listed.filter((record) => isSuperseded(record) && !held.has(record.file)).toReversed();
}

function pricesOf(
  { project, costs }: GcQuestion,
  manifest: Manifest,
  facts: RunFacts,
  goes: readonly CheckpointRecord[],
): GcPlan["prices"] {
  try {
    const model = modelOfVersion(project, manifest);
    const match = matchLoops(model, model);
    const checkpoints = new Map(facts.checkpoints);
    for (const { path } of goes) checkpoints.delete(formatPath(path));
    return {
      before: priceScans(facts, model, match, costs),
      after: priceScans({ ...facts, checkpoints }, model, match, costs),
    };
  } catch {
    // Its version is gone: it cannot be replayed either, so nothing gets slower.
    return null;
  }
}

/** Runs of which nothing may be removed now, and why. */
export function busyRuns({ store }: Project): Map<string, string> {
  const busy = new Map<string, string>();
  for (const run of listRunIds(store)) {
    try {
      const { status, parent } = readManifest(storePaths.run(store, run));
      if (status !== "recording") continue;
      busy.set(run, "it is still being recorded");
      // A fork may not have restored yet what it begins with.
      if (parent !== null) busy.set(parent, `${run}, which continues from it, is being recorded`);
    } catch (error) {
      busy.set(run, `it cannot be read: ${describeError(error)}`);
    }
  }
  for (const { status, replay, units } of listReplays(store)) {
    if (status !== "running") continue;
    for (const { run } of units) busy.set(run, `replay ${replay} is using it`);
  }
  return busy;
}

/** Removes what was planned; answers why not, if it was not. */
export function executeRemoval(project: Project, plan: GcPlan, nowMs: number): string | undefined {
  const folder = storePaths.run(project.store, plan.run);
  const index = new CheckpointIndex(folder);
  try {
    if (readManifest(folder).status === "recording") return "it is being recorded just now";
    const t = Math.max(0, Math.round((nowMs - Date.parse(plan.manifest.started)) * 1000));
    const files = plan.removed.map(({ file }) => file);
    removeCheckpoints(folder, files, { index, t });
    removeLeftovers(folder, plan.leftovers);
    return undefined;
  } catch (error) {
    return describeError(error);
  } finally {
    index.close();
  }
}
