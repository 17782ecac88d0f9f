/**
 * @file The working tree of a user's repository as a tree object (semantics, "Versions"; FlorDB's
 * version per run), without touching anything that the user can see.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { VersionReference } from "../../format/index.ts";
import { chooseFiles, firstFew, formatBytes, totalBytes } from "./version-files.ts";
import type { ChosenFiles } from "./version-files.ts";
import type { GitAnswer, GitInput, GitPlace, RawPath } from "./version-git.ts";
import {
  git,
  gitFailed,
  joinNul,
  rawPath,
  rawToText,
  splitNul,
  statRaw,
  tryGit,
} from "./version-git.ts";
import { describeUnhashed, hashLargeFiles } from "./version-hash.ts";
import type { FoundSecret } from "./version-secrets.ts";
import { describeSecrets, findSecrets, withoutNamed, withoutSecrets } from "./version-secrets.ts";
import { addPaths, copyIndex, removePaths, unhide, withoutFilters } from "./version-index.ts";
import type { Repository } from "./version-locate.ts";
import type { TreeStatus } from "./version-status.ts";
import { mayHideChanges, parseStatus, STATUS_COMMAND } from "./version-status.ts";
import { NEAR_LIMITS, surveyFolder } from "./version-walk.ts";

/** A source tree in the object database, not yet a commit. */
export interface SourceTree {
  readonly place: GitPlace;
  readonly tree: string;
  readonly head: string | null;
  readonly branch: string | null;
  readonly dirty: number;
  readonly large: VersionReference["large"];
  readonly leftOut: readonly FoundSecret[];
  readonly warnings: readonly string[];
}

export interface StoreFolders {
  readonly store: string;
  /** Ours alone, on the store's file system, gone after the call. */
  readonly temporary: string;
}

/** A walk longer than this is of something that is not a project, a home folder for example. */
const UNTRACKED_MS = 10_000;

/** The working tree as it is: tracked, and untracked but not ignored. */
export function repositoryTree(
  repository: Repository,
  folders: StoreFolders,
  untrackedMs: number = UNTRACKED_MS,
): SourceTree {
  const { gitDir, workTree } = repository;
  const read = readStatus(repository, untrackedMs);
  const status = withoutStore(read.status, workTree, folders.store);
  const files = chooseFiles(workTree, status.untracked);
  const { folder } = repository;
  const project = { root: join(workTree, folder), folder };
  const leftOut = withoutNamed(findSecrets(workTree, files.kept), project);
  const kept = withoutSecrets(files.kept, leftOut);
  const hidden = findHidden(read.place, repository.index, status.head);
  const { large, unhashed } = hashLargeFiles({ workTree, ...folders }, files.large);
  const warnings = [
    ...read.warnings,
    ...describeChosen(files),
    ...describeSecrets(leftOut, folder),
    ...describeUnhashed(unhashed),
    ...describeRepositories(status),
  ];
  const base = {
    head: status.head,
    branch: status.branch,
    large,
    leftOut,
    place: { gitDir, workTree },
  };
  const unkept = files.large.length + files.left.length + leftOut.length;
  const isClean = status.tracked + kept.length + hidden.shown.length === 0;
  if (isClean && status.head !== null) {
    return { ...base, tree: `${status.head}^{tree}`, dirty: unkept, warnings };
  }
  const index = join(folders.temporary, "index");
  copyIndex(repository.index, index);
  const place = { ...read.place, index };
  unhide(place, hidden.assumed, "assume-unchanged");
  unhide(place, hidden.skipped, "skip-worktree");
  removePaths(place, status.deleted);
  const added = addPaths(place, [...status.changed, ...hidden.shown, ...kept]);
  // With the filters that work: git may look at files again whose times are too fresh to trust.
  const tree = writeTree(added.place);
  const isCertain = !status.ambiguous && hidden.shown.length === 0 && !read.isPartial;
  const counted = status.tracked + kept.length;
  const differing = isCertain ? counted : countDifferences(place, status.head, tree, counted);
  const dirty = differing + unkept;
  return { ...base, tree, dirty, warnings: [...warnings, ...added.warnings] };
}

/** Writes the trees of an index. */
export function writeTree(place: GitPlace): string {
  // In a partial clone, looking whether each object is there could fetch it.
  return git(place, ["write-tree", "--missing-ok"]).trim();
}

/** Warnings about files that were not taken in because of their size or number. */
export function describeChosen(files: ChosenFiles): string[] {
  const large = files.large.map(
    (file) =>
      `${rawToText(file.path)} (${formatBytes(file.bytes)}) is untracked and large: ` +
      "its content is not kept, only its hash",
  );
  if (files.left.length === 0) return firstFew(large, "large files");
  const left = `${files.left.length} untracked files (${formatBytes(totalBytes(files.left))})`;
  const advice = "too many for a version: add data to .gitignore";
  return [...firstFew(large, "large files"), `${left} that are not source are not kept: ${advice}`];
}

