/**
 * @file What restoring costs beside materializing, for the joint invariant (Flor §3.2.2, equations 2 and 3): measured
 * where a resumed run restores, and by a sample at the end of a run; what replays restore the replayer keeps.
 */
import type { CheckpointRecord } from "../../format/index.ts";
import { STRUCTURE_NAME } from "../../format/index.ts";
import { JOINT_INVARIANT_DEFAULTS } from "../../materialize/index.ts";
import type { RateKey } from "../../store/index.ts";
import { noteRestore, openCheckpoint, restoreFactor } from "../../store/index.ts";

/** Of a run's time, and at most: what a sample may take. */
const SAMPLE_SHARE = 0.01;
const SAMPLE_MS_MAX = 50;
/** A run that took less decides nothing by it. */
const SAMPLE_MS_MIN = 2;
/** A tensor that is larger takes longer than a sample may. */
const TENSOR_BYTES_MAX = 32 << 20;

export interface RestoreRatesOptions {
  readonly store: string;
  readonly key: RateKey;
  readonly runFolder: string;
  /** It repeats a run: what it restores the replayer keeps. */
  readonly replaying: boolean;
}

export class RestoreRates {
  readonly #options: RestoreRatesOptions;

  constructor(options: RestoreRatesOptions) {
    this.#options = options;
  }

  /** c; as Flor supposes it until something was measured. */
  get factor(): number {
    const { store, key } = this.#options;
    return restoreFactor(store, key) ?? JOINT_INVARIANT_DEFAULTS.restoreFactor;
  }

  /** A checkpoint was put back. */
  restored(record: CheckpointRecord, restoreMs: number): void {
    if (!this.#options.replaying) this.#note("resume", record, restoreMs);
  }

  /** The run has ended: reads some of its newest checkpoint back. */
  sample(newest: CheckpointRecord | undefined, runMs: number): void {
    const limitMs = Math.min(SAMPLE_MS_MAX, SAMPLE_SHARE * runMs);
    if (this.#options.replaying || !newest || limitMs < SAMPLE_MS_MIN) return;
    try {
      const restoreMs = readingMs(this.#options.runFolder, newest, limitMs);
      if (restoreMs !== undefined) this.#note("end", newest, restoreMs);
    } catch {
      // A checkpoint that cannot be read says so when it is needed.
    }
  }

  #note(from: "resume" | "end", { times }: CheckpointRecord, restoreMs: number): void {
    const { store, key } = this.#options;
    const materializeMs = times.capture + times.snapshot + times.wait;
    noteRestore(store, key, { from, restoreMs, materializeMs });
  }
}

/** What reading all of a checkpoint would take, from as much as fits into `limitMs`; undefined: too little does. */
function readingMs(
  runFolder: string,
  record: CheckpointRecord,
  limitMs: number,
): number | undefined {
  const started = performance.now();
  using reader = openCheckpoint(runFolder, record);
  const { tensors, metadata } = reader.header;
  const small = [...tensors, ...metadata.held].filter(({ bytes }) => bytes <= TENSOR_BYTES_MAX);
  const structure = small.find(({ name }) => name === STRUCTURE_NAME);
  if (!structure) return undefined;
  reader.structure();
  const opened = performance.now();
  let bytes = structure.bytes;
  for (const tensor of small) {
    if (performance.now() - started >= limitMs) break;
    if (tensor === structure) continue;
    reader.tensor(tensor.name);
    bytes += tensor.bytes;
  }
  const tensorMs = performance.now() - opened;
  const read = bytes - structure.bytes;
  const all = Math.max(read, record.stateBytes - structure.bytes);
  if (read === 0 && all > 0) return undefined;
  return opened - started + (read === 0 ? 0 : (tensorMs * all) / read);
}
