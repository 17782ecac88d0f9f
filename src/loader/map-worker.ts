/** @file A thread that runs a function of `map`. It begins with the flags of the program. */
import { parentPort, workerData } from "node:worker_threads";
import { applyMap, MapFailure } from "./apply-map.ts";
import type { MapTask } from "./apply-map.ts";
import type { AnyMap } from "./recipe.ts";

export interface MapWorkerStart {
  readonly href: string;
  readonly name: string;
}

export type WorkerReply =
  | { readonly kind: "done"; readonly value: unknown }
  | { readonly kind: "failed"; readonly at: number; readonly cause: unknown };

const { href, name } = workerData as MapWorkerStart;
const loaded = loadMapFunction();
// The first message reports it; until then nobody waits for it.
loaded.catch(() => undefined);

async function loadMapFunction(): Promise<AnyMap> {
  const exports = (await import(href)) as { readonly [name: string]: unknown };
  const fn = exports[name];
  if (typeof fn === "function") return fn as AnyMap;
  throw new TypeError(`${href} exports no function "${name}"`);
}

async function answerMapTask(task: MapTask): Promise<WorkerReply> {
  try {
    return { kind: "done", value: await applyMap(await loaded, task) };
  } catch (error) {
    const failure = error instanceof MapFailure ? error : new MapFailure(-1, error);
    return { kind: "failed", at: failure.at, cause: asError(failure.cause) };
  }
}

/** Errors can be cloned, though not each thing that hangs on them. */
function asError(cause: unknown): Error {
  if (!(cause instanceof Error)) return new Error(String(cause));
  const { message, stack } = cause;
  const copy = new Error(message);
  copy.name = cause.name;
  if (stack !== undefined) copy.stack = stack;
  return copy;
}

async function serveMapTasks(task: MapTask): Promise<void> {
  const reply = await answerMapTask(task);
  try {
    parentPort?.postMessage(reply);
  } catch (error) {
    const failed: WorkerReply = { kind: "failed", at: -1, cause: asError(error) };
    parentPort?.postMessage(failed);
  }
}

parentPort?.on("message", (task: MapTask) => {
  void serveMapTasks(task);
});
