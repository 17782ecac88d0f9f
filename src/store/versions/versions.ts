/**
 * @file A version per run: the source tree that a run executed, as a commit under
 * `refs/afterlog/runs/<run>` (semantics, "Versions"; FlorDB keeps a version per run in git as
 * well).
 *
 * HEAD, index, branches, stash, reflogs, configuration and working tree stay byte for byte as they
 * were, and no hook, filter daemon, editor, signature or prompt is started.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { AfterlogError, describeError, isAfterlogError } from "../../format/index.ts";
import type { KeptSource, KeptTree, TurnedOff, VersionReference } from "../../format/index.ts";
import { STORE_FOLDER } from "../store-paths.ts";
import type { Project } from "../project.ts";
import { git, rawToText } from "./version-git.ts";
import { findSharedPlace, locateRepository } from "./version-locate.ts";
import type { Located } from "./version-locate.ts";
import { escapePattern, privateTree } from "./version-private.ts";
import { repositoryTree } from "./version-repository.ts";
import type { StoreFolders } from "./version-repository.ts";

export interface RecordVersionOptions extends Project {
  readonly run: string;
  readonly started: Date;
}

const TEMPORARY = "version-";
/** A folder this old was left by a process that was killed. */
const STALE_MS = 3_600_000;
const IDENTITY = { NAME: "Afterlog", EMAIL: "afterlog@localhost" };

/**
 * Keeps the working tree as a commit under `refs/afterlog/runs/<run>`. Synchronous: it must see the
 * tree before the program's own work. Throws AL044, and has then changed nothing that is seen.
 */
export function recordVersion(options: RecordVersionOptions): VersionReference {
  return commitTree(keepTree(options, options.started), options);
}

/** Keeps the source of a project that is about to run, and the store out of the user's git. */
export function keepSource({ root, store }: Project, now: Date): KeptSource {
  const off: TurnedOff[] = [];
  try {
    excludeStore(root, store);
  } catch (error) {
    off.push({ feature: "exclusion from git", why: describeError(error) });
  }
  try {
    return { tree: keepTree({ root, store }, now), off };
  } catch (error) {
    off.push({ feature: "version", why: describeError(error) });
    return { tree: null, off };
  }
}

function keepTree({ root, store }: Project, now: Date): KeptTree {
  try {
    mkdirSync(store, { recursive: true });
    removeStale(store, now);
    const temporary = mkdtempSync(join(store, TEMPORARY));
    try {
      return treeOf(root, { store, temporary });
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  } catch (error) {
    if (isAfterlogError(error)) throw error;
    throw cannotKeep(error, store);
  }
}

function treeOf(root: string, folders: StoreFolders): KeptTree {
  const located = locateRepository(root);
  const isPrivate = located.kind === "none";
  const { place, warnings, leftOut, ...source } = isPrivate
    ? privateTree(root, folders)
    : repositoryTree(located.repository, folders);
  const { gitDir, workTree } = place;
  const folder = isPrivate ? "." : located.repository.folder.replace(/\/$/, "") || ".";
  const described = [...describeLocated(located), ...warnings];
  const secrets = leftOut.map(({ path, what }) => ({ file: rawToText(path), what }));
  return {
    ...source,
    ...(secrets.length > 0 ? { leftOut: secrets } : {}),
    gitDir,
    workTree,
    folder,
    private: isPrivate,
    warnings: described,
  };
}

function commitTree(
  { gitDir, workTree, tree, ...kept }: KeptTree,
  { run, started }: Pick<RecordVersionOptions, "run" | "started">,
): VersionReference {
  const place = { gitDir, workTree };
  const ref = `refs/afterlog/runs/${run}`;
  const message = [
    `Run ${run}`,
    "",
    `Afterlog-Run: ${run}`,
    `Afterlog-Project: ${kept.folder}`,
  ].join("\n");
  const parents = kept.head === null ? [] : ["-p", kept.head];
  const date = `@${Math.floor(started.getTime() / 1000)} +0000`;
  const environment = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((role) => [
      [`GIT_${role}_NAME`, IDENTITY.NAME],
      [`GIT_${role}_EMAIL`, IDENTITY.EMAIL],
      [`GIT_${role}_DATE`, date],
    ]),
  );
  const args = ["commit-tree", tree, ...parents, "-m", message];
  const commit = git(place, args, { environment }).trim();
  // The empty old value: the ref must not exist, so no version is ever replaced.
  git(place, ["update-ref", ref, commit, ""]);
  return { commit, ref, ...kept };
}

function describeLocated(located: Located): string[] {
  if (located.kind === "repository" || located.why === null) return [];
  return [`${located.why}: the version is kept in ${STORE_FOLDER}/git instead`];
}

/**
 * Keeps the store out of the user's git: adds it once to `info/exclude` of the repository around the
 * project, which its working trees share. Answers that file, and whether the line is new; outside a
 * repository nothing, and nothing is done. Throws AL044 if the file cannot be written.
 */
export function excludeStore(
  root: string,
  store: string,
): { readonly file: string; readonly added: boolean } | undefined {
  try {
    const place = findSharedPlace(root);
    const way = place === undefined ? ".." : relative(place.workTree, resolve(store));
    if (place === undefined || way === "" || way.startsWith("..") || isAbsolute(way))
      return undefined;
    const file = join(place.commonDir, "info", "exclude");
    const text = readIfPresent(file);
    const pattern = storePattern(way);
    if (text.split(/\r?\n/).includes(pattern)) return { file, added: false };
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${text === "" || text.endsWith("\n") ? "" : "\n"}${pattern}\n`);
    return { file, added: true };
  } catch (error) {
    throw cannotKeep(error, store);
  }
}

/** `.afterlog/` wherever it is, for every project in the repository; another name only there. */
function storePattern(way: string): string {
  if (basename(way) === STORE_FOLDER) return `${STORE_FOLDER}/`;
  return `/${escapePattern(way.split(sep).join("/"))}/`;
}

function readIfPresent(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Removes what killed processes left behind. */
function removeStale(store: string, now: Date): void {
  for (const name of readdirSync(store).filter((entry) => /^version-.{6}$/.test(entry))) {
    const folder = join(store, name);
    const changed = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (now.getTime() - changed > STALE_MS) rmSync(folder, { recursive: true, force: true });
  }
}

function cannotKeep(cause: unknown, store: string): AfterlogError {
  return new AfterlogError("AL044", `the source version cannot be kept: ${describeError(cause)}`, {
    help: [`make sure that ${store} and the git repository can be written`],
    cause,
  });
}
