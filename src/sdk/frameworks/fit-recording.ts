/**
 * @file TensorFlow.js `model.fit`, recorded by epoch and batch (DeepFreeze's Keras callback).
 *
 * A recording adds callbacks to the one call of `model.fit`, and changes nothing of how it trains. A
 * replay calls it once for each epoch that it executes, with the order of the samples that the whole
 * training has (`epoch-order.ts`); the model's own callbacks still see one training. Where a replay skips
 * the batches of an epoch it calls nobody but the callbacks, with what the record has of that epoch.
 */
import { hasTraps, isTfLayer } from "../../adapters/index.ts";
import type { LoopContext } from "../loops/instrument.ts";
import { Range } from "../loops/range.ts";
import type { Session } from "../session.ts";
import { TrainingDataset } from "./training-dataset.ts";
import { hasOwn, withoutOwn } from "./fit-callback.ts";
import type { FitEvents, FitHandlers, FitParams, Logs } from "./fit-callbacks.ts";
import { areClassCallbacks, reportingCallbacks } from "./fit-callbacks.ts";
import { FitRecording, LEAVE } from "./fit-loops.ts";
import { scalarOf } from "./passed-batches.ts";

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
  fitDataset?(dataset: never, args: never): Promise<unknown>;
  stopTraining: boolean;
  history?: unknown;
}

export interface FitHistory {
  params?: object;
  readonly epoch: number[];
  readonly history: { [name: string]: number[] };
}

/** One training, and who records it. */
export interface Training {
  readonly session: Session | undefined;
  readonly model: FitModel;
  /** What `fit` gets before its options; of `fitDataset` the dataset. */
  readonly data: readonly unknown[];
  readonly dataset?: TrainingDataset;
  readonly args: FitArguments;
  readonly site: number | null;
  /** The statement of a program that knows nothing of us: its names are captured, nothing declared. */
  readonly context?: LoopContext;
  /** Batches from one checkpoint to the next, if the program says it. */
  readonly every?: number | undefined;
  /** Of such a statement: its inner loop. */
  readonly batches?: (() => LoopContext) | undefined;
}

/** Trains as `model.fit` does. */
export async function recordFit(given: Training): Promise<FitHistory> {
  const { session } = given;
  const { callbacks, every } = withoutOwn(given.args.callbacks);
  const training = { ...given, every, args: { ...given.args, callbacks } };
  if (!session) return callFit(training, {});
  const recording = new FitRecording(training);
  const events = new TrainingEvents(training, recording);
  try {
    if (session.director) return await trainByEpoch(training, recording, events);
    return await callFit(training, { callbacks: events.callbacks() });
  } catch (error) {
    events.trainFailed();
    throw error;
  }
}

function callFit(
  { model, data, dataset, args }: Pick<Training, "model" | "data" | "dataset" | "args">,
  changed: FitArguments,
): Promise<FitHistory> {
  const options = { ...args, ...changed };
  if (dataset) {
    const given = dataset.forCall(changed.initialEpoch !== undefined);
    return model.fitDataset?.(given as never, options as never) as Promise<FitHistory>;
  }
  const [x, y] = data;
  return model.fit(x as never, y as never, options as never) as Promise<FitHistory>;
}

/**
 * Goes where a replay's orders say: epochs are calls of their own between one that begins the training
 * and one that ends it, which train nothing. What the program gets is the history of the first.
 */
async function trainByEpoch(
  training: Training,
  recording: FitRecording,
  events: TrainingEvents,
): Promise<FitHistory> {
  const { model, args, dataset } = training;
  const { epochs = 1, initialEpoch = 0 } = args;
  const call = (part: TrainingPart, from: number, to: number): Promise<FitHistory> =>
    callFit(training, { initialEpoch: from, epochs: to, callbacks: events.callbacks(part) });
  // A training without an epoch; `fitDataset` refuses one that has 0 of them.
  const merged = await call("begin", epochs, epochs);
  // What it keeps of the options is that of the whole.
  merged.params = { ...merged.params, initialEpoch };
  const told = events.handlers;
  let isStopped = false;
  for (let epoch = initialEpoch; epoch < epochs && !isStopped; epoch++) {
    const left = await recording.follow((skipped) => mergeHistory(merged, skipped), training);
    if (left === undefined) {
      isStopped = recording.wasBroken;
      break;
    }
    epoch += left;
    if (recording.skipsBatches()) {
      await dataset?.pass(1, args);
      mergeHistory(merged, await events.tellEpoch(epoch, told));
    } else {
      const giveBack = recording.passed.lend();
      const executed = call("epoch", epoch, epoch + 1).finally(giveBack);
      const ended = executed.catch(async (error: unknown) => {
        if (error !== LEAVE) throw error;
        return events.tellEpochEnd(epoch, told);
      });
      mergeHistory(merged, await ended);
    }
    isStopped = model.stopTraining && epoch + 1 < epochs;
  }
  events.isStopped = isStopped;
  await call("end", epochs, epochs);
  // A sequential model has none: it trains another one.
  if (model.history) model.history = merged;
  return merged;
}

/** What a call of `fit` is of a training. */
type TrainingPart = "whole" | "begin" | "epoch" | "told" | "end";

/** Takes the reports of a training to its recording. */
class TrainingEvents implements FitEvents {
  readonly #training: Training;
  readonly #recording: FitRecording;
  #part: TrainingPart = "whole";
  #last = -1;
  /** A training that was called by epoch was left early. */
  isStopped = false;

  constructor(training: Training, recording: FitRecording) {
    this.#training = training;
    this.#recording = recording;
  }

