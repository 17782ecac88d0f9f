/**
 * @file The lines of `log.jsonl`, `profile.jsonl` and `checkpoints/index.jsonl`.
 *
 * One JSON object a line, told apart by `k`. Readers ignore fields and kinds that they do not
 * know. Times `t` are microseconds of the monotonic clock since the run began.
 */
import type { SourcePlace } from "./directive.ts";
import type { LoopPath } from "./path.ts";
import type { GeneratorState, IteratorPosition } from "./structure.ts";

/** How a loop entry was left. `closed`: early, by an exit that nothing marked. */
export type LoopExit = "exhausted" | "break" | "jump" | "throw" | "closed";

/** Deferred check of a hindsight value (semantics, "Marks"). */
export type CheckMark = "verified" | "restored" | "close" | "diverged" | "unchecked";

export interface HeaderRecord {
  readonly k: "header";
  readonly format: 1;
  readonly run: string;
}

export interface ArgRecord {
  readonly k: "arg";
  readonly seq: number;
  readonly name: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly from: "argv" | "default" | "recorded";
  readonly t: number;
}

/** A place in the source that logs, loops or declares. */
export interface SiteRecord {
  readonly k: "site";
  readonly site: number;
  readonly file: string;
  /** Line and column, 1-based; end only when the source was parsed. */
  readonly line: number;
  readonly column: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly kind: "log" | "loop" | "arg" | "checkpointing";
  readonly enclosing: number | null;
  /** Keys of the places that the rewriting captures here. */
  readonly places: readonly string[];
  /** Of a loop that has its name from the source: the function around it, empty outside of all. */
  readonly function?: string;
}

export interface EnterRecord {
  readonly k: "enter";
  readonly seq: number;
  /** Path of the enclosing iteration. */
  readonly path: LoopPath;
  readonly loop: string;
  readonly entry: number;
  readonly site: number | null;
  readonly iterator: number;
  /** Number of items, where the iterable tells. */
  readonly length?: number;
  /** Items are `start + step * index`: no `iter` record is written for them. */
  readonly range?: { readonly start: number; readonly step: number };
  readonly t: number;
}

/** The item of one iteration, written when it is a scalar that `range` does not give. */
export interface IterRecord {
  readonly k: "iter";
  readonly seq: number;
  readonly path: LoopPath;
  readonly value: unknown;
  readonly t: number;
}

/** When a generator was drawn from, seen from one loop entry; indices of iterations. */
export interface DrawSummary {
  readonly generator: string;
  /** Last `next()` that drew, or null. */
  readonly lastNext: number | null;
  /** First body that drew, or null. */
  readonly firstBody: number | null;
  /** Draws in neither: while the loop was entered or left. */
  readonly outside: number;
}

export interface ExitRecord {
  readonly k: "exit";
  readonly seq: number;
  readonly path: LoopPath;
  readonly loop: string;
  readonly entry: number;
  readonly how: LoopExit;
  /** Iterations begun. */
  readonly iterations: number;
  readonly draws: readonly DrawSummary[];
  /** Kinds of work started and not awaited, as Node counts its resources; null: not looked at. */
  readonly pending: readonly string[] | null;
  readonly t: number;
}

export interface LogRecord {
  readonly k: "log";
  readonly seq: number;
  readonly path: LoopPath;
  readonly name: string;
  readonly site: number | null;
  readonly value: unknown;
  /** True in replays, for a statement that the run being asked did not have. */
  readonly probe?: true;
  readonly check?: CheckMark;
  readonly t: number;
}

export interface DeclareRecord {
  readonly k: "declare";
  readonly seq: number;
  readonly ordinal: number;
  readonly path: LoopPath;
  readonly site: number | null;
  readonly fields: readonly string[];
  readonly t: number;
}

/** A file of this name stands for any: a program was started that may write what it likes. */
export const ANY_FILE = "*";

export interface FileRecord {
  readonly k: "file";
  readonly seq: number;
  /** `sealed`: the state of a written file when the run ended. */
  readonly op: "read" | "write" | "sealed";
  /** Relative to the project root where inside it. */
  readonly file: string;
  readonly path: LoopPath;
  readonly bytes?: number;
  /** `sha256:…` of the content, or `sampled:…` of size and spread blocks for a large file. */
  readonly hash?: string;
  /**
   * What was there before the first write to a path outside the project: `nothing`, `folder`, `tree`
   * (a folder that was taken away with all that was in it), or the hash of the file, which had `bytes`.
   * Absent: it lies inside, or nobody looked.
   */
  readonly before?: string;
  readonly t: number;
}

