/**
 * @file Deferred checks (semantics, "Marks"; Flor §3.3.3): what a replay logged again is compared
 * with the record, and each new value gets the mark that follows from it. Pure.
 *
 * A span is what a process did between two restores. What differs in a span says that nothing of
 * the span can be trusted, before the difference or after it; and nothing after it, until all that
 * the outermost loop changes has been restored.
 */
import type {
  CheckMark,
  ExitRecord,
  LogRecord,
  LoopPath,
  ReplayOutcome,
  RestoreRecord,
  SiteRecord,
  ProbePlace,
  StateRecord,
  VaryingLog,
} from "../../format/index.ts";
import { formatPath, pathElement } from "../../format/index.ts";
import type { AskedNameOf } from "./asked-values.ts";
import type { Closeness } from "./compare-values.ts";
import type { Line } from "../recorded/raw-log.ts";

/** What the asked run has where the replay came by. */
export interface RecordedValues {
  /** Values by `valueKey`, in order. */
  readonly values: ReadonlyMap<string, readonly unknown[]>;
  /** Iterations of each loop entry that ended, by the path of its end. */
  readonly iterations: ReadonlyMap<string, number>;
  /** Every name that it logged. */
  readonly names: ReadonlySet<string>;
}

export interface CheckOptions {
  readonly recorded: RecordedValues;
  /** The log of the replaying process, in order. */
  readonly replayed: readonly Line[];
  readonly askedNameOf: AskedNameOf;
  /** Asked names of which equal values elsewhere prove nothing. */
  readonly unsure?: ReadonlySet<string>;
  /** Those whose question may have changed the run, unless the state was equal afterwards. */
  readonly unconfirmed?: ReadonlySet<string>;
  /** Those that follow from what the process restored, if it has executed no loop of the run. */
  readonly computed?: ReadonlySet<string>;
  /** Statements that the run did not have. */
  readonly probes: readonly ProbePlace[];
  /** Statements of the run whose values may be others each time: they are not compared. */
  readonly varying?: readonly VaryingLog[];
  /** Loop entries that were ordered to be left or entered elsewhere than the program does. */
  readonly directed: ReadonlySet<string>;
  readonly outcome: ReplayOutcome | null;
  readonly compare: (recorded: unknown, replayed: unknown) => Closeness;
}

/** An asked value that the run does not have. */
export interface CheckedCell {
  readonly record: LogRecord;
  /** How many of its name were logged at its path before. */
  readonly occurrence: number;
  readonly check: CheckMark;
  /** Why it is `unchecked`; absent: it is not. */
  readonly doubt?: Doubt;
}

/** `by` names: the asked name whose statements say why. */
export type Doubt =
  | { readonly kind: "unsure" | "unconfirmed"; readonly by: string }
  | { readonly kind: "differed" | "alone" };

/** Where a replay differs from the record, in words and values for the user. */
export interface Difference {
  readonly path: LoopPath;
  /** Of a logged value; or what else differs: `state`, `loop`, `outcome`. */
  readonly name: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

export interface Checked {
  readonly cells: readonly CheckedCell[];
  readonly compared: { readonly equal: number; readonly close: number; readonly different: number };
  readonly first: Difference | null;
  /** Keys of places in which the question had left something when that differed. */
  readonly left: readonly string[];
}

/** What a value is found by: its path and name, as they stand in a line of the log. */
export function valueKey(path: LoopPath, name: string): string {
  return `${JSON.stringify(path)},"name":${JSON.stringify(name)}`;
}

/** Compares a replay with the record and marks the asked values. */
export function checkReplay(options: CheckOptions): Checked {
  const check = new ReplayCheck(options);
  for (const line of options.replayed) check.takeLine(line);
  return check.markCells();
}

interface Span {
  equal: number;
  /** Of these, comparisons of the state. */
  states: number;
  close: number;
  different: number;
  /** Only the state differed, and was equal again at the end of the iteration. */
  isOver: boolean;
  /** What earlier spans left behind. */
  readonly inherited: Closeness;
}

type Uncertain = Exclude<Closeness, "equal">;

interface Waiting {
  readonly record: LogRecord;
  /** The asked name that it is of. */
  readonly asked: string;
  readonly occurrence: number;
  readonly span: Span;
  /** How many comparisons of the state its span had before it. */
  readonly states: number;
}

class ReplayCheck {
  readonly #options: CheckOptions;
  readonly #probeLines: ReadonlySet<string>;
  readonly #probeSites = new Set<number>();
  readonly #varyingLines: ReadonlyMap<string, ReadonlySet<string>>;
  /** Sites of statements that log what varies, with names for which that is not so. */
  readonly #varyingSites = new Map<number, ReadonlySet<string>>();
  readonly #occurrences = new Map<string, number>();
  readonly #cells: Waiting[] = [];
  readonly #spans: Span[] = [];
  /** Outermost loop entries in which something differed and has not been restored; "": outside. */
  readonly #uncertain = new Map<string, Uncertain>();
  #span: Span;
  #first: Difference | null = null;
  /** Places in which the question has left something, now and when something differed first. */
  #left: readonly string[] = [];
  #leftAtFirst: readonly string[] = [];
  /** Something else than the state differed. */
  #isSeen = false;
  /** What of the state has differed and is not equal again, and what was equal again each time. */
  readonly #differing = new Set<string>();
  readonly #harmless = new Set<string>();
  /** Keys of names that old and new statements log side by side: nobody can tell which. */
  readonly #mixed: ReadonlySet<string>;

