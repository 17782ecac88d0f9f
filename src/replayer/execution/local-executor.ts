/**
 * @file Units as processes of this machine, a few at a time (Flor §3.3.2: each worker resumes on its
 * own, there is no coordination). Each lane is one process at a time; GPUs go to lanes in turn.
 */
import type { StatusLine } from "../../format/index.ts";
import type { Executor, MakeExecutor, UnitEvent } from "./executor.ts";
import type { ReplayContext, ReplayUnit } from "./execute-unit.ts";
import { executeUnit } from "./execute-unit.ts";

interface Waiting {
  readonly unit: ReplayUnit;
  readonly signal: AbortSignal;
  readonly emit: (event: UnitEvent) => void;
  /** It has ended, or will not be begun. */
  readonly over: () => void;
}

export const localExecutor: MakeExecutor = (context, { workers, gpus }) => {
  return new LocalExecutor(context, Math.max(1, workers), gpus);
};

class LocalExecutor implements Executor {
  readonly #context: ReplayContext;
  readonly #gpus: readonly string[];
  readonly #isFree: boolean[];
  readonly #waiting: Waiting[] = [];

  constructor(context: ReplayContext, lanes: number, gpus: readonly string[]) {
    this.#context = context;
    this.#gpus = gpus;
    this.#isFree = Array.from({ length: lanes }, () => true);
  }

  start(units: readonly ReplayUnit[], signal: AbortSignal): AsyncIterable<UnitEvent> {
    let isHeard = true;
    return new ReadableStream<UnitEvent>({
      cancel: () => {
        isHeard = false;
      },
      start: (events) => {
        let open = units.length;
        if (open === 0) events.close();
        const over = (): void => {
          open -= 1;
          if (open === 0 && isHeard) events.close();
        };
        const emit = (event: UnitEvent): void => {
          if (isHeard) events.enqueue(event);
        };
        this.#waiting.unshift(...units.map((unit) => ({ unit, signal, emit, over })));
        this.#fillLanes();
      },
    });
  }

  #fillLanes(): void {
    for (;;) {
      const lane = this.#isFree.indexOf(true);
      const next = lane === -1 ? undefined : this.#waiting.shift();
      if (!next) return;
      if (next.signal.aborted) next.over();
      else void this.#executeInLane(next, lane);
    }
  }

  async #executeInLane({ unit: given, signal, emit, over }: Waiting, lane: number): Promise<void> {
    this.#isFree[lane] = false;
    const unit = this.#withGpu(given, lane);
    try {
      emit({ kind: "begun", unit });
      const onStatus = (line: StatusLine): void => emit({ kind: "status", unit, line });
      const executed = await executeUnit(this.#context, unit, { signal, onStatus });
      emit({ kind: "ended", unit, executed });
    } catch (error) {
      emit({ kind: "failed", unit, error });
    }
    this.#isFree[lane] = true;
    over();
    this.#fillLanes();
  }

  /** Lanes take the GPUs in turn. */
  #withGpu(unit: ReplayUnit, lane: number): ReplayUnit {
    const gpu = unit.resources.gpus > 0 ? this.#gpus[lane % this.#gpus.length] : undefined;
    return gpu === undefined ? unit : { ...unit, gpu };
  }
}
