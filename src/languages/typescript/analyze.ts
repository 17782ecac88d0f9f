/**
 * @file A program's source to its model: the loops with what they may change, and the log
 * statements with where they run (Flor §3.1; semantics, "Captured state").
 */
import type {
  LoopLeftAlone,
  ProbePlace,
  RunMode,
  SourcePlace,
  Varying,
} from "../../format/index.ts";
import { LOOPS_NOT_INSIDE_THEMSELVES } from "../../format/index.ts";
import type { SourceLog, SourceLoop, SourceModel } from "../source-model.ts";
import type { AnalysisOptions } from "../language.ts";
import {
  changesAt,
  changesOfLoop,
  holdersOf,
  iteratorOfLoop,
  runningWith,
} from "./analysis/changes/loop-changes.ts";
import type {
  FileUnit,
  LogSite,
  LoopSite,
  LoweredFunction,
  Span,
  TimedSpan,
} from "./analysis/lowering/ir.ts";
import { doubtfulFits } from "./analysis/lowering/fit-calls.ts";
import { concurrentFunctions } from "./analysis/changes/concurrent-functions.ts";
import { recursiveLoops } from "./analysis/changes/recursive-loops.ts";
import type { PartEffect } from "./analysis/changes/effect-of-part.ts";
import { effectOfPart } from "./analysis/changes/effect-of-part.ts";
import { selectLoops } from "./analysis/changes/select-loops.ts";
import { outsideCalls } from "./analysis/changes/outside-calls.ts";
import { findTrivialLoops } from "./analysis/changes/trivial-loops.ts";
import type { Linked } from "./analysis/solving/link-files.ts";
import { linkProgram } from "./analysis/solving/link-files.ts";
import { logChangesState } from "./analysis/changes/reachable-objects.ts";
import type { Parts } from "./analysis/changes/part-effects.ts";
import { partEffects, partsIn } from "./analysis/changes/part-effects.ts";
import { nameLoops } from "./analysis/changes/loop-names.ts";
import type { CallPath } from "./analysis/changes/call-paths.ts";
import { isBefore, CallPaths } from "./analysis/changes/call-paths.ts";
import { unchangedNames } from "./analysis/changes/unchanged-names.ts";
import { Solver } from "./analysis/solving/solver.ts";
import { SolvedProgram } from "./analysis/changes/solved-program.ts";
import type { CallSite } from "./nondeterminism/call-sites.ts";
import { callSitesOf } from "./nondeterminism/call-sites.ts";
import type { LogChance, LogVarying, VaryingState } from "./nondeterminism/depends-on-chance.ts";
import { dependsOnChance } from "./nondeterminism/depends-on-chance.ts";
import { isSkeleton, skeletonText } from "./libraries/loop-skeletons.ts";
import { computedLogs } from "./restored/only-computes.ts";
import { unseenFunctions } from "./analysis/changes/unseen-objects.ts";
import { withoutOverlooked } from "./analysis/changes/overlook.ts";
import { Lines } from "../lines.ts";

type Read = (file: string) => string | undefined;

/**
 * Contexts are cut down when the work in them gets too much: less precise, as safe. The examples
 * take 1,500 to 8,000 steps, of 2 to 5 microseconds each.
 */
const ATTEMPTS = [
  { depth: 2, stepsMax: 150_000 },
  { depth: 1, stepsMax: 150_000 },
  { depth: 0, stepsMax: 1_500_000 },
] as const;
const TOO_MUCH = "what the program's values may be takes too long to follow";

/** A program as the rewriting needs it: its model, and its files as they were walked. */
export interface AnalyzedProgram {
  readonly model: SourceModel;
  readonly units: ReadonlyMap<string, AnalyzedFile>;
  /** Calls whose results are recorded, by file. */
  readonly callSites: ReadonlyMap<string, readonly ProgramCallSite[]>;
  /** Calls of packages, which a recording times, by file. */
  readonly outsideCalls: ReadonlyMap<string, readonly TimedSpan[]>;
  /** What statements of a question may do to the run that stand there. */
  readonly effectOfPart: (unit: FileUnit, span: Span) => PartEffect;
}

export interface ProgramCallSite extends CallSite {
  /** It may run beside the program: which result is which, nobody can tell. */
  readonly isConcurrent: boolean;
}

