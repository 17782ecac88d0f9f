/**
 * @file The two loops of a training of TensorFlow.js, `epoch` and `batch`, and what is logged in them. In a
 * replay they say where it goes: which epochs are skipped, and where an epoch begins and ends.
 */
import { pathElement } from "../../format/index.ts";
import type { LoopExit, LoopPath } from "../../format/index.ts";
import type { RecordedRun } from "../replay/recorded-run.ts";
import type { Session } from "../session.ts";
import type { LoopContext } from "../loops/instrument.ts";
import { LoopCursor } from "../loops/loop-cursor.ts";
import type { LoopFrame, LoopStatement } from "../loops/loop-frame.ts";
import { Range } from "../loops/range.ts";
import { framePath, iterationPath, loopEndPath } from "../log/recorder.ts";
import { EpochOrder } from "./epoch-order.ts";
import type { FitParams, Logs } from "./fit-callbacks.ts";
import type { FitHistory, Training } from "./fit-recording.ts";
import { PassedBatches } from "./passed-batches.ts";

/** A replay leaves an epoch before its end. */
export const LEAVE: unique symbol = Symbol("the batches that are left are skipped");

/** Quantities of a batch are logged under their names with this before them. */
const BATCH_PREFIX = "batch_";

const ONLY_ENDS =
  "fitCallback takes a checkpoint at the end of each epoch only: no run can go on inside of an epoch of this training";

const BATCHES: LoopStatement = { name: "batch", site: null, context: undefined, driven: true };

type RecordedTraining = Pick<Training, "session" | "site" | "context" | "batches" | "every"> & {
  readonly model: object | undefined;
};

/** The two loops of a training, and what is logged in them. */
export class FitRecording {
  readonly #session: Session | undefined;
  readonly #statement: LoopStatement;
  #epochs: LoopCursor;
  #batches: LoopCursor | undefined;
  readonly #batchContext: (() => LoopContext) | undefined;
  #declared: (number | undefined)[];
  #order: EpochOrder | undefined;
  /** What the batches of an epoch are, where that is known before. */
  #batchNumbers: Range | undefined;
  readonly passed: PassedBatches;
  /** Batches from one checkpoint to the next, if the program says it. */
  readonly #every: number | undefined;

  constructor({ session, model, site, context, batches, every }: RecordedTraining) {
    this.#session = session;
    this.#batchContext = batches;
    this.passed = new PassedBatches(model);
    this.#every = every;
    // Whoever is to be brought into an epoch must be brought to its beginning.
    const ends = every === undefined ? {} : { every: 1 };
    this.#statement = { name: context?.name ?? "epoch", site, context, driven: true, ...ends };
    this.#epochs = new LoopCursor(session);
    this.#declared = model && !context ? [session?.declare({ model }, null)] : [];
  }

  /** `isShuffled`: the samples are put in another order before each epoch. */
  trainBegin(
    epochs: { readonly length?: number },
    { samples, batchSize }: FitParams = {},
    isShuffled = false,
  ): void {
    if (samples && isShuffled && (epochs.length ?? 0) > 1) this.#declareOrder(samples);
    if (samples && batchSize) this.#batchNumbers = new Range(0, Math.ceil(samples / batchSize), 1);
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
    this.#batches ??= this.#enterBatches();
    if (!this.passed.isPassing) {
      const step = this.#batches.advance();
      if (step === "end") {
        this.#endSkipped(this.#batches);
        throw LEAVE;
      }
      if (step === "body") {
        this.passed.end();
        return this.#batches.begin(batch, performance.now());
      }
      this.passed.begin(step.drop);
    }
    if (!this.passed.enter(this.#recordedOf(batch))) this.#cannotPass();
  }

  /** What the run recorded of a batch. */
  #recordedOf(batch: number): number[] {
    const recorded = this.#session?.director?.recorded;
    const frame = this.#batches?.frame;
    if (!recorded || !frame) return [];
    const logged = Object.entries(loggedAt(recorded, iterationPath(frame, batch)));
    return logged.flatMap(([name, value]) => (name.startsWith(BATCH_PREFIX) ? [value] : []));
  }

  #cannotPass(): void {
    const why = "an epoch was to begin in its middle";
    this.#session?.director?.insufficient(why, framePath(this.#session.frame));
  }

  #enterBatches(): LoopCursor {
    const statement = this.#batchStatement();
    // Where a dataset stands in the middle of an epoch nobody knows, nor what has no place in the source.
    const numbers = statement.site === null ? undefined : this.#batchNumbers;
    if (!numbers && this.#every !== undefined) this.#session?.warnOnce(ONLY_ENDS);
    if (!numbers) return this.#enter(statement, {});
    return this.#enter({ ...statement, every: this.#every }, numbers);
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
    const batches = this.#enterBatches();
    if (batches.advance() === "end") return this.#endSkipped(batches);
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
    if (this.passed.isPassing) {
      if (!this.passed.leave()) this.#cannotPass();
      return;
    }
    const { batch: _, size: __, ...quantities } = logs;
    for (const [name, value] of Object.entries(quantities)) this.#log(BATCH_PREFIX + name, value);
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
    // All that is executed of this epoch is what follows its batches.
    if (this.passed.isArrived) this.#batches?.advance();
    this.passed.end();
    this.#batches?.end(how);
    this.#batches = undefined;
  }

  #log(name: string, value: unknown): void {
    // By a function that nobody has called: it has no place in the program.
    if (!this.#epochs.isUnrecorded) this.#session?.log(name, value, loggedAt);
  }
}

/** Quantities of an epoch: what the program logs itself has a site. */
function loggedAt(recorded: RecordedRun, path: LoopPath): { [name: string]: number } {
  const values = recorded.logged(path).filter(({ site }) => site === null);
  return Object.fromEntries(values.map(({ name, value }) => [name, Number(value)]));
}