  /** For one call of `fit`. */
  callbacks(part: TrainingPart = "whole"): FitHandlers[] {
    this.#part = part;
    const handlers = reportingCallbacks(this.#training.args.callbacks, this);
    this.handlers = handlers;
    return handlers;
  }

  /** Those of the last call. */
  handlers: readonly FitHandlers[] = [];

  /** An epoch of which no batch is executed, as tfjs tells it to these. */
  async tellEpoch(epoch: number, told: readonly FitHandlers[]): Promise<FitHistory> {
    this.#part = "told";
    for (const one of told) await one.onEpochBegin?.(epoch, {});
    this.#recording.skipBatches();
    return this.tellEpochEnd(epoch, told);
  }

  /** Its end, with the quantities that were recorded. */
  async tellEpochEnd(epoch: number, told: readonly FitHandlers[]): Promise<FitHistory> {
    this.#part = "told";
    const logs = Object.entries(this.#recording.recordedLogs());
    const areTensors = areClassCallbacks(this.#training.args.callbacks);
    const given = logs.map(([name, value]) => [name, areTensors ? scalarOf(Number(value)) : value]);
    for (const one of told) await one.onEpochEnd?.(epoch, Object.fromEntries(given) as Logs);
    const history = logs.map(([name, value]) => [name, [Number(value)]]);
    return { epoch: [epoch], history: Object.fromEntries(history) as FitHistory["history"] };
  }

  get #epochs(): Range {
    const { epochs = 1, initialEpoch = 0 } = this.#training.args;
    return new Range(initialEpoch, epochs, 1);
  }

  get tellsBegin(): boolean {
    return this.#part === "whole" || this.#part === "begin";
  }

  get tellsEnd(): boolean {
    return this.#part === "whole" || this.#part === "end";
  }

  get params(): object {
    const { epochs = 1, initialEpoch = 0 } = this.#training.args;
    return this.#part === "whole" ? {} : { epochs, initialEpoch };
  }

  trainBegan(params: FitParams): void {
    if (!this.tellsBegin) return;
    const { shuffle } = this.#training.args;
    const isShuffled = shuffle === undefined || shuffle === null || Boolean(shuffle);
    // Where a dataset stands does not follow from the number of the epoch.
    const epochs = this.#training.dataset ? { length: this.#epochs.length } : this.#epochs;
    this.#recording.trainBegin(epochs, params, isShuffled);
  }

  epochBegins(epoch: number): void {
    this.#last = epoch;
    this.#recording.epochBegin(epoch);
  }

  epochBegan(): void {
    if (this.#part !== "told") this.#recording.beginShuffle(this.#part !== "whole");
  }

  batchBegins(batch: number): void {
    this.#recording.batchBegin(batch);
  }

  get passesBatch(): boolean {
    return this.#recording.passed.isPassing;
  }

  batchEnded(logs: Logs): void {
    this.#recording.batchEnd(logs);
  }

  epochEnds(logs: Logs): void {
    // What is told is what was recorded: that it is equal would prove nothing.
    this.#recording.epochEnd(this.#part === "told" ? {} : logs);
  }

  trainEnds(): void {
    if (!this.tellsEnd) return;
    const { model } = this.#training;
    const { start, length } = this.#epochs;
    if (this.#part === "end") model.stopTraining = this.isStopped;
    const isEarly = model.stopTraining && this.#last + 1 < start + length;
    this.#recording.trainEnd(isEarly ? "break" : "exhausted");
  }

  trainFailed(): void {
    this.#recording.trainEnd("throw");
  }
}

type PlacedModel = Pick<Training, "model" | "batches"> & { readonly context: LoopContext };
type GivenData = Pick<Training, "data" | "dataset" | "args">;

/** What stands for a model of tfjs where rewritten source calls `fit` on it, or gives it to ours. */
export class RecordedModel {
  readonly #training: PlacedModel;
  readonly #session: Session;

  constructor(session: Session, training: PlacedModel) {
    this.#session = session;
    this.#training = training;
  }

  fit(x: unknown, y: unknown, args: FitArguments | null = {}): Promise<FitHistory> {
    return this.#trains({ data: [x, y], args: args ?? {} });
  }

  fitDataset(dataset: object, args: FitArguments): Promise<FitHistory> {
    return this.#trains({ data: [dataset], dataset: new TrainingDataset(dataset), args });
  }

  /** A program that calls us says by a callback of ours that its own call is recorded. */
  #trains(given: GivenData): Promise<FitHistory> {
    const isAsked = this.#session.isHandsFree || hasOwn(given.args.callbacks);
    return isAsked ? this.record(given) : callFit({ ...this.#training, ...given }, {});
  }

  record(given: GivenData): Promise<FitHistory> {
    const session = this.#session;
    const site = session.sites.ofStatement(this.#training.context);
    return recordFit({ ...this.#training, session, site, ...given });
  }
}

/** What `fit` is called on in a program whose source is rewritten, if it is a model of tfjs. */
export function recordedModel<T>(
  session: Session,
  context: LoopContext,
  model: T,
  batches?: () => LoopContext,
): T {
  return isTfModel(model) ? (new RecordedModel(session, { model, context, batches }) as T) : model;
}

function isTfModel(value: unknown): value is FitModel {
  if (typeof value !== "object" || value === null || hasTraps(value)) return false;
  return "fit" in value && typeof value.fit === "function" && isTfLayer(value);
}

function mergeHistory(into: FitHistory, { epoch, history }: FitHistory): void {
  into.epoch.push(...epoch);
  for (const [name, values] of Object.entries(history)) {
    into.history[name] = [...(into.history[name] ?? []), ...values];
  }
}
