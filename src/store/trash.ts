/**
 * @file The trash: a folder for each run that was removed, with its run directory and those of the
 * replays that went along. Nothing is copied, so a move is quick and takes no room; it is the same
 * after a kill in between: what is there is moved by the next attempt.
 */
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, syncFolder } from "./durable.ts";
import { storePaths } from "./store-paths.ts";

/** Runs in the trash, each with what went along: ids of run directories, its own among them. */
export function listTrash(store: string): ReadonlyMap<string, readonly string[]> {
  const folders = namesIn(storePaths.trash(store));
  return new Map(folders.map((run) => [run, namesIn(storePaths.trashed(store, run))]));
}

/** Run directories in the trash, by themselves or along with another. */
export function trashedRuns(store: string): ReadonlySet<string> {
  return new Set([...listTrash(store).values()].flat());
}

/** The run itself last: as long as it is there the rest can be found by it. */
export function moveToTrash(store: string, run: string, along: readonly string[]): void {
  const folder = storePaths.trashed(store, run);
  makeFolder(folder);
  for (const one of [...along, run]) renameSync(storePaths.run(store, one), join(folder, one));
  syncFolder(folder);
  syncFolder(storePaths.runs(store));
}

/** Moves a run and what went along back; answers what was moved. */
export function moveFromTrash(store: string, run: string): string[] {
  const folder = storePaths.trashed(store, run);
  makeFolder(storePaths.runs(store));
  const all = namesIn(folder);
  // A run of this id that was copied here since is not overwritten.
  const moved = all.filter((one) => !existsSync(storePaths.run(store, one)));
  for (const one of moved) renameSync(join(folder, one), storePaths.run(store, one));
  syncFolder(storePaths.runs(store));
  if (moved.length === all.length) rmdirSync(folder);
  return moved;
}

/** For good. */
export function removeFromTrash(store: string, run: string): void {
  rmSync(storePaths.trashed(store, run), { recursive: true, force: true });
  syncFolder(storePaths.trash(store));
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
