/**
 * @file What a recording process tells the command line that started it: a line of JSON on file
 * descriptor 3, a few times a second. For the screen only; the run's files hold the truth.
 */
import type { Overhead, RunStatus } from "./manifest.ts";

export const STATUS_FD = 3;

export interface LoopStatus {
  readonly loop: string;
  readonly index: number;
  readonly length: number | null;
  /** Milliseconds since this loop was entered. */
  readonly ms: number;
}

/** One line on the channel: the run has begun, is under way, has ended. */
export type StatusLine =
  | {
      readonly kind: "begin";
      readonly run: string;
      readonly commit: string | null;
      readonly dirty: number;
    }
  /** Something to tell the user now. */
  | { readonly kind: "notice"; readonly text: string }
  | {
      readonly kind: "live";
      readonly loops: readonly LoopStatus[];
      readonly metrics: StatusMetrics;
    }
  | {
      readonly kind: "end";
      readonly status: RunStatus;
      readonly metrics: StatusMetrics;
      readonly overhead: Overhead;
      /** What the user could do better next time. */
      readonly hints: readonly string[];
      /** Iterations of each outermost loop. */
      readonly loops: Readonly<{ [loop: string]: number }>;
    };

export type StatusMetrics = readonly {
  readonly name: string;
  /** A text where JSON has no number: `NaN`, `Infinity`. */
  readonly last: number | string;
  /** Finite ones only. */
  readonly points: readonly number[];
}[];