  constructor(options: CheckOptions) {
    this.#options = options;
    this.#probeLines = new Set(options.probes.flatMap(linesOf));
    this.#varyingLines = varyingLines(options.varying ?? []);
    this.#mixed = findMixedKeys(options, this.#probeLines);
    this.#span = this.#beginSpan();
  }

  takeLine(line: Line): void {
    switch (line.k) {
      case "site":
        return this.#noteSite(line as unknown as SiteRecord);
      case "restore":
        return this.#noteRestore(line as unknown as RestoreRecord);
      case "log":
        return this.#compareLogged(line as unknown as LogRecord);
      case "state":
        return this.#compareState(line as unknown as StateRecord);
      case "exit":
        return this.#compareLoopExit(line as unknown as ExitRecord);
    }
  }

  markCells(): Checked {
    const { outcome } = this.#options;
    if (outcome?.kind === "diverged") {
      this.#noteComparison("different", {
        path: outcome.path,
        name: "outcome",
        recorded: null,
        replayed: outcome.why,
      });
    }
    // The process ended with its last value, before the end of the iteration.
    if (!this.#isSeen && [...this.#differing].every((place) => this.#harmless.has(place))) {
      this.#endDifference();
    }
    const sum = (count: (span: Span) => number): number =>
      this.#spans.reduce((total, span) => total + count(span), 0);
    return {
      cells: this.#cells.map((cell) => {
        const { record, occurrence } = cell;
        return { record, occurrence, ...this.#mark(cell) };
      }),
      compared: {
        equal: sum((span) => span.equal),
        close: sum((span) => span.close),
        different: sum((span) => (span.isOver ? 0 : span.different)),
      },
      first: this.#first,
      left: this.#first === null ? [] : this.#leftAtFirst,
    };
  }

  #mark({
    record,
    asked,
    occurrence,
    span,
    states,
  }: Waiting): Pick<CheckedCell, "check" | "doubt"> {
    const { unsure, unconfirmed, probes } = this.#options;
    const check = markOf(span);
    if (check === "diverged") return { check };
    if (unsure?.has(asked)) return { check: "unchecked", doubt: { kind: "unsure", by: asked } };
    const isUnconfirmed = unconfirmed?.has(asked) === true && states === span.states;
    if (!isUnconfirmed && check !== "unchecked") return { check };
    // What one part changes, only a later one sees.
    const isFirst = occurrence === 0 && probes.length === 1;
    const mayBe = check !== "close" && (isFirst || !isUnconfirmed);
    if (mayBe && this.#isRestored(record, asked)) return { check: "restored" };
    if (isUnconfirmed) return { check: "unchecked", doubt: { kind: "unconfirmed", by: asked } };
    return { check: "unchecked", doubt: { kind: span.isOver ? "differed" : "alone" } };
  }

  /** Whether it follows from what was restored. No text may tell where an object lies in memory. */
  #isRestored({ path, value }: LogRecord, asked: string): boolean {
    const { computed, replayed } = this.#options;
    const isComputed = computed?.has(asked) === true && path.length === 0 && this.#spans.length > 1;
    const isExecuted = ({ k }: Line): boolean => k === "iter";
    return isComputed && !replayed.some(isExecuted) && !/\b0x[\da-f]/i.test(JSON.stringify(value));
  }

  #beginSpan(): Span {
    const left = [...this.#uncertain.values()];
    const inherited = left.includes("different") ? "different" : (left[0] ?? "equal");
    const span: Span = { equal: 0, states: 0, close: 0, different: 0, isOver: false, inherited };
    this.#spans.push(span);
    return span;
  }

  #noteSite({ site, file, line }: SiteRecord): void {
    if (this.#probeLines.has(`${file}:${line}`)) this.#probeSites.add(site);
    const except = this.#varyingLines.get(`${file}:${line}`);
    if (except) this.#varyingSites.set(site, except);
  }

  /** All that the outermost loop changes is as recorded again, once its own state is restored. */
  #noteRestore({ path }: RestoreRecord): void {
    if (path.length === 1) this.#uncertain.delete(outermost(path));
    this.#span = this.#beginSpan();
  }

  #compareLogged(record: LogRecord): void {
    const { path, name } = record;
    const key = valueKey(path, name);
    const { recorded, compare } = this.#options;
    const isVarying = this.#varyingSites.get(record.site ?? -1)?.has(name) === false;
    const known = recorded.values.get(key);
    const isProbe = record.probe === true || this.#isByProbe(record, key);
    const counter = isProbe ? `${key} probe` : key;
    const occurrence = this.#occurrences.get(counter) ?? 0;
    this.#occurrences.set(counter, occurrence + 1);
    if (isProbe || known === undefined) {
      const asked = this.#options.askedNameOf(record);
      if (known === undefined && asked !== undefined) {
        const { states } = this.#span;
        this.#cells.push({ record, asked, occurrence, span: this.#span, states });
      } else if (!isProbe && !isVarying && recorded.names.has(name)) {
        this.#noteComparison("different", { path, name, recorded: null, replayed: record.value });
      }
      return;
    }
    if (isVarying || this.#mixed.has(key)) return;
    const before = occurrence < known.length ? known[occurrence] : null;
    const result = occurrence < known.length ? compare(before, record.value) : "different";
    this.#noteComparison(result, { path, name, recorded: before, replayed: record.value });
  }

  /**
   * Whether a statement that was put in has logged it, as far as its line tells. The run may have one
   * on that line too: that one logs what is not asked, as often as it did.
   */
  #isByProbe(record: LogRecord, key: string): boolean {
    if (!this.#probeSites.has(record.site ?? -1)) return false;
    const isOfRun = this.#options.recorded.values.has(key) && !this.#mixed.has(key);
    return this.#options.askedNameOf(record) !== undefined || !isOfRun;
  }

  #compareState({ path, equal, differs, left = [] }: StateRecord): void {
    if (equal) this.#left = left;
    const difference = { path, name: "state", recorded: null, replayed: differs };
    // All that the outermost loop changes is as recorded: what differed is gone, as after a restore.
    if (equal && path.length === 1 && this.#uncertain.delete(outermost(path))) {
      if (!this.#isSeen && this.#uncertain.size === 0) this.#endDifference();
      this.#span = this.#beginSpan();
    }
    if (equal) this.#span.states += 1;
    else for (const place of differs.length > 0 ? differs : [""]) this.#differing.add(place);
    this.#noteComparison(equal ? "equal" : "different", difference);
  }

  /**
   * What differed did not matter in the end: memory that nobody had written to, say. Whether a value
   * between depends on it nobody knows.
   */
  #endDifference(): void {
    this.#first = null;
    for (const place of this.#differing) if (place !== "") this.#harmless.add(place);
    this.#differing.clear();
    for (const span of this.#spans) {
      if (span.different > 0 || span.inherited === "different") span.isOver = true;
    }
  }

  #compareLoopExit({ path, loop, entry, iterations }: ExitRecord): void {
    const end = formatPath([...path, pathElement(loop, "end", entry)]);
    const before = this.#options.recorded.iterations.get(end);
    if (this.#options.directed.has(end) || before === undefined || before === iterations) return;
    const name = `loop ${loop}`;
    this.#noteComparison("different", { path, name, recorded: before, replayed: iterations });
  }

  #noteComparison(result: Closeness, difference: Difference): void {
    this.#span[result] += 1;
    if (result === "equal") return;
    const loop = outermost(difference.path);
    if (this.#uncertain.get(loop) !== "different") this.#uncertain.set(loop, result);
    if (result !== "different") return;
    if (this.#first === null) this.#leftAtFirst = this.#left;
    this.#first ??= difference;
    this.#isSeen ||= difference.name !== "state";
  }
}

