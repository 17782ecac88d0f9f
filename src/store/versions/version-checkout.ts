/**
 * @file A version brought back: the source tree that a run executed, written to a folder of its own
 * through a temporary index (semantics, "Versions"). Not `git worktree`: the user would see it.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, VersionReference } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import { storePaths } from "../store-paths.ts";
import type { Project } from "../project.ts";
import { firstFew } from "./version-files.ts";
import type { GitAnswer, GitPlace } from "./version-git.ts";
import { git, gitMessage, rawToText, runGit, splitNul, tryGit } from "./version-git.ts";
import { hashLargeFiles } from "./version-hash.ts";
import { locateRepository } from "./version-locate.ts";

export interface CheckedOut {
  /** The working tree that the version was made of. */
  readonly original: string;
  /** Every file that the version holds, from the tree's top; links and submodules too. */
  readonly files: ReadonlySet<string>;
  readonly links: readonly string[];
  readonly submodules: readonly string[];
  /** Files known by hash only; the working tree still has them as they were. */
  readonly large: readonly string[];
  readonly warnings: readonly string[];
}

const LINK = "120000";
const SUBMODULE = "160000";
/** Checking out is not training time: a large repository may take a while. */
const CHECKOUT_MS = 600_000;

/** Downloads nothing, whatever is configured: a file in Git LFS stays the pointer that is kept. */
const ENVIRONMENT = { GIT_LFS_SKIP_SMUDGE: "1" };
/** The version is wanted whole. */
const SETTINGS = ["core.sparseCheckout=false", "index.sparse=false", "advice.detachedHead=false"];

/**
 * Writes the version of a run to a folder, which is made. HEAD, index, refs and working tree stay
 * as they are. Throws AL045 if the version was not kept, is gone, or if a file that it knows by
 * hash only has changed.
 */
export function checkOutVersion(options: {
  readonly project: Project;
  readonly manifest: Pick<Manifest, "run" | "version">;
  /** Where, for the working tree that the version was made of. */
  readonly folderFor: (original: string) => string;
}): CheckedOut {
  const { project, manifest } = options;
  const { version } = manifest;
  if (version === null) throw notKept(manifest.run);
  const { gitDir, original } = findVersion(project, manifest.run, version);
  const folder = options.folderFor(original);
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(project.store, "version-"));
  try {
    const place = {
      gitDir,
      workTree: folder,
      index: join(temporary, "index"),
      settings: SETTINGS,
    };
    mustRunGit(manifest.run, place, ["read-tree", version.commit]);
    const entries = listEntries(mustRunGit(manifest.run, place, ["ls-files", "-s", "-z"]));
    const warnings = writeFiles(manifest.run, place);
    const modules = entries.filter(({ mode }) => mode === SUBMODULE);
    const inside = modules.map((entry) => checkOutSubmodule(entry, { original, place }));
    const large = findLarge({ original, store: project.store, temporary }, manifest.run, version);
    const pathsOf = (mode: string): string[] =>
      entries.filter((entry) => entry.mode === mode).map((entry) => entry.path);
    const lacking = modules.filter((_, at) => inside[at] === undefined).map(({ path }) => path);
    return {
      original,
      files: new Set(entries.map((entry) => entry.path)),
      links: pathsOf(LINK),
      submodules: pathsOf(SUBMODULE),
      large,
      warnings: [
        ...warnings,
        ...inside.flatMap((said) => said ?? []),
        ...describeSubmodules(lacking),
      ],
    };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Where the version of a run is kept. Throws AL045 if the repository is gone. */
export function findVersion(
  project: Project,
  run: string,
  version: VersionReference,
): { gitDir: string; original: string } {
  if (version.private) {
    return { gitDir: storePaths.privateGit(project.store), original: project.root };
  }
  const located = locateRepository(project.root);
  if (located.kind === "repository") {
    const { gitDir, workTree } = located.repository;
    return { gitDir, original: workTree };
  }
  // A run that was recorded in a repository and came here, where there is none.
  const own = { gitDir: storePaths.privateGit(project.store), workTree: project.root };
  if (version.folder === "." && hasCommit(own, version)) {
    return { gitDir: own.gitDir, original: project.root };
  }
  throw cannotBringBack(run, located.why ?? "the project is in no git repository any more");
}

function hasCommit(place: GitPlace, { commit }: VersionReference): boolean {
  return existsSync(place.gitDir) && tryGit(place, ["cat-file", "-e", `${commit}^{commit}`]).ok;
}

/** Runs git, which must succeed. */
function mustRunGit(run: string, place: GitPlace, args: readonly string[]): string {
  const answer = tryGit(place, args, { timeoutMs: CHECKOUT_MS, environment: ENVIRONMENT });
  if (!answer.ok) throw checkoutFailed(run, args[0] ?? "", answer);
  return answer.out;
}

/**
 * The files of a submodule at the commit that the version names, and of those inside of it; warnings, or
 * undefined where its repository or that commit is not here.
 */
function checkOutSubmodule(
  { path, object }: TreeEntry,
  { original, place }: { readonly original: string; readonly place: GitPlace },
): string[] | undefined {
  const own = join(original, path);
  if (!existsSync(join(own, ".git"))) return undefined;
  const asked = runGit(own, ["rev-parse", "--absolute-git-dir"]);
  const workTree = join(place.workTree, path);
  const gitDir = rawToText(asked.out).trim();
  const inner = { ...place, gitDir, workTree, index: `${place.index ?? ""}-${object}` };
  mkdirSync(workTree, { recursive: true });
  if (!asked.ok || !tryGit(inner, ["cat-file", "-e", `${object}^{commit}`]).ok) return undefined;
  if (!tryGit(inner, ["read-tree", object]).ok) return undefined;
  const warnings = writeFiles(path, inner);
  const modules = listEntries(git(inner, ["ls-files", "-s", "-z"])).filter(({ mode }) => {
    return mode === SUBMODULE;
  });
  const nested = modules.map((entry) => {
    const said = checkOutSubmodule(entry, { original: own, place: inner });
    return said ?? describeSubmodules([`${path}/${entry.path}`]);
  });
  return [...warnings, ...nested.flat()];
}

interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly path: string;
}