export interface AnalyzedFile {
  readonly text: string;
  readonly unit: FileUnit;
}

/**
 * The model of a program. Files are named relative to the project's root; `read` gives their text,
 * undefined for one that is not there. What cannot be followed is in `uncertain`; never throws on
 * what a source file says.
 */
export function analyzeProgram(
  entry: string,
  read: Read,
  { probes = [], ...mode }: AnalysisOptions = { handsFree: false },
): SourceModel {
  const analyzed = analyzeFiles(entry, read, mode, probes);
  const known = withChance(analyzed, mode);
  return { ...known, logs: withComputed(known, analyzed.units) };
}

/** The model with what may be another from one execution to the next. */
function withChance({ model, units, callSites }: AnalyzedProgram, mode: RunMode): SourceModel {
  const files = [...units].map(([file, { text, unit }]) => {
    const variables = unit.bindings.map(({ name, key, scope: { start, end } }) => {
      return { name, key, start, end };
    });
    const calls = (callSites.get(file) ?? []).filter(({ isConcurrent }) => !isConcurrent);
    return [file, { text, calls, logs: unit.logs.map(({ at }) => at), variables }] as const;
  });
  const placed = new SourcePlaces(new Map(files.map(([file, { text }]) => [file, text])));
  const { logs: found, given, fresh } = dependsOnChance(new Map(files), mode);
  const byPlace = new Map(
    [...found].map(([key, chance]) => {
      const [, file = "", at = "0"] = /^(.*):(\d+)$/s.exec(key) ?? [];
      return [JSON.stringify(placed.at(file, Number(at))), chance];
    }),
  );
  const chanceOf = ({ file, line, column }: SourceLog): LogChance | undefined =>
    byPlace.get(JSON.stringify({ file, line, column }));
  const byCall = new Map(model.logs.map((log) => [JSON.stringify(spanOfLog(log)), log]));
  const varyingOf = (how: "given" | "fresh", state: VaryingState): Varying | undefined => {
    const logs = [...byCall.values()].flatMap((log) => {
      const { varies = false, except = [] } = chanceOf(log)?.[how] ?? {};
      return varies ? [{ ...spanOfLog(log), ...(except.length > 0 ? { except } : {}) }] : [];
    });
    const { places, fields, generators } = state;
    const isAny = generators ?? [logs, places, fields].some(({ length }) => length > 0);
    return isAny ? { ...state, logs } : undefined;
  };
  const varying = varyingOf("given", given);
  const varyingFresh = varyingOf("fresh", fresh);
  return {
    ...model,
    logs: model.logs.map((log) => withCauses(log, chanceOf(log))),
    ...(varying ? { varying } : {}),
    ...(varyingFresh ? { varyingFresh } : {}),
  };
}

/** A log statement with what its value depends on; of several values, those of its name. */
function withCauses(log: SourceLog, chance: LogChance | undefined): SourceLog {
  if (!chance) return log;
  const isFree = ({ except }: LogVarying): boolean => except.includes(log.name ?? "");
  const calls = isFree(chance.fresh)
    ? []
    : chance.causes.flatMap(({ words, call }) => (call ? [{ ...call, words }] : []));
  const others = isFree(chance.given)
    ? []
    : chance.causes.flatMap(({ words, call }) => (call ? [] : [words]));
  return {
    ...log,
    ...(others.length > 0 ? { causes: [...(log.causes ?? []), ...others] } : {}),
    ...(calls.length > 0 ? { calls } : {}),
  };
}

/** Where a log statement stands, to its last line. */
function spanOfLog({ file, line, column, text }: SourceLog): ProbePlace {
  const lines = text.split("\n");
  const last = lines.at(-1) ?? "";
  if (lines.length === 1) return { file, line, column };
  return { file, line, column, end: { line: line + lines.length - 1, column: last.length + 1 } };
}

