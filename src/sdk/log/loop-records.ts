/**
 * @file The lines of the log that tell of loops: entered, items, left. The last one says when the
 * random generator was drawn from, and which work was started and not awaited: a replay that jumps
 * in this loop must know.
 */
import { performance } from "node:perf_hooks";
import type { CheckpointRecord, DrawSummary, LoopExit } from "../../format/index.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { LoopObserver, LoopSource } from "../loops/loop-observer.ts";
import { Range } from "../loops/range.ts";
import type { RunParts } from "../run-parts.ts";

/** Asking Node what it waits for takes up to 0.3 ms: only entries that last are worth it. */
const LOOK_AFTER_MS = 200;
/** Longest string item that is kept as the iteration's value. */
const ITEM_MAX = 1024;

/** When the generator was drawn from in an entry of a loop, and by what. */
export class LoopDraws {
  /** All draws that have been attributed. */
  seen = 0;
  /** The last iteration whose `next()` drew. */
  lastNext: number | null = null;
  /** The first iteration whose body drew. */
  firstBody: number | null = null;
  /** Draws while the iterator was made, and while it was asked for an item that it had not. */
  outside = 0;
  /** Another process had a part of it, and left no word of what that drew. */
  isPartial = false;

  get all(): DrawSummary[] {
    const { lastNext, firstBody, outside } = this;
    if (lastNext === null && firstBody === null && outside === 0) return [];
    return [{ generator: "Math.random", lastNext, firstBody, outside }];
  }

  /** As a checkpoint has them that is taken now; undefined: not known. */
  get untilNow(): readonly DrawSummary[] | undefined {
    return this.isPartial ? undefined : this.all;
  }

  /** It goes on where a checkpoint was taken, which has what was drawn until then. */
  goOn(draws: readonly DrawSummary[] | undefined): void {
    this.isPartial = draws === undefined;
    const [known] = draws ?? [];
    if (known) Object.assign(this, { lastNext: known.lastNext, firstBody: known.firstBody });
  }

  /** What was drawn since is of the `next()` that gave iteration `index`. */
  inNext(draws: number, index: number): void {
    if (draws > this.seen) this.lastNext = index;
    this.seen = draws;
  }

  /** What was drawn since is of the body of iteration `index`. */
  inBody(draws: number, index: number): void {
    if (draws > this.seen) this.firstBody ??= index;
    this.seen = draws;
  }
}

export class LoopRecords implements LoopObserver {
  readonly #parts: RunParts;
  /** Kinds of work that Node is waiting for. */
  readonly #readResources: () => readonly string[];
  /** What Node was waiting for when last looked at. */
  #resources: readonly string[] = [];
  #lookedAt = -Infinity;

  constructor(parts: RunParts, resources: () => readonly string[]) {
    this.#parts = parts;
    this.#readResources = resources;
  }

  entered(frame: LoopFrame, { iterable, drawsBefore }: LoopSource): void {
    const { random, recorder } = this.#parts;
    const { draws } = frame;
    draws.outside = random.draws - drawsBefore;
    draws.seen = random.draws;
    if (!frame.parent && performance.now() - this.#lookedAt > LOOK_AFTER_MS) this.#look();
    const { start = 0, step = 1 } = iterable instanceof Range ? iterable : {};
    recorder.entered(frame, frame.itemsKnown ? { start, step } : undefined);
  }

  iterationBegan(frame: LoopFrame, item: unknown): void {
    frame.draws.inNext(this.#parts.random.draws, frame.index);
    frame.itemWritten = !frame.itemsKnown && isScalar(item);
    if (!frame.itemWritten) return;
    this.#parts.recorder.item(frame, item);
    const cost = frame.context?.cost;
    if (cost) cost.items++;
  }

  iterationEnded(frame: LoopFrame): void {
    frame.draws.inBody(this.#parts.random.draws, frame.index);
    const cost = frame.context?.cost;
    if (cost) cost.bodyMs = frame.clock.bodyMs;
  }

  loopEnded(frame: LoopFrame, how: LoopExit): void {
    const { random, recorder } = this.#parts;
    frame.draws.outside += random.draws - frame.draws.seen;
    recorder.exited(frame, { how, draws: frame.draws.all, pending: this.#pending(frame) });
  }

  /** What it drew on the way is not its own. */
  arrived({ draws, index }: LoopFrame, restored?: CheckpointRecord): void {
    draws.seen = this.#parts.random.draws;
    if (index >= 0) draws.goOn(restored?.draws);
  }

  /** Every item that is written needs its iteration reported. */
  batchLimit(frame: LoopFrame): number {
    return frame.itemWritten ? 0 : Infinity;
  }

  /** Work that was started and not awaited; null when the entry was too short to look. */
  #pending({ clock }: LoopFrame): string[] | null {
    if (performance.now() - clock.enteredAt < LOOK_AFTER_MS) return null;
    const before = this.#resources;
    this.#look();
    return newResources(before, this.#resources);
  }

  #look(): void {
    this.#resources = this.#readResources();
    this.#lookedAt = performance.now();
  }
}

/** An item that a table can show. */
function isScalar(item: unknown): boolean {
  // Compared one by one: this is asked for each item, and a list of them would be made each time.
  const kind = typeof item;
  if (kind === "string") return (item as string).length <= ITEM_MAX;
  return kind === "number" || kind === "boolean" || kind === "bigint" || item === null;
}

function newResources(before: readonly string[], after: readonly string[]): string[] {
  const left = [...before];
  return after.filter((kind) => {
    const at = left.indexOf(kind);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
