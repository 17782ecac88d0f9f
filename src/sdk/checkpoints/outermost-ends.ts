/**
 * @file Whether the end of an outermost loop is checkpointed. Where the program says which loops
 * there are, always (semantics, "What is taken"). Hands-free, a small function with a loop of its
 * own may be called thousands of times at top level: there the first end of a loop is taken, and
 * each further one only while the ends of that loop cost no more than the budget's share of the
 * time spent in it.
 */
import type { LoopFrame } from "../loops/loop-frame.ts";

interface Spent {
  ends: number;
  costMs: number;
  loopMs: number;
}

export class OutermostEnds {
  readonly #share: number;
  /** By loop key; undefined: all ends are taken. */
  readonly #spent: Map<string, Spent> | undefined;
  readonly #leftOut = new WeakSet<LoopFrame>();

  constructor({ share, handsFree }: { readonly share: number; readonly handsFree: boolean }) {
    this.#share = share;
    this.#spent = handsFree ? new Map() : undefined;
  }

  /** An outermost loop is entered: will its end be taken? */
  entered(frame: LoopFrame): boolean {
    const spent = this.#spent?.get(frame.loopKey);
    if (!spent) return true;
    const { ends, costMs, loopMs } = spent;
    const nextMs = ends === 0 ? 0 : costMs / ends;
    const wanted = costMs + nextMs <= this.#share * loopMs;
    if (!wanted) this.#leftOut.add(frame);
    return wanted;
  }

  /** As decided when it was entered. */
  wants(frame: LoopFrame): boolean {
    return !this.#leftOut.has(frame);
  }

  /** It has ended, after `loopMs`; its end, if it was taken, took `costMs`. */
  ended(frame: LoopFrame, { loopMs, costMs }: { loopMs: number; costMs: number }): void {
    const known = this.#spent?.get(frame.loopKey) ?? { ends: 0, costMs: 0, loopMs: 0 };
    known.loopMs += loopMs;
    known.costMs += costMs;
    if (this.wants(frame)) known.ends++;
    this.#spent?.set(frame.loopKey, known);
  }
}
