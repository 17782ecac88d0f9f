/**
 * @file The batches of an epoch that a replay passes over. tfjs cannot be told to begin an epoch in its
 * middle, so it goes through these batches too, with a function in the place of the one that trains: it
 * gives what the run recorded of each batch, and changes nothing. What tfjs sums up on the way, and tells
 * of the epoch, is then what it was.
 */
import { makeTfTensor } from "../../adapters/index.ts";

type Train = (data: unknown) => unknown[];

/** What we need of the model that tfjs trains. */
interface TrainedModel {
  /** A sequential model has another one that is trained. */
  readonly model?: TrainedModel | null;
  readonly metricsNames?: readonly string[];
  makeTrainFunction?(): Train;
}

export class PassedBatches {
  readonly #model: TrainedModel;
  /** Batches that are still to be passed over; undefined: the epoch is where it was to begin. */
  #left: number | undefined;
  /** What the run recorded of the present one, until tfjs has it. */
  #recorded: readonly number[] | undefined;

  constructor(model: object | undefined) {
    const given = (model ?? {}) as TrainedModel;
    this.#model = given.model ?? given;
  }

  /** Whether tfjs is in a batch that is passed over. */
  get isPassing(): boolean {
    return this.#left !== undefined && this.#left > 0;
  }

  /** All have been passed over, and nothing has been executed since. */
  get isArrived(): boolean {
    return this.#left === 0;
  }

  begin(count: number): void {
    this.#left = count;
  }

  end(): void {
    this.#left = undefined;
  }

  /** The next of them: false if tfjs would not take what was recorded of it. */
  enter(recorded: readonly number[]): boolean {
    this.#recorded = recorded;
    return recorded.length > 0 && recorded.length === this.#model.metricsNames?.length;
  }

  /** It is over: false if tfjs has trained with it. */
  leave(): boolean {
    const isTaken = this.#recorded === undefined;
    this.#left = (this.#left ?? 0) - 1;
    return isTaken;
  }

  /** While a call of `fit` runs; what is returned gives the model its own function back. */
  lend(): () => void {
    const model = this.#model;
    const make = model.makeTrainFunction?.bind(model);
    if (!make) return () => undefined;
    const lent = (): Train => {
      const train = make();
      return (data) => (this.isPassing ? this.#give() : train(data));
    };
    const property = { value: lent, configurable: true, enumerable: false, writable: true };
    Object.defineProperty(model, "makeTrainFunction", property);
    return () => Reflect.deleteProperty(model, "makeTrainFunction");
  }

  #give(): unknown[] {
    const recorded = this.#recorded ?? [];
    this.#recorded = undefined;
    return recorded.map(scalarOf);
  }
}

/** As tfjs has a quantity. */
export function scalarOf(value: number): unknown {
  return makeTfTensor(new Uint8Array(Float32Array.of(value).buffer), [], "float32");
}
