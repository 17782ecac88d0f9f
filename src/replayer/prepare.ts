/**
 * @file From a question to a plan: the statements are found in the working tree, the runs that are
 * asked are compared with it, what they left is read, and the planner decides.
 *
 * A run whose source differs by more than added log statements is left out with the reason: the
 * statement must first be landed in its version.
 */
import type {
  Box,
  LeftOut,
  Manifest,
  Overlay,
  Plan,
  PlannedUnit,
  SourcePlace,
} from "../format/index.ts";
import type { AskedBoxes, AskedRun, Costs } from "../planner/index.ts";
import {
  learnCosts,
  matchLoops,
  planQuestion,
  planRun,
  scaleByCanary,
  wholeUnit,
} from "../planner/index.ts";
import type { Project } from "../store/index.ts";
import { listRunIds, readManifest, storePaths } from "../store/index.ts";
import type { Statement } from "./asked-statements.ts";
import { describeStatements, findAll, isOfOthers } from "./asked-statements.ts";
import type { Canary } from "./events.ts";
import { knowingWhatWasLoaded } from "./prepare-check.ts";
import { pastReplays } from "./replay-state.ts";
import type { ReplayDirective } from "./result.ts";
import { readRunFacts } from "./run-facts.ts";
import { RunSources } from "./run-sources.ts";
import type { Logpoint } from "./working-tree.ts";
import { WorkingTree } from "./working-tree.ts";

export interface PlanQuestion {
  readonly names: readonly string[];
  readonly where: string | null;
  readonly logpoints: readonly Logpoint[];
}

/** What the catalog says is asked for. */
export interface AskedIterations {
  readonly runs: readonly {
    readonly run: string;
    readonly asked: "all" | readonly Box[];
    /** The loops of those statements of which something is still to be filled. */
    readonly open: readonly (readonly string[])[];
  }[];
  /** Nothing is left to fill in them. */
  readonly filled: readonly string[];
  readonly after: string | null;
}

export interface PrepareOptions {
  readonly project: Project;
  readonly question: PlanQuestion;
  /**
   * Which iterations are asked for and not filled, for statements in these loops. Values of the
   * replays `except` do not count: they were of another statement.
   */
  readonly ask: (
    statements: readonly { readonly name: string; readonly loops: readonly string[] }[],
    except: readonly string[],
  ) => Promise<AskedIterations>;
  readonly workers: number;
  /** The first unit is executed before the others, as the canary. */
  readonly canary?: boolean;
  /** Execute runs whole, from their start. */
  readonly fromStart?: boolean;
}

/** Makes the plan. Throws AL021 if no statement logs a name, and what `ask` throws. */
export async function preparePlan(options: PrepareOptions): Promise<Plan> {
  const { project, question } = options;
  const tree = new WorkingTree(project, question.logpoints);
  const manifests = readManifests(project);
  const recorded = manifests.filter(({ kind }) => kind !== "replay");
  const statements = findAll(tree, question.names, recorded);
  const replays = manifests.filter(({ kind }) => kind === "replay");
  const except = replays.filter((replay) => isOfOthers(replay, statements));
  const done = replays.filter((replay) => !except.includes(replay));
  const ask = (own: readonly Statement[]): Promise<AskedIterations> =>
    options.ask(
      own,
      except.map(({ run }) => run),
    );
  const asked = await askPrograms(statements, recorded, ask);
  return new Preparation(options, tree, { statements, asked, recorded, done }).plan();
}

