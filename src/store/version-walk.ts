/**
 * @file A bounded look at a folder before git walks it: a script may be run in a home folder or at
 * the top of a data disk, where a full walk takes minutes.
 *
 * Breadth first, so that what is near the top is always seen; symbolic links are not followed.
 */
import type { Dirent } from "node:fs";
import { readdirSync } from "node:fs";
import type { RawPath } from "./version-git.ts";
import { filePath } from "./version-git.ts";
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
  ".env",
  ".env.*",
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

export const WALK_LIMITS: WalkLimits = { entries: 30_000, depth: 32 };
/** Near the top, where a program is, when there is too much to see everything. */
export const NEAR_LIMITS: WalkLimits = { entries: 5_000, depth: 4 };

/** Looks at the folder up to the limits; folders that cannot be read count as empty. */
export function surveyFolder(root: string, limits: WalkLimits, findIgnored?: FindIgnored): Survey {
  const skipped = new Set(SKIPPED_FOLDERS);
  const sources: RawPath[] = [];
  const environments: RawPath[] = [];
  let seen = 0;
  let hasIgnoreFile = false;
  let level: RawPath[] = [""];
  for (let depth = 0; depth < limits.depth && level.length > 0; depth++) {
    const next: RawPath[] = [];
    for (const folder of level) {
      const entries = list(root, folder);
      if (folder !== "" && entries.some(isEnvironmentMark)) {
        environments.push(folder);
        continue;
      }
      // A repository inside is not ours to keep, and git does not walk it either.
      if (folder !== "" && entries.some((entry) => entry.name === ".git")) continue;
      hasIgnoreFile ||= entries.some((entry) => entry.name === ".gitignore");
      const rest = entries.slice(0, limits.entries - seen);
      seen += rest.length;
      const path = (entry: Dirent): RawPath => folder + entry.name;
      const folders = rest.filter((entry) => entry.isDirectory() && !skipped.has(entry.name));
      next.push(...folders.map((entry) => `${path(entry)}/`));
      const files = isHidden(folder) ? [] : rest.filter((entry) => entry.isFile());
      sources.push(...files.map(path).filter(isSourceLike));
      if (rest.length < entries.length) {
        return { huge: true, sources, environments, hasIgnoreFile };
      }
    }
    const ignored = findIgnored?.(next) ?? new Set();
    level = next.filter((folder) => !ignored.has(folder));
  }
  return { huge: level.length > 0, sources, environments, hasIgnoreFile };
}

function isEnvironmentMark(entry: Dirent): boolean {
  return entry.name === "pyvenv.cfg" || entry.name === "conda-meta";
}

function isHidden(folder: RawPath): boolean {
  return folder.startsWith(".") || folder.includes("/.");
}

function list(root: string, folder: RawPath): Dirent[] {
  try {
    return readdirSync(filePath(root, folder), { withFileTypes: true, encoding: "latin1" });
  } catch {
    return [];
  }
}
