/**
 * @file What earlier replays teach about this machine, and how sure a prediction is (semantics,
 * "Plans and prices": estimates come with an interval, and the error is shown with the next plan).
 */
import type { Plan } from "../format/index.ts";
import type { ExecutedTimes } from "./compare-times.ts";
import type { Costs, PastPlan } from "./cost.ts";
import { programOf } from "./cost.ts";

/** A replay that ended as planned; the replayer keeps them. */
export interface PastReplay {
  readonly predicted_s: number;
  readonly actual_s: number;
  readonly units: readonly PastUnit[];
}

export interface PastUnit {
  readonly run: string;
  readonly tree_s: number;
  readonly times: {
    readonly start_ms: number;
    readonly load_ms: number;
    readonly load_bytes: number;
    /** What was executed again here, and the other machine that had recorded it; absent: none had. */
    readonly elsewhere?: { readonly recorded_on: string } & ExecutedTimes;
  };
}

/** What lies further back was another program, or another machine. */
const REPLAYS_MAX = 40;
/** Loading less than this tells more of opening files than of reading them. */
const LOAD_BYTES_MIN = 8 << 20;
/** Before the first replay: git reads the version, and files are linked. */
const TREE_S = 0.1;

/** The costs of this machine from replays on it, oldest first. */
export function learnCosts(past: readonly PastReplay[]): Costs {
  const recent = past.slice(-REPLAYS_MAX);
  const units = recent.flatMap((replay) => replay.units);
  const loads = units.map(({ times }) => times).filter((t) => t.load_bytes >= LOAD_BYTES_MIN);
  const loadBytes = sum(loads.map((times) => times.load_bytes));
  const loadMs = sum(loads.map((times) => times.load_ms));
  return {
    startS: mediansByKey(units.map(({ run, times }) => [programOf(run), times.start_ms / 1000])),
    loadBytesPerS: loadMs > 0 ? (loadBytes / loadMs) * 1000 : null,
    hostFactors: factorsByMachine(units),
    treeS: median(units.map(({ tree_s }) => tree_s)) ?? TREE_S,
    past: recent
      .filter(({ predicted_s, actual_s }) => predicted_s > 0 && actual_s > 0)
      .map(({ predicted_s, actual_s }) => ({
        seconds: predicted_s,
        ratio: actual_s / predicted_s,
      })),
  };
}

/** How much longer code takes here than on other machines, from what of their runs was executed here last. */
function factorsByMachine(units: readonly PastUnit[]): { [machine: string]: number } {
  const sums = new Map<string, ExecutedTimes>();
  for (const { times } of units) {
    if (!times.elsewhere) continue;
    const { recorded_on, recorded_ms, executed_ms } = times.elsewhere;
    const before = sums.get(recorded_on) ?? { recorded_ms: 0, executed_ms: 0 };
    sums.set(recorded_on, {
      recorded_ms: before.recorded_ms + recorded_ms,
      executed_ms: before.executed_ms + executed_ms,
    });
  }
  const known = [...sums].filter(([, times]) => times.recorded_ms > 0 && times.executed_ms > 0);
  return Object.fromEntries(
    known.map(([machine, times]) => [machine, times.executed_ms / times.recorded_ms]),
  );
}

/** Plans that take longer are mostly the program's own code; shorter ones mostly start. */
const LONG_S = 10;
/** With fewer earlier plans of its kind an interval is supposed, not measured. */
const PLANS_MIN = 5;
/** Starting a process takes now a little more, now a little less. */
const JITTER_S = 0.15;

/** Seconds between which the actual time lies nine times in ten. */
export function secondsInterval(
  seconds: number,
  past: readonly PastPlan[],
): { readonly low: number; readonly high: number } {
  const alike = past.filter((plan) => plan.seconds >= LONG_S === seconds >= LONG_S);
  const ratios = alike.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
  const [least = 1, most = 1] = [ratios[0], ratios.at(-1)];
  if (ratios.length < PLANS_MIN) {
    const low = seconds * Math.min(0.5, least);
    return { low: Math.max(0, low - JITTER_S), high: seconds * Math.max(2, most) + JITTER_S };
  }
  // Of n plans, one in n + 1 is beyond either end: up to twenty, all are kept.
  const outside = Math.floor((ratios.length + 1) / 20);
  const edge = outside === 0 ? 1.1 : 1;
  const low = (ratios[Math.max(0, outside - 1)] ?? least) / edge;
  const high = (ratios.at(-Math.max(1, outside)) ?? most) * edge;
  return {
    low: Math.max(0, seconds * Math.min(1, low) - JITTER_S),
    high: seconds * Math.max(1, high) + JITTER_S,
  };
}

/** How far off earlier plans were, as a share of what they said. */
export function pastErrors(past: readonly PastPlan[]): Plan["past"] {
  const error = median(past.map(({ ratio }) => Math.abs(ratio - 1)));
  return error === undefined ? null : { plans: past.length, median_error: error };
}

function mediansByKey(pairs: readonly (readonly [key: string, value: number])[]): {
  [key: string]: number;
} {
  const groups = new Map<string, number[]>();
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value]);
  return Object.fromEntries([...groups].map(([key, values]) => [key, median(values) ?? 0]));
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