/** Log statements with whether their values follow from what is restored at the ends of the loops. */
function withComputed(
  { logs, loops, uncertain }: SourceModel,
  units: ReadonlyMap<string, AnalyzedFile>,
): SourceLog[] {
  if (uncertain.length > 0) return [...logs];
  const texts = new Map([...units].map(([file, { text }]) => [file, text]));
  const lines = new Map([...texts].map(([file, text]) => [file, new Lines(text)]));
  const offsetOf = ({ file, line, column }: SourcePlace): number =>
    (lines.get(file)?.startOf(line) ?? 0) + column - 1;
  const restored = loops
    .filter(({ form }) => form === "for" || form === "plain")
    .map((loop) => {
      const held = loop.changes.filter(({ access }) => access !== "out-of-reach");
      const names = new Set(held.map(({ name }) => name));
      return { file: loop.file, at: offsetOf(loop), names };
    });
  const outside = logs
    .filter(({ chain, certain, causes, calls }) => {
      return chain.length === 0 && certain && !causes && !calls;
    })
    .map((log) => ({ file: log.file, at: offsetOf(log), log }));
  const computed = new Set([...computedLogs(texts, restored, outside)].map(({ log }) => log));
  return logs.map((log) => (computed.has(log) ? { ...log, computes: true } : log));
}

/** The same, for who rewrites the files as well: none is parsed twice. */
export function analyzeFiles(
  entry: string,
  read: Read,
  options: RunMode,
  probes: readonly ProbePlace[] = [],
): AnalyzedProgram {
  const texts = new Map<string, string>();
  const remember: Read = (file) => {
    const text = texts.get(file) ?? (isSkeleton(file) ? skeletonText(file) : read(file));
    if (text !== undefined) texts.set(file, text);
    return text;
  };
  const linked = linkProgram(entry, remember, options);
  const all = [...linked.units.values()];
  const loops = all.flatMap((unit) => unit.loops);
  const forgotten = options.handsFree ? [...findTrivialLoops(linked), ...doubtfulFits(all)] : [];
  const solution = loops.length > 0 || hasLogs(linked) ? solve(linked) : undefined;
  const sites = loops.filter((site) => !forgotten.includes(site));
  const concurrent = solution ? concurrentFunctions(solution.solver, sites) : new Set<never>();
  if (options.handsFree) {
    const isByRules = (options.loopRules ?? 0) >= LOOPS_NOT_INSIDE_THEMSELVES;
    const recursive =
      solution && isByRules ? recursiveLoops(solution.solver, all) : new Set<never>();
    selectLoops(linked, { forgotten: new Set(forgotten), concurrent, recursive });
    nameLoops(all, options.loopRules);
  }
  const placed = new SourcePlaces(texts);
  const units = new Map(
    [...linked.units].map(([file, unit]) => [file, { unit, text: texts.get(file) ?? "" }]),
  );
  const left = options.handsFree ? { ...options, leftAlone: leftAlone(linked, placed) } : {};
  const parts = partsIn(units, probes);
  const model = { ...modelOf(entry, { linked, solution, concurrent, parts }, placed), ...left };
  const callSites = new Map(
    [...units].map(([file, { text, unit }]) => {
      return [file, solution ? programCallSites(text, unit, concurrent) : []];
    }),
  );
  const outside = options.handsFree && solution ? outsideCalls(solution.solver) : new Map();
  // What could not be followed may do anything.
  const solver = model.uncertain.length > 0 ? undefined : solution?.solver;
  const effect = (unit: FileUnit, span: Span): PartEffect =>
    solver ? effectOfPart(solver, unit, span) : "any";
  return { model, units, callSites, outsideCalls: outside, effectOfPart: effect };
}

function programCallSites(
  text: string,
  unit: FileUnit,
  concurrent: ReadonlySet<LoweredFunction>,
): ProgramCallSite[] {
  const sites = callSitesOf(unit.file, text);
  if (sites.length === 0) return [];
  const beside = unit.loweredFunctions.filter((one) => concurrent.has(one)).map(extentOf);
  return sites.map((site) => {
    const isConcurrent = beside.some(({ start, end }) => start <= site.start && site.start <= end);
    return { ...site, isConcurrent };
  });
}

/** From the first to the last thing that a function does. */
function extentOf({ ops, statements }: LoweredFunction): { start: number; end: number } {
  const starts = [...ops.map(({ at }) => at), ...statements.map(({ start }) => start)];
  const ends = [...ops.map(({ at }) => at), ...statements.map(({ end }) => end)];
  return {
    start: starts.reduce((a, b) => Math.min(a, b), Infinity),
    end: ends.reduce((a, b) => Math.max(a, b), -Infinity),
  };
}

function leftAlone({ units }: Linked, placed: SourcePlaces): LoopLeftAlone[] {
  return [...units.values()].flatMap(({ file, leftAlone: left }) =>
    left.map(({ at, why }) => ({ ...placed.at(file, at), why })),
  );
}