/** Asks the runs of each program for its own statements. */
async function askPrograms(
  statements: readonly Statement[],
  recorded: readonly Manifest[],
  ask: (statements: readonly Statement[]) => Promise<AskedIterations>,
): Promise<AskedIterations> {
  const parts: AskedIterations[] = [];
  for (const program of new Set(statements.map((statement) => statement.program))) {
    const runs = new Set(recorded.filter((one) => one.program === program).map(({ run }) => run));
    const part = await ask(statements.filter((statement) => statement.program === program));
    parts.push({
      runs: part.runs.filter(({ run }) => runs.has(run)),
      filled: part.filled.filter((run) => runs.has(run)),
      after: part.after,
    });
  }
  return {
    runs: parts.flatMap((part) => part.runs),
    filled: parts.flatMap((part) => part.filled),
    after: parts[0]?.after ?? null,
  };
}

function readManifests({ store }: Project): Manifest[] {
  return listRunIds(store).flatMap((run) => {
    try {
      return [readManifest(storePaths.run(store, run))];
    } catch {
      // Damaged, or just being removed: `afterlog show` says what is wrong with it.
      return [];
    }
  });
}

interface Found {
  readonly statements: readonly Statement[];
  readonly asked: AskedIterations;
  readonly recorded: readonly Manifest[];
  /** Replays of the same statements. */
  readonly done: readonly Manifest[];
}

/** One plan in the making. */
class Preparation {
  readonly #options: PrepareOptions;
  readonly #tree: WorkingTree;
  readonly #found: Found;
  readonly #costs: Costs;
  readonly #overlays = new Map<string, Overlay>();
  readonly #probes = new Map<string, readonly SourcePlace[]>();

  constructor(options: PrepareOptions, tree: WorkingTree, found: Found) {
    this.#options = options;
    this.#tree = tree;
    this.#found = found;
    this.#costs = learnCosts(pastReplays(options.project.store));
  }

