/**
 * @file Captures as a checkpoint does (graph through JSON, bytes copied) and restores.
 */
import { capture, identify, restore } from "../../src/adapters/index.ts";
import type { Capture, EntryIds, StatePlace, RestorableGraph } from "../../src/adapters/index.ts";

export interface Saved {
  readonly graph: RestorableGraph;
  readonly json: string;
  readonly tensors: ReadonlyMap<string, Uint8Array>;
  readonly taken: Capture;
}

/** Places over the fields of a record, as `checkpointing` makes them. */
export function placesOf(record: { [field: string]: unknown }): StatePlace[] {
  return Object.keys(record).map((field) => ({
    key: `d0.${field}`,
    source: "a",
    get: () => record[field],
    set: (value) => {
      record[field] = value;
    },
  }));
}

/** Everything a checkpoint would hold. */
export function save(places: readonly StatePlace[], entry?: EntryIds): Saved {
  const taken = capture(places, entry);
  const tensors = new Map<string, Uint8Array>();
  for (const leaf of taken.leaves) {
    const target = new Uint8Array(leaf.bytes);
    leaf.copyTo(target);
    tensors.set(leaf.name, target);
  }
  const json = JSON.stringify(taken.graph);
  const graph = JSON.parse(
    JSON.stringify({ ...taken.graph, entry: taken.entry }),
  ) as RestorableGraph;
  return { graph, json, tensors, taken };
}

export function load(places: readonly StatePlace[], saved: Saved, entry?: EntryIds): void {
  const readTensor = (name: string): Uint8Array => {
    const bytes = saved.tensors.get(name);
    if (bytes === undefined) throw new Error(`no tensor ${name}`);
    return bytes;
  };
  restore(places, saved.graph, readTensor, entry === undefined ? {} : { entry });
}

/** The value as a fresh process would have it: nothing of the old one is refilled. */
export function rebuilt<T>(value: T, classes: readonly unknown[] = []): T {
  const entry = identify(placesOf({ value, classes }));
  const saved = save(placesOf({ value }), entry);
  const record: { [field: string]: unknown } = { value: undefined };
  const graph = { ...saved.graph, entry: saved.graph.entry.map(() => null) };
  // Classes and functions are found again by their entry number, so the walk must be the same.
  const live = identify(placesOf({ value, classes }), { hold: true });
  load(placesOf(record), { ...saved, graph }, live);
  return record["value"] as T;
}
