/**
 * Trainings of loops in loops on a clock that is only counted, with the real loops, checkpointer and ledger: from each
 * checkpoint of a step a run can go on, and wherever it is killed, it loses two intervals at most.
 */
import { afterEach, describe, expect, test, vi } from "vitest";
import type { CheckpointRecord, ProfileRecord } from "../../format/index.ts";
import { formatPath } from "../../format/index.ts";
import type { Materializer } from "../../materialize/index.ts";
import { Ledger, Retention } from "../../materialize/index.ts";
import { mostAtStake } from "../../planner/index.ts";
import { Iterators } from "../loops/iterators.ts";
import { LoopStack } from "../loops/loop-stack.ts";
import { range } from "../loops/range.ts";
import type { RunParts } from "../run-parts.ts";
import { CapturedState } from "./captured-state.ts";
import { Checkpointer } from "./checkpointer.ts";

const BUDGET = 0.0667;
const SNAPSHOT_MS = 0.5;
const PERSIST_MS = 20;
/** Processor time of a persist. */
const BESIDE_MS = 5;

interface Loop {
  readonly name: string;
  readonly times: number;
  /** Of one iteration, without the loops in it. */
  readonly ms: number;
  readonly inner: readonly Loop[];
  /** What recording takes of an iteration. */
  readonly boundaryMs?: number;
}

class CountedRun {
  readonly #ledger = new Ledger({ overheadMax: BUDGET, restoreFactor: 1 });
  readonly #loops: LoopStack;
  readonly #checkpointer: Checkpointer;
  readonly #onTheWay: { readonly record: CheckpointRecord; readonly durableMs: number }[] = [];
  readonly taken: CheckpointRecord[] = [];
  /** The longest interval that was written. */
  intervalMs = 0;
  nowMs = 0;
  /** The loops tell how long they are. */
  readonly #isCounted: boolean;
  readonly stopRequested = false;
  readonly copyBytesPerMs = 1e6;

