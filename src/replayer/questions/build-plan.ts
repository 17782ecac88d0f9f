/**
 * @file From a question to a plan: the statements are found in the newest version that has them and
 * put into the source of every run, what the runs left is read, and the planner decides.
 *
 * A version that a statement cannot be put into is left out with the reason. One where somebody must
 * look first is priced, and waits.
 */
import type { AskedIterations, AskedQuestion } from "../../catalog/index.ts";
import type {
  Box,
  LeftOut,
  Manifest,
  Plan,
  PlannedLanding,
  PlannedRun,
  PlannedUnit,
  SourcePlace,
} from "../../format/index.ts";
import { whyNotAlone } from "../../format/index.ts";
import { ownEnvironment } from "../../host/index.ts";
import type { SourceModel } from "../../languages/index.ts";
import { interpreterOfRun } from "../../languages/index.ts";
import type { AskedBoxes, AskedRun, Costs, RunFacts } from "../../planner/index.ts";
import {
  learnCosts,
  planQuestion,
  planRun,
  scaleByCanary,
  wholeUnit,
} from "../../planner/index.ts";
import type { Project } from "../../store/index.ts";
import { readManifest, storePaths } from "../../store/index.ts";
import { plannedStatements, namesOfOthers } from "../propagation/asked-statements.ts";
import { noteMissingInputs } from "./missing-inputs.ts";
import { noteRemoteCheckpoints } from "./remote-checkpoints.ts";
import type { Canary } from "../execution/replay-events.ts";
import type { NameLanding } from "../propagation/place.ts";
import type { Propagated, SourcedRun } from "../propagation/propagate.ts";
import type { LandedSource } from "../propagation/landed-source.ts";
import { withUnfollowedSources } from "./check-plan.ts";
import { pastReplays } from "../execution/replay-state.ts";
import type { ReplayDirective } from "../execution/replay-result.ts";
import { readRunFacts } from "../recorded/run-facts.ts";
import type { LandedQuestion } from "./landed-question.ts";
import { findStatements } from "../propagation/pieces.ts";
import { whyOtherPlace } from "../propagation/same-names.ts";

export interface BuildOptions {
  /** SQL: only runs and iterations for which it holds. */
  readonly where: string | null;
  /** Asks the catalog which iterations of the runs are asked for and not filled. */
  readonly ask: (
    question: Pick<AskedQuestion, "statements" | "except">,
  ) => Promise<AskedIterations>;
  readonly workers: number;
  /** The first unit is executed before the others, as the canary. */
  readonly canary?: boolean;
  /** One asked place is reached in two ways, if that is cheap; yes if it is not given. */
  readonly control?: boolean;
  /** Execute runs whole, from their start. */
  readonly fromStart?: boolean;
  /** Versions get the packages that their own lockfiles name; `scripts`: these may run their own. */
  readonly install?: boolean | "scripts";
}

/** The plan of a question that has landed, under a condition. Throws what `ask` throws. */
export async function buildPlan(question: LandedQuestion, options: BuildOptions): Promise<Plan> {
  const { replays, landed } = question;
  const { names, statements, runs, packagesOf, dropped } = landed;
  const found = earlierReplays(runs, replays, { names, statements });
  const earlier = options.fromStart ? found.map(withUnchecked) : found;
  const except = earlier.flatMap(({ manifest: { run: replay }, others }) => {
    return others.map((name) => ({ name, replay }));
  });
  const ask: AskCatalog = (own) => options.ask({ statements: own, except });
  const asked = await askCatalogBySource(runs, statements, ask);
  const plan = new PlanBuilder(
    { ...options, project: question.project },
    { names, statements, asked, runs, earlier, packagesOf, facts: (run) => question.facts(run) },
  ).plan();
  const notes = dropped.map(({ name, file }) => {
    return `what you decided about ${name} in ${file} holds no more: afterlog where ${name}`;
  });
  return notes.length === 0 ? plan : { ...plan, notes: [...new Set(notes)] };
}

/** A replay of before. */
interface EarlierReplay {
  readonly manifest: Manifest;
  /** Names that it filled from statements that are not the ones asked for, or that are asked for anew. */
  readonly others: readonly string[];
}

function earlierReplays(
  runs: readonly SourcedRun[],
  replays: readonly Manifest[],
  newest: Pick<Plan, "names" | "statements">,
): EarlierReplay[] {
  const byRun = new Map(runs.map(({ manifest, source }) => [manifest.run, source]));
  return replays.map((manifest) => {
    const source = byRun.get(manifest.parent ?? "");
    if (!source) return { manifest, others: [] };
    if (source.kind === "refused" && source.names.length === 0) {
      const { names, statements: now } = newest;
      return { manifest, others: namesOfOthers(manifest, names, { now, by: "text" }) };
    }
    const names = source.names.map(({ name }) => name);
    const now = source.kind === "landed" ? plannedStatements(source.statements) : [];
    return { manifest, others: namesOfOthers(manifest, names, { now, by: "place" }) };
  });
}

