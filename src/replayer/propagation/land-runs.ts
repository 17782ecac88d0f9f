/**
 * @file The asked statements in the source of every run: what `plan` prices and `where` shows.
 * Everything is read once; nothing is executed.
 */
import type { Manifest, PlannedStatement } from "../../format/index.ts";
import { modeOf } from "../../format/index.ts";
import { prepareLanguages } from "../../languages/index.ts";
import type { Project } from "../../store/index.ts";
import { listRunIds, readManifest, storePaths } from "../../store/index.ts";
import { asStatements, describeStatements } from "../questions/asked-statements.ts";
import type { KeptDecision } from "./landing-decisions.ts";
import { Decisions, readDecisions } from "./landing-decisions.ts";
import type { LandedSource, RefusedSource } from "./landed-sources.ts";
import { LandedSources } from "./landed-sources.ts";
import { Lockfiles } from "../questions/lockfiles.ts";
import { Origins } from "./origins.ts";
import { RunSources } from "./run-sources.ts";
import { VersionTexts } from "./version-texts.ts";
import type { Logpoint } from "./working-tree.ts";
import { WorkingTree } from "./working-tree.ts";

/** A run and its source with the statements. */
export interface SourcedRun {
  readonly manifest: Manifest;
  readonly source: LandedSource | RefusedSource;
}

export interface LandedRuns {
  /** In the newest version that has them. */
  readonly statements: readonly PlannedStatement[];
  /** Runs of the programs that log the names, oldest first. */
  readonly runs: readonly SourcedRun[];
  /** What was decided about these names and holds no more. */
  readonly dropped: readonly KeptDecision[];
  /** The text that a run had of a file. */
  readonly textOf: (manifest: Manifest, file: string) => string | undefined;
  readonly lockfiles: Lockfiles;
}

export interface LandOptions {
  readonly project: Project;
  readonly names: readonly string[];
  readonly logpoints: readonly Logpoint[];
  readonly recorded: readonly Manifest[];
  /** Decisions to be tried, besides those that were kept. */
  readonly tried?: readonly KeptDecision[];
}

/** Puts the statements of these names into the sources of runs. Throws AL021 if nothing logs one. */
export async function landRuns(options: LandOptions): Promise<LandedRuns> {
  const { project, names, recorded } = options;
  await prepareLanguages(recorded.map(({ program }) => program));
  const newestFirst = recorded.toSorted((a, b) => b.order - a.order);
  const mode = modeOf(newestFirst[0] ?? {});
  const tree = new WorkingTree(project, options.logpoints, mode);
  const texts = new VersionTexts(project, tree);
  const sources = new RunSources(tree, texts, recorded);
  const origins = new Origins(tree, texts, recorded);
  const decisions = new Decisions([...readDecisions(project.store), ...(options.tried ?? [])]);
  const statements = names.flatMap((name) => {
    return origins.all(name).flatMap((origin) => asStatements(name, origin));
  });
  const landed = new LandedSources({ tree, texts, sources, origins, decisions }, names);
  const runs = newestFirst.flatMap((manifest): SourcedRun[] => {
    const source = landed.of(manifest);
    return source ? [{ manifest, source }] : [];
  });
  return {
    statements: describeStatements(statements),
    runs: runs.toReversed(),
    dropped: decisions.unused(names),
    textOf: (manifest, file) => texts.textOf(manifest, file),
    lockfiles: new Lockfiles(tree, texts, recorded),
  };
}

/** The statements of a name in all versions that were recorded, for a person to look at. */
export async function landVersions(
  project: Project,
  name: string,
  tried: readonly KeptDecision[] = [],
): Promise<LandedRuns> {
  const recorded = readManifests(project).filter(({ kind }) => kind !== "replay");
  return landRuns({ project, names: [name], logpoints: [], recorded, tried });
}

/** The manifests of all runs that can be read. */
export function readManifests({ store }: Project): Manifest[] {
  return listRunIds(store).flatMap((run) => {
    try {
      return [readManifest(storePaths.run(store, run))];
    } catch {
      // Damaged, or just being removed: `afterlog show` says what is wrong with it.
      return [];
    }
  });
}
