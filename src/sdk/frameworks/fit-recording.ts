/**
 * @file TensorFlow.js `model.fit`, recorded by epoch and batch (DeepFreeze's Keras callback).
 *
 * A recording adds callbacks to the one call of `model.fit`, and changes nothing of how it trains. A
 * replay calls it once for each epoch that it executes, with the order of the samples that the whole
 * training has (`epoch-order.ts`); the model's own callbacks still see one training. Where a replay skips
 * the batches of an epoch it calls nobody but the callbacks, with what the record has of that epoch.
 */
import { types } from "node:util";
import { isTfLayer } from "../../adapters/index.ts";
import { pathElement } from "../../format/index.ts";
import type { LoopExit, LoopPath } from "../../format/index.ts";
import type { RecordedRun } from "../replay/recorded-run.ts";
import type { LoopContext } from "../loops/instrument.ts";
import { LoopCursor } from "../loops/loop-cursor.ts";
import type { LoopFrame, LoopStatement } from "../loops/loop-frame.ts";
import { Range } from "../loops/range.ts";
import { framePath, iterationPath, loopEndPath } from "../log/recorder.ts";
import type { Session } from "../session.ts";
import { TrainingDataset } from "./training-dataset.ts";
import { EpochOrder } from "./epoch-order.ts";
import type { FitEvents, FitHandlers, FitParams, Logs } from "./fit-callbacks.ts";
import { areClassCallbacks, reportingCallbacks } from "./fit-callbacks.ts";

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
  /** Of such a statement: its inner loop. */
  readonly batches?: (() => LoopContext) | undefined;
}

/** A replay leaves an epoch before its end. */
const LEAVE = Symbol("the batches that are left are skipped");

