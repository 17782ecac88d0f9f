/**
 * @file How the engine tells the SDK in a child process what to do: JSON in one environment
 * variable, which the SDK removes from the environment so that processes of the program do not
 * inherit it. What a replay is to do is longer than a variable may be, and stands in a file.
 */
import type { TurnedOff, VersionReference } from "./manifest.ts";
import type { OwnTree } from "./own-tree.ts";
import type { LoopPath } from "./path.ts";

export const DIRECTIVE_VARIABLE = "AFTERLOG_DIRECTIVE";

export interface Directive {
  readonly v: 1;
  /**
   * `record`: a new run. `fork`: a new run that continues from a point of another one. `resume`: a
   * run that was interrupted continues, in its own folder. `replay`: what `orders` says, written to a
   * folder of its own; no version is kept and no checkpoint taken.
   */
  readonly mode: "record" | "fork" | "resume" | "replay";
  /** The project, or the tree that stands in for it. */
  readonly root: string;
  /** The `.afterlog` folder. */
  readonly store: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly name: string | null;
  readonly seed: string | null;
  /** The budget as a share, `inf` for no limit; null: as the environment says. */
  readonly overhead: number | "inf" | null;
  readonly persist: "worker" | "inline" | null;
  /** Which checkpoints are kept, as `--keep` says it; absent: as the environment says. */
  readonly keep?: string | null;
  /**
   * The program knows nothing of Afterlog: its plain loops are loops of the run. A replay, a fork or
   * a resumed run has it from the manifest of its run. Absent: false.
   */
  readonly handsFree?: boolean;
  /** By which rules its loops are named; absent: 0. */
  readonly loopRules?: number;
  /** Whether what a hands-free program prints is logged; absent: it is. */
  readonly console?: boolean;
  /** The user's own rule for it, a regular expression; absent: none. */
  readonly consoleRule?: string;
  /** Libraries whose own loops are loops of the run; absent: none, or as is found (Python). */
  readonly libraries?: readonly string[];
  /** The module as which a Python program is run, as by `python -m`. */
  readonly module?: string;
  /** What the parent has taken of the processor until it started the program, in milliseconds. */
  readonly startMs?: number;
  /** Whether the parent reads status lines on file descriptor 3. */
  readonly live: boolean;
  /** What the parent's own streams are, where they are terminals. */
  readonly terminal: { readonly stdout: TerminalSize | null; readonly stderr: TerminalSize | null };
  /** The source that the parent has kept, for a new run; absent: the SDK keeps it. */
  readonly source?: KeptSource;
  /** File with the `Orders`, for `fork`, `resume` and `replay`. */
  readonly orders?: string;
  /** Of a fork: the iteration of its parent that it continues after, as path text. */
  readonly point?: string;
  /** Of a run that is continued: how often it had been before these orders were made. */
  readonly resumed?: number;
}

/** A source tree, to become the version of a run; null if it could not be kept, as `off` says. */
export interface KeptSource {
  readonly tree: KeptTree | null;
  readonly off: readonly TurnedOff[];
}

