/**
 * @file What tests ask of a process from outside, in one place; nobody else sets these variables.
 * `python/afterlog/format/test_seams.py` reads the same.
 */
import type { Environment } from "./own-process.ts";

export interface TestSeams {
  /** Kill the process, end the worker or fail the disk at a named point (`materialize/faults.ts`). */
  readonly crashAt: string | null;
  /** A disk that gets nothing done for so long is given up; absent: after two minutes. */
  readonly stallMs: number | undefined;
  /**
   * One name that the analysis misses, as if it had a hole there: `train.ts#2 train.ts:0:ema` is
   * the name with that key among the changes of the loop with ordinal 2 in that file. What then
   * goes wrong must be found by the audit, or by the deferred check.
   */
  readonly overlooked: string | undefined;
  /** A loop of a hands-free program is given up after so many entries, whatever it costs. */
  readonly entriesMax: number | undefined;
}

export function testSeams(env: Environment): TestSeams {
  return {
    crashAt: env["AFTERLOG_CRASH_AT"] ?? null,
    stallMs: Number(env["AFTERLOG_STALL_MS"]) || undefined,
    overlooked: env["AFTERLOG_OVERLOOK"],
    entriesMax: Number(env["AFTERLOG_ENTRIES_MAX"]) || undefined,
  };
}
