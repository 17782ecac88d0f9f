/**
 * @file Records as lines: numbering, time, and the shortest way from `log` to the ring.
 *
 * One million records must cost at most 3 µs each on the training thread, so a line is put
 * together from parts that are already JSON.
 */
import type {
  ArgRecord,
  EnterRecord,
  ExitRecord,
  LoopPath,
  ProfileRecord,
  Record,
  SiteRecord,
} from "../../format/index.ts";
import { numberToJson, pathElement, stringToJson, valueToJson } from "../../format/index.ts";
import type { EncodeOther } from "../../format/index.ts";
import type { Materializer } from "../../materialize/index.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";

/** A record without what the recorder adds. */
type Unnumbered<R> = R extends { seq: number; t: number } ? Omit<R, "seq" | "t"> : never;
type NumberedRecord = Extract<Record, { seq: number; t: number }>;

interface LoggedValue {
  readonly name: string;
  readonly site: number | null;
  readonly value: unknown;
  /** By a statement that the run did not have. */
  readonly isProbing: boolean;
}

/** Names are few and repeat: their JSON is kept, up to this many. */
const NAMES_MAX = 10_000;

export class Recorder {
  readonly #materializer: Materializer;
  readonly #run: string;
  #originMs: number;
  readonly #names = new Map<string, string>();
  seq = 0;
  /** Lines written, for the seal. */
  lines = 0;
  /** A resumed run is on its way to where it left off: what it does there is in the log already. */
  #muted = false;
  /** Sites met on the way: they have new numbers, which are written when it has arrived. */
  #met: SiteRecord[] = [];

  /** `continues`: the log is there, and has so many lines. */
  constructor(
    materializer: Materializer,
    originMs: number,
    { run, continues }: { readonly run: string; readonly continues?: number | undefined },
  ) {
    this.#materializer = materializer;
    this.#originMs = originMs;
    this.#muted = continues !== undefined;
    this.lines = continues ?? 0;
    this.#run = run;
    if (!this.#muted) this.#header();
  }

  #header(): void {
    this.#line(JSON.stringify({ k: "header", format: 1, run: this.#run }));
  }