interface Solution {
  readonly solver: Solver;
  readonly complete: boolean;
}

interface Followed {
  readonly linked: Linked;
  /** Undefined: it has neither loops nor log statements. */
  readonly solution: Solution | undefined;
  /** Functions that may run beside the program. */
  readonly concurrent: ReadonlySet<LoweredFunction>;
  /** What was added to ask. */
  readonly parts: Parts;
}

function modelOf(
  entry: string,
  { linked, solution, concurrent, parts }: Followed,
  placed: SourcePlaces,
): SourceModel {
  const sites = [...linked.units.values()].flatMap(({ loops }) => loops);
  const files = [...linked.units.keys()].filter((file) => !isSkeleton(file));
  if (!solution) {
    return { files, loops: [], logs: [], uncertain: uncertainties(linked, undefined, placed) };
  }
  const solved = new SolvedProgram(linked, solution.solver, holdersOf(solution.solver));
  const added = parts.size > 0 ? partEffects(solved, parts) : undefined;
  const loops = sites.map((site, id) => {
    const loop = asLoop(solved, site, { id, sites, placed, concurrent });
    return added ? { ...loop, changedByParts: changesAt(solved, site, () => added) } : loop;
  });
  const uncertain = uncertainties(linked, solved, placed);
  if (!solution.complete) uncertain.push(TOO_MUCH);
  return { files, loops, logs: logsOf(solved, entry, { sites, placed, concurrent }), uncertain };
}

function hasLogs({ units }: Linked): boolean {
  return [...units.values()].some(({ logs }) => logs.length > 0);
}

function solve(linked: Linked): Solution {
  let solver = new Solver(linked, 0);
  for (const { depth, stepsMax } of ATTEMPTS) {
    solver = new Solver(linked, depth);
    if (solver.solve(stepsMax)) return { solver, complete: true };
  }
  return { solver, complete: false };
}

/** Lines and columns of offsets, in any file. */
class SourcePlaces {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #lines = new Map<string, Lines>();

  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  at(file: string, offset: number): { file: string; line: number; column: number } {
    let lines = this.#lines.get(file);
    if (!lines) this.#lines.set(file, (lines = new Lines(this.#texts.get(file) ?? "")));
    return { file, ...lines.at(offset) };
  }

  text(file: string, offset: number): string {
    return `${file}:${this.at(file, offset).line}`;
  }
}

interface LoopContext {
  readonly id: number;
  readonly sites: readonly LoopSite[];
  readonly placed: SourcePlaces;
  readonly concurrent: ReadonlySet<LoweredFunction>;
}

function asLoop(
  solved: SolvedProgram,
  site: LoopSite,
  { id, sites, placed, concurrent }: LoopContext,
): SourceLoop {
  const { file, at, name, form, awaits, trivial, lowered } = site;
  const ordinal = sites.filter((other) => other.file === file).indexOf(site);
  const place = { id, ...placed.at(file, at), ordinal, name, form };
  const known = {
    ...place,
    ...(awaits === undefined ? {} : { awaits }),
    ...(trivial ? { trivial: true as const } : {}),
    ...(concurrent.has(lowered) ? { concurrent: true as const } : {}),
  };
  if (form !== "other") {
    const changes = withoutOverlooked(changesOfLoop(solved, site), { file, ordinal });
    const reads = unchangedNames(solved, site, changes);
    return { ...known, changes, reads, iterator: iteratorOfLoop(solved, site) };
  }
  // Nobody sees where it begins and ends: everything may change in it.
  const hidden = { key: `${file}:loop:${ordinal}`, name: `loop ${name ?? ""}`.trim() };
  const changes = [{ ...hidden, access: "out-of-reach" } as const];
  return { ...known, changes, reads: [], iterator: "dependent" };
}

