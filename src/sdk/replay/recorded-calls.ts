/** @file Results of calls that a run recorded (`log/call-results.ts`), for its replays. */
import type { CalledRecord, CallsRecord, LoopPath, Record } from "../../format/index.ts";
import { pathElement } from "../../format/index.ts";

/** A result, as JSON. */
export interface GivenResult {
  readonly value: unknown;
}

/** A call, and where it is made. */
export interface AskedCall {
  /** The calls of its file, as they are here. */
  readonly calls: Pick<CallsRecord, "file" | "sites" | "clocks">;
  /** Its number among those of the run; undefined: the run did not have it. */
  readonly site: number | undefined;
  /** JSON of the path of the iteration, without the outer brackets. */
  readonly path: string;
}

interface Results {
  readonly values: unknown[];
  /** How many were given. */
  taken: number;
}

interface FileResults {
  readonly known: CallsRecord;
  readonly off: Set<number>;
  /** By site and path. */
  readonly results: Map<string, Results>;
}

export class RecordedCalls {
  readonly #files = new Map<string, FileResults>();
  /** Of one clock not all is recorded: durations between it and the others would be nonsense. */
  readonly #lacksClock: boolean;

  constructor(records: Iterable<Record>) {
    for (const record of records) {
      if (record.k === "calls" && !this.#files.has(record.file)) {
        this.#files.set(record.file, { known: record, off: new Set(), results: new Map() });
      }
      if (record.k === "called") this.#add(record);
    }
    this.#lacksClock = [...this.#files.values()].some(({ known, off }) =>
      known.clocks.some((clock) => off.has(clock)),
    );
  }

  #add({ file, path, results, off = [] }: CalledRecord): void {
    const known = this.#files.get(file);
    if (!known) return;
    for (const site of off) known.off.add(site);
    let [at, text] = [path, pathText(path)];
    for (const one of results) {
      if (typeof one === "number") {
        at = later(at, one);
        text = pathText(at);
        continue;
      }
      const key = `${one[0]} ${text}`;
      const found = known.results.get(key);
      if (found) found.values.push(one[1]);
      else known.results.set(key, { values: [one[1]], taken: 0 });
    }
  }

  /** The next result of a call at its place, or why there is none. */
  take({ calls, site, path }: AskedCall): GivenResult | { readonly why: string } {
    if (site === undefined) return { why: "what is asked makes the call" };
    const known = this.#files.get(calls.file);
    if (!known) return { why: "the run has recorded no results" };
    if (!isSame(known.known, calls)) return { why: "the run had other calls in this file" };
    if (known.off.has(site)) return { why: "the run has not recorded all of its results" };
    if (this.#lacksClock && calls.clocks.includes(site)) {
      return { why: "the run has not recorded all results of its clocks" };
    }
    const found = known.results.get(`${site} ${path}`);
    if (!found || found.taken >= found.values.length) {
      return { why: "the run has recorded no result of it here" };
    }
    return { value: found.values[found.taken++] };
  }
}

function isSame(known: CallsRecord, calls: AskedCall["calls"]): boolean {
  return JSON.stringify(known.sites) === JSON.stringify(calls.sites);
}

function pathText(path: LoopPath): string {
  return JSON.stringify(path).slice(1, -1);
}

/** The path of a later iteration of its innermost loop. */
function later(path: LoopPath, step: number): LoopPath {
  const last = path.at(-1);
  if (!last || typeof last[1] !== "number") return path;
  return [...path.slice(0, -1), pathElement(last[0], last[1] + step, last[2] ?? 0)];
}
