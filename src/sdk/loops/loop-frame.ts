/**
 * @file One active loop: what is known of it while it runs. Plain data; `loop-stack.ts` acts. Of each
 * observer it has a slot, which that observer alone writes.
 */
import type { LoopExit, LoopPath } from "../../format/index.ts";
import { stringToJson } from "../../format/index.ts";
import type { Seen } from "../checkpoints/audit.ts";
import { LoopCheckpoints } from "../checkpoints/loop-checkpoints.ts";
import type { LoopContext } from "./instrument.ts";
import { LoopClock } from "./loop-clock.ts";
import { UnwrittenTimes } from "../log/loop-profile.ts";
import { LoopDraws } from "../log/loop-records.ts";
import type { IterationBatch } from "./iteration-batch.ts";

/** An iterator that a loop draws from; it may outlive the loop's entry. */
export interface TrackedIterator {
  readonly id: number;
  readonly created: readonly unknown[];
  delivered: number;
  over: boolean;
  /** Of a dataset: where it was made. */
  readonly made: string | undefined;
  /** The iterator itself, or the object whose position it is. */
  readonly key: object;
  /** Has `state()` and `restore()`. */
  readonly resumable: { state(): unknown; restore(state: unknown): void } | undefined;
}

/** A loop as the program wrote it. */
export interface LoopStatement {
  readonly name: string;
  readonly site: number | null;
  /** Where the source was rewritten. */
  readonly context: LoopContext | undefined;
  /** A framework drives it. */
  readonly driven?: true;
  /** The program asks for a checkpoint of each so many iterations, whatever the budget says. */
  readonly every?: number | undefined;
  /** A loop that goes through nothing: `while`, `do`, `for (;;)`. */
  readonly plain?: true;
}

/** Which entry of a loop it is, and where it was entered. */
interface LoopEntering {
  readonly entry: number;
  readonly parent: LoopFrame | undefined;
  readonly entryPath: LoopPath;
  readonly entryText: string;
}

interface LoopItems {
  readonly iterator: TrackedIterator;
  readonly length: number | undefined;
  readonly itemsKnown: boolean;
}

/** A class only for speed: an object with this many fields must have one fixed shape. */
export class LoopFrame {
  readonly name: string;
  readonly nameJson: string;
  /** Names of the loops around it and its own: statistics are kept by this. */
  readonly loopKey: string;
  readonly entry: number;
  readonly depth: number;
  readonly site: number | null;
  /** The statement that goes through it, in rewritten source. */
  readonly context: LoopContext | undefined;
  /** A framework iterates over it. */
  readonly driven: boolean;
  readonly every: number | undefined;
  /** Its position is in the program's variables: no iterator has one. */
  readonly plain: boolean;
  readonly parent: LoopFrame | undefined;
  /** Path of the iteration in which it was entered; a loop inside an iterator may outlast that. */
  readonly entryPath: LoopPath;
  /** The same as JSON, without the outer brackets. */
  readonly entryText: string;
  /** Innermost of the loops that its iterator has open between two items. */
  suspended: LoopFrame | undefined = undefined;
  readonly iterator: TrackedIterator;
  readonly deliveredBefore: number;
  readonly length: number | undefined;
  /** Items follow from the index: no record is written for them. */
  readonly itemsKnown: boolean;
  /** Present iteration; -1 before the first. */
  index = -1;
  inBody = false;
  /** Counts iterations itself; `index` is then one of some time ago. */
  batch: IterationBatch | undefined = undefined;
  /** It ran at the same time as another loop: nothing of it is recorded any more. */
  isUnrecorded = false;
  /** The loop around it that continued while it was open. */
  closedBy: LoopFrame | undefined = undefined;
  /** It was closed, by itself or together with the loop around it. */
  ended = false;
  pathText: string | undefined = undefined;
  /** How often each loop was entered in the present iteration. */
  entries: Map<string, number> | undefined = undefined;
  /** Its iterations hold loops, as far as is known. */
  hasInner = false;
  readonly clock: LoopClock = new LoopClock();

  /** Of `LoopProfile`. */
  times: UnwrittenTimes = new UnwrittenTimes();
  /** Of `LoopRecords`; the second: its present item has a line in the log. */
  readonly draws: LoopDraws = new LoopDraws();
  itemWritten = false;
  /** Of `Checkpointer`. */
  readonly checkpoints: LoopCheckpoints = new LoopCheckpoints();
  /** Of `Audit`. */
  seen: readonly Seen[] | undefined = undefined;

  constructor(statement: LoopStatement, where: LoopEntering, items: LoopItems) {
    const { name } = statement;
    const { parent } = where;
    const { iterator } = items;
    this.name = name;
    this.nameJson = stringToJson(name.toWellFormed());
    this.entry = where.entry;
    this.site = statement.site;
    this.context = statement.context;
    this.driven = statement.driven ?? false;
    this.every = statement.every;
    this.plain = statement.plain ?? false;
    this.parent = parent;
    this.entryPath = where.entryPath;
    this.entryText = where.entryText;
    this.iterator = iterator;
    this.length = items.length;
    this.itemsKnown = items.itemsKnown;
    this.loopKey = parent ? `${parent.loopKey}/${name}` : name;
    this.depth = parent ? parent.depth + 1 : 0;
    this.deliveredBefore = iterator.delivered;
  }
}

/** The iteration that was counted last did not happen. */
export function uncountIteration(frame: LoopFrame): void {
  frame.index--;
  frame.clock.count--;
  frame.iterator.delivered--;
}

/** Rewritten source marks each `break`; whatever else closes its loop is a jump. */
export function howClosed(frame: LoopFrame | undefined): LoopExit {
  if (!frame?.context) return "closed";
  return frame.context.broke ? "break" : "jump";
}

/** So many items of an entry are written, where the program did not ask for it. */
const ITEMS_MAX = 1024;
/** So many of a loop whose iterations take less than this, in all its entries. */
const QUICK_ITEMS_MAX = 4096;
const QUICK_MS = 1;

/** Items of arithmetic inside another loop are data of no interest, and many. */
export function keepsItem(frame: LoopFrame): boolean {
  const { context } = frame;
  if (frame.index + 1 >= ITEMS_MAX || (context?.isTrivial && frame.depth > 0)) return false;
  const cost = context?.cost;
  return !cost || cost.items < QUICK_ITEMS_MAX || cost.bodyMs >= QUICK_MS;
}
