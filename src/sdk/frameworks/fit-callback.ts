/**
 * @file Our own callback in a `model.fit` that the program calls itself (DeepFreeze §IV.C). Where that call
 * is recorded as a training, all that the callback does is to say how often a checkpoint is taken. Anywhere
 * else it records what tfjs tells it, and nothing of that can be begun with.
 */
import { AfterlogError } from "../../format/index.ts";
import type { Session } from "../session.ts";
import type { FitHandlers, Logs } from "./fit-callbacks.ts";
import { FitRecording } from "./fit-loops.ts";

/** What `fitCallback` can be told. */
export interface FitCallbackOptions {
  /**
   * Takes a checkpoint every so many batches, and at the end of each epoch, whatever the overhead
   * budget says. Without it the interval follows from what batches and checkpoints take.
   */
  readonly every?: number;
}

export interface FitCallbackTraining {
  readonly session: Session | undefined;
  readonly model: object | undefined;
}

/** tfjs takes the functions off it. */
export class FitCallback implements FitHandlers {
  readonly every: number | undefined;
  readonly #training: FitCallbackTraining;
  #recording: FitRecording | undefined;

  constructor(training: FitCallbackTraining, { every }: FitCallbackOptions) {
    if (every !== undefined && (!Number.isInteger(every) || every < 1)) {
      throw new AfterlogError(
        "AL061",
        `fitCallback cannot take a checkpoint every ${every} batches`,
        {
          help: ["give a whole number:  al.fitCallback(model, { every: 100 })"],
        },
      );
    }
    this.every = every;
    this.#training = training;
  }

  readonly onTrainBegin = (): void => {
    this.#recording = new FitRecording({ ...this.#training, site: null });
    this.#recording.trainBegin({});
  };

  readonly onEpochBegin = (epoch: number): void => this.#recording?.epochBegin(epoch);
  readonly onBatchBegin = (batch: number): void => this.#recording?.batchBegin(batch);
  readonly onBatchEnd = (_: number, logs?: Logs): void => this.#recording?.batchEnd(logs);
  readonly onEpochEnd = (_: number, logs?: Logs): void => this.#recording?.epochEnd(logs);
  readonly onTrainEnd = (): void => this.#recording?.trainEnd("exhausted");
}

/** Whether one of ours is among the callbacks of a training. */
export function hasOwn(callbacks: unknown): boolean {
  return listOf(callbacks).some((one) => one instanceof FitCallback);
}

/** The callbacks without ours, and what those ask for. */
export function withoutOwn(callbacks: unknown): {
  readonly callbacks: unknown;
  readonly every: number | undefined;
} {
  if (!hasOwn(callbacks)) return { callbacks, every: undefined };
  const list = listOf(callbacks);
  const asked = list.flatMap((one) => (one instanceof FitCallback ? [one.every ?? []].flat() : []));
  return { callbacks: list.filter((one) => !(one instanceof FitCallback)), every: asked[0] };
}

function listOf(callbacks: unknown): readonly unknown[] {
  return Array.isArray(callbacks) ? callbacks : [callbacks];
}