  plan(): Plan {
    const { question, workers, canary = false, fromStart = false } = this.#options;
    const { asked, statements } = this.#found;
    const { names, where } = question;
    const { runs, leftOut } = this.#askedRuns();
    const filled = asked.filled.map((run): LeftOut => ({ run, why: ALREADY_FILLED }));
    const plan = planQuestion(
      {
        names,
        where,
        after: asked.after,
        statements: describeStatements(statements),
        runs,
        leftOut: [...filled, ...leftOut],
        overlays: [...this.#overlays.values()],
      },
      { workers, costs: this.#costs, canary, fromStart },
    );
    const probes = this.#probes;
    return {
      ...plan,
      runs: plan.runs.map((run) => ({ ...run, probes: probes.get(run.run) ?? [] })),
    };
  }

  /**
   * A fork began in the middle of its parent: its own start is no way to any point of it. Answers
   * why it cannot be asked, if it would have to be executed from there.
   */
  #whyNotFork(asked: AskedRun): string | undefined {
    const { facts, model, ...question } = asked;
    const { names } = this.#options.question;
    const planned = planRun(
      facts,
      model,
      { names, ...question },
      { workers: 1, costs: this.#costs },
    );
    if (!("units" in planned)) return undefined;
    const isFromStart = planned.units.some(({ courses }) => {
      const byEntry = new Map(courses.map((course) => [course.entry, course]));
      for (const { key } of facts.entries) {
        const course = byEntry.get(key);
        if (course?.do === "stop") return false;
        if (course?.do !== "skip" && course?.legs?.[0]?.restore == null) return true;
        if (course.after === "stop") return false;
      }
      return false;
    });
    return isFromStart
      ? "it is a fork, and what is asked lies before its first checkpoint"
      : undefined;
  }

  #askedRuns(): { readonly runs: AskedRun[]; readonly leftOut: LeftOut[] } {
    const { asked, recorded } = this.#found;
    const byRun = new Map(recorded.map((manifest) => [manifest.run, manifest]));
    const manifests = asked.runs.flatMap(({ run }) => byRun.get(run) ?? []);
    const sources = new RunSources(this.#options.project, this.#tree, manifests);
    const leftOut: LeftOut[] = [];
    const runs = asked.runs.flatMap((one): AskedRun[] => {
      const manifest = byRun.get(one.run);
      const found = manifest && this.#askedRun(manifest, sources, one);
      if (found && "why" in found) leftOut.push(found);
      return found && !("why" in found) ? [found] : [];
    });
    return { runs, leftOut: [...leftOut, ...this.#neverThere()] };
  }

  /** Without a condition every run is asked: those that are not have no such iteration. */
  #neverThere(): LeftOut[] {
    const { asked, recorded, statements } = this.#found;
    if (this.#options.question.where !== null) return [];
    const known = new Set([...asked.runs.map(({ run }) => run), ...asked.filled]);
    const programs = new Set(statements.map(({ program }) => program));
    return recorded
      .filter(({ run, program }) => programs.has(program) && !known.has(run))
      .map(({ run }) => ({ run, why: "it never came to the loop in which the statement stands" }));
  }

  #askedRun(
    manifest: Manifest,
    sources: RunSources,
    { asked, open }: AskedIterations["runs"][number],
  ): AskedRun | LeftOut {
    const { run, program } = manifest;
    const { project } = this.#options;
    const model = knowingWhatWasLoaded(this.#tree.model(program), manifest);
    const chains = new Set(open.map((chain) => JSON.stringify(chain)));
    const placements = this.#found.statements
      .filter((one) => one.program === program && chains.has(JSON.stringify(one.loops)))
      .map(({ log }) => log);
    const source = sources.of(manifest);
    if (source.kind === "unusable") return { run, why: source.why };
    if (this.#isDone(run, asked)) return { run, why: "it was replayed already" };
    for (const overlay of source.overlays) this.#overlays.set(overlay.file, overlay);
    this.#probes.set(run, source.probes);
    const facts = readRunFacts(storePaths.run(project.store, run), manifest);
    const match = matchLoops(source.recorded, model);
    const found: AskedRun = { facts, model, placements, asked, match };
    const why = manifest.kind === "fork" ? this.#whyNotFork(found) : undefined;
    return why === undefined ? found : { run, why };
  }

  /** Whether a replay has executed all of it: where it logged nothing, there is nothing to log. */
  #isDone(run: string, asked: AskedBoxes): boolean {
    const { names } = this.#options.question;
    const ranges = this.#found.done.flatMap(({ parent, directive }): (readonly Box[])[] => {
      const told = directive as ReplayDirective | null;
      const isWhole = parent === run && told?.incomplete === null;
      return isWhole && names.every((name) => told.names.includes(name)) ? [told.ranges] : [];
    });
    if (ranges.some((boxes) => boxes.length === 0)) return true;
    return asked !== "all" && asked.every((box) => ranges.flat().some((done) => holds(done, box)));
  }
}

const ALREADY_FILLED = "it has the values already";

function holds(outer: Box, inner: Box): boolean {
  return Object.entries(outer).every(([loop, [first, last]]) => {
    const range = inner[loop];
    return range !== undefined && range[0] >= first && range[1] <= last;
  });
}

/**
 * A unit as it is when everything is executed, for one whose checkpoints turn out not to be enough;
 * null for a fork, which did not begin at its start. Throws AL040 if the run cannot be read any
 * more.
 */
export function executeWhole(project: Project, run: string, unit: PlannedUnit): PlannedUnit | null {
  if (readManifest(storePaths.run(project.store, run)).kind === "fork") return null;
  const facts = readRunFacts(storePaths.run(project.store, run));
  return wholeUnit(facts, unit.ranges, learnCosts(pastReplays(project.store)));
}

/** The plan with the times that its canary suggests for the rest. */
export function scalePlan(project: Project, plan: Plan, canary: Canary): Plan {
  const planned = plan.runs.find(({ run }) => run === canary.run)?.units[canary.unit];
  if (!planned) return plan;
  const { actual_s, fixed_s } = canary;
  const costs = learnCosts(pastReplays(project.store));
  return scaleByCanary(plan, { run: canary.run, planned, actual_s, fixed_s }, costs);
}
