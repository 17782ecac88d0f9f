/**
 * @file What a plan needs to know of a recorded run: the tree of loop entries as it happened, the
 * checkpoints that are still there, and how long everything took. Plain data; the replayer reads
 * it from a run directory.
 */
import type {
  AuditFinding,
  CheckpointRecord,
  DrawSummary,
  LoopExit,
  LoopPath,
  RunStatus,
  SourcePlace,
  UnseenCall,
} from "../format/index.ts";

/** Where a loop stands in the recorded source; the end only when the source was parsed. */
export interface LoopSite extends SourcePlace {
  readonly endLine?: number;
  readonly endColumn?: number;
}

/**
 * Milliseconds of each iteration of one loop entry; NaN where nothing was measured. Of an entry of
 * very many iterations only the first are there.
 */
export interface IterationTimes {
  /** In the iterator, before the body. */
  readonly next: readonly number[];
  /** From the start of the body to the first inner loop; all of it when there is none. */
  readonly head: readonly number[];
  /** From the first inner loop's entry to the end of the last one. */
  readonly inner: readonly number[];
  readonly tail: readonly number[];
}

/** One entry of a loop, as recorded. */
export interface LoopEntry {
  /** Path of its loop end, as text: `epoch=3,step=end`. Unique in the run. */
  readonly key: string;
  /** Path of the enclosing iteration. */
  readonly path: LoopPath;
  readonly loop: string;
  readonly entry: number;
  /** Number of loops around it. */
  readonly depth: number;
  readonly site: LoopSite | null;
  /** Creation ordinal of its iterator. */
  readonly iterator: number;
  /** Number of the record of its entry. */
  readonly seq: number;
  /** Items follow from the index (`al.range`). */
  readonly ranged: boolean;
  /** Iterations begun. */
  readonly iterations: number;
  /** Null: it was running when the process ended. */
  readonly how: LoopExit | null;
  /** Null: nobody counted all of them, for the process ended in it. */
  readonly draws: readonly DrawSummary[] | null;
  /** Kinds of work that were started in it and not awaited. */
  readonly pending: readonly string[];
  /** Entered inside the iterator of the loop around it, and still open in later iterations. */
  readonly outlasts: boolean;
  /** Entries in its iterations, in order, by index of the iteration. */
  readonly children: ReadonlyMap<number, readonly LoopEntry[]>;
  readonly times: IterationTimes;
  /** From entry to exit on the clock of the run, recording included; null if it has no exit. */
  readonly elapsedMs: number | null;
}

/** Milliseconds of the parts of a run that are in no loop, and the speed of its disk. */
export interface RunTimes {
  /** Process start to the first call, and our own preparation. */
  readonly start: number;
  readonly setup: number;
  /** From there to the first outermost loop. */
  readonly prefix: number;
  /** Between outermost loops, in order. */
  readonly gaps: readonly number[];
  readonly suffix: number;
  /** Null when nothing was persisted. */
  readonly persistBytesPerMs: number | null;
}

export interface RunFacts {
  readonly run: string;
  readonly program: string;
  readonly started: string;
  /** Runs are ordered by this. */
  readonly order: number;
  readonly status: RunStatus;
  /** Whether names are captured: the source was rewritten, or recorded hands-free. */
  readonly rewritten: boolean;
  /** Version of Afterlog that recorded it. */
  readonly afterlog: string | null;
  /** Name of the machine. */
  readonly host: string;
  /** The same with its GPU, as costs are learned for it; absent: nobody knows. */
  readonly machine?: string;
  /** Outermost loop entries, in order. */
  readonly entries: readonly LoopEntry[];
  /** By path as text: the newest at each path whose files are all there. */
  readonly checkpoints: ReadonlyMap<string, CheckpointRecord>;
  /** Listed checkpoints whose file is missing or has another length. */
  readonly lost: readonly string[];
  readonly times: RunTimes;
  /** What changed in a loop although no checkpoint holds it; absent: nothing. */
  readonly audit?: readonly AuditFinding[];
  /** Loops that were not recorded any more from some point on; absent: none. */
  readonly loopsOff?: readonly string[];
  /** Names of loops that were given up for what they cost: a replay gives them up in the same places. */
  readonly givenUp?: readonly string[];
  /** Long calls into code whose loops nobody sees; absent: none. */
  readonly calls?: readonly UnseenCall[];
}

/** Every entry of a run, outer before inner, in the order in which they were entered. */
export function* allEntries(entries: readonly LoopEntry[]): Generator<LoopEntry> {
  for (const entry of entries) {
    yield entry;
    for (const inner of entry.children.values()) yield* allEntries(inner);
  }
}
