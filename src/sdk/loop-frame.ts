/** @file One active loop: what is known of it while it runs. Plain data; `loop-stack.ts` acts. */
import type { EntryIds } from "../adapters/index.ts";

/** An iterator that a loop draws from; it may outlive the loop's entry. */
export interface TrackedIterator {
  readonly id: number;
  readonly created: readonly unknown[];
  delivered: number;
  over: boolean;
  /** The iterable's own `state()`, where it has one (and `restore()`). */
  readonly state: (() => unknown) | undefined;
}

/** Times of iterations not yet written to the profile. */
export interface IterationTimes {
  from: number;
  next: number[];
  head: number[];
  inner: number[];
  tail: number[];
}

/** Whether this iteration is checkpointed. `tentative`: decided at its first boundary. */
export type Choice = "yes" | "no" | "tentative";

export interface LoopFrame {
  readonly name: string;
  readonly nameJson: string;
  /** Names of the loops around it and its own: statistics are kept by this. */
  readonly block: string;
  readonly entry: number;
  readonly depth: number;
  readonly site: number | null;
  readonly parent: LoopFrame | undefined;
  readonly iterator: TrackedIterator;
  readonly deliveredBefore: number;
  readonly length: number | undefined;
  /** Items follow from the index: no record is written for them. */
  readonly itemsKnown: boolean;
  /** Present iteration; -1 before the first. */
  index: number;
  inBody: boolean;
  pathText: string | undefined;
  /** How often each loop was entered in the present iteration. */
  entries: Map<string, number> | undefined;
  /** Identities of the state's objects at entry (design §3, Restore). */
  entryIds: EntryIds | undefined;

  /** Monotonic times of the present iteration, ms. */
  enteredAt: number;
  bodyAt: number;
  nextMs: number;
  firstInnerAt: number;
  lastInnerAt: number;
  /** Time that recording took inside the present body. */
  blockedMs: number;
  hasInner: boolean;
  times: IterationTimes;

  choice: Choice;
  taken: number;
  /** What the checkpoints of this iteration cost so far. */
  cost: { captureMs: number; snapshotMs: number; waitMs: number };

  drawsAtEntry: number;
  drawsSeen: number;
  lastNextDraw: number | null;
  firstBodyDraw: number | null;
  outsideDraws: number;
}
