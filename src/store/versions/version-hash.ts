/**
 * @file Files that a version knows by hash only, each read once: hashes are kept beside the store
 * as long as size, times and inode stay.
 *
 * Hashing is bounded per run, because training waits. What is over the bound is reported, and its
 * turn comes in the next runs.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { VersionReference } from "../../format/index.ts";
import { formatBytes, totalBytes } from "./version-files.ts";
import type { SizedFile } from "./version-files.ts";
import { filePath, rawToText } from "./version-git.ts";

export interface HashOptions {
  readonly workTree: string;
  readonly store: string;
  /** A folder on the store's file system. */
  readonly temporary: string;
  /** How much to read in this run. */
  readonly bytesMax?: number;
}

export interface HashedFiles {
  readonly large: VersionReference["large"];
  /** Not hashed: over this run's bound, or unreadable. */
  readonly unhashed: readonly SizedFile[];
}

/** About a second on one core with SHA instructions. */
const HASH_BYTES_MAX = 1_000_000_000;
/** The manifest is read whole, so the list in it is bounded. */
const LISTED_MAX = 1_000;
const CHUNK_BYTES = 4 * 2 ** 20;

/** Raw path to `identity` and hash. */
type HashCache = Readonly<{ [path: string]: readonly [identity: string, sha256: string] }>;

/** The hashes of `files`, smallest files first. */
export function hashLargeFiles(options: HashOptions, files: readonly SizedFile[]): HashedFiles {
  if (files.length === 0) return { large: [], unhashed: [] };
  const known = readCache(options.store);
  const hashes = new Map<string, readonly [string, string]>();
  let budget = options.bytesMax ?? HASH_BYTES_MAX;
  for (const file of files.toSorted((a, b) => a.bytes - b.bytes).slice(0, LISTED_MAX)) {
    const path = filePath(options.workTree, file.path);
    const identity = identityOf(path);
    const before = known[file.path];
    if (before !== undefined && before[0] === identity) hashes.set(file.path, before);
    else if (identity !== undefined && file.bytes <= budget) {
      budget -= file.bytes;
      const sha256 = hashFile(path);
      if (sha256 !== undefined) hashes.set(file.path, [identity, sha256]);
    }
  }
  writeCache(options, Object.fromEntries(hashes));
  const large = files.flatMap((file) => {
    const sha256 = hashes.get(file.path)?.[1];
    return sha256 === undefined ? [] : [{ file: rawToText(file.path), bytes: file.bytes, sha256 }];
  });
  return { large, unhashed: files.filter((file) => !hashes.has(file.path)) };
}

/** One sentence about files left unhashed, or none. */
export function describeUnhashed(files: readonly SizedFile[]): string[] {
  if (files.length === 0) return [];
  return [
    `${files.length} large untracked files (${formatBytes(totalBytes(files))}) are neither kept ` +
      "nor hashed: ignore them in .gitignore if the program does not depend on them",
  ];
}

/** Changes whenever the content may have; undefined if the file is gone. */
function identityOf(path: Buffer): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  return [stat.size, stat.mtimeNs, stat.ctimeNs, stat.ino].join(" ");
}

function hashFile(path: Buffer): string | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const hash = createHash("sha256");
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
        hash.update(chunk.subarray(0, read));
      }
      return hash.digest("hex");
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function cacheFile(store: string): string {
  return join(store, "version-hashes.json");
}

function isHashCache(parsed: unknown): parsed is HashCache {
  if (typeof parsed !== "object" || parsed === null) return false;
  return Object.values(parsed).every((entry) => Array.isArray(entry) && entry.length === 2);
}

function readCache(store: string): HashCache {
  try {
    const parsed: unknown = JSON.parse(readFileSync(cacheFile(store), "utf8"));
    return isHashCache(parsed) ? parsed : {};
  } catch {
    // Absent or torn: it only saves time.
    return {};
  }
}

function writeCache(options: HashOptions, cache: HashCache): void {
  const written = join(options.temporary, "hashes.json");
  try {
    writeFileSync(written, JSON.stringify(cache));
    renameSync(written, cacheFile(options.store));
  } catch {
    // It only saves time.
  }
}
