/**
 * @file One unit from its tree to its values: the process is run, what it left is judged, and what
 * is worth keeping becomes a run directory.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  LoopPath,
  Manifest,
  Orders,
  Overlay,
  Plan,
  PlannedStatement,
  PlannedRun,
  PlannedUnit,
  ReplayOutcome,
  ProbePlace,
  StatusLine,
} from "../../format/index.ts";
import { landedAs, landingOf } from "../../format/index.ts";
import { ownEnvironment, wallClock } from "../../host/index.ts";
import type { Project } from "../../store/index.ts";
import { readManifest, runPaths, storePaths } from "../../store/index.ts";
import { valueKey } from "../checking/check-replay.ts";
import type { UnitResources } from "./executor.ts";
import type { PackageInstaller } from "../trees/install-packages.ts";
import type { Judged } from "../checking/judge-unit.ts";
import { describeDoubts } from "../checking/describe-doubts.ts";
import { measureHost } from "../checking/measure-host.ts";
import { judgeUnit } from "../checking/judge-unit.ts";
import type { Difference } from "../checking/check-replay.ts";
import { readFreshResults } from "../checking/fresh-results.ts";
import { withNotCompared } from "../checking/not-compared.ts";
import { likelyCause } from "../checking/likely-cause.ts";
import { readLines } from "../recorded/raw-log.ts";
import type { Isolation } from "./isolation.ts";
import { replayPaths } from "./replay-state.ts";
import type { ReplayDirective } from "./replay-result.ts";
import { writeResult } from "./replay-result.ts";
import { makeTree } from "../trees/replay-tree.ts";
import type { UnitResult } from "./unit-process.ts";
import { readOrders, runUnit, unitPaths } from "./unit-process.ts";

/** What all units of a replay share. */
export interface ReplayContext {
  readonly project: Project;
  readonly replay: string;
  readonly plan: Plan;
  readonly probes: readonly ProbePlace[];
  readonly packages: PackageInstaller;
  readonly tolerance?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** How code from elsewhere is executed; null: there is none in the unit. */
  readonly isolationOf: (unit: ReplayUnit) => Isolation | null;
}

/** One unit of the plan. */
export interface ReplayUnit {
  /** Among all units of the replay. */
  readonly index: number;
  readonly planned: PlannedUnit;
  readonly ofRun: PlannedRun;
  /** Among the units of its run. */
  readonly ordinal: number;
  readonly parent: Manifest;
  readonly resources: UnitResources;
  /** It is executed whole: what was planned at first was not enough. */
  readonly isWhole?: true;
  /** The unit whose values it is to confirm, by another way; absent: it is a unit of its own. */
  readonly controls?: ReplayUnit;
  /** The GPU that its process sees; absent: what this process sees. */
  readonly gpu?: string;
}

export interface ExecutedUnit {
  readonly result: UnitResult;
  readonly started: Date;
  readonly ended: Date;
  readonly treeS: number;
  /** What is not as it was in its tree. */
  readonly notes: readonly string[];
  /** Looks for the reason why it may differ. */
  readonly cause: (first: Difference) => string | null;
}

/** Notes that a user reads. */
const NOTES_MAX = 5;