function uncertainties(
  linked: Linked,
  solved: SolvedProgram | undefined,
  placed: SourcePlaces,
): string[] {
  const found = [...linked.uncertain];
  for (const unit of linked.units.values()) {
    for (const line of unit.uncertain) {
      const [, offset = "0", what = ""] = /^(\d+):([\s\S]*)$/.exec(line) ?? [];
      found.push(`${placed.text(unit.file, Number(offset))}: ${what}`);
    }
  }
  if (!solved) return found;
  for (const [place, what] of solved.solver.unfollowed) {
    const [file = "", offset = "0"] = place.split("\n");
    found.push(`${placed.text(file, Number(offset))}: ${what}`);
  }
  for (const { file, at } of unseenFunctions(solved.solver)) {
    found.push(`${placed.text(file, at)}: a function for an object that is not followed`);
  }
  const running = [...linked.units.values()]
    .flatMap(({ loops }) => loops.flatMap((site) => solved.activationsOf(site.lowered)))
    .map((activation) => runningWith(solved, activation));
  for (const activation of solved.later.keys()) {
    const place = solved.solver.later.get(activation);
    if (!place || running.every((one) => solved.isApart(activation, one))) continue;
    const { name } = activation.lowered;
    const what = name === "" ? "a function" : name;
    found.push(`${placed.text(place.file, place.at)}: ${what} changes state while nobody waits`);
  }
  return [...new Set(found)];
}

function logsOf(
  solved: SolvedProgram,
  entry: string,
  { sites, placed, concurrent }: Omit<LoopContext, "id">,
): SourceLog[] {
  const unit = solved.linked.units.get(entry);
  if (!unit) return [];
  const paths = new CallPaths(solved.solver, unit.module);
  const entries = sites.map((site) =>
    paths.to({ lowered: site.lowered, at: site.start, region: site.region?.parent ?? null }),
  );
  const hidesLoops = sites.some(({ form }) => form === "other");
  const logs = [...solved.linked.units.values()].flatMap((one) => one.logs);
  return logs.flatMap((log) =>
    placesOf(log, { solved, paths, sites, entries, hidesLoops, placed, concurrent }),
  );
}

interface LogContext {
  readonly solved: SolvedProgram;
  readonly paths: CallPaths;
  readonly sites: readonly LoopSite[];
  readonly entries: readonly { readonly paths: readonly CallPath[]; readonly complete: boolean }[];
  readonly hidesLoops: boolean;
  readonly placed: SourcePlaces;
  readonly concurrent: ReadonlySet<LoweredFunction>;
}

/** One entry for each chain of loops in which a statement runs. */
function placesOf(log: LogSite, context: LogContext): SourceLog[] {
  const { solved, paths, sites, entries, hidesLoops, placed, concurrent } = context;
  const { file, at, name, pattern, shown, text, lowered, region } = log;
  const found = paths.to({ lowered, at, region });
  const certain = found.complete && !hidesLoops && found.paths.every(({ isCertain }) => isCertain);
  const byChain = new Map<string, CallPath[]>();
  for (const path of found.paths) {
    const key = path.chain.map((site) => sites.indexOf(site)).join(" ");
    byChain.set(key, [...(byChain.get(key) ?? []), path]);
  }
  const known = {
    ...placed.at(file, at),
    name,
    ...(pattern === null ? {} : { pattern }),
    ...(shown ? { shown } : {}),
    text,
    certain,
    ...(logChangesState(solved, log) ? { changes: true as const } : {}),
    ...(concurrent.has(lowered) ? { causes: ["which of several calls comes first"] } : {}),
  };
  // Where it stands is all that is known.
  if (byChain.size === 0) {
    const chain = lexical(log, sites);
    return [{ ...known, certain: false, uncalled: true, chain, before: [] }];
  }
  return [...byChain.values()].map((ways) => ({
    ...known,
    chain: (ways[0]?.chain ?? []).map((site) => sites.indexOf(site)),
    before: certain ? entries.flatMap((entry, id) => (comesAfter(ways, entry) ? [id] : [])) : [],
  }));
}

function lexical(log: LogSite, sites: readonly LoopSite[]): number[] {
  const chain: number[] = [];
  for (let at = log.region; at; at = at.parent) if (at.site) chain.unshift(sites.indexOf(at.site));
  return chain;
}

/** Whether a loop is entered only after the statement, in every way in which both can run. */
function comesAfter(
  ways: readonly CallPath[],
  { paths, complete }: { readonly paths: readonly CallPath[]; readonly complete: boolean },
): boolean {
  const innermost = ways[0]?.chain.at(-1);
  const inside = paths.filter(({ chain }) => !innermost || chain.includes(innermost));
  if (!complete || inside.length === 0) return false;
  return ways.every((way) => inside.every((path) => isBefore(way, path)));
}
