/**
 * @file Versions of a project that is in no repository: a private one in `.afterlog/git`.
 *
 * It is bare and not called `.git`, so that nothing takes the project for a repository. Files are
 * kept byte for byte, and what a folder without .gitignore holds besides source is left out.
 */
import { existsSync, mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { storePaths } from "../store-paths.ts";
import { chooseFiles } from "./version-files.ts";
import type { GitPlace, RawPath } from "./version-git.ts";
import { git, gitFailed, joinNul, rawPath, runGit, splitNul, tryGit } from "./version-git.ts";
import { describeUnhashed, hashLargeFiles } from "./version-hash.ts";
import { addPaths, copyIndex, removePaths } from "./version-index.ts";
import { describeSecrets, findSecrets, withoutNamed, withoutSecrets } from "./version-secrets.ts";
import type { SourceTree, StoreFolders } from "./version-repository.ts";
import { describeChosen, describeNested, writeTree } from "./version-repository.ts";
import { NEAR_LIMITS, PRIVATE_EXCLUDES, surveyFolder, WALK_LIMITS } from "./version-walk.ts";
import type { Survey, WalkLimits } from "./version-walk.ts";

/** Exact bytes: a .gitattributes meant for another repository converts nothing here. */
const ATTRIBUTES = "* -text -filter -ident -working-tree-encoding\n";

/** The project's folder as a tree in the private repository, which is made if there is none. */
export function privateTree(
  root: string,
  folders: StoreFolders,
  limits: WalkLimits = WALK_LIMITS,
): SourceTree {
  const place = { gitDir: openPrivate(folders), workTree: realpathSync(root) };
  const survey = lookAround(place, limits);
  const listed = survey.huge ? survey.sources : listFiles(place, survey, folders);
  const storeFolder = `${relativeRaw(place.workTree, realpathSync(folders.store))}/`;
  const outside = listed.filter((path) => !path.startsWith(storeFolder));
  const files = chooseFiles(
    place.workTree,
    outside.filter((path) => !path.endsWith("/")),
  );
  const project = { root: place.workTree, folder: "" };
  const leftOut = withoutNamed(findSecrets(place.workTree, files.kept), project);
  const sources = withoutSecrets(files.kept, leftOut);
  const { large, unhashed } = hashLargeFiles({ workTree: place.workTree, ...folders }, files.large);
  const index = join(folders.temporary, "index");
  const kept = join(place.gitDir, "index");
  copyIndex(kept, index);
  const temporary = { ...place, index };
  removePaths(temporary, findGone(temporary, sources));
  const added = addPaths(temporary, sources);
  const tree = writeTree(temporary);
  // Its stat cache saves the next run from reading every file again.
  if (existsSync(index)) renameSync(index, kept);
  const warnings = [
    ...describeHuge(survey),
    ...describeChosen(files),
    ...describeSecrets(leftOut, ""),
    ...describeUnhashed(unhashed),
    ...describeNested(outside.filter((path) => path.endsWith("/"))),
    ...added.warnings,
  ];
  return { place, tree, head: null, branch: null, dirty: 0, large, leftOut, warnings };
}

/** The private repository's folder. Made aside and renamed, since two runs may make it at once. */
export function openPrivate(folders: StoreFolders): string {
  const gitDir = storePaths.privateGit(folders.store);
  if (existsSync(join(gitDir, "HEAD"))) return gitDir;
  const made = join(folders.temporary, "git");
  const init = ["init", "--quiet", "--bare", "--template=", made];
  const answer = runGit(folders.temporary, init);
  if (!answer.ok) throw gitFailed("init", answer);
  mkdirSync(join(made, "info"), { recursive: true });
  writeFileSync(join(made, "info", "attributes"), ATTRIBUTES);
  try {
    renameSync(made, gitDir);
  } catch (error) {
    if (!existsSync(join(gitDir, "HEAD"))) throw error;
  }
  return gitDir;
}

/** Looks twice only if that may help: once without asking git, then leaving out ignored folders. */
function lookAround(place: GitPlace, limits: WalkLimits): Survey {
  const first = surveyFolder(place.workTree, limits);
  if (!first.huge) return first;
  const findIgnored = (paths: readonly RawPath[]): ReadonlySet<RawPath> => {
    const asked = ["check-ignore", "--no-index", "-z", "--stdin"];
    return new Set(splitNul(tryGit(place, asked, { input: joinNul(paths) }).out));
  };
  const second = first.hasIgnoreFile ? surveyFolder(place.workTree, limits, findIgnored) : first;
  if (!second.huge) return second;
  return { ...surveyFolder(place.workTree, NEAR_LIMITS, findIgnored), huge: true };
}

function listFiles(place: GitPlace, survey: Survey, folders: StoreFolders): RawPath[] {
  const patterns = join(folders.temporary, "exclude");
  const environments = survey.environments.map((path) => `/${escapePattern(path)}`);
  writeFileSync(patterns, [...PRIVATE_EXCLUDES, ...environments, ""].join("\n"), "latin1");
  const asked = ["ls-files", "-z", "--others", "--exclude-standard", `--exclude-from=${patterns}`];
  // With an index that does not exist, every file is an "other".
  return splitNul(git({ ...place, index: join(folders.temporary, "none") }, asked));
}

function findGone(
  place: GitPlace & { readonly index: string },
  kept: readonly RawPath[],
): RawPath[] {
  if (!existsSync(place.index)) return [];
  const present = new Set(kept);
  return splitNul(git(place, ["ls-files", "-z"])).filter((path) => !present.has(path));
}

function describeHuge(survey: Survey): string[] {
  if (!survey.huge) return [];
  return [
    "the project's folder is too large to be kept whole: only source files near its top are. " +
      "Put the program in a folder of its own, or make it a git repository",
  ];
}

function relativeRaw(from: string, to: string): RawPath {
  return rawPath(relative(from, to).split(sep).join("/"));
}

/** A raw path as a pattern that matches only itself. */
export function escapePattern(path: RawPath): string {
  return path.replaceAll(/[\\*?[\]!# ]/g, String.raw`\$&`);
}
