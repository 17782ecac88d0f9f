/**
 * @file Which files that nobody asked git to track belong to a version, and which are too large.
 *
 * A version is source. A folder of images that is neither tracked nor ignored is not, and copying it
 * into the repository would take minutes and double it, so the sum is bounded as well as each file.
 */
import type { RawPath } from "./version-git.ts";
import { statRaw } from "./version-git.ts";

export interface SizedFile {
  readonly path: RawPath;
  readonly bytes: number;
}

export interface ChosenFiles {
  readonly kept: readonly RawPath[];
  /** To be known by hash only. */
  readonly large: readonly SizedFile[];
  /** Too many or too much: not source-like, so left out. */
  readonly left: readonly SizedFile[];
}

export interface FileLimits {
  /** Larger files are known by hash only (semantics, "Versions"). */
  readonly fileBytes: number;
  /** If there are more files, or more bytes, only source-like ones are kept. */
  readonly files: number;
  readonly totalBytes: number;
}

export const FILE_LIMITS: FileLimits = {
  fileBytes: 10_000_000,
  files: 20_000,
  // About two seconds of hashing and compressing, once.
  totalBytes: 200_000_000,
};

/** A program longer than this was not written by hand. */
export const SOURCE_BYTES_MAX = 1_000_000;

const SOURCE_NAME =
  /\.(?:[cm]?[jt]sx?|py[ixw]?|pxd|ipynb|r|jl|lua|rs|go|java|kt|scala|swift|c|cc|cpp|cu|cuh|h|hpp|sh|bash|zsh|ps1|bat|sql|toml|ya?ml|json5?|jsonc|ini|cfg|conf|gin|proto|md|rst|txt|svelte|vue|html|css|wgsl|glsl|mk|cmake|nix|lock)$|(?:^|\/)(?:Makefile|Dockerfile|Snakefile|Justfile|\.gitignore|\.gitattributes|\.python-version|\.nvmrc)$/i;

/** Whether a file is, by its name, something that a person wrote to make a program. */
export function isSourceLike(path: RawPath): boolean {
  return SOURCE_NAME.test(path);
}

/** Sorts files by what becomes of them. Files that are gone by now are left out. */
export function chooseFiles(
  workTree: string,
  paths: readonly RawPath[],
  limits: FileLimits = FILE_LIMITS,
): ChosenFiles {
  const sized = paths.flatMap((path) => sizedFile(workTree, path));
  const large = sized.filter((file) => file.bytes > limits.fileBytes);
  const small = sized.filter((file) => file.bytes <= limits.fileBytes);
  if (small.length <= limits.files && totalBytes(small) <= limits.totalBytes) {
    return { kept: small.map((file) => file.path), large, left: [] };
  }
  const kept = filesWithinLimits(
    small.filter((file) => isSourceLike(file.path) && file.bytes <= SOURCE_BYTES_MAX),
    limits,
  );
  const keptPaths = new Set(kept.map((file) => file.path));
  const left = small.filter((file) => !keptPaths.has(file.path));
  return { kept: [...keptPaths], large, left };
}

const PROGRAM_NAME =
  /\.(?:[cm]?[jt]sx?|py[ixw]?|pxd|ipynb|r|jl|lua|rs|go|java|kt|scala|swift|c|cc|cpp|cu|cuh|h|hpp)$/i;

/** Whether a file is, by its name, text of a program. */
export function isProgram(path: RawPath): boolean {
  return PROGRAM_NAME.test(path);
}

/** The sum of sizes. */
export function totalBytes(files: readonly SizedFile[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

/** A size for people. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`;
}

/** Lines for people: a handful, and how many more there are. */
export function firstFew(lines: readonly string[], what: string): string[] {
  const shown = 5;
  if (lines.length <= shown) return [...lines];
  return [...lines.slice(0, shown), `and ${lines.length - shown} more ${what}`];
}

/** The shallowest first: a program is nearer to the top than what it vendors. */
function filesWithinLimits(files: readonly SizedFile[], limits: FileLimits): SizedFile[] {
  const byDepth = files.toSorted((a, b) => pathDepth(a.path) - pathDepth(b.path));
  const kept: SizedFile[] = [];
  let bytes = 0;
  for (const file of byDepth) {
    if (kept.length === limits.files || bytes + file.bytes > limits.totalBytes) break;
    bytes += file.bytes;
    kept.push(file);
  }
  return kept;
}

function pathDepth(path: RawPath): number {
  return path.split("/").length;
}

function sizedFile(workTree: string, path: RawPath): SizedFile[] {
  const stat = statRaw(workTree, path);
  if (stat === undefined || !(stat.isFile() || stat.isSymbolicLink())) return [];
  return [{ path, bytes: stat.size }];
}