/** A tree in the object database of a repository, not yet a commit. */
export interface KeptTree extends Omit<VersionReference, "commit" | "ref"> {
  readonly gitDir: string;
  readonly workTree: string;
  readonly tree: string;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** How a process gets to the points that a plan asks for (semantics, "How a point is reached"). */
export interface Orders {
  readonly v: 1;
  /** Folder of the run that is asked, or forked. */
  readonly parent: string;
  /** Where a replay writes `run.json`, `log.jsonl`, `profile.jsonl`, `values.bin`; null: a fork. */
  readonly out: string | null;
  /**
   * Where a replay is executed: what lies outside the project is found from it by the same relative
   * paths, through links. Absent: in the project.
   */
  readonly tree?: OwnTree;
  /** Names that are asked for. */
  readonly names: readonly string[];
  /** Statements that the asked run did not have: what they change is set back behind each. */
  readonly probes: readonly ProbePlace[];
  /** What the asked run executed of files of which more is executed now; absent: nothing is known. */
  readonly recorded?: readonly RecordedText[];
  /** What is not compared; absent: all is. */
  readonly varying?: Varying;
  /** The same once a call got a new result because none was recorded; absent: it is the same. */
  readonly varyingFresh?: Varying;
  /** The question may change the run for good: the process ends where the state differs. Absent: no. */
  readonly mayChange?: true;
  /** What to do at a loop entry. An entry that is not listed runs as the program says. */
  readonly courses: readonly Course[];
  /**
   * The checkpoint whose restore is the point that a fork or a resumed run continues from; null: from
   * the program's start. Absent in a replay.
   */
  readonly arrive?: string | null;
  /** Arguments that differ from the recorded ones; only a fork has any. */
  readonly args: Readonly<{ [name: string]: string }>;
}

/** A place in a source file, relative to the project's root; line and column count from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where a statement stands that a run did not have, or several in a row. */
export interface ProbePlace extends SourcePlace {
  /** Behind the last of several, which are one part of a question; absent: it is one log call. */
  readonly end?: { readonly line: number; readonly column: number };
  /** What is counted and mentioned there: first of all it gets what went by without it. Absent: nothing. */
  readonly counters?: readonly PartCounter[];
}

/** A name of a question that counts iterations, in one of its parts. */
export interface PartCounter {
  readonly name: string;
  /** What orders call it. */
  readonly key: string;
  /** It is given the number that it begins with there: nothing before counts. Absent: it is not. */
  readonly begins?: true;
}

/** What counters of a question would have been given in iterations that are not executed, by their keys. */
export type Passed = Readonly<{ [counter: string]: number }>;

/**
 * A file as a run executed it, where a replay executes more: loops, their names and what they change
 * are those of this text.
 */
export interface RecordedText {
  readonly file: string;
  readonly text: string;
  /** In the order of the text: from this place on, what it says stands so much further now. */
  readonly moved: readonly MovedText[];
}

export type MovedText = readonly [line: number, column: number, lines: number, columns: number];

/** A log statement that logs something that varies, and perhaps under `except` what does not. */
export interface VaryingLog extends ProbePlace {
  readonly except?: readonly string[];
}

/** A call whose result is recorded, and given again in replays; in words for the user. */
export interface RecordedCall extends SourcePlace {
  readonly words: string;
}

/**
 * What may be another in every execution, because it comes from a clock, from entropy, from an id or
 * from the process: that it differs says nothing, so it is not compared.
 */
export interface Varying {
  /** Log statements. */
  readonly logs: readonly VaryingLog[];
  /** Variables, as `file:scope:name`, or `file:*:name` in whatever scope. */
  readonly places: readonly string[];
  /** Attributes and keys by their names, of whatever object. */
  readonly fields: readonly string[];
  /** Random numbers are drawn or seeded by it. */
  readonly generators?: true;
}

/** The variable of a place: `train.ts:0:t0` of `train.ts:0:t0#1` in a loop, and of `train.ts:0:t0@0` elsewhere. */
export function variableOf(place: string): string {
  return place.replace(/[#@](?:\d+|gone|none)$/, "");
}

/** What to do at one loop entry. */
export interface Course {
  /** Path of its loop end, as text: `epoch=3,step=end`. */
  readonly entry: string;
  /**
   * `skip`: yield nothing and restore `restore`, its loop end. `stop`: the process ends here.
   * `legs`: run these iterations, then do `after`.
   */
  readonly do: "skip" | "stop" | "legs";
  readonly restore?: string;
  readonly legs?: readonly Leg[];
  /** After the last leg: end the process, skip the rest by restoring `restore`, or run on. */
  readonly after?: "stop" | "skip" | "run";
  /** Of the iterations that are skipped when `restore` is; absent: nothing is counted in them. */
  readonly passed?: Passed;
  /**
   * What it restores lacks something that the loops around change, and that the process has executed: all of
   * their doings must be as they were, or nothing is restored. Absent: it holds all of it.
   */
  readonly along?: true;
}

/** Consecutive iterations of one loop entry that are executed. */
export interface Leg {
  readonly from: number;
  /** Last one; null: up to the end. */
  readonly to: number | null;
  /** Checkpoint file to restore before `from`; null: continue from where the program is. */
  readonly restore: string | null;
  /**
   * How the iterator gets to `from`: `index` by dropping items after the restore (arrays, ranges),
   * `state` by its own `restore()`, `consume` by dropping items before the restore.
   */
  readonly reposition?: "index" | "state" | "consume";
  /** Of the iterations between the leg before and `from`; absent: nothing is counted in them. */
  readonly passed?: Passed;
}

/** The last line that a replaying process writes to its status channel, and to `outcome.json`. */
export interface ReplayOutcome {
  readonly kind:
    /** It did all that was ordered. */
    | "done"
    /** The program threw, or exited by itself with another code than 0. */
    | "failed"
    /** It did not do what the record says: a loop ended elsewhere, a file read has changed. */
    | "diverged"
    /** What was ordered is not enough: the whole run must be executed to answer. */
    | "insufficient";
  readonly why: string;
  readonly path: LoopPath;
  /** What was not as in the run and need not matter: the first reason to think of if values differ. */
  readonly hints?: readonly string[];
  /** Where what is asked threw, and what: there is no value. */
  readonly failures?: readonly string[];
  /** How often it threw in all, if that is more often than is told there. */
  readonly failureCount?: number;
}

/** Whether a text is a seed: a whole number of 64 bits. */
export function isSeed(text: string): boolean {
  return /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n;
}

/** A share of at most 1: `0.02` or `2%`; `inf` for no limit. Undefined if the text is not one. */
export function parseShare(text: string): number | "inf" | undefined {
  const [, number, percent] = /^((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(%?)$/i.exec(text) ?? [];
  if (number === undefined) return /^inf$/i.test(text) ? "inf" : undefined;
  const value = percent === "%" ? Number(number) / 100 : Number(number);
  return value <= 1 ? value : undefined;
}
