/**
 * @file A version as a branch of the user's repository (FlorDB §2.2, "Model Rollback"): the only ref of
 * the user's that is ever made. One that exists is not moved; working tree, index and HEAD stay as they are.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Manifest, VersionReference } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { SecretFile } from "../exchange/push-contents.ts";
import { LeavingVersions } from "../exchange/push-contents.ts";
import type { Project } from "../project.ts";
import { storePaths } from "../store-paths.ts";
import { findVersion, notKept } from "./version-checkout.ts";
import type { GitPlace } from "./version-git.ts";
import { gitMessage, rawToText, tryGit } from "./version-git.ts";
import { commitWithout } from "./version-strip.ts";

/** A branch that can be made, and what will be in it. */
export interface PreparedBranch {
  readonly branch: string;
  /** The commit that the run was made on; null: there was none. */
  readonly parent: string | null;
  /** Files that the run had and that commit has not, or otherwise. */
  readonly files: number;
  readonly bytes: number;
  /** Files that the run had and the branch will not have: they look like secrets. */
  readonly leftOut: readonly SecretFile[];
  /** Files of which only a hash was kept. */
  readonly large: readonly string[];
  /** Makes the branch, and answers its commit. Throws AL038 if somebody was faster. */
  readonly make: () => string;
}

/** Throws AL038 if the branch cannot be made, AL045 if the version is not there. */
export function prepareBranch(
  project: Project,
  { run, version }: Pick<Manifest, "run" | "version">,
  branch: string,
): PreparedBranch {
  if (version === null) throw notKept(run, "has no source to go back to");
  const { gitDir, original } = findVersion(project, run, version);
  if (gitDir === storePaths.privateGit(project.store)) throw apart(project, run, branch);
  const place = { gitDir, workTree: original };
  refuse(place, run, branch);
  if (!tryGit(place, ["cat-file", "-e", `${version.commit}^{tree}`]).ok) throw gone(run, version);
  const versions = new LeavingVersions(place, project, [{ run, version }]);
  const secrets = (versions.secrets().get(run) ?? []).map(({ path, what }) => {
    return { file: rawToText(path), what };
  });
  const { files, bytes } = versions.sizeOf(version.commit);
  const make = (): string => {
    const commit =
      secrets.length === 0
        ? version.commit
        : aside(project, (index) => commitWithout({ ...place, index }, version.commit, secrets));
    // The empty old value: it must not exist.
    const answer = tryGit(place, ["update-ref", refOf(branch), commit, ""]);
    if (!answer.ok) throw cannotMake(run, branch, gitMessage(answer.err));
    return commit;
  };
  return {
    branch,
    parent: version.head,
    files: files - secrets.length,
    bytes,
    leftOut: [...(version.leftOut ?? []), ...secrets],
    large: version.large.map(({ file }) => file),
    make,
  };
}

function refOf(branch: string): string {
  return `refs/heads/${branch}`;
}

function aside<T>({ store }: Project, work: (index: string) => T): T {
  const temporary = mkdtempSync(join(store, "version-"));
  try {
    return work(join(temporary, "index"));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Git's own rules for names, and what would change what somebody has before them. */
function refuse(place: GitPlace, run: string, branch: string): void {
  const isName = /^(?!-|HEAD$|refs\/)/.test(branch) && isRefName(place, branch);
  if (!isName) throw cannotMake(run, branch, "git takes no such name for a branch");
  const taken = tryGit(place, ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
  for (const name of rawToText(taken.out).split("\n").slice(0, -1)) {
    if (name === branch) throw cannotMake(run, branch, "it exists already");
    // A name that is a folder of names to git.
    if (!`${name}/`.startsWith(`${branch}/`) && !`${branch}/`.startsWith(`${name}/`)) continue;
    throw cannotMake(run, branch, `git has no room for it beside the branch ${name}`);
  }
  // A branch without a commit has no ref yet: to make one would change what HEAD is.
  const trees = tryGit(place, ["worktree", "list", "--porcelain"]).out.split("\n");
  if (trees.includes(`branch ${refOf(branch)}`)) {
    throw cannotMake(run, branch, "you are on it, before its first commit");
  }
}

function isRefName(place: GitPlace, branch: string): boolean {
  return !/[\0\n]/.test(branch) && tryGit(place, ["check-ref-format", refOf(branch)]).ok;
}

function cannotMake(run: string, branch: string, why: string): AfterlogError {
  return new AfterlogError("AL038", `the branch ${JSON.stringify(branch)} cannot be made: ${why}`, {
    help: [`give it another name:  afterlog restore ${run} --branch ${run}`],
    data: { run, branch },
  });
}

function apart({ store }: Project, run: string, branch: string): AfterlogError {
  const from = `${storePaths.privateGit(store)} refs/afterlog/runs/${run}:refs/heads/${branch}`;
  return new AfterlogError("AL038", `${run} was recorded outside of a git repository`, {
    notes: ["its source is kept in a repository of Afterlog's own, which has no branches"],
    help: [`make a repository here and fetch it:  git init && git fetch ${from}`],
    data: { run, branch },
  });
}

function gone(run: string, { commit, ref }: VersionReference): AfterlogError {
  return new AfterlogError("AL045", `the commit ${commit.slice(0, 7)} of ${run} is gone`, {
    notes: [`${ref} or the commits before it were removed from the repository`],
    help: ["receive it from where it still is:  afterlog pull REMOTE"],
    data: { run, commit },
  });
}
