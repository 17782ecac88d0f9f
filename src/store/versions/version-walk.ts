/**
 * @file A bounded look at a folder before git walks it: a script may be run in a home folder or at
 * the top of a data disk, where a full walk takes minutes.
 *
 * Breadth first, so that what is near the top is always seen; symbolic links are not followed.
 */
import type { Dirent } from "node:fs";
import { opendirSync } from "node:fs";
import { join } from "node:path";
import type { RawPath } from "./version-git.ts";
import { rawPath, rawToText } from "./version-git.ts";
import { isSourceLike } from "./version-files.ts";

/**
 * Folders that hold no source although they lie beside it: what package managers, caches and other
 * trackers made. `dist` and `build` are not among them: `node dist/train.js` runs what is there.
 */
const SKIPPED_FOLDERS: readonly string[] = [
  ".afterlog",
  ".bzr",
  ".cache",
  ".conda",
  ".direnv",
  ".eggs",
  ".git",
  ".hg",
  ".ipynb_checkpoints",
  ".mypy_cache",
  ".nox",
  ".npm",
  ".pnpm-store",
  ".pytest_cache",
  ".ruff_cache",
  ".ssh",
  ".svn",
  ".tox",
  ".venv",
  ".yarn",
  "__pycache__",
  "lightning_logs",
  "mlruns",
  "node_modules",
  "site-packages",
  "venv",
  "wandb",
];

/** Secrets, compiled files, and weights: a replay still sees them where they are. */
const SKIPPED_FILES: readonly string[] = [
  ".DS_Store",
  "*.ckpt",
  "*.h5",
  "*.keras",
  "*.onnx",
  "*.pt",
  "*.pth",
  "*.py[co]",
  "*.safetensors",
];

/** Patterns, in the syntax of .gitignore, of what is not source; a user's `!pattern` wins. */
export const PRIVATE_EXCLUDES: readonly string[] = [
  ...SKIPPED_FOLDERS.map((name) => `${name}/`),
  ...SKIPPED_FILES,
];

export interface WalkLimits {
  /** Files and folders looked at. */
  readonly entries: number;
  readonly depth: number;
  /** A folder with more, other than the root, holds data: it is passed over. */
  readonly folderEntries: number;
}

export interface Survey {
  /** The limit was met before the end: the folder is larger than a project is. */
  readonly huge: boolean;
  /** Source-like files seen, outside hidden folders, the shallowest first. */
  readonly sources: readonly RawPath[];
  /** Python environments, whatever their names. */
  readonly environments: readonly RawPath[];
  readonly hasIgnoreFile: boolean;
}

/** Answers which of the given folders are ignored. */
export type FindIgnored = (folders: readonly RawPath[]) => ReadonlySet<RawPath>;

export const WALK_LIMITS: WalkLimits = { entries: 30_000, depth: 32, folderEntries: Infinity };
/** Near the top, where a program is, when there is too much to see everything. */
export const NEAR_LIMITS: WalkLimits = { entries: 20_000, depth: 4, folderEntries: 500 };

/** Looks at the folder up to the limits; folders that cannot be read count as empty. */
export function surveyFolder(root: string, limits: WalkLimits, findIgnored?: FindIgnored): Survey {
  const sources: RawPath[] = [];
  const environments: RawPath[] = [];
  let seen = 0;
  let hasIgnoreFile = false;
  let level: RawPath[] = [""];
  for (let depth = 0; depth < limits.depth && level.length > 0; depth++) {
    const next: RawPath[] = [];
    for (const folder of level) {
      const entries = listFolder(root, folder, entriesMax(folder, limits, seen));
      const kind = kindOf(folder, entries, limits);
      // A folder passed over was read up to its limit all the same.
      seen += entries.length;
      if (kind === "environment") environments.push(folder);
      if (kind !== "project") continue;
      hasIgnoreFile ||= entries.some((entry) => entry.name === ".gitignore");
      next.push(...entries.filter(isWalked).map((entry) => `${folder}${rawPath(entry.name)}/`));
      if (!isHidden(folder)) sources.push(...sourcesIn(folder, entries));
      if (seen > limits.entries) return { huge: true, sources, environments, hasIgnoreFile };
    }
    const ignored = findIgnored?.(next) ?? new Set();
    level = next.filter((folder) => !ignored.has(folder));
  }
  return { huge: level.length > 0, sources, environments, hasIgnoreFile };
}

/** How many entries are worth reading: one past the limit tells that there are more. */
function entriesMax(folder: RawPath, limits: WalkLimits, seen: number): number {
  // A program may lie in a folder full of data, and it is the first one looked at.
  if (folder === "" && limits.folderEntries < Infinity) return 1_000_000;
  return Math.min(limits.folderEntries, Math.max(limits.entries - seen, 0)) + 1;
}

type FolderKind = "project" | "environment" | "repository" | "data";

function kindOf(folder: RawPath, entries: readonly Dirent[], limits: WalkLimits): FolderKind {
  if (folder === "") return "project";
  const names = new Set(entries.map((entry) => entry.name));
  if (names.has("pyvenv.cfg") || names.has("conda-meta")) return "environment";
  // It is not ours to keep, and git does not walk it either.
  if (names.has(".git")) return "repository";
  return entries.length > limits.folderEntries ? "data" : "project";
}

function isWalked(entry: Dirent): boolean {
  return entry.isDirectory() && !SKIPPED_FOLDERS.includes(entry.name);
}

function sourcesIn(folder: RawPath, entries: readonly Dirent[]): RawPath[] {
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => folder + rawPath(entry.name)).filter(isSourceLike);
}

function isHidden(folder: RawPath): boolean {
  return folder.startsWith(".") || folder.includes("/.");
}

function listFolder(root: string, folder: RawPath, entriesMax: number): Dirent[] {
  const entries: Dirent[] = [];
  try {
    const opened = opendirSync(join(root, rawToText(folder)), { bufferSize: 256 });
    try {
      while (entries.length < entriesMax) {
        const entry = opened.readSync();
        if (entry === null) break;
        entries.push(entry);
      }
    } finally {
      opened.closeSync();
    }
  } catch {
    // Not for us to read: git will say so if it matters.
  }
  return entries;
}
