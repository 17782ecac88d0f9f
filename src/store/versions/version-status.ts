/**
 * @file What `git status --porcelain=v2` and the index say about a working tree. Pure.
 *
 * Status leaves out what the user told git not to look at (assume-unchanged, skip-worktree); those
 * flags are looked for in the index itself, where finding none costs no process.
 */
import type { RawPath } from "./version-git.ts";
import { rawToText, splitNul } from "./version-git.ts";

export const STATUS_COMMAND: readonly string[] = [
  "status",
  "--porcelain=v2",
  "--branch",
  "--no-ahead-behind",
  "--no-renames",
  "--ignore-submodules=none",
  "-z",
];

export interface TreeStatus {
  readonly head: string | null;
  readonly branch: string | null;
  /** Tracked paths whose content in the working tree is not the one in the index. */
  readonly changed: readonly RawPath[];
  /** Tracked paths that the working tree no longer has. */
  readonly deleted: readonly RawPath[];
  /** Untracked files, not ignored. */
  readonly untracked: readonly RawPath[];
  /** Untracked folders that are repositories of their own. */
  readonly nested: readonly RawPath[];
  /** Submodules with changes that no commit of theirs holds. */
  readonly dirtySubmodules: readonly RawPath[];
  /** Tracked paths listed, that is, that differ from HEAD in the index or in the tree. */
  readonly tracked: number;
  /** A path differs twice (staged, then changed or taken back): it may equal HEAD after all. */
  readonly ambiguous: boolean;
}

/** Fields before the path in a line of each kind. */
const FIELDS = { "1": 8, u: 10 } as const;

/** Reads the output of `STATUS_COMMAND`. */
export function parseStatus(out: string): TreeStatus {
  const lines = splitNul(out);
  const entries = lines.flatMap(parseEntry);
  const others = lines.filter((line) => line.startsWith("? ")).map((line) => line.slice(2));
  const oid = statusHeader(lines, "branch.oid");
  const branch = statusHeader(lines, "branch.head");
  return {
    head: oid === "(initial)" ? null : oid,
    branch: branch === "(detached)" ? null : branch,
    changed: entries.filter((entry) => entry.action === "changed").map((entry) => entry.path),
    deleted: entries.filter((entry) => entry.action === "deleted").map((entry) => entry.path),
    untracked: others.filter((path) => !path.endsWith("/")),
    nested: others.filter((path) => path.endsWith("/")),
    dirtySubmodules: entries.filter((entry) => entry.dirtyInside).map((entry) => entry.path),
    tracked: entries.filter((entry) => entry.differs).length,
    ambiguous: entries.some((entry) => entry.ambiguous),
  };
}

interface StatusEntry {
  readonly path: RawPath;
  readonly action: "changed" | "deleted" | "none";
  readonly differs: boolean;
  readonly ambiguous: boolean;
  readonly dirtyInside: boolean;
}

function parseEntry(line: string): StatusEntry[] {
  const kind = line[0];
  if (kind !== "1" && kind !== "u") return [];
  const fields = line.split(" ", FIELDS[kind]);
  const path = line.slice(fields.join(" ").length + 1);
  const [, [staged, changed] = "..", submodule = "N..."] = fields;
  const dirtyInside = submodule.startsWith("S") && /[MU]/.test(submodule.slice(2));
  // Of a submodule only the commit can be kept, so only a new one is a change.
  const kept = submodule.startsWith("N") || submodule[1] === "C" || changed === "D";
  const gone = kind === "u" ? fields[6] === "000000" : changed === "D";
  const differsFromIndex = kind === "u" || (changed !== "." && kept);
  const action = gone ? "deleted" : differsFromIndex ? "changed" : "none";
  return [
    {
      path,
      action,
      differs: staged !== "." || action !== "none",
      // A file taken out of the index but not out of the tree is listed as untracked as well.
      ambiguous: kind === "u" || staged === "D" || (staged !== "." && changed !== "."),
      dirtyInside,
    },
  ];
}

function statusHeader(lines: readonly string[], name: string): string | null {
  const start = `# ${name} `;
  const line = lines.find((text) => text.startsWith(start));
  return line === undefined ? null : rawToText(line.slice(start.length));
}

const ASSUME_UNCHANGED = 0x80_00;
const EXTENDED = 0x40_00;
const NAME_LENGTH = 0x0f_ff;
const SKIP_WORKTREE = 0x40_00;

/**
 * Whether an index may hold entries whose changes `git status` does not report. It errs on the side
 * of yes (split index, unknown version), and then git must be asked.
 * @param hashBytes 20, or 32 in a SHA-256 repository.
 */
export function mayHideChanges(index: Buffer, hashBytes: number): boolean {
  if (index.length < 12 + hashBytes || index.toString("latin1", 0, 4) !== "DIRC") return true;
  const version = index.readUInt32BE(4);
  if (version < 2 || version > 4) return true;
  let at = 12;
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    if (at + 40 + hashBytes + 4 > index.length) return true;
    const flags = index.readUInt16BE(at + 40 + hashBytes);
    const isExtended = (flags & EXTENDED) !== 0;
    const more = isExtended ? index.readUInt16BE(at + 40 + hashBytes + 2) : 0;
    if ((flags & ASSUME_UNCHANGED) !== 0 || (more & SKIP_WORKTREE) !== 0) return true;
    const name = at + 40 + hashBytes + (isExtended ? 4 : 2);
    at = version === 4 ? endOfPrefixed(index, name) : endOfPadded(index, at, name, flags);
  }
  // The shared half of a split index has flags of its own.
  return index.toString("latin1", at, at + 4) === "link";
}

function endOfPadded(index: Buffer, entry: number, name: number, flags: number): number {
  const length = flags & NAME_LENGTH;
  const end = length < NAME_LENGTH ? name + length : index.indexOf(0, name);
  if (end < 0) return index.length;
  // One to eight NULs, up to a multiple of eight bytes from the start of the entry.
  return entry + (((end - entry) >> 3) + 1) * 8;
}

/** Version 4: a variable-length number, the rest of the name, one NUL. */
function endOfPrefixed(index: Buffer, name: number): number {
  let at = name;
  while (((index[at] ?? 0) & 0x80) !== 0) at++;
  return index.indexOf(0, at + 1) + 1 || index.length;
}
