/** @file How far a loop entry is with its orders, and what it is told to do next. */
import type { EntryIds } from "../../adapters/index.ts";
import type { Course } from "../../format/index.ts";
import type { RecordedEntry } from "./recorded-run.ts";

/** How far a loop entry is with its orders. */
export interface EntryProgress {
  readonly key: string;
  readonly course: Course | undefined;
  readonly recorded: RecordedEntry | undefined;
  /** Objects of the state when the loop was entered, kept for restoring. */
  readonly ids: EntryIds | undefined;
  readonly watched: readonly number[];
  /** How many of these lie behind. */
  watchedDone: number;
  leg: number;
  restoredLeg: number;
  /** Its end was restored, not reached. */
  skipped: boolean;
}

/** So many items of the iterator are taken and forgotten. */
export interface Drop {
  readonly drop: number;
}

/** A part of a jump to another iteration. */
export type JumpStep = "restore" | Drop;

/** What a loop does before it asks its iterator for the next item. */
export type Move = "end" | readonly JumpStep[];
