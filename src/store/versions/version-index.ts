/**
 * @file A temporary index: the copy of a real one, brought up to what the working tree holds.
 *
 * What git cannot take in (unreadable files, broken filters) costs that file and a warning, never
 * the version.
 */
import { closeSync, constants, copyFileSync, openSync, statSync, utimesSync } from "node:fs";
import { firstFew } from "./version-files.ts";
import type { GitAnswer, GitPlace, RawPath } from "./version-git.ts";
import {
  filePath,
  git,
  gitFailed,
  joinNul,
  rawToText,
  splitNul,
  statRaw,
  tryGit,
} from "./version-git.ts";

/** The index to continue with after a repair, and what the user should know of it. */
export interface Repaired {
  readonly place: GitPlace;
  readonly warnings: readonly string[];
}

/** Each attempt gives up at least one file or all filters; past this something else is wrong. */
const ATTEMPTS_MAX = 24;

/** Copies an index with its stat cache still valid; nothing if there is none yet. */
export function copyIndex(from: string, to: string): void {
  const stat = statSync(from, { throwIfNoEntry: false });
  if (stat === undefined) return;
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  // Git distrusts entries not older than the index file ("racy git"): a copy with a later time
  // would make it trust them.
  const seconds = Math.floor(stat.mtimeMs / 1000);
  utimesSync(to, seconds, seconds);
}

/** Takes paths out of the index, whatever is in the working tree. */
export function removePaths(place: GitPlace, paths: readonly RawPath[]): void {
  if (paths.length === 0) return;
  git(place, ["update-index", "-z", "--force-remove", "--stdin"], { input: joinNul(paths) });
}

/** Takes the content of paths from the working tree. */
export function addPaths(place: GitPlace, paths: readonly RawPath[]): Repaired {
  const command = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
  const warnings: string[] = [];
  let current = place;
  let rest = paths;
  for (let attempt = 0; rest.length > 0; attempt++) {
    const answer = tryGit(current, command, { input: joinNul(rest) });
    if (answer.ok) break;
    const repair = attempt < ATTEMPTS_MAX && !answer.stopped && repairAdd(current, rest, answer);
    if (repair === false || repair === undefined) throw gitFailed("update-index", answer);
    const dropped = new Set(repair.dropped);
    rest = rest.filter((path) => !dropped.has(path));
    current = repair.place;
    warnings.push(...repair.warnings);
  }
  return { place: current, warnings };
}

/** Lets git look at files whose changes the user told it not to look at. */
export function unhide(place: GitPlace, paths: readonly RawPath[], flag: string): void {
  if (paths.length === 0) return;
  git(place, ["update-index", "-z", `--no-${flag}`, "--stdin"], { input: joinNul(paths) });
}

/**
 * The place with every configured clean filter off, or undefined if that changes nothing. A filter
 * that is `required` but not installed (Git LFS, most often) makes git refuse the file.
 */
export function withoutFilters(place: GitPlace, answer: GitAnswer): Repaired | undefined {
  if (place.settings !== undefined) return undefined;
  const asked = ["config", "-z", "--name-only", "--get-regexp", String.raw`^filter\..*\.`];
  const names = splitNul(tryGit(place, asked).out).map((name) => rawToText(name).split("."));
  const drivers = [...new Set(names.map((parts) => parts.slice(1, -1).join(".")))];
  // Named in the message, or else any of them may be the one.
  const failed = drivers.filter((driver) => answer.err.includes(`'${driver}'`));
  if (drivers.length === 0) return undefined;
  const named = (failed.length > 0 ? failed : drivers).join(", ");
  return {
    place: { ...place, settings: drivers.flatMap(filterOff) },
    warnings: [`the git filter ${named} failed: changed files are kept as they are on disk`],
  };
}

function filterOff(driver: string): string[] {
  return ["clean=", "process=", "required=false"].map((setting) => `filter.${driver}.${setting}`);
}

function repairAdd(
  place: GitPlace,
  paths: readonly RawPath[],
  answer: GitAnswer,
): (Repaired & { readonly dropped: readonly RawPath[] }) | undefined {
  const unreadable = paths.filter((path) => !canRead(place.workTree, path));
  if (unreadable.length > 0) {
    return { place, dropped: unreadable, warnings: firstFew(unreadable.map(notKept), "files") };
  }
  const unfiltered = withoutFilters(place, answer);
  if (unfiltered !== undefined) return { ...unfiltered, dropped: [] };
  const named = paths
    .filter((path) => answer.err.includes(path))
    .reduce((longest, path) => (path.length > longest.length ? path : longest), "");
  return named === "" ? undefined : { place, dropped: [named], warnings: [notKept(named)] };
}

function notKept(path: RawPath): string {
  return `${rawToText(path)} cannot be read: its content is not kept`;
}

/** Whether git can take the path in: a readable file, a link, or a submodule's folder. */
function canRead(workTree: string, path: RawPath): boolean {
  const stat = statRaw(workTree, path);
  if (stat === undefined || stat.isSymbolicLink() || stat.isDirectory()) return true;
  if (!stat.isFile()) return false;
  try {
    closeSync(openSync(filePath(workTree, path), "r"));
    return true;
  } catch {
    return false;
  }
}
