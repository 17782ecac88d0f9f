/**
 * @file Which git repository a folder belongs to, if any.
 *
 * Whether there is one at all is seen from the file system, which costs no process; everything else
 * about it is git's to say.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { gitMessage, rawToText, runGit, tryGit } from "./version-git.ts";

export interface Repository {
  readonly gitDir: string;
  readonly workTree: string;
  /** The user's index, which is only ever read. */
  readonly index: string;
  /** The project's folder inside the working tree: empty, or ending in a slash. */
  readonly folder: string;
}

export type Located =
  | { readonly kind: "repository"; readonly repository: Repository }
  /** There is none, or there is one that cannot hold the version: then `why` says so. */
  | { readonly kind: "none"; readonly why: string | null };

/** The repository that keeps the versions of the project at `root`. */
export function locateRepository(root: string): Located {
  if (findGitDir(root) === undefined) return { kind: "none", why: null };
  const asked = ["--absolute-git-dir", "--show-toplevel", "--git-path", "index", "--show-prefix"];
  const answer = runGit(root, ["rev-parse", ...asked]);
  if (!answer.ok) {
    // Most often a container's user who does not own the files: objects written by that user
    // would lock the owner out of the repository, so it is left alone.
    return { kind: "none", why: `git refuses the repository (${gitMessage(answer.err)})` };
  }
  const [gitDir = "", workTree = "", index = "", folder = ""] = rawToText(answer.out).split("\n");
  const repository = { gitDir, workTree, index: resolve(root, index), folder };
  if (folder === "" || !isLeftOut(repository)) return { kind: "repository", repository };
  return { kind: "none", why: "the repository around it ignores the project's folder" };
}

/** Whether the repository ignores the project, so that its versions would not hold the program. */
function isLeftOut(repository: Repository): boolean {
  if (!tryGit(repository, ["check-ignore", "--quiet", "--", repository.folder]).ok) return false;
  return tryGit(repository, ["ls-files", "-z", "--", repository.folder]).out === "";
}

/** Where the repository around a folder keeps what all its working trees share. */
export interface SharedPlace {
  readonly commonDir: string;
  /** The folder that holds `.git`. */
  readonly workTree: string;
}

/** The shared folder of the repository around `start`, found without asking git. */
export function findSharedPlace(start: string): SharedPlace | undefined {
  const found = findGitDir(start);
  if (found === undefined) return undefined;
  const { gitDir, workTree } = found;
  const pointer = join(gitDir, "commondir");
  if (!existsSync(pointer)) return { commonDir: gitDir, workTree };
  return { commonDir: resolve(gitDir, readFileSync(pointer, "utf8").trim()), workTree };
}

/** The nearest git folder around `start`: `.git`, or where a `.git` file points. */
function findGitDir(start: string): { gitDir: string; workTree: string } | undefined {
  for (let workTree = resolve(start); ; workTree = dirname(workTree)) {
    const gitDir = followGitFile(join(workTree, ".git"));
    if (gitDir !== undefined && existsSync(join(gitDir, "HEAD"))) return { gitDir, workTree };
    if (workTree === dirname(workTree)) return undefined;
  }
}

function followGitFile(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return path;
  const target = /^gitdir: (.+)/.exec(readFileSync(path, "utf8"))?.[1];
  return target === undefined ? undefined : resolve(dirname(path), target.trim());
}
