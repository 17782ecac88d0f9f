/**
 * @file Results of calls of clocks, of entropy, of facts of the process: recorded in a run, given again
 * in its replays, so that all that depends on them is what it was. Which calls these are is decided
 * where the source is rewritten (`languages/typescript/nondeterminism/call-sites.ts`).
 *
 * A result is known by its call in the text, by the iteration in which it was made, and by how many
 * that call had given there before. Where that does not tell them apart, or a result is large, it is
 * not recorded, and none of that call's is used: a replay then says that it took new ones.
 */
import { performance } from "node:perf_hooks";
import { hasTraps } from "../../adapters/index.ts";
import type { CallsRecord, LoopPath, SourcePlace } from "../../format/index.ts";
import { valueFromJson, valueToJson } from "../../format/index.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { LoopObserver } from "../loops/loop-observer.ts";
import type { Director } from "../replay/director.ts";
import type { GivenResult } from "../replay/recorded-calls.ts";
import type { RunParts } from "../run-parts.ts";
import { framePath, presentIndex } from "./recorder.ts";

/** A call in rewritten source; `path` is null where the run did not have it. */
export type CallSiteTuple = readonly [
  line: number,
  column: number,
  path: string | null,
  flags: number,
];

/** Flags of a site: it is a clock; it may run beside the program, so that its results do not come here. */
const CLOCK = 1;
const BESIDE = 2;

/** Results of one call that are recorded; a loop that waits for a clock asks it millions of times. */
const RESULTS_MAX = 100_000;
/** Characters of all lines of a run. */
const LINES_MAX = 4_000_000;
/** Of a line, besides its results. */
const LINE_HEAD = 100;
/** Of one result. */
const RESULT_MAX = 2048;
/** Of a line of the log. */
const LINE_MAX = 8192;
/** One call in so many is timed. */
const TIMED = 128;

export interface CallResultsOptions {
  /** The innermost loop, without disturbing it. */
  readonly frame: () => LoopFrame | undefined;
  /** Whether a statement is being executed that the run did not have. */
  readonly isProbing: () => boolean;
  readonly director: Director | undefined;
  /** Does something that may fail, and hides that from the program. */
  readonly safely: (work: () => void) => void;
}

export class CallResults implements LoopObserver {
  readonly #parts: RunParts;
  readonly #options: CallResultsOptions;
  readonly #files: FileCalls[] = [];
  #written = 0;
  #calls = 0;
  #isOff = false;

  constructor(parts: RunParts, options: CallResultsOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** What takes the results of the calls of a file, each by its number, and says what to use. */
  forFile(
    file: string,
    sites: readonly CallSiteTuple[],
  ): (site: number, value: unknown) => unknown {
    if (sites.length === 0) return (_, value) => value;
    const calls = new FileCalls(file, sites);
    this.#files.push(calls);
    const isReplay = this.#options.director?.comparing === true;
    const places = sites.flatMap(([line, column, , flags]) =>
      (flags & BESIDE) === 0 ? [[line, column] as const] : [],
    );
    const known = { file, sites: calls.own, clocks: calls.clocks };
    this.#parts.recorder.emit({ k: "calls", ...known, ...(isReplay ? { places } : {}) });
    return (site, value) => {
      let result = value;
      this.#options.safely(() => {
        result = this.#take(calls, site, value);
      });
      return result;
    };
  }

  #take(calls: FileCalls, site: number, value: unknown): unknown {
    const { director } = this.#options;
    const isRepeating = director && (director.comparing || director.isOnTheWay);
    return isRepeating ? this.#give(director, calls, site, value) : this.#keep(calls, site, value);
  }

  /** Loops are not what they seemed: no path tells results apart any more. */
  turnOff(): void {
    this.#isOff = true;
    for (const calls of this.#files) for (const at of calls.sites.keys()) this.#leaveOut(calls, at);
  }

  iterationEnded(): void {
    this.flush();
  }

  batchEnded(): void {
    this.flush();
  }

  loopEnded(): void {
    this.flush();
  }

  /** Writes what is waiting. */
  flush(): void {
    for (const calls of this.#files) if (calls.isWaiting) this.#write(calls);
  }

  #keep(calls: FileCalls, at: number, value: unknown): unknown {
    if (calls.left[at] !== undefined || calls.numbers[at] === undefined) return value;
    const isTimed = this.#calls++ % TIMED === 0;
    const from = isTimed ? performance.now() : 0;
    this.#note(calls, at, value);
    if (isTimed) this.#parts.ledger.otherMs += (performance.now() - from) * TIMED;
    return value;
  }

  #note(calls: FileCalls, at: number, value: unknown): void {
    const json = resultToJson(value);
    const count = (calls.counts[at] ?? 0) + 1;
    calls.counts[at] = count;
    const isMany = count > RESULTS_MAX || this.#written > LINES_MAX;
    // What an iterator does while items are dropped was done elsewhere in the run.
    const isElsewhere = this.#isOff || this.#options.director?.dropping === true;
    if (json === undefined || isMany || isElsewhere) return this.#leaveOut(calls, at);
    const frame = this.#options.frame();
    const index = frame ? presentIndex(frame) : 0;
    if (calls.isWaiting && (calls.frame !== frame || calls.text.length > LINE_MAX)) {
      this.#write(calls);
    }
    calls.add(`[${calls.numbers[at]},${json}]`, frame, index);
  }

  /** From now on nothing of this call is recorded, and nothing that was is used. */
  #leaveOut(calls: FileCalls, at: number): void {
    const number = calls.numbers[at];
    if (number === undefined || calls.left[at] !== undefined) return;
    calls.left[at] = true;
    calls.off.push(number);
  }

  #write(calls: FileCalls): void {
    // A resumed run has not yet come to where it left off.
    if (this.#options.director?.isOnTheWay) return;
    const { path, text, off } = calls.take();
    this.#written += text.length + LINE_HEAD;
    this.#parts.recorder.called(path, calls.file, text, off);
  }

  #give(director: Director, calls: FileCalls, at: number, value: unknown): unknown {
    const frame = this.#options.frame();
    const index = frame ? presentIndex(frame) : 0;
    const isAsked = this.#options.isProbing();
    const given = director.dropping
      ? { why: "items are dropped to get to an iteration" }
      : director.recorded.calls.take({
          calls: calls.known,
          site: isAsked ? undefined : calls.numbers[at],
          path: pathTextAt(frame, index),
        });
    if ("value" in given) return asGiven(given, value);
    if (director.isOnTheWay) this.#leaveOut(calls, at);
    const [line, column] = calls.sites[at] ?? [0, 0];
    this.#noteFresh(director, { file: calls.file, line, column }, given.why, isAsked);
    return value;
  }

  readonly #fresh = new Set<string>();

  #noteFresh(director: Director, place: SourcePlace, why: string, isAsked: boolean): void {
    const key = `${place.file}:${place.line}:${place.column}:${isAsked}`;
    if (this.#fresh.has(key)) return;
    this.#fresh.add(key);
    if (!isAsked) director.tookFreshResult();
    const path = framePath(this.#options.frame());
    this.#parts.recorder.emit({
      k: "fresh",
      path,
      ...place,
      why,
      ...(isAsked ? { probe: true } : {}),
    });
  }
}

