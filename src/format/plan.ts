/**
 * @file A plan: which runs are replayed, how much of each, from which checkpoints, for how long.
 * A plain value: printed, saved, edited, executed later.
 */
import type { Course, SourcePlace } from "./directive.ts";

/** How much of a run is executed again (design §3). */
export type Scan = "prefix" | "suffix" | "outer" | "inner";

/** Iterations that are asked for: each loop by name to its first and last index, inclusive. */
export type Box = Readonly<{ [loop: string]: readonly [first: number, last: number] }>;

/** One process of a replay: a part of a run that is reached and executed on its own. */
export interface PlannedUnit {
  /** Cells outside these are not kept; empty: all of the run. */
  readonly ranges: readonly Box[];
  readonly courses: readonly Course[];
  readonly seconds: number;
  /** Of these, the program's own code; the rest is starting the process and loading. */
  readonly code_seconds?: number;
  /** Iterations of innermost loops that are executed, and the checkpoints that are loaded. */
  readonly iterations: number;
  readonly checkpoints: readonly string[];
}

export interface PlannedRun {
  readonly run: string;
  readonly scan: Scan;
  readonly ranges: readonly Box[];
  /** Predicted seconds of work, all units together. */
  readonly seconds: number;
  /** The first checkpoint that is loaded; null: the run is executed from its start. */
  readonly from_checkpoint: string | null;
  /** Iterations of innermost loops that are executed again, as a share of those recorded. */
  readonly share: number;
  /** Why the scan is costlier than the place of the statement asks for; the user reads it. */
  readonly notes: readonly string[];
  /** Statements that this run did not have, asked for or not; absent: those of the plan. */
  readonly probes?: readonly SourcePlace[];
  readonly units: readonly PlannedUnit[];
}

/** A run that is not replayed, and why. */
export interface LeftOut {
  readonly run: string;
  readonly why: string;
}

/** Source text that replaces a file of the version in the replay's tree. */
export interface Overlay {
  readonly file: string;
  readonly text: string;
}

export interface Plan {
  readonly v: 1;
  readonly names: readonly string[];
  readonly where: string | null;
  /** Conditions on the asked names themselves: cells are filtered by them afterwards. */
  readonly after: string | null;
  /** Where the statements stand: `train.ts:57`, and what is logged there. */
  readonly statements: readonly {
    readonly name: string;
    readonly file: string;
    readonly line: number;
    readonly column: number;
    readonly text: string;
    /** Its place between the other statements: the same though log statements are added. */
    readonly anchor?: string;
    /** Names of the loops around it, outermost first. */
    readonly loops: readonly string[];
  }[];
  readonly runs: readonly PlannedRun[];
  readonly left_out: readonly LeftOut[];
  /** Files as they are in the replay's tree, with the statements in them. */
  readonly overlays: readonly Overlay[];
  readonly workers: number;
  /** Seconds on the wall clock, with an interval that holds nine times in ten. */
  readonly seconds: number;
  readonly seconds_low: number;
  readonly seconds_high: number;
  /** Seconds of all units one after the other. */
  readonly work: number;
  /** How far off earlier plans were; null if there were none. */
  readonly past: { readonly plans: number; readonly median_error: number } | null;
}
