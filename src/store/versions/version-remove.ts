/** @file The ref of a version goes when its run is removed for good; git collects what nothing else holds. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { VersionReference } from "../../format/index.ts";
import type { Project } from "../project.ts";
import { gitFailed, tryGit } from "./version-git.ts";
import { locateRepository } from "./version-locate.ts";
import { openPrivate } from "./version-private.ts";

/**
 * Removes `refs/afterlog/runs/<run>` if it still is the version that the run names. False: it was gone
 * already, or is another one. Throws AL044 if git cannot.
 */
export function removeVersion(
  { root, store }: Project,
  run: string,
  version: Pick<VersionReference, "commit" | "ref" | "private">,
): boolean {
  const ref = `refs/afterlog/runs/${run}`;
  // A run that was received names what it likes: no other ref is touched.
  if (version.ref !== ref || !/^[0-9a-f]{40,64}$/.test(version.commit)) return false;
  const located = locateRepository(root);
  const isHere = !version.private && located.kind === "repository";
  const gitDir = isHere ? located.repository.gitDir : privateFolder(store);
  const place = { gitDir, workTree: root };
  const found = tryGit(place, ["rev-parse", "--verify", "--quiet", ref]);
  if (found.out.trim() !== version.commit) return false;
  const answer = tryGit(place, ["update-ref", "-d", ref, version.commit]);
  if (!answer.ok) throw gitFailed("update-ref", answer);
  return true;
}

function privateFolder(store: string): string {
  const temporary = mkdtempSync(join(store, "version-"));
  try {
    return openPrivate({ store, temporary });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