/** The calls of one file. */
class FileCalls {
  readonly file: string;
  readonly sites: readonly CallSiteTuple[];
  /** Of those that the run had: what they are, and their numbers by place in `sites`. */
  readonly own: readonly string[];
  readonly numbers: readonly (number | undefined)[];
  readonly clocks: readonly number[];
  readonly counts: number[] = [];
  /** Those of which nothing is recorded any more. */
  readonly left: true[] = [];
  frame: LoopFrame | undefined;
  text = "";
  off: number[] = [];
  #path: LoopPath = [];
  #index = 0;

  constructor(file: string, sites: readonly CallSiteTuple[]) {
    this.file = file;
    this.sites = sites;
    const own = sites.filter(([, , path]) => path !== null);
    this.own = own.map(([, , path]) => path ?? "");
    this.numbers = sites.map((site) => (own.includes(site) ? own.indexOf(site) : undefined));
    this.clocks = own.flatMap(([, , , flags], at) => ((flags & CLOCK) === 0 ? [] : [at]));
  }

  get known(): Pick<CallsRecord, "file" | "sites" | "clocks"> {
    return { file: this.file, sites: this.own, clocks: this.clocks };
  }

  get isWaiting(): boolean {
    return this.text !== "" || this.off.length > 0;
  }

  add(result: string, frame: LoopFrame | undefined, index: number): void {
    if (this.text === "") {
      this.frame = frame;
      this.#path = framePath(frame, index);
      this.text = result;
    } else {
      const step = index - this.#index;
      this.text += step === 0 ? `,${result}` : `,${step},${result}`;
    }
    this.#index = index;
  }

  take(): { readonly path: LoopPath; readonly text: string; readonly off: readonly number[] } {
    const taken = { path: this.#path, text: this.text, off: this.off };
    this.text = "";
    this.off = [];
    return taken;
  }
}

/** JSON of a result that is worth keeping; undefined: it is not. */
function resultToJson(value: unknown): string | undefined {
  if (typeof value === "number") return valueToJson(value);
  if (ArrayBuffer.isView(value) && value.byteLength > RESULT_MAX) return undefined;
  if (!isPlain(value, 0)) return undefined;
  const json = valueToJson(value);
  return json.length <= RESULT_MAX ? json : undefined;
}

/** Levels of objects in a result. */
const DEPTH_MAX = 4;
/** Parts of one object. */
const PARTS_MAX = 64;

/** Whether it is the same when it is read again. */
function isPlain(value: unknown, depth: number): boolean {
  if (value === null || /^(?:number|string|boolean|bigint)$/.test(typeof value)) return true;
  if (typeof value !== "object" || depth >= DEPTH_MAX || hasTraps(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (depth === 0 && (prototype === Date.prototype || ArrayBuffer.isView(value))) return true;
  if (prototype !== Object.prototype && prototype !== Array.prototype) return false;
  const parts = Object.values(value);
  return parts.length <= PARTS_MAX && parts.every((part) => isPlain(part, depth + 1));
}

/** The recorded result in place of a new one; memory that was filled is filled with it. */
function asGiven({ value }: GivenResult, fresh: unknown): unknown {
  const given = valueFromJson(value);
  if (!ArrayBuffer.isView(fresh) || !ArrayBuffer.isView(given)) return given;
  const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
  new Uint8Array(fresh.buffer, fresh.byteOffset, fresh.byteLength).set(bytes);
  return fresh;
}

/** JSON of the path, without the outer brackets. */
function pathTextAt(frame: LoopFrame | undefined, index: number): string {
  return JSON.stringify(framePath(frame, index)).slice(1, -1);
}