  constructor(isCounted: boolean) {
    this.#isCounted = isCounted;
    const now = (): number => this.nowMs;
    const iterators = new Iterators();
    const parts = {
      materializer: this,
      ledger: this.#ledger,
      retention: new Retention({ kind: "all" }),
      recorder: {
        now: () => this.nowMs * 1000,
        seq: 0,
        emit: () => undefined,
        profile: (record: ProfileRecord) => this.#note(record),
      },
      captured: new CapturedState(),
      iterators,
      random: { state: {} },
      time: {
        get exactMs() {
          return now();
        },
      },
      leftMs: () => this.#ledger.leftMs(this.nowMs),
    } as unknown as RunParts;
    this.#checkpointer = new Checkpointer(parts, {
      before: { declaration: 0, files: new Map(), frequencies: new Map(), neededEnds: [] },
      handsFree: false,
      director: undefined,
      audit: { entered: () => undefined, compare: () => undefined },
      turnedOff: (why) => expect.unreachable(why),
    });
    const observers = [this.#checkpointer];
    this.#loops = new LoopStack({ observers, iterators, director: undefined });
    vi.spyOn(performance, "now").mockImplementation(now);
    this.#checkpointer.declare({ w: new Float64Array(8) }, undefined, null);
  }

  /**
   * What checkpoints took, of what the program did: of its time, or of the processor's. While it waits for a
   * persist it is that which computes.
   */
  get share(): number {
    const { boundaryMs, spentMs, processorMs, outermostMs } = this.#ledger;
    const spent = Math.max(spentMs + outermostMs, processorMs) - boundaryMs;
    return spent / (this.nowMs - spentMs);
  }

  prepare(): void {}

  get isPersisting(): boolean {
    this.#settle();
    return this.#onTheWay.length > 0;
  }

  /** There are two slots: one that is paired waits for the second, others until all is on the disk. */
  take(request: Parameters<Materializer["take"]>[0]): ReturnType<Materializer["take"]> {
    this.#settle();
    const { kind, path, needs, file, paired, waitMsMax } = request;
    const waitMs = Math.max(0, (this.#onTheWay.at(paired ? -2 : -1)?.durableMs ?? 0) - this.nowMs);
    if (waitMs > waitMsMax) return { captureMs: 0, snapshotMs: 0, waitMs: 0, taken: false };
    const t = this.nowMs * 1000;
    this.nowMs += waitMs + SNAPSHOT_MS;
    this.#ledger.besideMs += BESIDE_MS;
    const durableMs = Math.max(this.nowMs, this.#onTheWay.at(-1)?.durableMs ?? 0) + PERSIST_MS;
    const times = { capture: 0, snapshot: SNAPSHOT_MS, wait: waitMs, persist: PERSIST_MS };
    const sizes = { bytes: 64, stateBytes: 64, holds: [] };
    const record = { kind, path, needs, file, t, times, ...sizes } as unknown as CheckpointRecord;
    this.taken.push(record);
    this.#onTheWay.push({ record, durableMs });
    return { captureMs: 0, snapshotMs: SNAPSHOT_MS, waitMs, taken: true };
  }

  #settle(): void {
    while ((this.#onTheWay[0]?.durableMs ?? Infinity) <= this.nowMs) {
      const done = this.#onTheWay.shift();
      if (done) this.#checkpointer.committed(done.record, this.#loops.top);
    }
  }

  #note(record: ProfileRecord): void {
    if (record.k !== "frequency") return;
    this.intervalMs = Math.max(this.intervalMs, record.interval * record.iterationMs);
  }

  train({ name, times, ms, inner, boundaryMs = 0 }: Loop): void {
    const iterable = this.#isCounted ? range(times) : {};
    const source = { iterable, iterator: {}, drawsBefore: 0 };
    const frame = this.#loops.enter({ name, site: null, context: undefined }, source);
    for (let index = 0; index < times; index++) {
      this.#loops.endBody(frame);
      this.#loops.beginBody(frame, index, this.nowMs);
      for (const each of inner) this.train(each);
      this.nowMs += ms;
      this.#ledger.boundaryMs += boundaryMs;
    }
    this.#loops.endBody(frame);
    this.#loops.exit(frame, "exhausted");
  }
}

/** What is restored before a step: the end before it at each level, and of the loops before it in each body. */
function neededBefore({ path }: CheckpointRecord, outermost: Loop): string[] {
  const needed: string[] = [];
  let here: readonly Loop[] = [outermost];
  for (const [depth, [name, index]] of path.entries()) {
    const around = path.slice(0, depth);
    const at = here.findIndex((loop) => loop.name === name);
    for (const before of here.slice(0, at))
      needed.push(formatPath([...around, [before.name, "end"]]));
    const isInside = depth < path.length - 1;
    if (isInside && Number(index) > 0)
      needed.push(formatPath([...around, [name, Number(index) - 1]]));
    here = here[at]?.inner ?? [];
  }
  return needed;
}

function loop(name: string, times: number, ms: number, ...inner: Loop[]): Loop {
  return { name, times, ms, inner };
}

const HOT = { ...loop("b", 20, 0.03), boundaryMs: 0.002 };
const COSTLY = { ...HOT, boundaryMs: 0.05 };

afterEach(() => vi.restoreAllMocks());

const TRAININGS: readonly (readonly [string, Loop, lostMsMax: number])[] = [
  ["a hot loop in each step", loop("epoch", 12, 1, loop("step", 40, 12, HOT)), 600],
  ["one that spends the budget", loop("epoch", 12, 1, loop("step", 40, 12, COSTLY)), 1100],
  ["four loops", loop("fold", 3, 1, loop("epoch", 6, 1, loop("step", 40, 12, HOT))), 1100],
  ["hot outside", loop("i", 3000, 0.5, loop("j", 3, 0.1, loop("k", 4, 0.05))), 550],
  ["a short one first", loop("epoch", 8, 1, loop("warm", 3, 1), loop("step", 100, 10, HOT)), 1500],
  ["two long ones", loop("epoch", 6, 1, loop("step", 100, 10), loop("val", 60, 10, HOT)), 800],
  [
    "long at each level",
    loop("fold", 3, 1, loop("epoch", 3, 1, loop("step", 4, 1, loop("b", 100, 10)))),
    1500,
  ],
  ["short epochs", loop("fold", 4, 1, loop("epoch", 60, 1, loop("step", 4, 5))), 1100],
];

describe.each([true, false])("loops that tell how long they are: %s", (isCounted) => {
  test.each(TRAININGS)("%s", (_, outermost, lostMsMax) => {
    const run = new CountedRun(isCounted);
    run.train(outermost);
    const steps = run.taken.filter(({ kind, path }) => kind === "iteration" && path.length > 1);
    for (const step of steps)
      expect(step.needs, formatPath(step.path)).toStrictEqual(neededBefore(step, outermost));
    const most = mostAtStake(run.taken, run.nowMs);
    if (run.intervalMs > 0) expect(most).toBeLessThanOrEqual(2.2 * run.intervalMs);
    expect(most).toBeLessThanOrEqual(lostMsMax);
    expect(run.share).toBeLessThanOrEqual(1.1 * BUDGET);
  });
});
