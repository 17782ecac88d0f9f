/** @file The tree of loop entries of a run, put together from its records and its profile. */
import type {
  EnterRecord,
  LoopExit,
  LoopPath,
  PathElement,
  ProfileRecord,
  SiteRecord,
} from "../../format/index.ts";
import { formatPath, pathElement } from "../../format/index.ts";
import type { LoopEntry, LoopSite } from "../../planner/index.ts";
import type { LoopLeft, StructuralLines } from "./structural-lines.ts";

type IterationsRecord = Extract<ProfileRecord, { k: "iterations" }>;

/** What a loop entry is while its records are read. */
interface OpenEntry extends LoopEntry {
  iterations: number;
  how: LoopExit | null;
  draws: LoopEntry["draws"];
  pending: readonly string[];
  outlasts: boolean;
  elapsedMs: number | null;
  readonly enteredAt: number;
  /** It was open when a process ended and another went on. */
  resumed: boolean;
  readonly children: Map<number, OpenEntry[]>;
  readonly times: { next: number[]; head: number[]; inner: number[]; tail: number[] };
}

/** Iterations of an entry whose times are kept; a loop of so many is as its first ones are. */
const TIMES_MAX = 100_000;

export class LoopTree {
  readonly #outermost: OpenEntry[] = [];
  readonly #byKey = new Map<string, OpenEntry>();
  readonly #sites: ReadonlyMap<number, SiteRecord>;

  constructor(log: StructuralLines) {
    this.#sites = log.sites;
    for (const record of log.events) {
      if (record.k === "enter") this.#addEntry(record);
      else if (record.k === "exit") this.#closeEntry(record);
      else this.#markResumed();
    }
    this.reached(log.lastPath);
  }

  entries(): readonly LoopEntry[] {
    for (const entry of this.#byKey.values()) padTimes(entry);
    return this.#outermost;
  }

  /** Something happened at this path: loops that never ended came at least so far. */
  reached(path: LoopPath): void {
    for (const [depth, [, index]] of path.entries()) {
      const entry = this.#byKey.get(entryKey(path.slice(0, depth + 1)));
      if (!entry || entry.how !== null || index === "end") continue;
      entry.iterations = Math.max(entry.iterations, index + 1);
    }
  }

  addTimes({ path, loop, entry, from, next, head, inner, tail, each }: IterationsRecord): void {
    const known = this.#byKey.get(entryKey([...path, pathElement(loop, "end", entry)]));
    if (!known) return;
    const { times } = known;
    let index = from;
    for (let at = 0; at < next.length; at++) {
      const past = index + (each?.[at] ?? 1);
      for (; index < Math.min(past, TIMES_MAX); index++) {
        times.next[index] = next[at] ?? 0;
        times.head[index] = head[at] ?? 0;
        times.inner[index] = inner?.[at] ?? 0;
        times.tail[index] = tail?.[at] ?? 0;
      }
      index = past;
    }
    if (known.how === null) known.iterations = Math.max(known.iterations, index);
  }

  #addEntry(record: EnterRecord): void {
    const { path, loop, entry: ordinal, seq } = record;
    const key = entryKey([...path, pathElement(loop, "end", ordinal)]);
    // A resumed run enters again the loops that it goes on with.
    if (this.#byKey.has(key)) return;
    const entry: OpenEntry = {
      key,
      path,
      loop,
      entry: ordinal,
      depth: path.length,
      site: siteOf(record.site === null ? undefined : this.#sites.get(record.site)),
      iterator: record.iterator,
      seq,
      ranged: record.range !== undefined,
      iterations: 0,
      how: null,
      draws: null,
      pending: [],
      outlasts: false,
      children: new Map(),
      times: { next: [], head: [], inner: [], tail: [] },
      elapsedMs: null,
      enteredAt: record.t,
      resumed: false,
    };
    this.#byKey.set(key, entry);
    this.#placeEntry(entry);
  }

  #placeEntry(entry: OpenEntry): void {
    const last = entry.path.at(-1);
    const parent = last && this.#byKey.get(entryKey(entry.path));
    if (!last) this.#outermost.push(entry);
    if (!parent || last[1] === "end") return;
    const [, index] = last;
    const siblings = parent.children.get(index);
    if (siblings) siblings.push(entry);
    else parent.children.set(index, [entry]);
    if (parent.how === null) parent.iterations = Math.max(parent.iterations, index + 1);
    this.#noteOutlasting(parent, index);
  }

  /** Entries of earlier iterations that are still open now have been put aside by the iterator. */
  #noteOutlasting(parent: OpenEntry, index: number): void {
    for (const sibling of parent.children.get(index - 1) ?? []) {
      if (sibling.how === null) sibling.outlasts = true;
    }
  }

  /** Another process goes on: of the loops that are open, it will have seen only a part. */
  #markResumed(): void {
    for (const entry of this.#byKey.values()) if (entry.how === null) entry.resumed = true;
  }

  #closeEntry(record: LoopLeft): void {
    const { path, loop, entry: ordinal, how, iterations, draws, pending, t, lastPath } = record;
    const entry = this.#byKey.get(entryKey([...path, pathElement(loop, "end", ordinal)]));
    if (!entry) return;
    Object.assign(entry, { how, iterations, pending: pending ?? [] });
    entry.draws = entry.resumed ? null : draws;
    entry.elapsedMs = (t - entry.enteredAt) / 1000;
    if (isLater(lastPath, path)) entry.outlasts = true;
  }
}

/** Whether `reached` is a later iteration of the loop whose iteration `path` is. */
function isLater(reached: LoopPath, path: LoopPath): boolean {
  const around = path.at(-1);
  const there = reached[path.length - 1];
  if (!around || !there || entryKey(path) !== entryKey(reached.slice(0, path.length))) return false;
  return Number(there[1]) > Number(around[1]);
}

/** The path of the end of the loop whose iteration is given, as text. */
function entryKey(path: LoopPath): string {
  const last = path.at(-1);
  if (!last) return "";
  const end: PathElement = pathElement(last[0], "end", last[2] ?? 0);
  return formatPath([...path.slice(0, -1), end]);
}

function siteOf(record: SiteRecord | undefined): LoopSite | null {
  if (!record) return null;
  const { file, line, column, endLine, endColumn } = record;
  return {
    file,
    line,
    column,
    ...(endLine === undefined ? {} : { endLine }),
    ...(endColumn === undefined ? {} : { endColumn }),
  };
}

/** A process that was killed has not written the times of its last iterations. */
function padTimes({ iterations, times }: OpenEntry): void {
  for (const list of [times.next, times.head, times.inner, times.tail]) {
    for (let index = 0; index < Math.min(iterations, TIMES_MAX); index++) list[index] ??= NaN;
  }
}
