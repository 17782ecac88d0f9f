/**
 * @file A version without files that should never have been in it (decision 0090): the same commit but for
 * these, under the same ref, and the manifest names it. The log of the run is as it was.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { manifestToJson } from "../../format/index.ts";
import { replaceFile } from "../durable.ts";
import type { Project } from "../project.ts";
import { readManifest } from "../runs.ts";
import { runPaths, storePaths } from "../store-paths.ts";
import { findVersion } from "./version-checkout.ts";
import type { GitPlace } from "./version-git.ts";
import { git, rawPath } from "./version-git.ts";
import { removePaths } from "./version-index.ts";

/** Takes files out of the version of a run. Throws AL044, AL045. */
export function stripVersion(
  project: Project,
  run: string,
  files: readonly { readonly file: string; readonly what: string }[],
): void {
  const folder = storePaths.run(project.store, run);
  const manifest = readManifest(folder);
  const { version } = manifest;
  if (version === null) return;
  const { gitDir, original } = findVersion(project, run, version);
  const temporary = mkdtempSync(join(project.store, "version-"));
  try {
    const place = { gitDir, workTree: original, index: join(temporary, "index") };
    const commit = commitWithout(place, version.commit, files);
    git(place, ["update-ref", version.ref, commit, version.commit]);
    const leftOut = [...(version.leftOut ?? []), ...files];
    const stripped = { ...manifest, version: { ...version, commit, leftOut } };
    replaceFile(runPaths.manifest(folder), manifestToJson(stripped));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The same commit but for these files; `place.index` is made, and is nobody else's. */
export function commitWithout(
  place: GitPlace & { readonly index: string },
  commit: string,
  files: readonly { readonly file: string }[],
): string {
  git(place, ["read-tree", commit]);
  removePaths(
    place,
    files.map(({ file }) => rawPath(file)),
  );
  const tree = git(place, ["write-tree", "--missing-ok"]).trim();
  const text = git(place, ["cat-file", "commit", commit]).replace(/^tree \w+/, `tree ${tree}`);
  return git(place, ["hash-object", "-t", "commit", "-w", "--stdin"], { input: text }).trim();
}
