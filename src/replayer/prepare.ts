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
import type { SourceLog, SourceModel } from "../languages/index.ts";
import { anchorOf } from "../languages/index.ts";
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
import type { Canary } from "./events.ts";
import { pastReplays } from "./replay-state.ts";
import type { ReplayDirective } from "./result.ts";
import { readRunFacts } from "./run-facts.ts";
import { RunSources } from "./run-sources.ts";
import type { Logpoint } from "./working-tree.ts";
import { findStatements, noStatement, WorkingTree } from "./working-tree.ts";

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

/**
 * Makes the plan. Throws AL021 if no statement logs a name, and what
 * `ask` throws.
 */
export async function preparePlan(options: PrepareOptions): Promise<Plan> {
  const { project, question } = options;
  const tree = new WorkingTree(project, question.logpoints);
  const manifests = readManifests(project);
  const recorded = manifests.filter(({ kind }) => kind !== "replay");
  const found = findAll(tree, question.names, recorded);
  const statements = found.map(({ name, log, model }) => ({
    name,
    log,
    loops: loopNames(log, model),
    anchor: anchorOf(tree.text(log.file) ?? "", log.file, log),
  }));
  const replays = manifests.filter(({ kind }) => kind === "replay");
  const except = replays.filter((replay) => isOfOthers(replay, statements));
  const asked = await options.ask(
    statements,
    except.map(({ run }) => run),
  );
  const done = replays.filter((replay) => !except.includes(replay));
  return new Preparation(options, tree, { statements, asked, recorded, done }).plan();
}

interface Statement {
  readonly name: string;
  readonly log: SourceLog;
  readonly loops: readonly string[];
  readonly anchor: string;
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

/** The statements of all programs that were recorded, the newest program first. */
function findAll(
  tree: WorkingTree,
  names: readonly string[],
  recorded: readonly Manifest[],
): { name: string; log: SourceLog; model: SourceModel }[] {
  const newest = recorded.toSorted((a, b) => b.order - a.order);
  const programs = [...new Set(newest.map(({ program }) => program))];
  const models = programs.map((program) => tree.model(program));
  return names.flatMap((name) => {
    const found = models.flatMap((model) =>
      findStatements(model, name).map((log) => ({ name, log, model })),
    );
    if (found.length === 0) throw noStatement(name, programs, models);
    return found;
  });
}

/** A loop whose name is computed ends the chain: what is inside it is asked for as a whole. */
function loopNames({ chain }: SourceLog, { loops }: SourceModel): string[] {
  const names = chain.map((id) => loops[id]?.name ?? null);
  const known = names.indexOf(null);
  return (known < 0 ? names : names.slice(0, known)).map(String);
}

/** Whether a replay filled a name from statements that are not the ones that are asked for now. */
function isOfOthers({ directive }: Manifest, statements: readonly Statement[]): boolean {
  const before = (directive as ReplayDirective | null)?.statements ?? [];
  const now = statements.map(describeStatement);
  return [...new Set(now.map(({ name }) => name))].some((name) => {
    const then = identities(before, name);
    return then !== "[]" && then !== identities(now, name);
  });
}

/** Text and place of the statements of a name, as one text. */
function identities(statements: Plan["statements"], name: string): string {
  const own = statements.filter((statement) => statement.name === name);
  const texts = own.map(({ file, anchor = null, text }) => JSON.stringify([file, anchor, text]));
  return JSON.stringify([...new Set(texts)].sort());
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
        statements: statements.map(describeStatement),
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
    // Runs of other programs are worth a word only if there is nothing else.
    const isOther = ({ run }: LeftOut): boolean => {
      const manifest = byRun.get(run);
      return manifest !== undefined && this.#placements(manifest.program).length === 0;
    };
    leftOut.push(...this.#neverThere());
    const own = leftOut.filter((run) => !isOther(run));
    return { runs, leftOut: runs.length + own.length + asked.filled.length > 0 ? own : leftOut };
  }

  /** Without a condition every run is asked: those that are not have no such iteration. */
  #neverThere(): LeftOut[] {
    const { asked, recorded } = this.#found;
    if (this.#options.question.where !== null) return [];
    const known = new Set([...asked.runs.map(({ run }) => run), ...asked.filled]);
    return recorded
      .filter(({ run }) => !known.has(run))
      .map(({ run }) => ({ run, why: "it never came to the loop in which the statement stands" }));
  }

  #placements(program: string): SourceLog[] {
    const model = this.#tree.model(program);
    return this.#options.question.names.flatMap((name) => [...findStatements(model, name)]);
  }

  #askedRun(
    manifest: Manifest,
    sources: RunSources,
    { asked, open }: AskedIterations["runs"][number],
  ): AskedRun | LeftOut {
    const { run, program } = manifest;
    const { project } = this.#options;
    const model = this.#tree.model(program);
    const chains = new Set(open.map((chain) => JSON.stringify(chain)));
    const placements = this.#placements(program).filter((log) => {
      return chains.has(JSON.stringify(loopNames(log, model)));
    });
    if (placements.length === 0) return { run, why: `${program} does not log it` };
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

function describeStatement({ name, log, loops, anchor }: Statement): Plan["statements"][number] {
  const { file, line, column, text } = log;
  return { name, file, line, column, text, anchor, loops };
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