/** Of `ls-files -s`: mode, object, stage, a tab, the path. */
function listEntries(out: string): TreeEntry[] {
  return splitNul(out).map((line) => ({
    mode: line.slice(0, line.indexOf(" ")),
    object: line.split(" ", 2)[1] ?? "",
    path: rawToText(line.slice(line.indexOf("\t") + 1)),
  }));
}

/** Filters that the user has run here as they did when the files were checked out by hand. */
function writeFiles(run: string, place: GitPlace): string[] {
  const command = ["checkout-index", "--all", "--force", "--quiet"];
  const options = { timeoutMs: CHECKOUT_MS, environment: ENVIRONMENT };
  const answer = tryGit(place, command, options);
  if (answer.ok) return [];
  const drivers = listFilters(place);
  if (answer.stopped || drivers.length === 0) throw checkoutFailed(run, "checkout-index", answer);
  const off = drivers.flatMap((driver) =>
    ["smudge=", "process=", "required=false"].map((setting) => `filter.${driver}.${setting}`),
  );
  mustRunGit(run, { ...place, settings: [...(place.settings ?? []), ...off] }, command);
  return [`the git filter ${drivers.join(", ")} failed: files are as git keeps them`];
}

function listFilters(place: GitPlace): string[] {
  const asked = ["config", "-z", "--name-only", "--get-regexp", String.raw`^filter\..*\.`];
  const names = splitNul(tryGit(place, asked).out).map((name) => rawToText(name).split("."));
  return [...new Set(names.map((parts) => parts.slice(1, -1).join(".")))];
}

function findLarge(
  folders: { readonly original: string; readonly store: string; readonly temporary: string },
  run: string,
  version: VersionReference,
): string[] {
  if (version.large.length === 0) return [];
  const asked = version.large.map(({ file, bytes }) => ({
    path: Buffer.from(file).toString("latin1"),
    bytes,
  }));
  const where = { ...folders, workTree: folders.original, bytesMax: Infinity };
  const now = new Map(hashLargeFiles(where, asked).large.map(({ file, sha256 }) => [file, sha256]));
  const changed = version.large.find(({ file, sha256 }) => now.get(file) !== sha256);
  if (changed === undefined) return version.large.map(({ file }) => file);
  const state = now.has(changed.file) ? "has changed since" : "is gone or cannot be read";
  throw new AfterlogError("AL045", `${run} cannot be replayed: ${changed.file} ${state}`, {
    notes: ["it was untracked and large: the version of the run has only its hash"],
    help: [`bring back the file with SHA-256 ${changed.sha256}`],
    data: { run, ...changed },
  });
}

function describeSubmodules(paths: readonly string[]): string[] {
  const lines = paths.map((path) => `submodule ${path} is left out: its folder is empty`);
  return firstFew(lines, "submodules");
}

export function notKept(run: string, what = "cannot be replayed"): AfterlogError {
  return new AfterlogError("AL045", `${run} ${what}: its source was not kept`, {
    help: [`see why it was not:  afterlog show ${run}`],
    data: { run },
  });
}

function checkoutFailed(run: string, command: string, answer: GitAnswer): AfterlogError {
  const why = answer.stopped ? "it took too long" : gitMessage(answer.err);
  return cannotBringBack(run, `git ${command}: ${why}`);
}

function cannotBringBack(run: string, why: string): AfterlogError {
  return new AfterlogError("AL045", `the source of ${run} cannot be brought back: ${why}`, {
    help: [`look for its version in the repository:  git show refs/afterlog/runs/${run}`],
    data: { run },
  });
}