/** What stands in `before` where there was no file. */
export const NOTHING_BEFORE = "nothing";
export const FOLDER_BEFORE = "folder";
export const TREE_BEFORE = "tree";

/** How the feature begins that a loop is which is not recorded any more. */
export const LOOP_OFF = "loop ";

/** A feature of ours was turned off, so that the training can continue. */
export interface OffRecord {
  readonly k: "off";
  readonly seq: number;
  readonly feature: string;
  readonly why: string;
  /** The name of a loop that was given up for what recording it costs: later entries are not recorded. */
  readonly loop?: string;
  readonly t: number;
}

/**
 * The calls of a source file whose results are recorded: clocks, entropy, facts of the process. In a
 * replay it says that the file was executed with these calls watched.
 */
export interface CallsRecord {
  readonly k: "calls";
  readonly seq: number;
  readonly file: string;
  /** What each is of, in the order of the text: `global|Date.now`. */
  readonly sites: readonly string[];
  /** Which of them are clocks. */
  readonly clocks: readonly number[];
  /** In the log of a replaying process: where all calls stand that it watches. */
  readonly places?: readonly (readonly [line: number, column: number])[];
  readonly t: number;
}

/** Results of such calls, in the order in which they were made. */
export interface CalledRecord {
  readonly k: "called";
  readonly seq: number;
  readonly path: LoopPath;
  readonly file: string;
  /** `[site, result]`; a number takes the innermost loop of the path on by so many iterations. */
  readonly results: readonly (number | readonly [site: number, result: unknown])[];
  /** Not all results of these are recorded, so none is used. */
  readonly off?: readonly number[];
  readonly t: number;
}

/** In the log of a replaying process: a call got a new result, for none is recorded. */
export interface FreshRecord extends SourcePlace {
  readonly k: "fresh";
  readonly seq: number;
  readonly path: LoopPath;
  readonly why: string;
  /** It was made by what is asked: nothing of the run depends on it. */
  readonly probe?: true;
  readonly t: number;
}

/** In the log of a replaying process: a checkpoint was restored. */
export interface RestoreRecord {
  readonly k: "restore";
  readonly seq: number;
  readonly path: LoopPath;
  readonly file: string;
  readonly t: number;
}

/** In the log of a replaying process: its state was compared with that of a checkpoint. */
export interface StateRecord {
  readonly k: "state";
  readonly seq: number;
  readonly path: LoopPath;
  readonly equal: boolean;
  /** Keys of the places that differ. */
  readonly differs: readonly string[];
  /** Keys of those that are equal but for what a question left there; absent: none. */
  readonly left?: readonly string[];
  readonly t: number;
}

/** In the log of a replaying process: a statement of the question printed what is no value. */
export interface ReachedRecord {
  readonly k: "reached";
  readonly seq: number;
  readonly site: number | null;
  /** What it was, in words: `a list of lists`. */
  readonly was: string;
  readonly t: number;
}

/** Records of this path and after, up to here and from `seq` on, are superseded. */
export interface RewindRecord {
  readonly k: "rewind";
  readonly path: LoopPath;
  /** Records with a greater seq before this line are dropped by readers. */
  readonly seq: number;
}

export interface SealRecord {
  readonly k: "seal";
  readonly status: "done" | "failed";
  /** Lines before this one. */
  readonly count: number;
  /** CRC-32 of the bytes before this line, eight hexadecimal digits. */
  readonly crc32: string;
}

export type Record =
  | HeaderRecord
  | ArgRecord
  | SiteRecord
  | EnterRecord
  | IterRecord
  | ExitRecord
  | LogRecord
  | DeclareRecord
  | FileRecord
  | OffRecord
  | CallsRecord
  | CalledRecord
  | FreshRecord
  | RestoreRecord
  | StateRecord
  | ReachedRecord
  | RewindRecord
  | SealRecord;

export type CheckpointKind = "iteration" | "loop";