/** What could not be compared behind what it restored may be where the run is executed from its start. */
function withUnchecked({ manifest, others }: EarlierReplay): EarlierReplay {
  const { doubts = {}, from_checkpoint: from } = manifest.directive as ReplayDirective;
  return { manifest, others: from === null ? others : [...others, ...Object.keys(doubts)] };
}

type AskedStatements = AskedQuestion["statements"];
type AskCatalog = (statements: AskedStatements) => Promise<AskedIterations>;

/**
 * Asks each run for its own statements: the loops around them may differ between versions. Those
 * that have the same loops are asked together. A version in which nothing lands is asked as if it
 * had the newest statements, to know whether it is meant.
 */
async function askCatalogBySource(
  runs: readonly SourcedRun[],
  newest: AskedStatements,
  ask: AskCatalog,
): Promise<AskedIterations> {
  const groups = new Map<string, { statements: AskedStatements; runs: Set<string> }>();
  for (const { manifest, source } of runs) {
    const own = source.kind === "landed" ? plannedStatements(source.statements) : newest;
    const statements = own.map(({ name, loops }) => ({ name, loops }));
    const key = JSON.stringify([...new Set(statements.map((one) => JSON.stringify(one)))].sort());
    const group = groups.get(key) ?? { statements, runs: new Set() };
    group.runs.add(manifest.run);
    groups.set(key, group);
  }
  const parts: AskedIterations[] = [];
  for (const group of groups.values()) {
    const part = await ask(group.statements);
    parts.push({
      runs: part.runs.filter(({ run }) => group.runs.has(run)),
      filled: part.filled.filter((run) => group.runs.has(run)),
      after: part.after,
    });
  }
  return {
    runs: parts.flatMap((part) => part.runs),
    filled: parts.flatMap((part) => part.filled),
    after: parts[0]?.after ?? null,
  };
}

interface AskedSources {
  readonly names: readonly string[];
  /** In the newest version that has them. */
  readonly statements: Plan["statements"];
  readonly asked: AskedIterations;
  /** Runs of the programs that are asked, oldest first. */
  readonly runs: readonly SourcedRun[];
  readonly earlier: readonly EarlierReplay[];
  readonly packagesOf: Propagated["packagesOf"];
  readonly facts: (run: Manifest) => RunFacts;
}

/** One plan in the making. */
class PlanBuilder {
  readonly #options: BuildOptions & { readonly project: Project };
  readonly #sources: AskedSources;
  readonly #costs: Costs;
  readonly #landings = new Map<LandedSource, { index: number; landing: PlannedLanding }>();

  constructor(options: BuildOptions & { readonly project: Project }, sources: AskedSources) {
    this.#options = options;
    this.#sources = sources;
    this.#costs = learnCosts(pastReplays(options.project.store));
  }

