/** @file What most parts of a run work with. */
import type { Ledger, Materializer, Retention } from "../materialize/index.ts";
import type { CapturedState } from "./checkpoints/captured-state.ts";
import type { Iterators } from "./loops/iterators.ts";
import type { SeededRandom } from "./random.ts";
import type { Recorder } from "./log/recorder.ts";
import type { RunTime } from "./run-time.ts";

export interface RunParts {
  readonly materializer: Materializer;
  readonly ledger: Ledger;
  readonly retention: Retention;
  readonly recorder: Recorder;
  readonly captured: CapturedState;
  readonly iterators: Iterators;
  readonly random: SeededRandom;
  readonly time: RunTime;
  /** What the budget still allows. */
  readonly leftMs: () => number;
}