function describeRepositories(status: TreeStatus): string[] {
  const dirty = status.dirtySubmodules.map(
    (path) => `submodule ${rawToText(path)} has changes of its own: only its commit is kept`,
  );
  return [...firstFew(dirty, "submodules"), ...describeNested(status.nested)];
}

/** Warnings about repositories inside the tree that are no submodules. */
export function describeNested(paths: readonly RawPath[]): string[] {
  const lines = paths.map(
    (path) => `${rawToText(path)} is a repository of its own: it is not kept`,
  );
  return firstFew(lines, "repositories");
}

interface StatusRead {
  readonly status: TreeStatus;
  readonly place: GitPlace;
  readonly warnings: readonly string[];
  /** Untracked files could not all be listed. */
  readonly isPartial: boolean;
}

function readStatus(repository: Repository, untrackedMs: number): StatusRead {
  let place: GitPlace = { gitDir: repository.gitDir, workTree: repository.workTree };
  let warnings: readonly string[] = [];
  const ask = (untracked: string, options: GitInput = {}): GitAnswer =>
    tryGit(place, [...STATUS_COMMAND, `--untracked-files=${untracked}`], options);
  let answer = ask("all", { timeoutMs: untrackedMs });
  if (!answer.ok && !answer.stopped) {
    const repaired = withoutFilters(place, answer);
    if (repaired === undefined) throw gitFailed("status", answer);
    ({ place, warnings } = repaired);
    answer = ask("all", { timeoutMs: untrackedMs });
  }
  if (answer.ok) {
    const status = parseStatus(answer.out);
    return {
      status,
      place,
      warnings: [...warnings, ...unreadableFolders(answer.err)],
      isPartial: false,
    };
  }
  answer = ask("no");
  if (!answer.ok) throw gitFailed("status", answer);
  const status = { ...parseStatus(answer.out), untracked: sourcesNear(repository) };
  const warning =
    `listing the untracked files took over ${untrackedMs / 1000} s: ` +
    "only source files near the project's top are kept; add data to .gitignore";
  return { status, place, warnings: [...warnings, warning], isPartial: true };
}

/** Source-like files near the project's top that are not ignored; tracked ones may be among them. */
function sourcesNear(repository: Repository): RawPath[] {
  const { folder, workTree } = repository;
  const { sources } = surveyFolder(join(workTree, folder), NEAR_LIMITS);
  const paths = sources.map((path) => rawPath(folder) + path);
  const asked = ["check-ignore", "-z", "--stdin"];
  const ignored = new Set(splitNul(tryGit(repository, asked, { input: joinNul(paths) }).out));
  return paths.filter((path) => !ignored.has(path));
}

function unreadableFolders(err: string): string[] {
  return err
    .split("\n")
    .filter((line) => line.startsWith("warning: could not open directory"))
    .map((line) => `${rawToText(line).replace("warning: ", "")}: it is not kept`);
}

/** Without the store: it may not be excluded yet, and is never source. */
function withoutStore(status: TreeStatus, workTree: string, store: string): TreeStatus {
  const way = relative(workTree, realpathSync(store)).split(sep).join("/");
  const folder = `${rawPath(way)}/`;
  const isOutside = (path: RawPath): boolean => !path.startsWith(folder);
  return {
    ...status,
    changed: status.changed.filter(isOutside),
    deleted: status.deleted.filter(isOutside),
    untracked: status.untracked.filter(isOutside),
    nested: status.nested.filter(isOutside),
  };
}

interface HiddenPaths {
  readonly assumed: readonly RawPath[];
  readonly skipped: readonly RawPath[];
  /** All of those that the working tree decides about. */
  readonly shown: readonly RawPath[];
}

/**
 * Tracked files whose changes git was told to overlook. The program ran with them all the same. A
 * skipped file that is absent is one that a sparse checkout left out, not one that was deleted.
 */
function findHidden(place: GitPlace, index: string, head: string | null): HiddenPaths {
  const none = { assumed: [], skipped: [], shown: [] };
  if (!existsSync(index)) return none;
  const hashBytes = (head?.length ?? 40) / 2;
  if (!mayHideChanges(readFileSync(index), hashBytes)) return none;
  const tagged = splitNul(git(place, ["ls-files", "-v", "-z"])).map((line) => ({
    tag: line[0] ?? "",
    path: line.slice(2),
  }));
  const exists = (path: RawPath): boolean => statRaw(place.workTree, path) !== undefined;
  const skipped = tagged
    .filter(({ tag, path }) => tag.toUpperCase() === "S" && exists(path))
    .map(({ path }) => path);
  const isPresentOrAssumed = ({ tag, path }: { tag: string; path: RawPath }): boolean =>
    /^[a-z]$/.test(tag) && (tag !== "s" || exists(path));
  const assumed = tagged.filter(isPresentOrAssumed).map(({ path }) => path);
  return { assumed, skipped, shown: [...new Set([...assumed, ...skipped])] };
}

function countDifferences(
  place: GitPlace,
  head: string | null,
  tree: string,
  otherwise: number,
): number {
  if (head === null) return otherwise;
  return splitNul(git(place, ["diff-tree", "-r", "-z", "--name-only", head, tree])).length;
}
