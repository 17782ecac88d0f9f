/**
 * @file Compares the state of a replaying program with that of a checkpoint taken at the same
 * point: the deferred check for what no log statement shows (semantics, "Marks").
 */
import { crc32 } from "node:zlib";
import type { EntryIds, StatePlace } from "../../adapters/index.ts";
import type { ClassRegistry } from "../../adapters/index.ts";
import { capture } from "../../adapters/index.ts";
import type {
  CheckpointRecord,
  EncodedProperty,
  EncodedValue,
  GeneratorState,
  OwnTree,
  StateGraph,
  StructureNode,
  StructurePlace,
  Varying,
} from "../../format/index.ts";
import { asInProject, CRC_CHUNK_BYTES, hex32, variableOf } from "../../format/index.ts";
import type { CheckpointReader } from "../../store/index.ts";
import { openCheckpoint } from "../../store/index.ts";
import { placeHashes } from "../../materialize/index.ts";
import { renumbered } from "./renumbered-state.ts";

/** A state as it can be compared: its graph, and the checksums of its tensors by their names. */
export interface ComparableState {
  readonly graph: StateGraph;
  readonly checksums: ReadonlyMap<string, string>;
}

export interface ComparedState {
  /** How many places and generators were compared. */
  readonly compared: number;
  /** Keys of the places, and ids of the generators, that are not as the checkpoint has them. */
  readonly differs: readonly string[];
}

interface StateNow {
  readonly places: readonly StatePlace[];
  readonly entry: EntryIds;
  readonly classes: ClassRegistry;
  readonly generators: readonly GeneratorState[];
}

/** Compares what does not vary; `read` gives the checkpoint's state, which is seldom needed. */
export function compareState(
  now: StateNow,
  recorded: Pick<CheckpointRecord, "places" | "generators">,
  {
    varying,
    read,
    tree,
  }: {
    readonly varying?: Varying | undefined;
    readonly read: () => ComparableState;
    /** Where the program is executed, if not in the project. */
    readonly tree?: OwnTree | undefined;
  },
): ComparedState {
  const { graph, leaves } = capture(now.places, now.entry, now.classes);
  const checksums = new Map(leaves.map((leaf) => [leaf.name, placeChecksum(leaf)]));
  const mine = placesByKey(placeHashes(graph, checksums));
  const theirs = placesByKey(recorded.places);
  const ignored = variesBy(varying);
  const keys = [...new Set([...mine.keys(), ...theirs.keys()])].filter((key) => !ignored(key));
  const generators = varying?.generators ? [] : recorded.generators;
  let differs = differingKeys(keys, mine, theirs);
  if (differs.length > 0) {
    const before = read();
    const known = methodNames(before.graph);
    const isOwn = ([key, value]: EncodedProperty): boolean =>
      isFunction(value) && !known.has(JSON.stringify(key));
    const told = JSON.parse(asInProject(JSON.stringify(graph), tree)) as StateGraph;
    const here = hashesWithout({ graph: told, checksums }, varying ?? NOTHING, isOwn);
    differs = differingKeys(differs, here, hashesWithout(before, varying ?? NOTHING));
  }
  const drawn = generators
    .filter((state, at) => JSON.stringify(state) !== JSON.stringify(now.generators[at]))
    .map(({ id }) => id);
  return { compared: keys.length + generators.length, differs: [...differs, ...drawn] };
}

/**
 * What the loops around one have changed, and this one leaves alone (all but `own` variables): keys of the places that
 * are not as its checkpoint has them, each looked at by itself; what the checkpoint lacks, and what varies, is not
 * looked at. Where a checkpoint lacks a part, the rest tells whether the process has all of it.
 */
export function differingAround(
  now: Omit<StateNow, "entry" | "generators"> & { readonly entry: EntryIds | undefined },
  own: ReadonlySet<string>,
  checkpoint: CheckpointReader,
  {
    varying = NOTHING,
    tree,
  }: { readonly varying?: Varying | undefined; tree?: OwnTree | undefined },
): string[] {
  const before = stateIn(checkpoint);
  const around = now.places.filter(({ source, key }) => {
    return source === "b" && !own.has(variableOf(key));
  });
  const { graph, leaves } = capture(around, now.entry, now.classes);
  const told = JSON.parse(asInProject(JSON.stringify(graph), tree)) as StateGraph;
  const checksums = new Map(leaves.map((one) => [one.name, placeChecksum(one)]));
  const here = { graph: told, checksums };
  const ignored = variesBy(varying);
  const known = methodNames(before.graph);
  const isOwn = ([key, value]: EncodedProperty): boolean =>
    isFunction(value) && !known.has(JSON.stringify(key));
  const hashOf = (state: ComparableState, key: string): string | undefined => {
    const places = state.graph.places.filter((place) => place.key === key);
    const alone = { ...state, graph: { ...state.graph, places } };
    return hashesWithout(alone, varying, state === here ? isOwn : undefined).get(key);
  };
  const isThere = ({ absent }: StructurePlace): boolean => absent === undefined;
  const theirs = new Set(before.graph.places.filter(isThere).map(({ key }) => key));
  const both = graph.places.filter((place) => isThere(place) && theirs.has(place.key));
  return both.flatMap(({ key }) => {
    return ignored(key) || hashOf(here, key) === hashOf(before, key) ? [] : [key];
  });
}

