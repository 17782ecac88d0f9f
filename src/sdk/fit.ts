/**
 * @file TensorFlow.js `model.fit`, recorded by epoch and batch (DeepFreeze's Keras callback).
 *
 * `fit` calls `model.fit` once an epoch. tfjs 4.22 shuffles one index array cumulatively over the
 * epochs of a call, so that epoch 7 could be repeated only by repeating the six before it; with a
 * call for each, the order of an epoch depends on the generator's state alone, which a checkpoint
 * holds. The model's own callbacks still see one training.
 */
import { AfterlogError } from "../format/index.ts";
import { current } from "./current.ts";
import { ManualLoop } from "./manual-loop.ts";
import { Range } from "./range.ts";
import type { Session } from "./session.ts";

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
}

export interface FitHistory {
  readonly epoch: number[];
  readonly history: { [name: string]: number[] };
}

/**
 * `model.fit(x, y, args)`, recorded: loops `epoch` and `batch`, the model and its optimizer
 * declared, each quantity of an epoch logged by its name and of a batch as `batch_<name>`.
 */
export async function fit<M extends FitModel>(
  model: M,
  x: Parameters<M["fit"]>[0],
  y: Parameters<M["fit"]>[1],
  args: FitArguments = {},
): Promise<FitHistory> {
  if (typeof (model as Partial<FitModel>)?.fit !== "function") {
    throw new AfterlogError("AL062", "fit takes a TensorFlow.js model with a fit method", {
      help: ["give the compiled model first:  await al.fit(model, x, y, { epochs: 10 })"],
    });
  }
  const session = current();
  const { epochs = 1, initialEpoch = 0 } = args;
  const user = handlersOf(args.callbacks);
  const site = session?.sites.find("loop", "epoch", session.frame?.site ?? null, fit) ?? null;
  const recording = new FitRecording(session, model, site);
  const merged: FitHistory = { epoch: [], history: {} };
  let begun = false;
  const begin = async (params: object, logs?: Logs): Promise<void> => {
    if (begun) return;
    begun = true;
    for (const handlers of user) {
      handlers.setParams?.({ ...params, epochs, initialEpoch });
      handlers.setModel?.(model);
    }
    await each(user, (handlers) => handlers.onTrainBegin?.(logs));
    recording.trainBegin(new Range(initialEpoch, epochs, 1));
  };
  try {
    // Without an epoch to train, nobody else would begin; a replay must know before the first.
    if (epochs <= initialEpoch || session?.director) await begin({});
    for (let epoch = initialEpoch; epoch < epochs; epoch++) {
      const left = recording.follow((skipped) => merge(merged, skipped), initialEpoch);
      if (left === undefined) break;
      epoch += left;
      const callbacks = [{ ...forward(user, recording), onTrainBegin: trainBegin(begin) }];
      const options = { ...args, epochs: epoch + 1, initialEpoch: epoch, callbacks };
      const history = (await model.fit(x, y, options as never)) as FitHistory;
      merge(merged, history);
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
  await each(user, (handlers) => handlers.onTrainEnd?.());
  return merged;
}

/**
 * A callback for a `model.fit` of your own: records loops and quantities as `fit` does, and
 * declares the model if given. It does not change how the model trains, so the order of later
 * epochs cannot be reached from a checkpoint alone: prefer `fit` where you can.
 */
export function fitCallback(model?: object): FitHandlers {
  const recording = new FitRecording(current(), model, null);
  return {
    onTrainBegin: () => recording.trainBegin({}),
    onEpochBegin: (epoch) => recording.epochBegin(epoch),
    onBatchBegin: (batch) => recording.batchBegin(batch),
    onBatchEnd: (_, logs) => recording.batchEnd(logs),
    onEpochEnd: (_, logs) => recording.epochEnd(logs),
    onTrainEnd: () => recording.trainEnd("exhausted"),
  };
}

/** The two loops of a training, and what is logged in them. */
class FitRecording {
  readonly #session: Session | undefined;
  readonly #epochs: ManualLoop;
  readonly #batches: ManualLoop;
  #declared: number | undefined;

  constructor(session: Session | undefined, model: object | undefined, site: number | null) {
    this.#session = session;
    this.#epochs = new ManualLoop(session, "epoch", site);
    this.#batches = new ManualLoop(session, "batch", null);
    this.#declared = model && session?.declare({ model }, null);
  }

  trainBegin(epochs: object): void {
    this.#epochs.enter(epochs);
  }

  /**
   * Goes where a replay is told to: answers how many epochs are passed over, undefined if all that
   * are left. What the training would have told of them is in the record.
   */
  follow(tell: (skipped: FitHistory) => void, initialEpoch: number): number | undefined {
    const before = this.#epochs.index;
    const left = this.#epochs.follow();
    const recorded = this.#session?.director?.recorded;
    if (!recorded) return left;
    for (let index = before + 1; index <= this.#epochs.index; index++) {
      const values = recorded
        .logged(this.#epochs.pathOf(index))
        .filter(({ site }) => site === null);
      const history = Object.fromEntries(values.map(({ name, value }) => [name, [Number(value)]]));
      tell({ epoch: [initialEpoch + index], history });
    }
    return left;
  }

  epochBegin(epoch: number): void {
    this.#epochs.begin(epoch);
  }

  batchBegin(batch: number): void {
    if (!this.#batches.open) this.#batches.enter({});
    this.#batches.begin(batch);
  }

  batchEnd(logs: Logs = {}): void {
    const { batch: _, size: __, ...quantities } = logs;
    for (const [name, value] of Object.entries(quantities)) this.#log(`batch_${name}`, value);
  }

  epochEnd(logs: Logs = {}): void {
    this.#batches.exit("exhausted");
    for (const [name, value] of Object.entries(logs)) this.#log(name, value);
  }

  trainEnd(how: "exhausted" | "break" | "throw"): void {
    this.#batches.exit(how === "throw" ? "throw" : "break");
    this.#epochs.exit(how);
    // The end of the loop holds it; a model made for the next fold need not carry it along.
    if (this.#declared !== undefined) this.#session?.undeclare(this.#declared);
    this.#declared = undefined;
  }

  #log(name: string, value: unknown): void {
    this.#session?.log(name, value, fit);
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
function forward(user: readonly FitHandlers[], recording: FitRecording): FitHandlers {
  return {
    onEpochBegin: async (epoch, logs) => {
      recording.epochBegin(epoch);
      await each(user, (handlers) => handlers.onEpochBegin?.(epoch, logs));
    },
    onBatchBegin: async (batch, logs) => {
      recording.batchBegin(batch);
      await each(user, (handlers) => handlers.onBatchBegin?.(batch, logs));
    },
    onBatchEnd: async (batch, logs) => {
      await each(user, (handlers) => handlers.onBatchEnd?.(batch, logs));
      recording.batchEnd(logs);
    },
    onEpochEnd: async (epoch, logs) => {
      recording.epochEnd(logs);
      await each(user, (handlers) => handlers.onEpochEnd?.(epoch, logs));
    },
    // Only if somebody wants it: tfjs refuses it together with `yieldEvery: "never"`.
    ...(user.some((handlers) => handlers.onYield !== undefined) && {
      onYield: (epoch, batch, logs) =>
        each(user, (handlers) => handlers.onYield?.(epoch, batch, logs)),
    }),
  };
}

function handlersOf(callbacks: unknown): FitHandlers[] {
  if (callbacks === undefined || callbacks === null) return [];
  return (Array.isArray(callbacks) ? callbacks : [callbacks]) as FitHandlers[];
}

async function each(
  user: readonly FitHandlers[],
  call: (handlers: FitHandlers) => unknown,
): Promise<void> {
  for (const handlers of user) await call(handlers);
}

function merge(into: FitHistory, { epoch, history }: FitHistory): void {
  into.epoch.push(...epoch);
  for (const [name, values] of Object.entries(history)) {
    into.history[name] = [...(into.history[name] ?? []), ...values];
  }
}
