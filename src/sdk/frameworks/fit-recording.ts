/**
 * @file TensorFlow.js `model.fit`, recorded by epoch and batch (DeepFreeze's Keras callback).
 *
 * `model.fit` is called once an epoch. tfjs 4.22 shuffles one index array cumulatively over the
 * epochs of a call, so that epoch 7 could be repeated only by repeating the six before it; with a
 * call for each, the order of an epoch depends on the generator's state alone, which a checkpoint
 * holds. The model's own callbacks still see one training.
 */
import { types } from "node:util";
import { isTfLayer } from "../../adapters/index.ts";
import type { LoopExit } from "../../format/index.ts";
import type { LoopContext } from "../loops/instrument.ts";
import { LoopCursor } from "../loops/loop-cursor.ts";
import type { LoopStatement } from "../loops/loop-frame.ts";
import { Range } from "../loops/range.ts";
import { iterationPath } from "../log/recorder.ts";
import type { Session } from "../session.ts";

type Logs = { readonly [name: string]: unknown };

/** What tfjs calls a callback's functions with, whether it is an object of functions or a class. */
export interface FitHandlers {
  onTrainBegin?(logs?: Logs): unknown;
  onTrainEnd?(logs?: Logs): unknown;
  onEpochBegin?(epoch: number, logs?: Logs): unknown;
  onEpochEnd?(epoch: number, logs?: Logs): unknown;
  onBatchBegin?(batch: number, logs?: Logs): unknown;
  onBatchEnd?(batch: number, logs?: Logs): unknown;
  onYield?(epoch: number, batch: number, logs?: Logs): unknown;
  setParams?(params: object): void;
  setModel?(model: unknown): void;
}

export interface FitArguments {
  readonly epochs?: number;
  readonly initialEpoch?: number;
  readonly callbacks?: unknown;
  readonly [option: string]: unknown;
}

/** What we need of a tfjs LayersModel. */
export interface FitModel {
  // Bivariant on purpose: tfjs types its own arguments more narrowly than we can name here.
  fit(x: never, y: never, args?: never): Promise<unknown>;
  stopTraining: boolean;
  history?: unknown;
}

export interface FitHistory {
  readonly epoch: number[];
  readonly history: { [name: string]: number[] };
}

/** One training, and who records it. */
export interface Training {
  readonly session: Session | undefined;
  readonly model: FitModel;
  readonly x: unknown;
  readonly y: unknown;
  readonly args: FitArguments;
  readonly site: number | null;
  /** The statement of a program that knows nothing of us: its names are captured, nothing declared. */
  readonly context?: LoopContext;
}

/** Trains as `model.fit` does. */
export async function recordFit(training: Training): Promise<FitHistory> {
  const { session, model, x, y, args } = training;
  const { epochs = 1, initialEpoch = 0 } = args;
  const user = handlersOf(args.callbacks);
  const recording = new FitRecording(training);
  const merged: FitHistory = training.context ? new History(model) : { epoch: [], history: {} };
  let begun = false;
  const begin = async (params: object, logs?: Logs): Promise<void> => {
    if (begun) return;
    begun = true;
    for (const handlers of user) {
      handlers.setParams?.({ ...params, epochs, initialEpoch });
      handlers.setModel?.(model);
    }
    await callEachHandler(user, (handlers) => handlers.onTrainBegin?.(logs));
    recording.trainBegin(new Range(initialEpoch, epochs, 1));
  };
  try {
    // Without an epoch to train, nobody else would begin; a replay must know before the first.
    if (epochs <= initialEpoch || session?.director) await begin({});
    for (let epoch = initialEpoch; epoch < epochs; epoch++) {
      const left = recording.follow((skipped) => mergeHistory(merged, skipped), initialEpoch);
      if (left === undefined) break;
      epoch += left;
      const callbacks = [{ ...forwardCallbacks(user, recording), onTrainBegin: trainBegin(begin) }];
      const options = { ...args, epochs: epoch + 1, initialEpoch: epoch, callbacks };
      mergeHistory(
        merged,
        (await model.fit(x as never, y as never, options as never)) as FitHistory,
      );
      if (model.stopTraining && epoch + 1 < epochs) {
        recording.trainEnd("break");
        break;
      }
    }
  } catch (error) {
    recording.trainEnd("throw");
    throw error;
  }
  recording.trainEnd("exhausted");
  await callEachHandler(user, (handlers) => handlers.onTrainEnd?.());
  if (training.context) model.history = merged;
  return merged;
}

/**
 * What a program that knows nothing of us gets, in place of the object that tfjs makes: a replay that
 * skips all epochs must give it the same. Has what the documentation of tfjs tells of it.
 */
class History implements FitHistory {
  readonly epoch: number[] = [];
  readonly history: { [name: string]: number[] } = {};
  readonly model: FitModel;

  constructor(model: FitModel) {
    this.model = model;
  }

  /** Nothing is left to wait for: all values are numbers. */
  syncData(): Promise<void> {
    return Promise.resolve();
  }
}

/** What `fit` is called on in a program that knows nothing of us, if it is a model of tfjs. */
export function recordedModel<T>(session: Session, context: LoopContext, model: T): T {
  if (!isTfModel(model)) return model;
  const fit = (x: unknown, y: unknown, args: FitArguments | null = {}): Promise<FitHistory> => {
    const site = session.sites.ofStatement(context);
    return recordFit({ session, model, x, y, args: args ?? {}, site, context });
  };
  return { fit } as T;
}

function isTfModel(value: unknown): value is FitModel {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
  return "fit" in value && typeof value.fit === "function" && isTfLayer(value);
}

const BATCHES: LoopStatement = { name: "batch", site: null, context: undefined, driven: true };