/** Runs the process of a unit in a fresh tree. Throws AL045 if the tree cannot be made. */
export async function executeUnit(
  context: ReplayContext,
  unit: ReplayUnit,
  hooks: { readonly signal: AbortSignal; readonly onStatus: (line: StatusLine) => void },
): Promise<ExecutedUnit> {
  const { project, replay } = context;
  const { parent, index } = unit;
  const { packages } = unit.ofRun;
  const modules = packages && (await context.packages.folderFor(parent, packages));
  const started = wallClock();
  const from = performance.now();
  rmSync(announcedFile(unitFolder(context, index)), { force: true });
  const folder = replayPaths.tree(project.store, replay, index);
  const tree = makeTree({
    project,
    manifest: parent,
    overlays: overlaysOfRun(context, unit),
    folder,
    ...(modules === undefined ? {} : { modules }),
  });
  try {
    const treeS = (performance.now() - from) / 1000;
    const result = await runUnit({
      tree,
      orders: unitOrders(context, unit),
      manifest: parent,
      store: project.store,
      folder: unitFolder(context, index),
      ...hooks,
      env: unitEnvironment(context, unit),
      apart: context.isolationOf(unit) === "bubblewrap",
    });
    const sources = readTreeSources(tree.root, parent);
    const lost = tree.missing
      .map((file) => `${file} is missing: the run read it`)
      .filter((text) => text !== result.outcome?.why);
    const failures = result.outcome?.failures ?? [];
    const notes = [...failures, ...tree.warnings, ...lost].slice(0, NOTES_MAX);
    const reasons = [...lost, ...(result.outcome?.hints ?? [])];
    const { isGiven } = readFreshResults(unitPaths.out(unitFolder(context, index)));
    const isFollowed = (unit.ofRun.varyingFresh ?? unit.ofRun.varying) !== undefined;
    const changing = changingStatement(context, unit.ofRun);
    const isAsked = changing !== undefined && result.outcome?.kind === "diverged";
    const asked = isAsked ? `${changing} changes what the run has` : undefined;
    const cause = (first: Difference): string | null =>
      reasons[0] ?? asked ?? likelyCause(sources, first, { isFollowed, isGiven });
    return { result, started, ended: wallClock(), treeS, notes, cause };
  } finally {
    await tree[Symbol.asyncDispose]();
  }
}

function unitEnvironment(
  { env = ownEnvironment }: ReplayContext,
  { gpu }: ReplayUnit,
): NodeJS.ProcessEnv {
  return gpu === undefined ? env : { ...env, CUDA_VISIBLE_DEVICES: gpu };
}

export function unitFolder({ project, replay }: ReplayContext, index: number): string {
  return replayPaths.unit(replayPaths.folder(project.store, replay), index);
}

function unitOrders(context: ReplayContext, unit: ReplayUnit): Omit<Orders, "out"> {
  const { planned, parent, ofRun } = unit;
  const recorded = overlaysOfRun(context, unit).flatMap(({ file, recorded: ran }) => {
    return ran ? [{ file, ...ran }] : [];
  });
  return {
    v: 1,
    parent: storePaths.run(context.project.store, parent.run),
    names: namesOfRun(context, ofRun),
    probes: ofRun.probes ?? context.probes,
    ...(recorded.length > 0 ? { recorded } : {}),
    ...(ofRun.varying ? { varying: ofRun.varying } : {}),
    ...(ofRun.varyingFresh ? { varyingFresh: ofRun.varyingFresh } : {}),
    ...(changingStatement(context, ofRun) ? { mayChange: true as const } : {}),
    courses: planned.courses,
    args: {},
  };
}

function overlaysOfRun({ plan }: ReplayContext, { ofRun }: ReplayUnit): readonly Overlay[] {
  return landingOf(plan, ofRun)?.overlays ?? [];
}

/** The names that the source of the run logs, of those that are asked for. */
function namesOfRun({ plan }: ReplayContext, ofRun: PlannedRun): readonly string[] {
  const landing = landingOf(plan, ofRun);
  if (!landing) return plan.names;
  const there = new Set(landing.statements.map(({ name }) => name));
  return plan.names.filter((name) => there.has(name));
}

/** The statements as they stand in the source of the run. */
export function statementsOfRun({ plan }: ReplayContext, ofRun: PlannedRun): Plan["statements"] {
  return landingOf(plan, ofRun)?.statements ?? plan.statements;
}

/**
 * A statement of the question that may change the run for good, with its place if it is known. `changed`: names of what
 * did change; of several statements the first that changes one of them, or else mentions one, is meant.
 */
