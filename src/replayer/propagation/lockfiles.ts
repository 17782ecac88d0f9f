/**
 * @file The packages that a version was written for. Its lockfile says which: where that differs from
 * the present one the plan says so, and a replay can be given packages of its own.
 */
import type { PlannedRun } from "../../format/index.ts";
import type { ReadText } from "./version-texts.ts";

/** Lockfiles at the root of a project; the first that is there counts. */
export const LOCKFILES = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock"] as const;

export type Lockfile = (typeof LOCKFILES)[number];

/** The lockfile of a version, if it is not the present one. */
export function differingLockfile(before: ReadText, now: ReadText): PlannedRun["packages"] {
  const lockfile = LOCKFILES.find((file) => before(file) !== undefined);
  // A version without one says nothing about its packages.
  if (lockfile === undefined) return undefined;
  return before(lockfile) === now(lockfile) ? undefined : { lockfile };
}