/** The state of a checkpoint, without the bytes of its tensors. Throws AL040 if it is damaged. */
export function readState(run: string, record: CheckpointRecord): ComparableState {
  using checkpoint = openCheckpoint(run, record);
  return stateIn(checkpoint);
}

/** The same of one that is open. */
function stateIn(checkpoint: CheckpointReader): ComparableState {
  const { tensors, metadata } = checkpoint.header;
  const checksums = [...tensors, ...metadata.held].map(({ name, crc32: pieces }) => {
    return [name, pieces.join("")] as const;
  });
  return { graph: checkpoint.structure(), checksums: new Map(checksums) };
}

type Hashes = ReadonlyMap<string, string>;

function differingKeys(keys: readonly string[], mine: Hashes, theirs: Hashes): string[] {
  return keys.filter((key) => mine.get(key) !== theirs.get(key));
}

/** Whether a place, by its key, holds what varies: a variable, or what is declared, `d0.t0`. */
function variesBy(varying: Varying | undefined): (key: string) => boolean {
  const places = new Set(varying?.places);
  const fields = new Set(varying?.fields);
  return (key) => {
    const [, field] = /^d\d+\.(.*)$/s.exec(key) ?? [];
    if (field !== undefined) return fields.has(field);
    const variable = variableOf(key);
    return places.has(variable) || places.has(variable.replace(/:[^:]*:(?=[^:]*$)/, ":*:"));
  };
}

const NOTHING: Varying = { logs: [], places: [], fields: [] };

/** Of an error: it names files of the process, and lines that a question moves. */
function isStack([key, value]: readonly [EncodedValue, EncodedValue, ...unknown[]]): boolean {
  return key === "stack" && typeof value === "string" && /\n\s+at /.test(value);
}

/** A function is known as one that was there when the loop was entered. */
function isFunction(value: EncodedValue): boolean {
  return Array.isArray(value) && value[0] === "entry";
}

/** What objects of a state have functions as: a question gives them more, where it wraps a method. */
function methodNames({ nodes }: StateGraph): ReadonlySet<string> {
  const properties = nodes.flatMap(({ props = [] }) => props);
  return new Set(
    properties.filter(([, value]) => isFunction(value)).map(([key]) => JSON.stringify(key)),
  );
}

/**
 * The hashes of the places of a state without fields that vary, for one of the states may lack them, and
 * without those that are a question's own.
 */
function hashesWithout(
  { graph, checksums }: ComparableState,
  varying: Varying,
  isOwn: (property: EncodedProperty) => boolean = () => false,
): Hashes {
  const { places, nodes } = graph;
  const ignored = variesBy(varying);
  const fields = new Set<unknown>(varying.fields);
  const hasPrivate = varying.fields.some((name) => name.startsWith("#"));
  const without = nodes.map((node) => withoutFields(withoutOwn(node, isOwn), fields, hasPrivate));
  // What they alone hold does not count for the places behind them.
  const kept = places.filter(({ key }) => !ignored(key));
  const alone = renumbered({ graph: { places: kept, nodes: without }, checksums });
  return placesByKey(placeHashes(alone.graph, alone.checksums));
}

function withoutOwn(
  node: StructureNode,
  isOwn: (property: EncodedProperty) => boolean,
): StructureNode {
  return node.props?.some(isOwn)
    ? { ...node, props: node.props.filter((one) => !isOwn(one)) }
    : node;
}

function withoutFields(
  node: StructureNode,
  fields: ReadonlySet<unknown>,
  hasPrivate: boolean,
): StructureNode {
  const stays = ([key]: readonly [EncodedValue, ...unknown[]]): boolean => !fields.has(key);
  return {
    ...node,
    ...(node.props ? { props: node.props.filter((one) => stays(one) && !isStack(one)) } : {}),
    ...(node.t === "map" ? { entries: node.entries.filter(stays) } : {}),
    // They have no names there.
    ...(node.private && hasPrivate ? { private: [] } : {}),
  };
}

/**
 * The key by which two states are compared. Whether an absent variable was there once does not count: its
 * iteration may have been skipped.
 */
export function comparedKey(key: string): string {
  return key.replace(/@(?:gone|none)$/, "");
}

function placesByKey(places: CheckpointRecord["places"]): Map<string, string> {
  return new Map(
    places.map(({ key, crc32: crc }) => {
      const there = comparedKey(key);
      return there === key ? [key, crc] : [there, "absent"];
    }),
  );
}

function placeChecksum(leaf: { readonly bytes: number; copyTo(target: Uint8Array): void }): string {
  const memory = new Uint8Array(leaf.bytes);
  leaf.copyTo(memory);
  const pieces: string[] = [];
  for (let at = 0; at < leaf.bytes; at += CRC_CHUNK_BYTES) {
    pieces.push(hex32(crc32(memory.subarray(at, at + CRC_CHUNK_BYTES))));
  }
  return pieces.join("");
}