export function changingStatement(
  context: ReplayContext,
  ofRun: PlannedRun,
  changed: readonly string[] = [],
): string | undefined {
  const statements = statementsOfRun(context, ofRun);
  const [first] = statements.flatMap(({ mayChange }) => mayChange ?? []);
  if (first === undefined) return undefined;
  const landings = landingOf(context.plan, ofRun)?.landings ?? [];
  const roots = changed.map((name) => name.split(/[.[]/)[0] ?? name);
  const mentions = (text: string): boolean => {
    const words = text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
    return words.some((word) => roots.includes(word));
  };
  const others = landings.flatMap(({ carried }) => carried.map(({ name }) => name));
  const doing = statements
    .flatMap(({ changing = [] }) => changing)
    .find(({ names }) => names.some((name) => roots.includes(name)));
  const found = doing?.text ?? (mentions(first) ? first : (others.find(mentions) ?? first));
  const bare = (text: string): string => text.replace(/;$/, "");
  const isSame = (text: string): boolean => bare(text) === bare(found);
  for (const { file, carried, line, text } of landings) {
    const own = carried.find(({ name }) => isSame(name));
    const at = own?.line ?? (isSame(text?.split("\n")[0] ?? "") ? line : null);
    if (at !== null) return `\`${bare(found)}\` (${own?.file ?? file}:${at})`;
  }
  return `\`${bare(found)}\``;
}

/** One doubtful statement is enough: which one logged a value is not told apart. */
function namesWith(
  statements: Plan["statements"],
  has: (statement: PlannedStatement) => boolean,
): ReadonlySet<string> {
  return new Set(statements.filter(has).map(({ name }) => name));
}

/** Names all of whose statements compute from what the unit restores; a GPU may sum otherwise. */
function computedNames(
  { plan }: ReplayContext,
  { planned }: ReplayUnit,
  statements: Plan["statements"],
): ReadonlySet<string> {
  if (planned.restores !== true || plan.gpus !== undefined) return new Set();
  const others = namesWith(statements, ({ computes }) => computes !== true);
  const own = namesWith(statements, ({ computes }) => computes === true);
  return new Set([...own].filter((name) => !others.has(name)));
}

/** Sources that the run loaded, as they are in the tree. */
function readTreeSources(root: string, { sources }: Manifest): { file: string; text: string }[] {
  return Object.keys(sources).flatMap((file) => {
    const path = join(root, file);
    return existsSync(path) ? [{ file, text: readFileSync(path, "utf8") }] : [];
  });
}

/** Values that a run has from this replay: how many, by `valueKey`. */
export type ValueCounts = Map<string, number>;

export interface Kept {
  readonly judged: Judged;
  /** The run that holds the values; null if there was nothing to keep. */
  readonly run: string | null;
}

/**
 * Judges what the process left, and keeps it. `incomplete`: why it is not all that was asked; null
 * if it is, and then a result without values says that there are none.
 */
export function keepUnit(
  context: ReplayContext,
  unit: ReplayUnit,
  how: {
    readonly outcome: ReplayOutcome | null;
    readonly started: Date;
    readonly ended: Date;
    readonly incomplete: string | null;
    readonly have: ValueCounts;
  },
): Kept {
  const { store } = context.project;
  const folder = unitFolder(context, unit.index);
  const out = unitPaths.out(folder);
  const { judged, statements } = judgeExecuted(context, unit, how);
  if (judged.cells.length === 0 && how.incomplete !== null) return { judged, run: null };
  const run = writeResult({
    store,
    parent: unit.parent,
    out,
    temporary: join(folder, "sealed"),
    judged,
    directive: replayDirective(context, unit, { ...how, judged, statements }),
    started: how.started,
    ended: how.ended,
    announce: (id) => writeFileSync(announcedFile(folder), id),
  });
  for (const { record, occurrence } of judged.cells) {
    const key = valueKey(record.path, record.name);
    how.have.set(key, Math.max(how.have.get(key) ?? 0, occurrence + 1));
  }
  const elsewhere = measureHost({ store, parent: storePaths.run(store, unit.parent.run), out });
  const times = elsewhere ? { ...judged.times, elsewhere } : judged.times;
  return { judged: { ...judged, times }, run };
}

/** What the process of a unit left, and what is known of the statements since. */
export function judgeExecuted(
  context: ReplayContext,
  unit: ReplayUnit,
  how: { readonly outcome: ReplayOutcome | null; readonly have: ValueCounts },
): { readonly judged: Judged; readonly statements: Plan["statements"] } {
  const { store } = context.project;
  const folder = unitFolder(context, unit.index);
  const out = unitPaths.out(folder);
  const fresh = readFreshResults(out);
  const orders = readOrders(folder) ?? unitOrders(context, unit);
  const statements = statementsOfRun(context, unit.ofRun)
    .map(fresh.judged)
    .map((one) => withNotCompared(one, orders.parent, orders.varying))
    .map((one) => withFailures(one, how.outcome, orders));
  const judged = judgeUnit({
    parent: storePaths.run(store, unit.parent.run),
    out,
    orders,
    outcome: how.outcome,
    isFresh: fresh.isOfRun,
    statements,
    unsure: namesWith(statements, ({ unsure }) => unsure !== undefined),
    unconfirmed: namesWith(statements, ({ mayChange }) => mayChange !== undefined),
    computed: computedNames(context, unit, statements),
    ranges: unit.planned.ranges,
    part: unit.planned.part,
    have: how.have,
    ...(context.tolerance === undefined ? {} : { tolerance: context.tolerance }),
  });
  return { judged, statements };
}

/** Where one part of a question threw, others that needed it may have used what was left of before. */
function withFailures(
  statement: PlannedStatement,
  outcome: ReplayOutcome | null,
  { probes }: Pick<Orders, "probes">,
): PlannedStatement {
  const [failure] = outcome?.failures ?? [];
  if (failure === undefined || probes.length < 2) return statement;
  return { ...statement, unsure: [...(statement.unsure ?? []), failure] };
}

function replayDirective(
  context: ReplayContext,
  unit: ReplayUnit,
  how: {
    readonly judged: Judged;
    readonly statements: Plan["statements"];
    readonly started: Date;
    readonly ended: Date;
    readonly incomplete: string | null;
  },
): ReplayDirective {
  const { ofRun, planned, ordinal, parent, gpu } = unit;
  const { judged, statements } = how;
  const doubts = describeDoubts(judged.cells, statements);
  const texts = JSON.stringify(overlaysOfRun(context, unit));
  const landing = landingOf(context.plan, ofRun);
  const landed = landing && landedAs(landing);
  const isolation = context.isolationOf(unit);
  const overlays = createHash("sha256").update(texts).digest("hex");
  return {
    replay: context.replay,
    unit: ordinal,
    scan: ofRun.scan,
    ranges: planned.ranges,
    ...(planned.part ? { part: planned.part, parts: ofRun.units.length } : {}),
    names: namesOfRun(context, ofRun),
    statements,
    ...(landed ? { landing: landed } : {}),
    from_checkpoint: planned.checkpoints[0] ?? null,
    share: ofRun.share,
    compared: judged.compared,
    first_difference: judged.first,
    ...(Object.keys(doubts).length === 0 ? {} : { doubts }),
    predicted_s: planned.seconds,
    actual_s: (how.ended.getTime() - how.started.getTime()) / 1000,
    commit: parent.version?.commit ?? null,
    overlays,
    incomplete: how.incomplete,
    ...(gpu === undefined ? {} : { gpu }),
    ...(isolation === null ? {} : { isolation }),
    ...(context.tolerance === undefined ? {} : { tolerance: context.tolerance }),
  };
}

function announcedFile(folder: string): string {
  return join(folder, "announced");
}

/** A result that appeared just before its replayer was killed. */
export function announcedResult(
  context: ReplayContext,
  index: number,
): { run: string; isComplete: boolean } | undefined {
  const file = announcedFile(unitFolder(context, index));
  if (!existsSync(file)) return undefined;
  const run = readFileSync(file, "utf8");
  const folder = storePaths.run(context.project.store, run);
  if (run === "" || !existsSync(folder)) return undefined;
  const { directive } = readManifest(folder);
  return { run, isComplete: (directive as ReplayDirective).incomplete === null };
}

/** Counts the values of results, of which the runs are given. */
export function countValues(store: string, results: readonly string[]): ValueCounts {
  const have: ValueCounts = new Map();
  for (const run of results) {
    for (const line of readLines(runPaths.log(storePaths.run(store, run)), '{"k":"log"')) {
      const key = valueKey(line["path"] as LoopPath, String(line["name"]));
      have.set(key, (have.get(key) ?? 0) + 1);
    }
  }
  return have;
}