type RecordedTraining = Pick<Training, "session" | "site" | "context"> & {
  readonly model: object | undefined;
};

/** The two loops of a training, and what is logged in them. */
export class FitRecording {
  readonly #session: Session | undefined;
  readonly #statement: LoopStatement;
  #epochs: LoopCursor;
  #batches: LoopCursor | undefined;
  #declared: number | undefined;

  constructor({ session, model, site, context }: RecordedTraining) {
    this.#session = session;
    this.#statement = { name: context?.name ?? "epoch", site, context, driven: true };
    this.#epochs = new LoopCursor(session);
    this.#declared = model && !context ? session?.declare({ model }, null) : undefined;
  }

  trainBegin(epochs: object): void {
    this.#epochs = this.#enter(this.#statement, epochs);
  }

  #enter(statement: LoopStatement, iterable: object): LoopCursor {
    const cursor = new LoopCursor(this.#session);
    const drawsBefore = this.#session?.parts.random.draws ?? 0;
    cursor.enter(statement, { iterable, iterator: {}, drawsBefore });
    return cursor;
  }

  /**
   * Moves to where a replay's orders say: answers how many epochs are skipped, undefined if all that
   * are left. What the training would have reported of them is in the record.
   */
  follow(tell: (skipped: FitHistory) => void, initialEpoch: number): number | undefined {
    const recorded = this.#session?.director?.recorded;
    const { frame } = this.#epochs;
    if (!recorded || !frame) return 0;
    const from = frame.index;
    const step = this.#epochs.advanceByCount();
    if (step === "end") this.#epochs.skip();
    for (let index = from + 1; index <= frame.index; index++) {
      const logged = recorded.logged(iterationPath(frame, index));
      const values = logged.filter(({ site }) => site === null);
      const history = Object.fromEntries(values.map(({ name, value }) => [name, [Number(value)]]));
      tell({ epoch: [initialEpoch + index], history });
    }
    return step === "end" ? undefined : frame.index - from;
  }

  epochBegin(epoch: number): void {
    this.#epochs.beginNext(epoch);
  }

  batchBegin(batch: number): void {
    if (this.#epochs.isUnrecorded) return;
    this.#batches ??= this.#enter(BATCHES, {});
    this.#batches.beginNext(batch);
  }

  batchEnd(logs: Logs = {}): void {
    const { batch: _, size: __, ...quantities } = logs;
    for (const [name, value] of Object.entries(quantities)) this.#log(`batch_${name}`, value);
  }

  epochEnd(logs: Logs = {}): void {
    this.#endBatches("exhausted");
    for (const [name, value] of Object.entries(logs)) this.#log(name, value);
  }

  trainEnd(how: "exhausted" | "break" | "throw"): void {
    this.#endBatches(how === "throw" ? "throw" : "break");
    if (!this.#epochs.isOver) this.#epochs.end(how);
    // The end of the loop holds it; a model made for the next fold need not carry it along.
    if (this.#declared !== undefined) this.#session?.parts.captured.undeclare(this.#declared);
    this.#declared = undefined;
  }

  #endBatches(how: LoopExit): void {
    this.#batches?.end(how);
    this.#batches = undefined;
  }

  #log(name: string, value: unknown): void {
    if (!this.#epochs.isUnrecorded) this.#session?.log(name, value, recordFit);
  }
}

/**
 * tfjs wraps an object of functions in a callback of its own, and calls them as its methods: there
 * it has put the parameters of the training, which only it knows.
 */
function trainBegin(
  begin: (params: object, logs?: Logs) => Promise<void>,
): (logs?: Logs) => Promise<void> {
  return function (this: { readonly params?: object } | undefined, logs) {
    return begin(this?.params ?? {}, logs);
  };
}

/** The user's callbacks and ours, as the one object of functions that `model.fit` takes. */
function forwardCallbacks(user: readonly FitHandlers[], recording: FitRecording): FitHandlers {
  return {
    onEpochBegin: async (epoch, logs) => {
      recording.epochBegin(epoch);
      await callEachHandler(user, (handlers) => handlers.onEpochBegin?.(epoch, logs));
    },
    onBatchBegin: async (batch, logs) => {
      recording.batchBegin(batch);
      await callEachHandler(user, (handlers) => handlers.onBatchBegin?.(batch, logs));
    },
    onBatchEnd: async (batch, logs) => {
      await callEachHandler(user, (handlers) => handlers.onBatchEnd?.(batch, logs));
      recording.batchEnd(logs);
    },
    onEpochEnd: async (epoch, logs) => {
      recording.epochEnd(logs);
      await callEachHandler(user, (handlers) => handlers.onEpochEnd?.(epoch, logs));
    },
    // Only if somebody wants it: tfjs refuses it together with `yieldEvery: "never"`.
    ...(user.some((handlers) => handlers.onYield !== undefined) && {
      onYield: (epoch, batch, logs) =>
        callEachHandler(user, (handlers) => handlers.onYield?.(epoch, batch, logs)),
    }),
  };
}

function handlersOf(callbacks: unknown): FitHandlers[] {
  if (callbacks === undefined || callbacks === null) return [];
  return (Array.isArray(callbacks) ? callbacks : [callbacks]) as FitHandlers[];
}

async function callEachHandler(
  user: readonly FitHandlers[],
  call: (handlers: FitHandlers) => unknown,
): Promise<void> {
  for (const handlers of user) await call(handlers);
}

function mergeHistory(into: FitHistory, { epoch, history }: FitHistory): void {
  into.epoch.push(...epoch);
  for (const [name, values] of Object.entries(history)) {
    into.history[name] = [...(into.history[name] ?? []), ...values];
  }
}
