/**
 * @file A question whose statements are in the sources of all runs: landed once, and priced as often as
 * its condition changes. Whoever keeps it open refreshes it first, which costs little where nothing has
 * changed on disk.
 */
import { statSync } from "node:fs";
import type { Manifest } from "../../format/index.ts";
import type { Project } from "../../store/index.ts";
import { listRunIds, readManifest, runPaths, storePaths } from "../../store/index.ts";
import type { KeptDecision } from "../propagation/landing-decisions.ts";
import { readDecisions, writeDecisions } from "../propagation/landing-decisions.ts";
import type { Propagated } from "../propagation/propagate.ts";
import { propagate } from "../propagation/propagate.ts";
import type { RunFacts } from "../../planner/index.ts";
import { readRunFacts } from "../recorded/run-facts.ts";
import type { AskedLine } from "../propagation/asked-calls.ts";
import type { Logpoint } from "../propagation/working-tree.ts";

export interface PlanQuestion {
  /** With no lines either: all that was added. */
  readonly names: readonly string[];
  /** Lines of the working tree whose log calls are asked for. */
  readonly lines: readonly AskedLine[];
  /** The name that the values get; absent: their own. */
  readonly as?: string | undefined;
  /** The log calls without what was added beside them. */
  readonly onlyStatement?: boolean;
  /** Functions and classes of the working tree that are used in place of a version's own. */
  readonly bring?: readonly string[];
  readonly logpoints: readonly Logpoint[];
}

export class LandedQuestion {
  readonly project: Project;
  readonly #question: PlanQuestion;
  readonly #facts = new Map<string, { readonly stamp: string; readonly facts: RunFacts }>();
  #manifests: ReadonlyMap<string, Manifest>;
  #decisions: string;
  #landed: Propagated;

  private constructor(project: Project, question: PlanQuestion, read: Read, landed: Propagated) {
    this.project = project;
    this.#question = question;
    this.#manifests = read.manifests;
    this.#decisions = read.decisions;
    this.#landed = landed;
  }

  /** Throws AL001, AL021 as `propagate` does. */
  static async open(project: Project, question: PlanQuestion): Promise<LandedQuestion> {
    const read = readStore(project, new Map());
    const landed = await land(project, question, read);
    return new LandedQuestion(project, question, read, landed);
  }

  get landed(): Propagated {
    return this.#landed;
  }

  get replays(): readonly Manifest[] {
    return [...this.#manifests.values()].filter(({ kind }) => kind === "replay");
  }

  facts(manifest: Manifest): RunFacts {
    const { run } = manifest;
    const folder = storePaths.run(this.project.store, run);
    const stamp = stampOf(
      runPaths.manifest(folder),
      runPaths.log(folder),
      runPaths.checkpointIndex(folder),
    );
    const known = this.#facts.get(run);
    if (known?.stamp === stamp) return known.facts;
    const facts = readRunFacts(folder, manifest);
    this.#facts.set(run, { stamp, facts });
    return facts;
  }

  /** Lands again where runs, the working tree or decisions have changed; answers whether they had. */
  async refresh(): Promise<boolean> {
    const read = readStore(this.project, this.#manifests);
    const before = recordedIn(this.#manifests);
    const now = recordedIn(read.manifests);
    const isSame = now.length === before.length && now.every((one, at) => one === before[at]);
    const isChanged =
      !isSame || read.decisions !== this.#decisions || !this.#landed.isTreeUnchanged();
    this.#manifests = read.manifests;
    this.#decisions = read.decisions;
    if (isChanged) this.#landed = await land(this.project, this.#question, read);
    return isChanged;
  }

  /** Where its statements land if that is decided. */
  tried(decisions: readonly KeptDecision[]): Promise<Propagated> {
    return land(this.project, this.#question, { manifests: this.#manifests }, decisions);
  }

  /** Keeps decisions that were tried, and where it lands with them. */
  keep(decisions: readonly KeptDecision[], landed: Propagated): void {
    const { store } = this.project;
    writeDecisions(store, decisions);
    this.#decisions = JSON.stringify(readDecisions(store));
    this.#landed = landed;
  }
}

interface Read {
  readonly manifests: ReadonlyMap<string, Manifest>;
  /** The lines of `landings.jsonl`. */
  readonly decisions: string;
}

/** `known`: what was read before; what says the same is the same. */
function readStore({ store }: Project, known: ReadonlyMap<string, Manifest>): Read {
  const manifests = new Map<string, Manifest>();
  for (const run of listRunIds(store)) {
    const before = known.get(run);
    const manifest = tryReadManifest(storePaths.run(store, run));
    if (!manifest) continue;
    const isSame = before && JSON.stringify(before) === JSON.stringify(manifest);
    manifests.set(run, isSame ? before : manifest);
  }
  return { manifests, decisions: JSON.stringify(readDecisions(store)) };
}

/** Undefined: it is damaged, or just being removed; `afterlog show` says what is wrong with it. */
function tryReadManifest(folder: string): Manifest | undefined {
  try {
    return readManifest(folder);
  } catch {
    return undefined;
  }
}

/** Two states of files that differ have others. */
function stampOf(...files: readonly string[]): string {
  const stats = files.map((file) => statSync(file, { throwIfNoEntry: false }));
  return stats.map((one) => `${one?.mtimeMs} ${one?.size} ${one?.ino}`).join(", ");
}

function recordedIn(manifests: ReadonlyMap<string, Manifest>): Manifest[] {
  return [...manifests.values()].filter(({ kind }) => kind !== "replay");
}

function land(
  project: Project,
  question: PlanQuestion,
  { manifests }: Pick<Read, "manifests">,
  tried: readonly KeptDecision[] = [],
): Promise<Propagated> {
  return propagate({ project, ...question, recorded: recordedIn(manifests), tried });
}
