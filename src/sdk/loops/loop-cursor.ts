/**
 * @file Drives one entry of a loop. What iterates, a `for…of`, a `for await`, the test of a `while` or
 * a framework that calls back, reports to it and does what it answers:
 *
 *     cursor.enter(statement, source)
 *     cursor.advance()    "body": take an item, `begin` with it, execute the body, advance again
 *                         { drop }: take so many items and forget them, then advance again
 *                         "end": close the iterator, then `skip`
 *     cursor.end(how)
 *
 * Only a replay, a fork and a resumed run drop items or end a loop (semantics, "How a point is
 * reached"). Where nothing is recorded, or not any more, every call is answered and does nothing.
 */
import { hasTraps } from "../../adapters/index.ts";
import type { CheckpointRecord, LoopExit } from "../../format/index.ts";
import type { Director } from "../replay/director.ts";
import type { Drop, JumpStep } from "../replay/entry-progress.ts";
import type { LoopFrame, LoopStatement } from "./loop-frame.ts";
import { uncountIteration } from "./loop-frame.ts";
import type { LoopSource } from "./loop-observer.ts";
import type { LoopStack } from "./loop-stack.ts";
import type { IterationBatch } from "./iteration-batch.ts";
import type { Session } from "../session.ts";

/** What a loop goes through that cannot be looked at. */
const NOTHING = {};

/** Who decides what a replay does with a loop. */
type LoopDirector = Pick<Director, "before" | "restore" | "skip" | "tooShort" | "dropping">;

/** The run that a loop belongs to. */
export interface LoopHost extends Pick<Session, "loops" | "safely" | "inTurn" | "enterLoop"> {
  readonly director: LoopDirector | undefined;
}

/** What a loop does next. */
export type LoopStep = "body" | "end" | Drop;

/** A jump to another iteration that is under way: what is left of it. */
interface PendingJump {
  readonly director: LoopDirector;
  readonly steps: JumpStep[];
  restored: CheckpointRecord | undefined;
}

export class LoopCursor {
  readonly #host: LoopHost | undefined;
  /** The loops among which it was entered. */
  #loops: LoopStack | undefined;
  #frame: LoopFrame | undefined;
  #jump: PendingJump | undefined;
  #isOver = false;
  #how: LoopExit | undefined;

  constructor(host: LoopHost | undefined) {
    this.#host = host;
  }

  /** The loop as it is recorded; undefined if it is not. */
  get frame(): LoopFrame | undefined {
    return this.#frame;
  }

  /** It was left, or ended by a replay. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** How it ended. */
  get how(): LoopExit | undefined {
    return this.#how;
  }

  /** It runs at the same time as another, and is not recorded any more. */
  get isUnrecorded(): boolean {
    return this.#frame?.isUnrecorded ?? false;
  }

  enter(statement: LoopStatement, source: LoopSource): LoopFrame | undefined {
    const loops = this.#host?.loops;
    this.#loops = loops;
    const known = hasTraps(source.iterable) ? { ...source, iterable: NOTHING } : source;
    this.#frame = loops && this.#host?.enterLoop(loops, statement, known);
    return this.#frame;
  }

  /** The body, if there was one, has ended. */
  advance(): LoopStep {
    const host = this.#host;
    const frame = this.#frame;
    if (!host || !frame) return "body";
    if (this.#jump) return this.#continueJump(frame, this.#jump);
    this.#endBody();
    const { director } = host;
    if (!director || frame.isUnrecorded) return "body";
    const move = host.safely(() => director.before(frame));
    if (move === undefined) return "body";
    if (move === "end") return "end";
    director.dropping = true;
    this.#jump = { director, steps: [...move], restored: undefined };
    return this.#continueJump(frame, this.#jump);
  }

  #continueJump(frame: LoopFrame, jump: PendingJump): LoopStep {
    const { director, steps } = jump;
    for (let step = steps.shift(); step; step = steps.shift()) {
      if (step !== "restore") return step;
      const { index, restored } = director.restore(frame);
      this.#loops?.moveTo(frame, index);
      jump.restored = restored;
    }
    this.#jump = undefined;
    director.dropping = false;
    this.#loops?.arrived(frame, jump.restored);
    return "body";
  }

  /** `advance` where no item has to be taken: what is passed over need only be counted. */
  advanceByCount(): "body" | "end" {
    for (;;) {
      const step = this.advance();
      if (typeof step === "string") return step;
    }
  }

  /** The iterator ended while items were dropped: after so many. */
  tooShort(items: number): void {
    if (this.#frame) this.#host?.director?.tooShort(this.#frame, items);
  }

  /** The loop jumps to its recorded end; its iterator is closed already. */
  skip(): void {
    const director = this.#host?.director;
    const frame = this.#frame;
    if (!director || !frame) return;
    const { index, how } = director.skip(frame);
    this.#loops?.moveTo(frame, index);
    this.end(how);
  }

  /** The next iteration begins, with this item; `startedAt`: when the iterator was asked for it. */
  begin(item: unknown, startedAt: number): void {
    this.#inTurn((loops, frame) => loops.beginBody(frame, item, startedAt));
  }

  /** The same by a framework that calls back and does not call `advance`. */
  beginNext(item: unknown): void {
    this.#endBody();
    this.begin(item, performance.now());
  }

  #endBody(): void {
    this.#inTurn(endBody);
  }

  /** Iterations that `batch` counts itself before the next call. */
  startBatch(batch: IterationBatch): number {
    const frame = this.#frame;
    if (!frame || !this.#loops) return 0;
    const count = this.#loops.batchLimit(frame);
    if (count > 0) frame.batch = batch;
    return count;
  }

  /** The iteration that was counted last did not happen; true if `batch` must take it back itself. */
  takeBack(batch: IterationBatch): boolean {
    const frame = this.#frame;
    if (frame?.batch === batch) return true;
    if (frame) uncountIteration(frame);
    return false;
  }

  /** The loop is left early: its body is over, and its iterator is about to close itself. */
  leave(): void {
    this.#isOver = true;
    this.#inTurn((loops, frame) => loops.leave(frame));
  }

  end(how: LoopExit): void {
    this.#isOver = true;
    this.#how = how;
    this.#inTurn((loops, frame) => loops.exit(frame, how));
  }

  #inTurn(what: (loops: LoopStack, frame: LoopFrame) => void): void {
    const loops = this.#loops;
    const frame = this.#frame;
    if (loops && frame) this.#host?.inTurn(loops, frame, what);
  }
}

function endBody(loops: LoopStack, frame: LoopFrame): void {
  loops.endBody(frame);
}