  /** A resumed run has arrived: what was logged after this point is superseded. */
  resume(from: { readonly path: LoopPath; readonly seq: number; readonly t: number }): void {
    if (!this.#muted) return;
    this.#muted = false;
    this.#originMs = performance.now() - from.t / 1000;
    this.seq = from.seq + 1;
    if (this.lines === 0) this.#header();
    this.#line(JSON.stringify({ k: "rewind", path: from.path, seq: from.seq }));
    for (const site of this.#met) this.site(site);
    this.#met = [];
  }

  /** Microseconds since the run began. */
  now(): number {
    return Math.round((performance.now() - this.#originMs) * 1000);
  }

  /** Writes a record and gives it the next number. */
  emit(record: Unnumbered<NumberedRecord>): number {
    const seq = this.seq++;
    this.#line(toJson({ ...record, seq, t: this.now() }));
    return seq;
  }

  site(record: SiteRecord): void {
    if (this.#muted) this.#met.push(record);
    else this.#line(toJson(record));
  }

  profile(record: ProfileRecord): void {
    if (this.#muted) return;
    this.#materializer.profile(`${toJson(record)}\n`);
  }

  log(
    frame: LoopFrame | undefined,
    { name, site, value, isProbing }: LoggedValue,
    other: EncodeOther,
  ): void {
    const json = typeof value === "number" ? numberToJson(value) : valueToJson(value, other);
    const probe = isProbing ? ',"probe":true' : "";
    const place = `"name":${this.#nameJson(name)},"site":${site}`;
    this.#numbered("log", frame, `${place},"value":${json}${probe}`);
  }

  /** A loop is entered: as often as a short loop inside another, so its line is put together too. */
  entered(frame: LoopFrame, range: EnterRecord["range"]): void {
    const { site, iterator, length } = frame;
    const more =
      (length === undefined ? "" : `,"length":${JSON.stringify(length)}`) +
      (range === undefined ? "" : `,"range":${JSON.stringify(range)}`);
    this.#ofEntry("enter", frame, `"site":${site},"iterator":${iterator.id}${more}`);
  }

  exited(frame: LoopFrame, exit: Pick<ExitRecord, "how" | "draws" | "pending">): void {
    const { how, draws, pending } = exit;
    const told = `"draws":${JSON.stringify(draws)},"pending":${JSON.stringify(pending)}`;
    this.#ofEntry("exit", frame, `"how":"${how}","iterations":${frame.index + 1},${told}`);
  }

  #ofEntry(kind: "enter" | "exit", frame: LoopFrame, fields: string): void {
    const seq = this.seq++;
    this.#line(`{"k":"${kind}",${entryText(frame)},${fields},"seq":${seq},"t":${this.now()}}`);
  }

  /** Times of iterations, each list by its name. */
  iterations(frame: LoopFrame, from: number, lists: { [name: string]: readonly number[] }): void {
    if (this.#muted) return;
    let text = `{"k":"iterations",${entryText(frame)},"from":${from}`;
    for (const name in lists) text += `,"${name}":[${lists[name]?.join()}]`;
    this.#materializer.profile(`${text}}\n`);
  }

  /** Results of calls of a file, already JSON. */
  called(path: LoopPath, file: string, results: string, off: readonly number[]): void {
    const seq = this.seq++;
    const place = `"path":${JSON.stringify(path)},"file":${this.#nameJson(file)}`;
    const left = off.length > 0 ? `,"off":${JSON.stringify(off)}` : "";
    const rest = `"results":[${results}]${left},"t":${this.now()}`;
    this.#line(`{"k":"called","seq":${seq},${place},${rest}}`);
  }

  /** The item of an iteration. */
  item(frame: LoopFrame, value: unknown): void {
    this.#numbered("iter", frame, `"value":${valueToJson(value)}`);
  }

  /** The value and the default go through the encoding of values, not through plain JSON. */
  arg(name: string, value: unknown, fallback: unknown, from: ArgRecord["from"]): void {
    const values = `"value":${valueToJson(value)},"default":${valueToJson(fallback)}`;
    const seq = this.seq++;
    const rest = `"name":${this.#nameJson(name)},${values},"from":"${from}","t":${this.now()}`;
    this.#line(`{"k":"arg","seq":${seq},${rest}}`);
  }

  #numbered(kind: "log" | "iter", frame: LoopFrame | undefined, fields: string): void {
    const path = frame ? pathText(frame) : "";
    this.#line(`{"k":"${kind}","seq":${this.seq++},"path":[${path}],${fields},"t":${this.now()}}`);
  }

  #line(json: string): void {
    if (this.#muted) return;
    this.lines++;
    this.#materializer.log(`${json}\n`);
  }

  #nameJson(name: string): string {
    let json = this.#names.get(name);
    if (json === undefined) {
      json = stringToJson(name.toWellFormed());
      if (this.#names.size < NAMES_MAX) this.#names.set(name, json);
    }
    return json;
  }
}

/** Half of a surrogate pair, as JSON escapes it. */
const LONE_SURROGATE = /\\ud[89a-f]/;

/** Names of loops, fields and files are the program's: half a surrogate pair in one becomes U+FFFD. */
function toJson(record: object): string {
  const json = JSON.stringify(record);
  if (!LONE_SURROGATE.test(json)) return json;
  return JSON.stringify(record, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
}

/** JSON of the path of the frame's present iteration, without the outer brackets; cached. */
export function pathText(frame: LoopFrame): string {
  if (frame.pathText === undefined) {
    const parent = frame.parent ? `${pathText(frame.parent)},` : "";
    const entry = frame.entry === 0 ? "" : `,${frame.entry}`;
    frame.pathText = `${parent}[${frame.nameJson},${presentIndex(frame)}${entry}]`;
  }
  return frame.pathText;
}

/** JSON of which entry of which loop it is. */
function entryText(frame: LoopFrame): string {
  return `"path":[${frame.entryText}],"loop":${frame.nameJson},"entry":${frame.entry}`;
}

/**
 * Between two bodies the iterator runs: what it does belongs to the iteration it is asked for. A loop
 * that counts iterations itself is asked, and not disturbed.
 */
export function presentIndex(frame: LoopFrame): number {
  if (frame.batch) return frame.index + frame.batch.unreported();
  return frame.inBody ? frame.index : frame.index + 1;
}

/** The path of the frame's present iteration; top level is `[]`. */
export function framePath(
  frame: LoopFrame | undefined,
  index: number = frame ? presentIndex(frame) : 0,
): LoopPath {
  if (!frame) return [];
  return [...framePath(frame.parent), pathElement(frame.name, index, frame.entry)];
}

/** The path of an iteration of the frame. */
export function iterationPath({ entryPath, name, entry }: LoopFrame, index: number): LoopPath {
  return [...entryPath, pathElement(name, index, entry)];
}

/** The path of the loop end of the frame. */
export function loopEndPath(frame: LoopFrame): LoopPath {
  return [...frame.entryPath, pathElement(frame.name, "end", frame.entry)];
}