/** Every line of a probe, as text. */
function linesOf({ file, line, end }: ProbePlace): string[] {
  const count = (end?.line ?? line) - line + 1;
  return Array.from({ length: count }, (_, at) => `${file}:${line + at}`);
}

/** Lines of statements that log what varies, with the names for which that is not so. */
function varyingLines(logs: readonly VaryingLog[]): Map<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const log of logs) {
    for (const line of linesOf(log)) {
      const known = found.get(line);
      const except = (log.except ?? []).filter((name) => known?.has(name) ?? true);
      found.set(line, new Set(except));
    }
  }
  return found;
}

function outermost(path: LoopPath): string {
  const [first] = path;
  return first === undefined ? "" : formatPath([pathElement(first[0], "end", first[2] ?? 0)]);
}

function markOf({ equal, close, different, inherited, isOver }: Span): CheckMark {
  if (isOver) return "unchecked";
  if (different > 0 || inherited === "different") return "diverged";
  if (close > 0 || inherited === "close") return "close";
  return equal > 0 ? "verified" : "unchecked";
}

function findMixedKeys(
  { recorded, replayed, askedNameOf }: CheckOptions,
  probeLines: ReadonlySet<string>,
): ReadonlySet<string> {
  const counts = new Map<string, number>();
  const mayMix = new Set<string>();
  const probeSites = new Set<number>();
  for (const line of replayed) {
    if (line.k === "site") {
      const { site, file, line: at } = line as unknown as SiteRecord;
      if (probeLines.has(`${file}:${at}`)) probeSites.add(site);
    }
    if (line.k !== "log") continue;
    const record = line as unknown as LogRecord;
    const { path, name, site } = record;
    const key = valueKey(path, name);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (askedNameOf(record) !== undefined || probeSites.has(site ?? -1)) mayMix.add(key);
  }
  const isMore = (key: string): boolean =>
    (counts.get(key) ?? 0) > (recorded.values.get(key)?.length ?? Infinity);
  return new Set([...mayMix].filter(isMore));
}
