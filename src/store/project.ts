/** @file Finding the project: the folder whose `.afterlog/` holds the runs. */
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { STORE_FOLDER } from "./store-paths.ts";

export interface Project {
  readonly root: string;
  /** The `.afterlog` folder; it may not exist yet. */
  readonly store: string;
}

/** Tried in this order over all ancestors: an existing store wins over a repository around it. */
const MARKERS = [[STORE_FOLDER], ["afterlog.toml"], [".git"], ["package.json", "pyproject.toml"]];

/**
 * The project that `start` belongs to. Without any marker it is `fallback`, if `start` is inside
 * it, else `start`. `override` (`AFTERLOG_DIR`) moves the store, not the project.
 */
export function findProject(start: string, fallback: string, override?: string): Project {
  const marked = MARKERS.map((names) => nearestMarkedFolder(resolve(start), names)).find(Boolean);
  const root = marked ?? resolve(isInside(start, fallback) ? fallback : start);
  const moved = override !== undefined && override !== "";
  return { root, store: moved ? resolve(override) : join(root, STORE_FOLDER) };
}

function nearestMarkedFolder(start: string, names: readonly string[]): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (names.some((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(resolve(folder), resolve(path));
  return way === "" || !(way.startsWith("..") || isAbsolute(way));
}

/**
 * The file that a program is, where its name is a symbolic link: what it loads is found from there, and
 * a version holds that file. As a path from the root, with `..` if it lies elsewhere.
 */
export function realProgram(root: string, program: string): string {
  if (!lstatSync(program, { throwIfNoEntry: false })?.isSymbolicLink()) return program;
  return join(root, relative(realpathSync(root), realpathSync(program)));
}
