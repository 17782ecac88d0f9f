/**
 * Captured state to tensors and structure, and back: jax-js, TensorFlow.js, typed arrays and plain
 * data. The frameworks are the program's own; nothing here imports them.
 */
import type { Structure } from "../format/index.ts";
import { describeError, isAfterlogError } from "../format/index.ts";
import type {
  Adapter,
  Capture,
  EntryIds,
  ModuleResolver,
  StatePlace,
  RestorableGraph,
} from "./adapter.ts";
import { ClassRegistry } from "./javascript/class-registry.ts";
import {
  arrayAdapter,
  dateAdapter,
  mapAdapter,
  regexpAdapter,
  setAdapter,
} from "./javascript/collections.ts";
import { jaxAdapter } from "./jax/jax.ts";
import { bufferAdapter, viewAdapter } from "./javascript/memory.ts";
import { moduleResolver } from "./module-resolver.ts";
import { plainAdapter } from "./javascript/plain.ts";
import { placeLabels } from "./leaf-names.ts";
import { plainGraph } from "./plain-graph.ts";
import { Restoration } from "./restore-graph.ts";
import { savingAdapter } from "./javascript/saving-class.ts";
import { stateDictAdapter } from "./javascript/state-dict.ts";
import { tfModelAdapter } from "./tfjs/tfjs-model.ts";
import { tfOptimizerAdapter } from "./tfjs/tfjs-optimizer.ts";
import { tfTensorAdapter } from "./tfjs/tfjs-tensor.ts";
import { StateWalk } from "./walk.ts";

export { WalkTooLong } from "./walk.ts";
export type { Capture, EntryIds, ModuleResolver, StatePlace, RestorableGraph } from "./adapter.ts";
export { asTensor } from "./as-tensor.ts";
export type { TensorValue } from "./as-tensor.ts";
export { rememberBound } from "./javascript/bound-functions.ts";
export { ClassRegistry } from "./javascript/class-registry.ts";
export { hasTraps } from "./javascript/has-traps.ts";
export { Fingerprints } from "./fingerprint.ts";
export { moduleResolver } from "./module-resolver.ts";
export { isTfLayer } from "./tfjs/tfjs-model.ts";
export { makeTfTensor } from "./tfjs/tfjs.ts";

/** In the order in which they are asked. */
const ADAPTERS: readonly Adapter[] = [
  stateDictAdapter,
  tfModelAdapter,
  tfOptimizerAdapter,
  tfTensorAdapter,
  jaxAdapter,
  viewAdapter,
  bufferAdapter,
  arrayAdapter,
  mapAdapter,
  setAdapter,
  dateAdapter,
  regexpAdapter,
  plainAdapter,
];

/** Those, and before them what the project says of classes of packages. */
function adaptersWith(classes: ClassRegistry | undefined): readonly Adapter[] {
  return classes && classes.saving.size > 0 ? [savingAdapter(classes), ...ADAPTERS] : ADAPTERS;
}

/**
 * Numbers the objects that the places reach, functions too, and reads no tensor data. The order is
 * that of the walk, so the same program at the same point gives the same numbers. Never fails on
 * what cannot be captured. `hold` keeps the objects alive, for a restore later in this process.
 */
export function identify(
  places: readonly StatePlace[],
  options: { hold?: boolean; classes?: ClassRegistry } = {},
): EntryIds {
  return new StateWalk(adaptersWith(options.classes), { identifying: true, ...options }).identify(
    places,
  );
}

/**
 * The state graph and the leaves that hold its bytes, none copied yet. The same state gives the
 * same graph. Throws AL070, with the path inside the value, for what nobody can capture in a
 * declared place; any other place is then marked `absent`, and the checkpoint is partial.
 *
 * @param entry numbers at entry of the loop: says which objects to refill in place later.
 * @param endsAtMs `WalkTooLong` is thrown when `performance.now()` comes to it.
 */
export function capture(
  places: readonly StatePlace[],
  entry?: EntryIds,
  classes: ClassRegistry = new ClassRegistry(),
  endsAtMs: number = Infinity,
): Capture {
  const absent = new Map<string, string>();
  const known = entry === undefined ? {} : { entry };
  const options = { identifying: false, absent, classes, endsAtMs, ...known };
  // Each turn leaves out one more place, so there are at most as many as places.
  for (;;) {
    try {
      return new StateWalk(adaptersWith(classes), options).capture(places);
    } catch (error) {
      const place = refusedPlace(error, places);
      if (place === undefined || place.source === "a" || absent.has(place.key)) throw error;
      absent.set(place.key, describeError(error));
    }
  }
}

/** The place whose value an AL070 is about. */
function refusedPlace(error: unknown, places: readonly StatePlace[]): StatePlace | undefined {
  if (!isAfterlogError(error) || error.code !== "AL070") return undefined;
  const index = error.data["place"];
  return typeof index === "number" ? places[index] : undefined;
}

export interface RestoreOptions {
  /** Numbers at entry of the loop, with `hold`; absent: the places are as they were at entry. */
  readonly entry?: EntryIds;
  /** Finds the program's copy of a framework; by default from this package's folder up. */
  readonly modules?: ModuleResolver;
  /** Classes that rewritten source has made known. */
  readonly classes?: ClassRegistry;
}

/**
 * Gives the places the captured state: objects that were there at entry are refilled in place, all
 * others are new. Throws AL071 if the checkpoint does not fit, as a rule before any change.
 */
export function restore(
  places: readonly StatePlace[],
  graph: RestorableGraph,
  readTensor: (name: string, into?: Uint8Array) => Uint8Array,
  options: RestoreOptions = {},
): void {
  const entry =
    options.entry?.objects === undefined
      ? identify(places, { hold: true, ...options })
      : options.entry;
  const { modules = moduleResolver(), classes = new ClassRegistry() } = options;
  const given = { adapters: adaptersWith(classes), graph, readTensor, entry, modules, classes };
  new Restoration(given).run(places);
}

/**
 * The values of a checkpoint by name, without the program: tensors of their framework, and everything
 * else as plain data. Functions, and what else is no state, are left out.
 */
export function plainValues(
  structure: Structure,
  readTensor: (name: string, into?: Uint8Array) => Uint8Array,
  modules: ModuleResolver,
): Map<string, unknown> {
  const graph = plainGraph(structure);
  const found = new Map<string, unknown>();
  const places = graph.places.map(({ key, source }) => ({
    key,
    source,
    get: () => undefined,
    set: (value: unknown) => void found.set(key, value),
  }));
  restore(places, graph, readTensor, { modules });
  const labels = placeLabels(places);
  return new Map(
    places.flatMap(({ key }, at) => (found.has(key) ? [[labels[at] ?? key, found.get(key)]] : [])),
  );
}
