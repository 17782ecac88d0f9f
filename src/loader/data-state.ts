/**
 * @file Where a dataset stands, as it is kept in every checkpoint: at most 512 bytes of JSON
 * (CheckFreq §6.2.3.1: the epoch and the number of items processed are enough).
 */
import { AfterlogError } from "../format/index.ts";

/** A position between two batches. */
export interface DataState {
  readonly v: 1;
  /** Fingerprint of the items. */
  readonly ds: string;
  /** 64 bits, decimal. */
  readonly seed: string;
  /** Epoch that is gone through, from 0 on. */
  readonly epoch: number;
  /** Items of this epoch that the loop has been given; all of them: it yields nothing more. */
  readonly sample: number;
  readonly batch: number;
  readonly dropLast: boolean;
}

/** Throws AL072 unless `state` is a position of the dataset that is at `now`. */
export function checkState(
  state: unknown,
  now: DataState,
  count: number | undefined,
): asserts state is DataState {
  const given = Object(state) as Partial<DataState>;
  if (given.v !== 1) throw unfitDataState(`its version is ${String(given.v)}, not 1`);
  for (const field of ["ds", "seed"] as const) {
    if (given[field] === now[field]) continue;
    const what = field === "ds" ? "of other items" : "made with another seed";
    throw unfitDataState(`it is ${what}: ${String(given[field])}, here ${now[field]}`);
  }
  const { epoch, sample } = given;
  if (!isItemCount(epoch) || epoch >= 2 ** 32)
    throw unfitDataState(`its epoch is ${String(epoch)}`);
  if (!isItemCount(sample) || sample > (count ?? Infinity)) {
    throw unfitDataState(`its sample is ${String(sample)}, of ${count ?? "unknown"} items`);
  }
  // Between two epochs nothing has been cut into batches yet: there the size may change.
  if (sample === 0) return;
  for (const field of ["batch", "dropLast"] as const) {
    if (given[field] === now[field]) continue;
    throw unfitDataState(
      `in the middle of an epoch ${field} cannot change from ${String(given[field])} to ${String(now[field])}`,
    );
  }
  if (sample % now.batch !== 0 && count !== undefined && sample !== count) {
    throw unfitDataState(`its sample, ${sample}, is not between two batches of ${now.batch}`);
  }
}

function isItemCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function unfitDataState(why: string): AfterlogError {
  return new AfterlogError("AL072", "the state does not fit this dataset", {
    notes: [why],
    help: ["make the dataset from the same items, seed and batch size as the state's"],
  });
}
