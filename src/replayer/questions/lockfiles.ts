/**
 * @file The packages that a version was written for. Its lockfile says which: where that differs from
 * the present one the plan says so, and a replay can be given packages of its own.
 */
import type { Manifest, PlannedRun } from "../../format/index.ts";
import type { VersionTexts } from "../propagation/version-texts.ts";
import type { WorkingTree } from "../propagation/working-tree.ts";

/** Lockfiles at the root of a project; the first that is there counts. */
const LOCKFILES = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock"] as const;

export type Lockfile = (typeof LOCKFILES)[number];

/** Compares lockfiles of versions with the present one. */
export class Lockfiles {
  readonly #tree: WorkingTree;
  readonly #texts: VersionTexts;

  constructor(tree: WorkingTree, texts: VersionTexts, runs: readonly Manifest[]) {
    this.#tree = tree;
    this.#texts = texts;
    texts.read(runs.map((manifest) => ({ manifest, files: LOCKFILES })));
  }

  /** The lockfile of a run's version, if it is not the present one. */
  differing(manifest: Manifest): PlannedRun["packages"] {
    const lockfile = LOCKFILES.find((file) => this.#texts.textOf(manifest, file) !== undefined);
    // A version without one says nothing about its packages.
    if (lockfile === undefined) return undefined;
    const own = this.#texts.textOf(manifest, lockfile);
    return own === this.#tree.text(lockfile) ? undefined : { lockfile };
  }
}
