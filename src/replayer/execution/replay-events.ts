/** @file What a replay tells while it runs: one event each, as `--json` prints them. */
import type { CheckMark, LoopPath, LoopStatus, Plan } from "../../format/index.ts";
import type { Difference } from "../checking/check-replay.ts";
import type { ReplayStatus } from "./replay-state.ts";

/** A value that a run did not have. */
export interface EventCell {
  readonly run: string;
  readonly path: LoopPath;
  readonly name: string;
  /** As in the log (docs/format.md, "Values"). */
  readonly value: unknown;
  readonly check: CheckMark;
  /** The run directory that holds it. */
  readonly result: string;
}

export interface UnitFailure {
  readonly run: string;
  readonly unit: number;
  readonly why: string;
  /** What is not as it was in the tree where it ran: submodules, filters, files that are gone. */
  readonly notes: readonly string[];
  /** The end of what the program wrote to standard error. */
  readonly stderr: string;
  readonly first_difference: Difference | null;
  readonly likely_cause: string | null;
  /** Somebody must look at what is asked: it changed the run. Absent: that is not why. */
  readonly review?: true;
}

/** The first unit of the newest run, executed before all others. */
export interface Canary {
  readonly run: string;
  readonly unit: number;
  readonly cells: readonly EventCell[];
  readonly predicted_s: number;
  readonly actual_s: number;
  /** Of this, making the tree, starting and loading; null where it was not measured. */
  readonly fixed_s: number | null;
  readonly first_difference: Difference | null;
  readonly likely_cause: string | null;
}

export interface Progress {
  readonly done: number;
  readonly running: number;
  readonly waiting: number;
  readonly failed: number;
  readonly cells: number;
  /** Since the replay began, and until it will have ended. */
  readonly seconds: number;
  readonly seconds_left: number;
  /** Loops that a process is in, when it has just said so. */
  readonly live?: { readonly run: string; readonly loops: readonly LoopStatus[] };
}

export interface Summary {
  readonly status: ReplayStatus;
  readonly cells: number;
  readonly marks: Readonly<{ [mark in CheckMark]: number }>;
  readonly units: { readonly done: number; readonly failed: number; readonly waiting: number };
  readonly predicted_s: number;
  readonly actual_s: number;
  /** Runs whose replay differs from their record. */
  readonly differences: readonly {
    readonly run: string;
    readonly first_difference: Difference;
    readonly likely_cause: string | null;
  }[];
}

export type ReplayEvent = { readonly schema: 1; readonly replay: string } & (
  | { readonly kind: "plan"; readonly plan: Plan }
  | ({ readonly kind: "canary" } & Canary)
  | ({ readonly kind: "cell" } & EventCell)
  | ({ readonly kind: "progress" } & Progress)
  | ({ readonly kind: "failure" } & UnitFailure)
  | ({ readonly kind: "done" } & Summary)
);
