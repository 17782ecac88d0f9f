/** @file What lies between the versions of two runs, as git tells it. Nothing is checked out. */
import type { Manifest, VersionReference } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { Project } from "../project.ts";
import { findVersion } from "./version-checkout.ts";
import type { GitPlace } from "./version-git.ts";
import { gitMessage, rawToText, splitNul, tryGit } from "./version-git.ts";

export interface CommitName {
  readonly commit: string;
  readonly subject: string;
}

export interface VersionDiff {
  /** Files of the project that differ: `M`, `A`, `D`, `R` and so on, and their names. */
  readonly files: readonly { readonly status: string; readonly file: string }[];
  /** As `git diff` writes it, without colours. */
  readonly patch: string;
  /** The user's commits that the second run had and the first had not, newest first. */
  readonly commits: readonly CommitName[];
}

type RunVersion = Pick<Manifest, "run" | "version">;

const COMMITS_MAX = 50;
/** Programs that the user has set for diffs are not ours to start. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "-M"];

/** Compares the versions of two runs. Throws AL045 if one was not kept, or is gone. */
export function diffVersions(project: Project, from: RunVersion, to: RunVersion): VersionDiff {
  const [before, after] = [keptVersion(from), keptVersion(to)];
  if (before.private !== after.private) {
    throw cannotCompare(from, to, "they are kept in two repositories");
  }
  const { gitDir, original } = findVersion(project, to.run, after);
  const place: GitPlace = { gitDir, workTree: original };
  // Where the project has moved inside the repository, all of it is compared.
  const isSame = before.folder === after.folder && after.folder !== ".";
  const where = isSame ? [`--relative=${after.folder}/`] : [];
  const diff = (...more: string[]): string => {
    const command = ["diff", ...PLAIN, ...more, ...where, before.commit, after.commit, "--"];
    const answer = tryGit(place, command);
    if (!answer.ok) throw cannotCompare(from, to, gitMessage(answer.err));
    return answer.out;
  };
  return {
    files: nameStatus(diff("--name-status", "-z")),
    patch: rawToText(diff()),
    commits: commitsBetween(place, before.head, after.head),
  };
}

/** The commit that the user had checked out for a run; null if there was none, or it is gone. */
export function headCommit(project: Project, { run, version }: RunVersion): CommitName | null {
  if (version === null || version.head === null || version.private) return null;
  try {
    const { gitDir, original } = findVersion(project, run, version);
    const place = { gitDir, workTree: original };
    return listCommits(place, ["-n1", version.head])[0] ?? null;
  } catch {
    return null;
  }
}

function keptVersion({ run, version }: RunVersion): VersionReference {
  if (version !== null) return version;
  throw new AfterlogError("AL045", `the source of ${run} was not kept`, {
    help: [`see why it was not:  afterlog show ${run}`],
    data: { run },
  });
}

/** `R100 NUL old NUL new NUL` for what was renamed, else `M NUL file NUL`. */
function nameStatus(out: string): VersionDiff["files"] {
  const words = splitNul(out);
  const files: { status: string; file: string }[] = [];
  for (let at = 0; at < words.length; at++) {
    const status = words[at]?.slice(0, 1) ?? "";
    const isPair = status === "R" || status === "C";
    const names = words.slice(at + 1, at + (isPair ? 3 : 2)).map(rawToText);
    at += names.length;
    files.push({ status, file: names.join(" → ") });
  }
  return files;
}

function commitsBetween(place: GitPlace, from: string | null, to: string | null): CommitName[] {
  if (from === null || to === null || from === to) return [];
  return listCommits(place, [`-n${COMMITS_MAX}`, to, `^${from}`]);
}

function listCommits(place: GitPlace, which: readonly string[]): CommitName[] {
  const { ok, out } = tryGit(place, ["log", "--no-color", "--format=%H%x09%s", ...which, "--"]);
  if (!ok) return [];
  return rawToText(out)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [commit = "", ...subject] = line.split("\t");
      return { commit, subject: subject.join("\t") };
    });
}

function cannotCompare(from: RunVersion, to: RunVersion, why: string): AfterlogError {
  const message = `the sources of ${from.run} and ${to.run} cannot be compared: ${why}`;
  return new AfterlogError("AL045", message, {
    help: [`look for a version in the repository:  git show refs/afterlog/runs/${to.run}`],
    data: { runs: [from.run, to.run] },
  });
}
