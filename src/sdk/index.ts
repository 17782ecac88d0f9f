/**
 * What a training program imports.
 *
 * @example
 * import * as al from "afterlog";
 *
 * const state = al.checkpointing({ params });
 * for (const epoch of al.loop("epoch", al.range(al.arg("epochs", 20)))) {
 *   for (const batch of al.loop("step", batches)) {
 *     state.params = update(state.params, batch);
 *     al.log("loss", loss);
 *   }
 * }
 */
import { AfterlogError } from "../format/index.ts";
import { current, unrecordedArguments } from "./current.ts";
import type { Loop } from "./loops/loops.ts";
import { recordedLoop } from "./loops/loops.ts";
import type { Session } from "./session.ts";

export { AfterlogError } from "../format/index.ts";
export type {
  AsyncDataset,
  BatchContext,
  BatchOptions,
  Dataset,
  DatasetOptions,
  DataState,
  FolderItem,
  FolderOptions,
  ItemContext,
  ItemRandom,
  LoaderMode,
  LoaderStats,
  MakeDataset,
  MapOptions,
  ModuleFunction,
  ResumableLoader,
} from "../loader/index.ts";
export { aside } from "./aside.ts";
export { dataset } from "./datasets.ts";
export { fit, fitCallback } from "./frameworks/fit.ts";
export { frame } from "./read-frame.ts";
export type { FrameOptions, FrameRow } from "./read-frame.ts";
export type { Loop } from "./loops/loops.ts";
export { range } from "./loops/range.ts";
export type { Range } from "./loops/range.ts";
export { restore } from "./restore-record.ts";
export type { RestoredState, RestoreRowOptions } from "./restored-state.ts";

/** The type of an argument is that of its default, not the literal. */
type Widened<T> = T extends number
  ? number
  : T extends string
    ? string
    : T extends boolean
      ? boolean
      : T;

/**
 * A hyperparameter: from `name=value` or `--name value` on the command line, else `fallback`.
 * Recorded. Throws AL005 if the text does not fit the type of the default.
 */
export function arg<T>(name: string, fallback: T): Widened<T> {
  const session = current();
  return asCalled(arg, () => {
    const value = session
      ? session.arg(name, fallback)
      : (unrecordedArguments().take(name, fallback) ?? fallback);
    return value as Widened<T>;
  });
}

/**
 * Logs a value at the present place in the loops, and returns it. Numbers, strings, booleans,
 * bigint, null, JSON, tensors and typed arrays; given a plain object alone, each of its values by its
 * key. Names repeat freely. Never throws: of a name that cannot be one it says so, with the place, and
 * logs nothing.
 */
export function log<T>(name: string, value: T): T;
export function log<T extends { readonly [name: string]: unknown }>(values: T): T;
export function log(name: unknown, value?: unknown): unknown {
  const session = current();
  if (typeof name === "string" || !isPlainObject(name)) {
    if (session?.isLogName(name, log)) session.log(name, value, log);
    return value;
  }
  for (const [key, one] of session ? Object.entries(name) : []) {
    if (session?.isLogName(key, log)) session.log(key, one, log);
  }
  return name;
}

function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * Goes through `iterable` as a loop of that name, in `for…of` and in `for await…of`. Throws AL061
 * if it cannot be iterated. Loops that run at the same time go on unrecorded, and the run says so.
 */
export function loop<S extends Iterable<unknown> | AsyncIterable<unknown>>(
  name: string,
  iterable: S,
): Loop<S> {
  const session = recordingSession();
  // Rewritten source says itself where it stands; the stack is looked at for any other.
  const site = session?.instrument.waiting
    ? null
    : (session?.sites.find("loop", name, session.frame?.site ?? null, loop) ?? null);
  return recordedLoop(session, name, iterable, site) as Loop<S>;
}

/**
 * Declares what the loops change, and returns the same record: rebind its fields, or change what
 * they hold in place. Throws AL070 if something in it cannot be captured.
 */
export function checkpointing<T extends { [field: string]: unknown }>(record: T): T {
  if (typeof record !== "object" || record === null || Array.isArray(record)) {
    throw new AfterlogError("AL061", "checkpointing takes a record of named values", {
      help: ["name what the loops change:  al.checkpointing({ model, optimizer })"],
    });
  }
  const session = recordingSession();
  if (!session) return record;
  const enclosing = session.frame?.site ?? null;
  const site = session.sites.findExactly("checkpointing", enclosing, checkpointing);
  asCalled(checkpointing, () => session.declare(record, site));
  return record;
}

/** The run, unless this is called inside `aside`: what happens there is not of the run. */
function recordingSession(): Session | undefined {
  const session = current();
  return session?.asides.length === 0 ? session : undefined;
}

/** Does the work; an error of ours then shows where the program called us, not our own frames. */
function asCalled<T>(callee: (...args: never[]) => unknown, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof AfterlogError) error.setCaller(callee);
    throw error;
  }
}
