/** @file Bytes on disk by run and kind. It only looks at files; the index is not opened. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { listRunIds, runPaths, storePaths } from "../../store/index.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";

/** Kinds of bytes; `index`, `git` and `trash` belong to the project, the others to runs. */
export const DISK_KINDS = [
  "log",
  "checkpoints",
  "values",
  "console",
  "index",
  "git",
  "trash",
  "other",
] as const;
export type DiskKind = (typeof DISK_KINDS)[number];
type Sizes = { [kind in DiskKind]: number };

/** What a run takes, in bytes. */
export type DiskUsage = Readonly<Sizes> & {
  /** `null`: what belongs to no run. */
  readonly run: string | null;
  readonly total: number;
};

/** What each run takes, the largest first, and what the project itself takes, at the end. */
export function measureDisk(ports: Ports): DiskUsage[] {
  const { store } = requireProject(ports);
  const runs = listRunIds(store).map((run) => measureRun(store, run));
  runs.sort((a, b) => b.total - a.total || ((a.run ?? "") < (b.run ?? "") ? -1 : 1));
  return [...runs, measureStore(store)];
}

function measureRun(store: string, run: string): DiskUsage {
  const folder = storePaths.run(store, run);
  const sizes = noSizes();
  const kinds = new Map<string, DiskKind>([
    [runPaths.manifest(folder), "log"],
    [runPaths.log(folder), "log"],
    [runPaths.profile(folder), "log"],
    [runPaths.checkpoints(folder), "checkpoints"],
    [runPaths.values(folder), "values"],
    [runPaths.stdout(folder), "console"],
    [runPaths.stderr(folder), "console"],
  ]);
  addEntries(folder, sizes, (path) => kinds.get(path) ?? "other");
  return diskUsageOf(run, sizes);
}

function measureStore(store: string): DiskUsage {
  const sizes = noSizes();
  const index = storePaths.index(store);
  const git = storePaths.privateGit(store);
  addEntries(store, sizes, (path) => {
    if (path === storePaths.runs(store)) return undefined;
    if (path === git) return "git";
    if (path === storePaths.trash(store)) return "trash";
    return path.startsWith(index) ? "index" : "other";
  });
  return diskUsageOf(null, sizes);
}

function noSizes(): Sizes {
  return { log: 0, checkpoints: 0, values: 0, console: 0, index: 0, git: 0, trash: 0, other: 0 };
}

function diskUsageOf(run: string | null, sizes: Sizes): DiskUsage {
  return { run, ...sizes, total: DISK_KINDS.reduce((sum, kind) => sum + sizes[kind], 0) };
}

/** Adds the bytes of each entry of a folder to the kind that it belongs to. */
function addEntries(
  folder: string,
  sizes: Sizes,
  kindOf: (path: string) => DiskKind | undefined,
): void {
  for (const name of namesInFolder(folder)) {
    const path = join(folder, name);
    const kind = kindOf(path);
    if (kind !== undefined) sizes[kind] += bytesUnder(path);
  }
}

/** Bytes of a file, or of all files under a folder. Links are not followed; gone files are 0. */
function bytesUnder(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.size;
  return namesInFolder(path).reduce((sum, name) => sum + bytesUnder(join(path, name)), 0);
}

function namesInFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
