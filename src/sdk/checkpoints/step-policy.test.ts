/**
 * CheckFreq §6.2.2 on a clock that is only counted: whenever a training is killed, at most two intervals are lost,
 * and the interval is what algorithm 1 says for all that a checkpoint costs. `test/crash/recovery-bound.test.ts` kills
 * real processes.
 */
import { describe, expect, test } from "vitest";
import type { ProfileRecord } from "../../format/index.ts";
import { Ledger } from "../../materialize/index.ts";
import { seededRandom } from "../../../test/support/draws.ts";
import { LoopCheckpoints } from "./loop-checkpoints.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import { StepPolicy } from "./step-policy.ts";

const BUDGET = 0.035;
const EPOCHS = 4;
/** Of a state that grows: enough that its first checkpoints are little of all. */
const LONG_EPOCHS = 400;
/** For each workload. */
const KILLS = 200;

interface Workload {
  readonly epochs?: number;
  readonly steps: number;
  readonly stepMs: number;
  readonly snapshotMs: number;
  /** What it blocks longer after each step, until the state is `full` steps old. */
  readonly grownMs?: number;
  readonly full?: number;
  readonly persistMs: number;
  /** Processor time of a persist. */
  readonly besideMs: number;
}

/** A state that is durable: when, and how many steps it holds. */
interface Durable {
  readonly atMs: number;
  readonly steps: number;
}

interface Trained {
  /** When each step ended. */
  readonly ends: readonly number[];
  readonly durable: readonly Durable[];
  /** The interval that was written last, by the steps that had ended. */
  readonly intervals: readonly (number | undefined)[];
  readonly share: number;
}

/** Trains with the real policy and the real ledger; no step is taken while another is on its way. */
class CountedTraining {
  readonly #work: Workload;
  readonly #ledger = new Ledger({ overheadMax: BUDGET, restoreFactor: 1 });
  readonly #durable: Durable[] = [{ atMs: 0, steps: 0 }];
  readonly #policy: StepPolicy;
  #nowMs = 0;
  #steps = 0;
  #idleAtMs = 0;
  #interval: number | undefined;

