/**
 * @file The callbacks of a `model.fit` of TensorFlow.js, with ours around them: each is called as tfjs
 * calls it, with the same `this` and the same arguments, whether it is a class or an object of functions.
 */

export type Logs = { readonly [name: string]: unknown };

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

/** What is known of a training when it begins. */
export interface FitParams {
  readonly samples?: number | null;
  readonly batchSize?: number | null;
  readonly [name: string]: unknown;
}

/** Whom a training reports to, besides the program. Before the program's callbacks, or after them. */
export interface FitEvents {
  /** After. */
  trainBegan(params: FitParams): void;
  /** Before. */
  epochBegins(epoch: number): void;
  /** After: tfjs shuffles next. */
  epochBegan(): void;
  /** Before. */
  batchBegins(batch: number): void;
  /** A replay passes over the present batch: the program does not hear of it. */
  readonly passesBatch: boolean;
  /** After; quantities are numbers. */
  batchEnded(logs: Logs): void;
  /** Before; quantities are numbers. */
  epochEnds(logs: Logs): void;
  /** Before. */
  trainEnds(): void;
  /** Whether the program hears of the beginning and the end of this call; parameters it then gets. */
  readonly tellsBegin: boolean;
  readonly tellsEnd: boolean;
  readonly params: object;
}

/** `callbacks` as `model.fit` takes them, which also report to `events`. */
export function reportingCallbacks(callbacks: unknown, events: FitEvents): FitHandlers[] {
  const all = listOf(callbacks);
  const areClasses = areClassCallbacks(callbacks);
  return all.map((handlers, at) => {
    const place = { events, isFirst: at === 0, isLast: at === all.length - 1 };
    return areClasses ? reportingClass(handlers, place) : reportingFunctions(handlers, place);
  });
}

function listOf(callbacks: unknown): FitHandlers[] {
  const list = (Array.isArray(callbacks) ? callbacks : [callbacks ?? {}]) as FitHandlers[];
  return list.length === 0 ? [{}] : list;
}

/** As tfjs decides it: by the first. What it tells a class of an epoch may be tensors. */
export function areClassCallbacks(callbacks: unknown): boolean {
  return typeof listOf(callbacks)[0]?.setParams === "function";
}

interface Place {
  readonly events: FitEvents;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

type Call = (method: keyof FitHandlers, ...args: unknown[]) => unknown;

/** The reports of one callback; `call` calls the program's own. */
function reports({ events, isFirst, isLast }: Place, call: Call, params: () => FitParams) {
  return {
    trainBegin: async (logs?: Logs): Promise<void> => {
      if (events.tellsBegin) await call("onTrainBegin", logs);
      if (isLast) events.trainBegan(params());
    },
    epochBegin: async (epoch: number, logs?: Logs): Promise<void> => {
      if (isFirst) events.epochBegins(epoch);
      await call("onEpochBegin", epoch, logs);
      if (isLast) events.epochBegan();
    },
    batchBegin: async (batch: number, logs?: Logs): Promise<void> => {
      if (isFirst) events.batchBegins(batch);
      if (!events.passesBatch) await call("onBatchBegin", batch, logs);
    },
    batchEnd: async (batch: number, logs: Logs = {}): Promise<void> => {
      if (!events.passesBatch) await call("onBatchEnd", batch, logs);
      if (isLast) events.batchEnded(await numbersOf(logs));
    },
    epochEnd: async (epoch: number, logs: Logs = {}): Promise<void> => {
      if (isFirst) events.epochEnds(await numbersOf(logs));
      await call("onEpochEnd", epoch, logs);
    },
    yields: async (epoch: number, batch: number, logs?: Logs): Promise<void> => {
      if (!events.passesBatch) await call("onYield", epoch, batch, logs);
    },
    trainEnd: async (logs?: Logs): Promise<void> => {
      if (isFirst) events.trainEnds();
      if (events.tellsEnd) await call("onTrainEnd", logs);
    },
  };
}

/** tfjs asks for the prototype of the first; what the callback keeps, it keeps itself. */
function reportingClass(handlers: FitHandlers, place: Place): FitHandlers {
  let params: FitParams = {};
  const { events } = place;
  const call: Call = (method, ...args) =>
    (handlers[method] as ((...given: unknown[]) => unknown) | undefined)?.call(handlers, ...args);
  const on = reports(place, call, () => params);
  return Object.assign(Object.create(handlers) as FitHandlers, {
    setParams: (given: FitParams) => {
      params = given;
      if (events.tellsBegin) call("setParams", { ...given, ...events.params });
    },
    setModel: (model: unknown) => events.tellsBegin && call("setModel", model),
    onTrainBegin: on.trainBegin,
    onEpochBegin: on.epochBegin,
    onBatchBegin: on.batchBegin,
    onBatchEnd: on.batchEnd,
    onEpochEnd: on.epochEnd,
    onTrainEnd: on.trainEnd,
  });
}

/** tfjs takes the functions off, and calls them as methods of a callback of its own. */
function reportingFunctions(handlers: FitHandlers, place: Place): FitHandlers {
  const kept: { own: { params?: FitParams } } = { own: {} };
  const call: Call = (method, ...args) =>
    (handlers[method] as ((...given: unknown[]) => unknown) | undefined)?.call(kept.own, ...args);
  const on = reports(place, call, () => kept.own.params ?? {});
  const { events } = place;
  return Object.assign(Object.create(handlers) as FitHandlers, {
    onTrainBegin(this: (typeof kept)["own"], logs?: Logs): Promise<void> {
      kept.own = this;
      this.params = { ...this.params, ...events.params };
      return on.trainBegin(logs);
    },
    onEpochBegin: on.epochBegin,
    onBatchBegin: on.batchBegin,
    onBatchEnd: on.batchEnd,
    onEpochEnd: on.epochEnd,
    onTrainEnd: on.trainEnd,
    ...(handlers.onYield && { onYield: on.yields }),
  });
}

/** Quantities of a training as numbers; tfjs has them as tensors until somebody asks. */
async function numbersOf(logs: Logs): Promise<Logs> {
  const numbers: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(logs)) {
    const { data } = Object(value) as { data?: () => Promise<ArrayLike<number>> };
    numbers[name] = typeof data === "function" ? (await data.call(value))[0] : value;
  }
  return numbers;
}