  plan(): Plan {
    const { where, workers, canary = false, control = true, fromStart = false } = this.#options;
    const { asked, names, statements } = this.#sources;
    const { runs, review, leftOut } = this.#askedRuns();
    const sources = new Map(this.#sources.runs.map((one) => [one.manifest.run, one.source]));
    const filled = asked.filled.map((run) => this.#filledRun(run, sources.get(run)));
    const plan = planQuestion(
      {
        names,
        where,
        after: asked.after,
        statements,
        landings: [...this.#landings.values()].map(({ landing }) => landing),
        runs,
        review,
        leftOut: [...filled, ...leftOut],
      },
      { workers, costs: this.#costs, canary, control, fromStart },
    );
    const { project } = this.#options;
    return noteMissingInputs(project, noteRemoteCheckpoints(project, plan));
  }

  /** A run that has the values; those of its own statement, if that is not the one that is asked. */
  #filledRun(run: string, source: SourcedRun["source"] | undefined): LeftOut {
    const isReplayed = this.#sources.earlier.some(({ manifest }) => manifest.parent === run);
    if (source?.kind === "landed" && !isReplayed) {
      const why = this.#sources.names.flatMap((name) => whyOtherPlace(name, source) ?? []);
      if (why.length > 0) return { run, why: why.join("; ") };
    }
    const other = source?.names.find(({ isOtherValue }) => isOtherValue);
    return other ? { run, why: other.why } : answeredRun(run, source, ALREADY_FILLED);
  }

  /**
   * A fork began in the middle of its parent: its own start is no way to any point of it. Answers
   * why it cannot be asked, if it would have to be executed from there.
   */
  #whyForkCannot(asked: AskedRun): string | undefined {
    const { facts, model, ...question } = asked;
    const { names } = this.#sources;
    const planned = planRun(facts, model, { names, ...question }, { costs: this.#costs });
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

  #askedRuns(): { runs: AskedRun[]; review: AskedRun[]; leftOut: LeftOut[] } {
    const byRun = new Map(this.#sources.runs.map((one) => [one.manifest.run, one]));
    const all = { runs: [] as AskedRun[], review: [] as AskedRun[], leftOut: [] as LeftOut[] };
    for (const one of this.#sources.asked.runs) {
      const sourced = byRun.get(one.run);
      if (!sourced) continue;
      const found = this.#askedRun(sourced, one);
      if ("why" in found) all.leftOut.push(found);
      else if (needsReview(sourced)) all.review.push(found);
      else all.runs.push(found);
    }
    all.leftOut.push(...this.#runsNeverThere());
    return all;
  }

  /** Without a condition every run is asked: those that are not have no such iteration. */
  #runsNeverThere(): LeftOut[] {
    const { asked, runs } = this.#sources;
    if (this.#options.where !== null) return [];
    const known = new Set([...asked.runs.map(({ run }) => run), ...asked.filled]);
    const never = "it never came to the loop in which the statement stands";
    return runs
      .filter(({ manifest }) => !known.has(manifest.run))
      .map(({ manifest: { run }, source }) => {
        return { run, why: source.kind === "refused" ? source.why : never };
      });
  }

  #askedRun(
    { manifest, source }: SourcedRun,
    { asked, open }: AskedIterations["runs"][number],
  ): AskedRun | LeftOut {
    const { run } = manifest;
    if (source.kind === "refused") return { run, why: source.why };
    const together = whyNotAlone(manifest);
    if (together !== undefined) return { run, why: together };
    const { install = false } = this.#options;
    const facts = this.#sources.facts(manifest);
    if (this.#isReplayed(facts, asked, source)) return answeredRun(run, source, REPLAYED);
    const chains = new Set(open.map((chain) => JSON.stringify(chain)));
    const placements = source.statements
      .filter(({ planned }) => chains.has(JSON.stringify(planned.loops)))
      .map(({ log }) => log);
    const packages = this.#sources.packagesOf(manifest);
    const found: AskedRun = {
      facts,
      model: withUnfollowedSources(source.model, manifest),
      placements,
      asked,
      match: source.match,
      source: {
        landing: this.#landingIndex(manifest, source),
        probes: source.probes,
        ...varyingOf(source.model),
        ...(packages && install !== false ? { packages: withScripts(packages, install) } : {}),
      },
      remarks: [
        ...remarksOnSource(source, packages && install === false ? packages.lockfile : null),
        ...remarksOnPython(manifest),
      ],
    };
    const why = manifest.kind === "fork" ? this.#whyForkCannot(found) : undefined;
    return why === undefined ? found : { run, why };
  }

  /** The number of the landing; the version is added to those that it holds for. */
  #landingIndex({ version }: Manifest, source: LandedSource): number {
    const { verdict, names, statements, overlays } = source;
    const known = this.#landings.get(source);
    const index = known?.index ?? this.#landings.size;
    const commit = version === null ? [] : [version.commit];
    const versions = [...new Set([...commit, ...(known?.landing.versions ?? [])])];
    const described = plannedStatements(statements);
    const landings = names.flatMap((one) => one.landings);
    const landing = { versions, verdict, landings, statements: described, overlays };
    this.#landings.set(source, { index, landing });
    return index;
  }

  /** Whether a replay has executed all of it: where it logged nothing, there is nothing to log. */
  #isReplayed(
    { run, entries }: RunFacts,
    asked: AskedBoxes,
    { statements }: LandedSource,
  ): boolean {
    const names = [...new Set(statements.map(({ planned }) => planned.name))];
    const own = this.#sources.earlier.filter(({ manifest }) => manifest.parent === run);
    // The values of a later replay are shown in place of those of an earlier one.
    const isOfOthers = (name: string, since: Manifest): boolean =>
      own.some(({ manifest, others }) => manifest.run >= since.run && others.includes(name));
    const complete = own.filter(({ manifest }) => directiveOf(manifest)?.incomplete === null);
    const partsOf = (replay: string): number => {
      const ofReplay = complete.flatMap(({ manifest }) => directiveOf(manifest) ?? []);
      return new Set(ofReplay.filter((one) => one.replay === replay).map(({ unit }) => unit)).size;
    };
    const ranges = complete.flatMap(({ manifest }): (readonly Box[])[] => {
      const told = directiveOf(manifest);
      if (!told || partsOf(told.replay) < (told.parts ?? 1)) return [];
      const isReplayed = (name: string): boolean =>
        told.names.includes(name) && !isOfOthers(name, manifest);
      return names.every(isReplayed) ? [told.ranges] : [];
    });
    if (ranges.some((boxes) => boxes.length === 0)) return true;
    const boxes = asked === "all" ? allOf(entries, statements) : asked;
    return (
      boxes !== undefined &&
      boxes.every((box) => ranges.flat().some((earlier) => boxContains(earlier, box)))
    );
  }
}

function directiveOf({ directive }: Manifest): ReplayDirective | null {
  return directive as ReplayDirective | null;
}

/** Every iteration of the outermost loop of statements, one by one; undefined: they are in several. */
function allOf(
  entries: RunFacts["entries"],
  statements: LandedSource["statements"],
): Box[] | undefined {
  const loops = new Set(statements.map(({ planned }) => planned.loops[0]));
  const [loop] = loops;
  if (loop === undefined || loops.size > 1) return undefined;
  const counts = entries.filter((one) => one.loop === loop).map((one) => one.iterations);
  return Array.from({ length: Math.max(0, ...counts) }, (_, at) => ({ [loop]: [at, at] }));
}

/** What the user should know of a source. */
function remarksOnSource({ names }: LandedSource, lockfile: string | null): string[] {
  const missing = names.filter(({ verdict }) => verdict === "cannot");
  const warnings = names.flatMap(({ landings }) => landings.flatMap((one) => one.warnings));
  const differing = warnings
    .filter(({ code }) => code === "differs" || code === "unseen")
    .map(({ text }) => text);
  return [
    ...new Set(differing),
    ...missing.map(({ name, why }) => `${name} is not logged in some versions: ${why}`),
    ...(lockfile === null
      ? []
      : [`another ${lockfile} than now: the present packages are used, unless --install is given`]),
  ];
}

function remarksOnPython({ interpreter }: Manifest): string[] {
  const { command, isAnother } = interpreterOfRun(interpreter, ownEnvironment);
  return isAnother ? [`${interpreter ?? ""}, its Python, is gone: ${command} is used`] : [];
}

/** Whether somebody must look at where its statements land. */
function needsReview({ source }: SourcedRun): boolean {
  return source.kind === "landed" && source.verdict === "review";
}

const ALREADY_FILLED = "it has the values already";

const REPLAYED = "it was replayed already, and nothing was logged where a value is missing";

/** A run that has all that can be had of it. Names that cannot are told: then it is not all asked. */
function answeredRun(run: string, source: SourcedRun["source"] | undefined, why: string): LeftOut {
  const missing = source?.kind === "landed" ? missingNames(source) : [];
  if (missing.length === 0) return { run, why, filled: true };
  const reasons = missing.map((one) => `${one.name} is not logged there: ${one.why}`);
  return { run, why: reasons.join("; ") };
}

/** Names that neither land in a source nor were logged by it from the beginning. */
function missingNames({ names, model, probes }: LandedSource): readonly NameLanding[] {
  const isProbe = ({ file, line }: SourcePlace): boolean =>
    probes.some((probe) => probe.file === file && probe.line === line);
  return names.filter(({ name, verdict }) => {
    return verdict === "cannot" && findStatements(model, name).every(isProbe);
  });
}

function boxContains(outer: Box, inner: Box): boolean {
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
  return wholeUnit(facts, unit, learnCosts(pastReplays(project.store)));
}

/** The plan with the times that its canary suggests for the rest. */
export function scalePlan(project: Project, plan: Plan, canary: Canary): Plan {
  const planned = plan.runs.find(({ run }) => run === canary.run)?.units[canary.unit];
  if (!planned) return plan;
  const { actual_s, fixed_s } = canary;
  const costs = learnCosts(pastReplays(project.store));
  return scaleByCanary(plan, { run: canary.run, planned, actual_s, fixed_s }, costs);
}

function varyingOf({ varying, varyingFresh }: SourceModel): NonNullable<AskedRun["source"]> {
  return { ...(varying ? { varying } : {}), ...(varyingFresh ? { varyingFresh } : {}) };
}

/** Scripts of packages are not run unless that was asked for. */
function withScripts(
  packages: NonNullable<PlannedRun["packages"]>,
  install: true | "scripts",
): NonNullable<PlannedRun["packages"]> {
  return install === "scripts" ? { ...packages, scripts: true } : packages;
}