/** Milliseconds of each part of taking a checkpoint. */
export interface CheckpointTimes {
  readonly capture: number;
  readonly snapshot: number;
  readonly wait: number;
  readonly persist: number;
}

/** A line of `checkpoints/index.jsonl`; it is there only if the file is durable. */
export interface CheckpointRecord {
  readonly k: "checkpoint";
  readonly kind: CheckpointKind;
  readonly path: LoopPath;
  /** Last log seq before it, and the length of `log.jsonl` made durable with it. */
  readonly seq: number;
  readonly logBytes: number;
  readonly file: string;
  readonly bytes: number;
  /** Bytes of the state it restores, whichever file holds them. */
  readonly stateBytes: number;
  /** Files of other checkpoints whose tensors it names. */
  readonly holds: readonly string[];
  /** Checkpoints (path as text) that must be restored before it. */
  readonly needs: readonly string[];
  /** CRC-32 of the file's header, which holds the checksums of its data. */
  readonly crc32: string;
  readonly stateHash: string;
  /** A checksum for each captured place: says which one differs when the hash does. */
  readonly places: readonly { readonly key: string; readonly crc32: string }[];
  readonly generators: readonly GeneratorState[];
  readonly iterators: readonly IteratorPosition[];
  /** Of the end of an iteration: what its loop had drawn until then, as in `exit`; absent: not known. */
  readonly draws?: readonly DrawSummary[];
  /** Places that could not be captured: the checkpoint is partial if later code reads them. */
  readonly absent: readonly { readonly key: string; readonly why: string }[];
  /**
   * Of what changes in the outermost loop and no checkpoint holds (`audit` in the manifest), the keys of that
   * which was looked at when its own loop was entered, and is as it was; absent: nothing was looked at.
   */
  readonly still?: readonly string[];
  readonly times: CheckpointTimes;
  readonly t: number;
}

/** A line of `checkpoints/index.jsonl`: that checkpoint is no more, and its name is not used again. */
export interface RemovedRecord {
  readonly k: "removed";
  readonly file: string;
  readonly t: number;
}

/**
 * A call into code of which no loop is recorded, such as a training of a package that nobody described,
 * and that took long. Loops of the run in it are not part of its time.
 */
export interface UnseenCall {
  readonly k: "call";
  /** The iteration in which it was made. */
  readonly path: LoopPath;
  /** Outermost loops that were entered before it. */
  readonly loops: number;
  /** As it is written: `trainer.fit`. */
  readonly call: string;
  readonly file: string;
  readonly line: number;
  readonly ms: number;
}

/** A call that took less is not worth a record. */
export const UNSEEN_MIN_MS = 250;

/** Seconds of a run, by part: what the cost model reads. Times are milliseconds. */
export type ProfileRecord =
  /** `start`: process start to the first SDK call; `setup`: our own preparation, not the user's. */
  | { readonly k: "start" | "setup" | "prefix" | "suffix"; readonly ms: number }
  /** Between two outermost loops. */
  | { readonly k: "gap"; readonly after: string; readonly before: string; readonly ms: number }
  | UnseenCall
  /**
   * Consecutive iterations of one entry. `next`: in the iterator; `head`: up to the first inner
   * loop; `inner`: from there to the end of the last one; `tail`: the rest. A loop without inner
   * loops has only `next` and `head`.
   */
  | {
      readonly k: "iterations";
      readonly path: LoopPath;
      readonly loop: string;
      readonly entry: number;
      readonly from: number;
      readonly next: readonly number[];
      readonly head: readonly number[];
      readonly inner?: readonly number[];
      readonly tail?: readonly number[];
      /** How many iterations each number is the mean of; absent: one. */
      readonly each?: readonly number[];
    }
  /**
   * How often steps of a loop are checkpointed (CheckFreq §6.2.3.2), and from which times that
   * follows. `block`: names of the loops around it and its own, joined by `/`.
   */
  | {
      readonly k: "frequency";
      readonly block: string;
      readonly iterationMs: number;
      readonly blockedMs: number;
      readonly persistMs: number;
      /** Iterations from one to the next. */
      readonly interval: number;
    }
  | {
      readonly k: "snapshot" | "wait" | "persist" | "load";
      readonly path: LoopPath;
      readonly ms: number;
      readonly bytes: number;
    };