  constructor(work: Workload) {
    this.#work = work;
    this.#policy = new StepPolicy({
      parts: {
        ledger: this.#ledger,
        leftMs: () => this.#leftMs,
        materializer: this,
        recorder: { profile: (record) => this.#note(record) },
      },
      expectedMs: () => this.#expectedMs,
      before: { frequencies: new Map(), neededEnds: [] },
    });
  }

  get isPersisting(): boolean {
    return this.#idleAtMs > this.#nowMs;
  }

  #note(record: ProfileRecord): void {
    if (record.k === "frequency") this.#interval = record.interval;
  }

  get #snapshotMs(): number {
    const { snapshotMs, grownMs = 0, full = 0 } = this.#work;
    return snapshotMs + grownMs * Math.min(this.#steps, full);
  }

  get #expectedMs(): number {
    const { snapshotMs } = this.#work;
    return this.#ledger.expectedMs({ stateBytes: snapshotMs, copyBytesPerMs: 1, walkMs: 0 });
  }

  get #leftMs(): number {
    return this.#ledger.leftMs(this.#nowMs);
  }

  /** Two may be on their way to the disk, one behind the other: there are two slots. */
  #take(frame: LoopFrame): number {
    const { persistMs, besideMs } = this.#work;
    const snapshotMs = this.#snapshotMs;
    this.#nowMs += snapshotMs;
    this.#ledger.charge({ captureMs: 0, snapshotMs, waitMs: 0 });
    this.#ledger.besideMs += besideMs;
    this.#idleAtMs = Math.max(this.#idleAtMs, this.#nowMs) + persistMs;
    this.#durable.push({ atMs: this.#idleAtMs, steps: this.#steps });
    this.#policy.persisted(persistMs);
    frame.checkpoints.lastEnd = frame.index;
    return snapshotMs;
  }

  run(): Trained {
    const { epochs = EPOCHS, steps, stepMs } = this.#work;
    const [ends, intervals]: [number[], (number | undefined)[]] = [[], []];
    const epoch = frameOf("epoch", undefined, epochs);
    for (epoch.index = 0; epoch.index < epochs; epoch.index++) {
      const step = frameOf("epoch/step", epoch, steps);
      epoch.clock.bodyAt = performance.now();
      for (step.index = 0; step.index < steps; step.index++) {
        this.#nowMs += stepMs;
        this.#steps++;
        step.clock.bodyMs = stepMs;
        const taken = this.#policy.due(step);
        ends.push(this.#nowMs);
        intervals.push(this.#interval);
        const blockedMs = taken ? this.#take(step) : 0;
        if (blockedMs > 0) this.#policy.taken(step, blockedMs);
      }
      epoch.clock.bodyMs = steps * stepMs;
      if (this.#policy.endAllowance(epoch) !== undefined)
        this.#policy.taken(epoch, this.#take(epoch));
    }
    const share = this.#ledger.spentMs / (this.#steps * stepMs);
    return { ends, durable: this.#durable, intervals, share };
  }
}

function frameOf(loopKey: string, parent: LoopFrame | undefined, length: number): LoopFrame {
  const clock = { bodyMs: 0, bodyAt: 0 };
  const depth = parent ? 1 : 0;
  const checkpoints = new LoopCheckpoints();
  return { loopKey, parent, length, depth, index: 0, clock, checkpoints } as unknown as LoopFrame;
}

/** Steps that had ended at that moment and are executed again. */
function lostAt({ ends, durable }: Trained, atMs: number): number {
  const done = ends.filter((end) => end <= atMs).length;
  const newest = durable.findLast((one) => one.atMs <= atMs)?.steps ?? 0;
  return done - newest;
}

const WORK: readonly (readonly [string, Workload, number])[] = [
  [
    "0.7 s, 5 ms blocked: each step",
    { steps: 400, stepMs: 700, snapshotMs: 5, persistMs: 60, besideMs: 8 },
    1,
  ],
  ["64 MB", { steps: 600, stepMs: 50, snapshotMs: 7.8, persistMs: 80, besideMs: 60 }, 39],
  ["16 MB", { steps: 800, stepMs: 25, snapshotMs: 2.5, persistMs: 20, besideMs: 15 }, 20],
  ["a slow disk", { steps: 500, stepMs: 100, snapshotMs: 10, persistMs: 3000, besideMs: 20 }, 30],
  ["short epochs", { steps: 90, stepMs: 10, snapshotMs: 0.1, persistMs: 4, besideMs: 0.5 }, 25],
];

describe("at 3.5 %", () => {
  test.each(WORK)("%s", (_, work, expected) => {
    const trained = new CountedTraining(work).run();
    const { ends, intervals, durable } = trained;
    const random = seededRandom(3);
    const endMs = ends.at(-1) ?? 0;
    // Until then it is found out how long a step takes.
    const firstMs = durable[1]?.atMs ?? Infinity;
    let most = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const atMs = firstMs + random() * (endMs - firstMs);
      const done = ends.filter((end) => end <= atMs).length;
      const known = Math.max(...intervals.slice(0, done).map((interval) => interval ?? 0));
      const lost = lostAt(trained, atMs);
      expect(lost).toBeLessThanOrEqual(2 * Math.ceil(1.1 * known));
      most = Math.max(most, lost);
    }
    // In the first epochs it is found out what everything takes.
    const later = intervals.slice(2 * work.steps).map((interval) => interval ?? 0);
    expect(Math.min(...later)).toBeGreaterThanOrEqual(expected);
    // The ends of epochs, which steps are reached by, are paid of the same budget.
    expect(Math.max(...later)).toBeLessThanOrEqual(2 * expected);
    expect(most).toBeGreaterThan(0);
    expect(trained.share).toBeLessThanOrEqual(BUDGET * 1.1);
  });
});

test.each([
  ["while it is trained", 0.5, 1000],
  ["late", 10, 100],
])(
  "a state that comes to block as long as an epoch lasts keeps the budget: %s",
  (_, grownMs, full) => {
    const sizes = { snapshotMs: 0.1, persistMs: 5, besideMs: 1, grownMs, full };
    const work = { epochs: LONG_EPOCHS, steps: 20, stepMs: 25, ...sizes };
    const trained = new CountedTraining(work).run();
    expect(trained.share).toBeLessThanOrEqual(BUDGET * 1.1);
    expect(trained.durable.length).toBeGreaterThan(1);
  },
);

test("a run that goes on takes the end of the iteration that it was resumed in, and checkpoints in the next", () => {
  const times = { iterationMs: 40, blockedMs: 3, persistMs: 20 };
  const written: ProfileRecord[] = [];
  const policy = new StepPolicy({
    parts: {
      ledger: { budget: BUDGET, inAllMs: (ms) => ms },
      leftMs: () => 40,
      materializer: { isPersisting: false },
      recorder: { profile: (record) => written.push(record) },
    },
    expectedMs: () => 3,
    before: { frequencies: new Map([["run/epoch/step", times]]), neededEnds: [] },
  });
  const epoch = frameOf("run/epoch", undefined, EPOCHS);
  Object.assign(epoch.clock, { bodyMs: 0.5, bodyAt: performance.now() });
  expect(policy.endAllowance(epoch)).toBeUndefined();
  epoch.checkpoints.isGoneOn = true;
  expect(policy.endAllowance(epoch)).toBe(40);
  // Where nothing was looked at when the loop was entered no step can be taken: the interval says so.
  const step = frameOf("run/epoch/step", epoch, 100);
  expect(policy.wantsIdentities(step)).toBe(false);
  step.index = 90;
  step.clock.bodyMs = 40;
  expect(policy.due(step)).toBe(true);
  expect(policy.wantsIdentities(step)).toBe(true);
  expect(policy.due(step, { isKnown: false })).toBe(false);
  expect(written.at(-1)).toMatchObject({ k: "frequency", interval: 91 });
  epoch.index = 1;
  expect(policy.wantsIdentities(step)).toBe(false);
  const other = frameOf("run", undefined, 1);
  expect(policy.endAllowance(other)).toBeUndefined();
});