/** Trains as `model.fit` does. */
export async function recordFit(training: Training): Promise<FitHistory> {
  const { session } = training;
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
  { model, data, dataset, args }: Training,
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
      const executed = call("epoch", epoch, epoch + 1).catch(async (error: unknown) => {
        if (error !== LEAVE) throw error;
        return events.tellEpochEnd(epoch, told);
      });
      mergeHistory(merged, await executed);
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
    const logs = this.#recording.recordedLogs();
    for (const one of told) await one.onEpochEnd?.(epoch, logs);
    const history = Object.entries(logs).map(([name, value]) => [name, [Number(value)]]);
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

  trainBegan({ samples }: FitParams): void {
    if (!this.tellsBegin) return;
    const { shuffle } = this.#training.args;
    const isShuffled = shuffle === undefined || shuffle === null || Boolean(shuffle);
    // Where a dataset stands does not follow from the number of the epoch.
    const epochs = this.#training.dataset ? { length: this.#epochs.length } : this.#epochs;
    this.#recording.trainBegin(epochs, isShuffled ? (samples ?? 0) : 0);
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

/** What `fit` is called on in a program that knows nothing of us, if it is a model of tfjs. */
export function recordedModel<T>(
  session: Session,
  context: LoopContext,
  model: T,
  batches?: () => LoopContext,
): T {
  if (!isTfModel(model)) return model;
  const site = session.sites.ofStatement(context);
  const training = { session, model, site, context, batches };
  const fit = (x: unknown, y: unknown, args: FitArguments | null = {}): Promise<FitHistory> =>
    recordFit({ ...training, data: [x, y], args: args ?? {} });
  const fitDataset = (dataset: object, args: FitArguments): Promise<FitHistory> =>
    recordFit({ ...training, data: [dataset], dataset: new TrainingDataset(dataset), args });
  return { fit, fitDataset } as T;
}

function isTfModel(value: unknown): value is FitModel {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
  return "fit" in value && typeof value.fit === "function" && isTfLayer(value);
}

const BATCHES: LoopStatement = { name: "batch", site: null, context: undefined, driven: true };

type RecordedTraining = Pick<Training, "session" | "site" | "context" | "batches"> & {
  readonly model: object | undefined;
  readonly args?: FitArguments;
};

/** The two loops of a training, and what is logged in them. */
export class FitRecording {
  readonly #session: Session | undefined;
  readonly #statement: LoopStatement;
  #epochs: LoopCursor;
  #batches: LoopCursor | undefined;
  #batchContext: (() => LoopContext) | undefined;
  #declared: (number | undefined)[];
  #order: EpochOrder | undefined;

  constructor({ session, model, site, context, batches, args }: RecordedTraining) {
    this.#session = session;
    // What a class is told at the end of an epoch is in no record: its batches are never skipped.
    if (!areClassCallbacks(args?.callbacks)) this.#batchContext = batches;
    this.#statement = { name: context?.name ?? "epoch", site, context, driven: true };
    this.#epochs = new LoopCursor(session);
    this.#declared = model && !context ? [session?.declare({ model }, null)] : [];
  }

  /** `shuffled`: so many samples are put in another order before each epoch. */
  trainBegin(epochs: { readonly length?: number }, shuffled = 0): void {
    if (shuffled > 0 && (epochs.length ?? 0) > 1) this.#declareOrder(shuffled);
    this.#epochs = this.#enter(this.#statement, epochs);
  }

  /** Runs of earlier versions, which shuffled each epoch by itself, have none. */
  #declareOrder(samples: number): void {
    const session = this.#session;
    if (!session || session.director?.lacksDeclaration(framePath(session.frame))) return;
    this.#order = new EpochOrder(samples);
    this.#declared.push(session.declare(this.#order.state, null));
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
  async follow(
    tell: (skipped: FitHistory) => void,
    { args, dataset }: Pick<Training, "args" | "dataset">,
  ): Promise<number | undefined> {
    const recorded = this.#session?.director?.recorded;
    const { frame } = this.#epochs;
    if (!recorded || !frame) return 0;
    const { initialEpoch = 0 } = args;
    const from = frame.index;
    let step = this.#epochs.advance();
    for (; typeof step !== "string"; step = this.#epochs.advance()) {
      await dataset?.pass(step.drop, args);
    }
    if (step === "end") {
      await dataset?.passAll(recorded.iterationsOf(loopEndPath(frame)) - from - 1, args);
      this.#epochs.skip();
    } else this.#checkOrder(frame);
    for (let index = from + 1; index <= frame.index; index++) {
      const logs = Object.entries(loggedAt(recorded, iterationPath(frame, index)));
      const history = Object.fromEntries(logs.map(([name, value]) => [name, [value]]));
      tell({ epoch: [initialEpoch + index], history });
    }
    return step === "end" ? undefined : frame.index - from;
  }

  /** The run left its epochs early. */
  get wasBroken(): boolean {
    return this.#epochs.how === "break";
  }

  #checkOrder(frame: LoopFrame): void {
    if (this.#order?.state.isKnown !== false) return;
    const why = "the order in which the training takes its samples is not known";
    this.#session?.director?.insufficient(why, framePath(frame));
  }

  epochBegin(epoch: number): void {
    this.#epochs.beginNext(epoch);
  }

  /** tfjs shuffles before the first batch. */
  beginShuffle(isNewList: boolean): void {
    this.#order?.beginShuffle(isNewList);
  }

  batchBegin(batch: number): void {
    this.#order?.endShuffle();
    if (this.#epochs.isUnrecorded) return;
    this.#batches ??= this.#enter(this.#batchStatement(), {});
    if (this.#batches.advanceByCount() === "end") {
      this.#endSkipped(this.#batches);
      throw LEAVE;
    }
    this.#batches.begin(batch, performance.now());
  }

  #batchStatement(): LoopStatement {
    const context = this.#batchContext?.();
    // One that was given up is recorded without its place: nothing of it is skipped.
    if (!context || context.site[5] === undefined) return BATCHES;
    const site = this.#session?.sites.ofStatement(context) ?? null;
    return { name: context.name, site, context, driven: true };
  }

  /** Whether a replay skips the batches of the next epoch. */
  skipsBatches(): boolean {
    const director = this.#session?.director;
    const { frame } = this.#epochs;
    if (!director || !frame || !this.#batchContext) return false;
    const end = [...iterationPath(frame, frame.index + 1), pathElement(BATCHES.name, "end", 0)];
    return director.skipsWhole(end);
  }

  skipBatches(): void {
    const batches = this.#enter(this.#batchStatement(), {});
    if (batches.advanceByCount() === "end") return this.#endSkipped(batches);
    const why = "the batches of an epoch were to be skipped";
    this.#session?.director?.insufficient(why, framePath(this.#session.frame));
  }

  #endSkipped(batches: LoopCursor): void {
    batches.skip();
    this.#batches = undefined;
  }

  /** What the run recorded of the present epoch at its end. */
  recordedLogs(): Logs {
    const recorded = this.#session?.director?.recorded;
    const { frame } = this.#epochs;
    return recorded && frame ? loggedAt(recorded, iterationPath(frame, frame.index)) : {};
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
    this.#order?.endShuffle();
    this.#endBatches(how === "throw" ? "throw" : "break");
    if (!this.#epochs.isOver) this.#epochs.end(how);
    // The end of the loop holds it; a model made for the next fold need not carry it along.
    for (const ordinal of this.#declared) {
      if (ordinal !== undefined) this.#session?.parts.captured.undeclare(ordinal);
    }
    this.#declared = [];
  }

  #endBatches(how: LoopExit): void {
    this.#batches?.end(how);
    this.#batches = undefined;
  }

  #log(name: string, value: unknown): void {
    if (!this.#epochs.isUnrecorded) this.#session?.log(name, value, recordFit);
  }
}

/** Quantities of an epoch: what the program logs itself has a site. */
function loggedAt(recorded: RecordedRun, path: LoopPath): { [name: string]: number } {
  const values = recorded.logged(path).filter(({ site }) => site === null);
  return Object.fromEntries(values.map(({ name, value }) => [name, Number(value)]));
}

function mergeHistory(into: FitHistory, { epoch, history }: FitHistory): void {
  into.epoch.push(...epoch);
  for (const [name, values] of Object.entries(history)) {
    into.history[name] = [...(into.history[name] ?? []), ...values];
  }
}
