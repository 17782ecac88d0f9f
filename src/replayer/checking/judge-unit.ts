/**
 * @file What a unit gave, from the files that its process left: the asked values with their marks.
 * Works on what a killed process has written so far.
 */
import { existsSync } from "node:fs";
import type {
  Box,
  LogRecord,
  LoopPath,
  Manifest,
  Orders,
  PlannedStatement,
  ProfileRecord,
  ReachedRecord,
  ReplayOutcome,
  SiteRecord,
  Span,
  UnitPart,
} from "../../format/index.ts";
import { asInProject, formatPath, loopEndOf } from "../../format/index.ts";
import { readManifest, runPaths } from "../../store/index.ts";
import type { AskedNameOf } from "./asked-values.ts";
import { askedValues, isOn, isOpen } from "./asked-values.ts";
import type { Checked, CheckedCell } from "./check-replay.ts";
import { checkReplay, valueKey } from "./check-replay.ts";
import { compareValues, TOLERANCE } from "./compare-values.ts";
import type { Line } from "../recorded/raw-log.ts";
import type { HostTimes } from "./measure-host.ts";
import { parseLine, readLines, readTexts } from "../recorded/raw-log.ts";
import { readRecordedValues } from "../recorded/recorded-values.ts";
import { ValueBytes } from "../recorded/value-bytes.ts";

export interface JudgeOptions {
  /** Folder of the run that was asked. */
  readonly parent: string;
  /** What the process wrote. */
  readonly out: string;
  readonly orders: Pick<
    Orders,
    "names" | "probes" | "courses" | "tree" | "varying" | "varyingFresh"
  >;
  /** A call of the run got a new result. */
  readonly isFresh?: boolean;
  readonly outcome: ReplayOutcome | null;
  /** Those that log the names; absent: not known. */
  readonly statements?: readonly PlannedStatement[];
  /** Names whose values are `unchecked`, whatever is equal. */
  readonly unsure?: ReadonlySet<string>;
  /** Names whose values are, unless the state was equal behind them. */
  readonly unconfirmed?: ReadonlySet<string>;
  /** Names whose values follow from what is restored, where all outermost loops are skipped. */
  readonly computed?: ReadonlySet<string>;
  /** Values outside are not kept; empty: all are. */
  readonly ranges: readonly Box[];
  /** What is kept of these; absent: all. */
  readonly part?: UnitPart | undefined;
  /** How many values other units have given, by `valueKey`. */
  readonly have: ReadonlyMap<string, number>;
  readonly tolerance?: number;
}

export interface Judged extends Checked {
  /** Places in the source of the values. */
  readonly sites: readonly SiteRecord[];
  readonly times: UnitTimes;
  /** Asked names that it did not log at all, not even what the run has already. */
  readonly silent: readonly SilentName[];
}

/** `reached`: a statement of it was executed, and had no value; `was`: what it printed, in words. */
export interface SilentName {
  readonly name: string;
  readonly reached: boolean;
  readonly was?: string;
  /** What it logged instead: columns of the run, whose values stay. */
  readonly ofRun?: readonly string[];
}

/** What the process spent on other things than the program, for the cost model. */
export interface UnitTimes {
  /** Milliseconds from the start of the process to the program. */
  readonly start_ms: number;
  readonly load_ms: number;
  readonly load_bytes: number;
  /** Of a run that another machine had recorded: what it took there and here. */
  readonly elsewhere?: HostTimes;
}

/** Compares what the process logged with the record. */
export function judgeUnit(options: JudgeOptions): Judged {
  const { parent, out, orders, ranges, part, have, isFresh = false } = options;
  const varying = isFresh ? (orders.varyingFresh ?? orders.varying) : orders.varying;
  const lines = [...readTexts(runPaths.log(out))].flatMap(
    (text) => parseLine(asInProject(text, orders.tree)) ?? [],
  );
  const { replayed, askedNameOf } = askedValues(lines, orders.names, options.statements ?? []);
  using recordedBytes = new ValueBytes(parent);
  using replayedBytes = new ValueBytes(out);
  const comparing = {
    tolerance: options.tolerance ?? TOLERANCE,
    recordedBytes: recordedBytes.read.bind(recordedBytes),
    replayedBytes: replayedBytes.read.bind(replayedBytes),
  };
  const checked = checkReplay({
    recorded: readRecordedValues(parent, replayed),
    replayed,
    askedNameOf,
    ...(options.unsure ? { unsure: options.unsure } : {}),
    ...(options.unconfirmed ? { unconfirmed: options.unconfirmed } : {}),
    ...(options.computed && isSameMachine(parent, out) ? { computed: options.computed } : {}),
    probes: orders.probes,
    varying: varying?.logs ?? [],
    directed: new Set(orders.courses.map(({ entry }) => entry)),
    outcome: options.outcome,
    compare: (before, after) => compareValues(before, after, comparing),
  });
  const isKept = ({ record, occurrence }: CheckedCell): boolean =>
    isInRanges(record.path, ranges) &&
    (!part || isInPart(record.path, part)) &&
    occurrence >= (have.get(valueKey(record.path, record.name)) ?? 0);
  const cells = checked.cells.filter(isKept);
  return {
    ...checked,
    cells,
    sites: sitesOfCells(cells, replayed),
    times: readUnitTimes(out),
    silent: silentNames(askedNameOf, replayed, { ...options, cells: checked.cells }),
  };
}

