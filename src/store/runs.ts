/**
 * @file Run directories: making, listing and reading them.
 *
 * A run that says `recording` but whose process is gone was interrupted: nobody was left to write
 * so. `readRun` answers what is true now.
 */
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Manifest } from "../format/index.ts";
import { manifestFromJson } from "../format/index.ts";
import { processExists } from "../host/index.ts";
import { latestOrder, placeRun } from "./received.ts";
import { runPaths, storePaths } from "./store-paths.ts";

/** Ids of all run directories, unordered. An absent store has none. */
export function listRunIds(store: string): string[] {
  const folder = storePaths.runs(store);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

/**
 * The manifest, its status as true now. A run that came from elsewhere began before it came, whatever
 * the clock there said. Throws AL040 if damaged; ENOENT if absent.
 */
export function readManifest(runFolder: string): Manifest {
  const file = runPaths.manifest(runFolder);
  const read = manifestFromJson(readFileSync(file, "utf8"), file);
  const manifest = { ...read, order: Math.min(read.order, latestOrder(runFolder)) };
  if (manifest.status !== "recording" || isAlive(manifest.host)) return manifest;
  return { ...manifest, status: "interrupted" };
}

/** Whether the process that a host tells of still exists. On another host nobody can tell: yes. */
export function isAlive(
  host: Pick<Manifest["host"], "name" | "bootId" | "pid" | "pidStart">,
): boolean {
  if (host.name !== hostname()) return true;
  if (host.bootId !== bootId() && host.bootId !== null) return false;
  // Where nobody tells when a process started (no /proc): some process has that number.
  if (host.pidStart === null) return processExists(host.pid);
  return processStart(host.pid) === host.pidStart;
}

/** A note of the order that is further ahead of the clock than this is looked up in the runs. */
const AHEAD_MS_MAX = 24 * 3_600_000;

/**
 * A number above that of every run before, and the wall clock where that moved forward: runs stay
 * in order though somebody sets the clock back. Two runs that begin at once may get the same.
 */
export function nextOrder(store: string, nowMs: number): number {
  const file = storePaths.clock(store);
  const noted = Number.parseInt(readIfPresent(file) ?? "", 10);
  // Far ahead of the clock it is believed only if a run is: one that was may have been removed.
  const isLikely = Number.isSafeInteger(noted) && noted <= nowMs + AHEAD_MS_MAX;
  const last = isLikely ? noted : lastOrder(store);
  const order = Math.max(nowMs, last + 1);
  writeFileSync(file, String(order));
  return order;
}

/** Runs came from elsewhere: those that begin here later follow them. */
export function noteOrder(store: string, orders: readonly number[]): void {
  const file = storePaths.clock(store);
  const last = Number.parseInt(readIfPresent(file) ?? "", 10);
  const order = Math.max(Number.isSafeInteger(last) ? last : lastOrder(store), ...orders);
  writeFileSync(file, String(order));
}

/** Runs that were recorded, or came, with a clock that was ahead of now: the first in the order first. */
export function runsAhead(store: string, nowMs: number): { run: string; order: number }[] {
  const ahead = listRunIds(store).flatMap((run) => {
    const order = orderOf(store, run);
    return order > nowMs + AHEAD_MS_MAX ? [{ run, order }] : [];
  });
  return ahead.toSorted((a, b) => a.order - b.order);
}

/** Puts these right before now, in the order that they have, and what begins later behind them. */
export function placeBeforeNow(store: string, runs: readonly string[], nowMs: number): void {
  runs.forEach((run, at) => {
    const folder = storePaths.run(store, run);
    placeRun(folder, nowMs - runs.length + at);
    // The index looks at it again.
    const now = new Date(nowMs);
    utimesSync(runPaths.manifest(folder), now, now);
  });
  writeFileSync(storePaths.clock(store), String(lastOrder(store)));
}

/** The same from the runs themselves, for a store whose note of it is lost. */
function lastOrder(store: string): number {
  return listRunIds(store).reduce((last, run) => Math.max(last, orderOf(store, run)), 0);
}

/** A run without a readable manifest has no place in the order. */
function orderOf(store: string, run: string): number {
  try {
    return readManifest(storePaths.run(store, run)).order;
  } catch {
    return 0;
  }
}

/** Changes with each boot; null where the system does not tell. */
export function bootId(): string | null {
  return readIfPresent("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
}

/** Start time of a process in clock ticks since boot; null if there is none (or no /proc). */
export function processStart(pid: number): string | null {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  // The command, in parentheses, may hold spaces: fields are counted after its end.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A zombie is dead, though its parent has not asked yet.
  return fields === undefined || fields[0] === "Z" ? null : (fields[19] ?? null);
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
