/**
 * @file Retention while a run is recorded: the training thread's book of its checkpoints. Small
 * numbers only; what they say is decided in `store/`, and done by the worker after a commit.
 */
import type { CheckpointRecord, KeepPolicy, LoopPath } from "../format/index.ts";
import { formatPath } from "../format/index.ts";
import type { RetainedCheckpoint } from "../store/index.ts";
import { chooseRemoved } from "../store/index.ts";

/** Never fewer of a running run (semantics, "Retention"): one may turn out to be damaged. */
const NEWEST = 2;
/**
 * Checkpoints of steps, however small: each has a file and lines of its own, and is gone through. The rest is a ring:
 * the next one always has room, for older ones go.
 */
const STEPS_MAX = 1024;
/** From so many checkpoints on, more than one goes at a time: going through all is not for free. */
const MANY = 64;
const MANY_SHARE = 15 / 16;

/** What the recorder knows of a checkpoint and its record does not say. */
export interface TakenFacts {
  readonly step: boolean;
  readonly enteredMs: number;
}

/** The best value so far of the name that a `peak` policy watches. */
interface Peak {
  readonly value: number;
  readonly path: LoopPath;
}

export class Retention {
  readonly #policy: KeepPolicy;
  /** By path: one taken again replaces the one before. */
  readonly #kept = new Map<string, RetainedCheckpoint>();
  /** Taken, and not yet durable. */
  readonly #taken = new Map<string, TakenFacts>();
  /** Files with tensors of checkpoints other than those of steps: not there for steps alone. */
  readonly #shared = new Set<string>();
  /** Files that are part of the run no more, and go with the next ones. */
  #stale: string[];
  #bytes = 0;
  #steps = 0;
  #peak: Peak | undefined;

  /** `before`: what a run that is continued has. */
  constructor(policy: KeepPolicy, before?: RetainedBefore) {
    this.#policy = policy;
    this.#stale = [...(before?.stale ?? [])];
    for (const checkpoint of before?.checkpoints ?? []) this.#add(checkpoint);
  }

  /** The name whose values must be passed to `observe`. */
  get watched(): string | undefined {
    return this.#policy.kind === "peak" ? this.#policy.name : undefined;
  }

  /** Nothing was logged under the watched name, so nothing was removed. */
  get isBlind(): boolean {
    return this.watched !== undefined && this.#peak === undefined;
  }

  /** A value of the watched name. */
  observe(value: number, path: () => LoopPath): void {
    if (this.#policy.kind !== "peak" || Number.isNaN(value)) return;
    const best = this.#peak?.value;
    const isBetter =
      best === undefined || (this.#policy.best === "max" ? value > best : value < best);
    if (isBetter) this.#peak = { value, path: path() };
  }

  taken(file: string, facts: TakenFacts): void {
    this.#taken.set(file, facts);
  }

  /** It was not taken after all. */
  refused(file: string): void {
    this.#taken.delete(file);
  }

  /** A checkpoint is durable: the files that go now. `wanted`: paths that the next one needs. */
  committed(record: CheckpointRecord, wanted: () => readonly string[]): string[] {
    const facts = this.#taken.get(record.file) ?? { step: false, enteredMs: record.t / 1000 };
    this.#taken.delete(record.file);
    this.#add(retainedCheckpoint(record, facts));
    const removed = this.#isDue ? this.#choose(wanted()) : [];
    for (const checkpoint of removed) this.#remove(checkpoint);
    const files = [...this.#stale, ...removed.map(({ file }) => file)];
    this.#stale = [];
    return files;
  }

  get #isDue(): boolean {
    if (this.#policy.kind !== "bytes") return this.#policy.kind !== "all";
    return this.#bytes > this.#policy.bytes || this.#steps > STEPS_MAX;
  }

  #choose(wanted: readonly string[]): RetainedCheckpoint[] {
    const checkpoints = [...this.#kept.values()];
    const policy = checkpoints.length > MANY ? withRoom(this.#policy) : this.#policy;
    const stepsMax = this.#steps > STEPS_MAX ? STEPS_MAX * MANY_SHARE : STEPS_MAX;
    const given = { newest: NEWEST, wanted, peak: this.#peak?.path, stepsMax };
    return chooseRemoved({ checkpoints, policy, ...given });
  }

  #add(checkpoint: RetainedCheckpoint): void {
    const path = formatPath(checkpoint.path);
    const again = this.#kept.get(path);
    // Only a run that was continued comes by twice: what it took before is superseded.
    if (again) {
      this.#remove(again);
      this.#stale.push(again.file);
    }
    if (!checkpoint.step) this.#share(checkpoint.holds);
    this.#kept.set(path, checkpoint);
    if (this.#counts(checkpoint)) this.#count(checkpoint, 1);
  }

  #share(files: readonly string[]): void {
    if (this.#policy.kind !== "bytes" || this.#policy.of === "all") return;
    const fresh = new Set(files.filter((file) => !this.#shared.has(file)));
    if (fresh.size === 0) return;
    for (const checkpoint of this.#kept.values()) {
      if (fresh.has(checkpoint.file) && checkpoint.step && this.#counts(checkpoint))
        this.#count(checkpoint, -1);
    }
    for (const file of fresh) this.#shared.add(file);
  }

  #remove(checkpoint: RetainedCheckpoint): void {
    this.#kept.delete(formatPath(checkpoint.path));
    if (this.#counts(checkpoint)) this.#count(checkpoint, -1);
  }

  #count({ bytes, step }: RetainedCheckpoint, sign: 1 | -1): void {
    this.#bytes += sign * bytes;
    if (step) this.#steps += sign;
  }

  #counts({ step, file }: RetainedCheckpoint): boolean {
    if (this.#policy.kind !== "bytes") return false;
    return this.#policy.of === "all" || (step && !this.#shared.has(file));
  }
}

function withRoom(policy: KeepPolicy): KeepPolicy {
  return policy.kind === "bytes" ? { ...policy, bytes: policy.bytes * MANY_SHARE } : policy;
}

function retainedCheckpoint(
  record: CheckpointRecord,
  { step, enteredMs }: TakenFacts,
): RetainedCheckpoint {
  const { file, path, kind, bytes, holds, needs, t } = record;
  return { file, path, kind, bytes, holds, needs, step, enteredMs, atMs: t / 1000 };
}

/** What a run that is continued has from before. */
export interface RetainedBefore {
  readonly checkpoints: readonly RetainedCheckpoint[];
  /** Files of checkpoints in parts of the run that are done again. */
  readonly stale: readonly string[];
}

/**
 * The checkpoints of a run that is continued. When their loops were entered is not known any more:
 * at the latest when the one before was taken.
 */
export function retainedBefore(
  records: readonly CheckpointRecord[],
  isStale: (record: CheckpointRecord) => boolean,
): RetainedBefore {
  const standing = records.filter((record) => !isStale(record));
  const stale = records.filter(isStale).map(({ file }) => file);
  const withInner = new Set(standing.map(({ path }) => loopNamesOf(path.slice(0, -1))));
  let enteredMs = 0;
  const checkpoints = standing.map((record) => {
    const { kind, path } = record;
    const step = kind === "iteration" && path.length > 1 && !withInner.has(loopNamesOf(path));
    const checkpoint = retainedCheckpoint(record, { step, enteredMs });
    enteredMs = checkpoint.atMs;
    return checkpoint;
  });
  return { checkpoints, stale };
}

function loopNamesOf(path: LoopPath): string {
  return path.map(([name]) => name).join("/");
}