function silentNames(
  askedNameOf: AskedNameOf,
  replayed: readonly Line[],
  { orders: { names }, statements = [], cells }: JudgeOptions & Pick<Checked, "cells">,
): SilentName[] {
  const logs = replayed.filter(({ k }) => k === "log") as unknown as LogRecord[];
  const logged = new Set(logs.map(askedNameOf));
  const exact = new Set(logs.map(({ name }) => name));
  const found = new Set(cells.map(({ record }) => askedNameOf(record)));
  const sites = replayed.filter(({ k }) => k === "site") as unknown as SiteRecord[];
  const reached = replayed.filter(({ k }) => k === "reached") as unknown as ReachedRecord[];
  return names.flatMap((name): SilentName[] => {
    const own = statements.filter((one) => one.name === name);
    const places = sites.filter((site) => own.some((one) => isOn(one, site)));
    const of = { name, reached: places.length > 0 };
    if (!logged.has(name)) {
      const told = reached.find(({ site: at }) => places.some(({ site }) => site === at));
      return [told ? { ...of, was: told.was } : of];
    }
    if (found.has(name) || exact.has(name) || !own.some(isOpen)) return [];
    const theirs = logs.filter((log) => askedNameOf(log) === name).map((log) => log.name);
    return [{ ...of, ofRun: [...new Set(theirs)] }];
  });
}

/** Whether the same code computes the same to the bit: with the same packages, on as many cores. */
function isSameMachine(parent: string, out: string): boolean {
  // A process that was killed at its start has written none.
  if (!existsSync(runPaths.manifest(out))) return false;
  const factsOf = ({ host, versions, hashSeed, ranks }: Manifest): string => {
    const { name, platform, arch, cpus } = host;
    return JSON.stringify([name, platform, arch, cpus, sorted(versions), hashSeed ?? null, ranks]);
  };
  return factsOf(readManifest(parent)) === factsOf(readManifest(out));
}

function sorted(versions: Manifest["versions"]): readonly (readonly [string, string])[] {
  return Object.entries(versions).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** A path without a loop that a range speaks of is not outside of it. */
function isInRanges(path: LoopPath, ranges: readonly Box[]): boolean {
  const isIn = (box: Box): boolean =>
    path.every(([loop, index]) => {
      const range = Object.hasOwn(box, loop) ? box[loop] : undefined;
      return !range || index === "end" || (index >= range[0] && index <= range[1]);
    });
  return ranges.length === 0 || ranges.some(isIn);
}

/** Whether a value at a path is the unit's own, where several share what is asked. */
export function isInPart(path: LoopPath, { spans, rest }: UnitPart): boolean {
  return spans.some((span) => isInSpan(path, span)) !== (rest === true);
}

function isInSpan(path: LoopPath, { entry, from, to, own }: Span): boolean {
  if (entry === null) return path.length === 0;
  const at = path.findIndex(
    (_, depth) => formatPath(loopEndOf(path.slice(0, depth + 1))) === entry,
  );
  const index = path[at]?.[1];
  if (index === undefined || (own && at < path.length - 1)) return false;
  return index !== "end" && index >= from && (to === null || index <= to);
}

function sitesOfCells(cells: readonly CheckedCell[], replayed: readonly Line[]): SiteRecord[] {
  const used = new Set(cells.map(({ record }) => record.site));
  const sites = replayed.filter(({ k }) => k === "site") as unknown as SiteRecord[];
  return sites.filter(({ site }) => used.has(site));
}

function readUnitTimes(out: string): UnitTimes {
  const times = { start_ms: 0, load_ms: 0, load_bytes: 0 };
  for (const line of readLines(runPaths.profile(out))) {
    const record = line as unknown as ProfileRecord;
    if (record.k === "start" || record.k === "setup") times.start_ms += record.ms;
    if (record.k !== "load") continue;
    times.load_ms += record.ms;
    times.load_bytes += record.bytes;
  }
  return times;
}
