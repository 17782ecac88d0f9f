/**
 * @file Drives one entry of a loop, whoever goes through it: a `for…of`, a `for await`, the test of a
 * `while`, or a framework that calls back. It is told where the loop stands and says what comes next:
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
import type { LoopExit } from "../format/index.ts";
import type { Drop, JumpStep } from "./director.ts";
import type { LoopFrame, LoopStatement } from "./loop-frame.ts";
import { uncount } from "./loop-frame.ts";
import type { LoopSource } from "./loop-stack.ts";
import type { Passing } from "./passing.ts";
import type { Session } from "./session.ts";

/** What a loop does next. */
export type Step = "body" | "end" | Drop;

export class LoopCursor {
  readonly #session: Session | undefined;
  #frame: LoopFrame | undefined;
  /** What is left to do of a jump to another iteration. */
  #jump: JumpStep[] | undefined;
  #isOver = false;

  constructor(session: Session | undefined) {
    this.#session = session;
  }

  /** The loop as it is recorded; undefined if it is not. */
  get frame(): LoopFrame | undefined {
    return this.#frame;
  }

  /** It was left, or ended by a replay. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** It runs at the same time as another: nothing of it is recorded any more. */
  get outOfUse(): boolean {
    return this.#frame?.outOfUse ?? false;
  }

  enter(statement: LoopStatement, source: LoopSource): LoopFrame | undefined {
    return (this.#frame = this.#session?.enter(statement, source));
  }

  /** The body, if there was one, has ended. */
  advance(): Step {
    const session = this.#session;
    const frame = this.#frame;
    if (!session || !frame) return "body";
    if (this.#jump) return this.#goOn(session, frame, this.#jump);
    session.endBody(frame);
    const move = session.director && session.before(frame);
    if (move === undefined || move === "end") return move ?? "body";
    this.#jump = [...move];
    if (session.director) session.director.dropping = true;
    return this.#goOn(session, frame, this.#jump);
  }

  #goOn(session: Session, frame: LoopFrame, jump: JumpStep[]): Step {
    for (let step = jump.shift(); step; step = jump.shift()) {
      if (step !== "restore") return step;
      session.director?.arrive(frame);
    }
    this.#jump = undefined;
    if (session.director) session.director.dropping = false;
    session.arrived(frame);
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
    if (this.#frame) this.#session?.tooShort(this.#frame, items);
  }

  /** The loop goes to its recorded end; its iterator is closed already. */
  skip(): void {
    const director = this.#session?.director;
    if (director && this.#frame) this.end(director.skip(this.#frame));
  }

  /** The next iteration begins, with this item; `startedAt`: when the iterator was asked for it. */
  begin(item: unknown, startedAt: number): void {
    if (this.#frame) this.#session?.beginBody(this.#frame, item, startedAt);
  }

  /** The same by a framework that calls back and cannot be led: nobody has asked to advance. */
  beginNext(item: unknown): void {
    if (this.#frame) this.#session?.endBody(this.#frame);
    this.begin(item, performance.now());
  }

  /** How many iterations may go by before the next call, counted by `batch`. */
  letPass(batch: Passing): number {
    const frame = this.#frame;
    if (!frame || !this.#session) return 0;
    const count = this.#session.mayPass(frame);
    if (count > 0) frame.passing = batch;
    return count;
  }

  /** The iteration that was counted last is none; true if `batch` has counted it, and must not. */
  takeBack(batch: Passing): boolean {
    const frame = this.#frame;
    if (frame?.passing === batch) return true;
    if (frame) uncount(frame);
    return false;
  }

  /** The loop is left early: its body is over, and its iterator goes on to close itself. */
  leave(): void {
    this.#isOver = true;
    if (this.#frame) this.#session?.leave(this.#frame);
  }

  end(how: LoopExit): void {
    this.#isOver = true;
    if (this.#frame) this.#session?.exit(this.#frame, how);
  }
}
