/**
 * @file What an adapter is: one kind of value, turned into a node of the state graph and back.
 *
 * An adapter copies no tensor data while the walk runs: it announces a leaf, and the materializer
 * copies the bytes into a slot afterwards (semantics, "Snapshot and persist"). It never imports a
 * framework; it looks at what a value can do.
 */
import type {
  ClassName,
  EncodedProperty,
  EncodedValue,
  PlaceSource,
  StateGraph,
  StructureNode,
  TensorSpec,
} from "../format/index.ts";
import type { FunctionProperties } from "./javascript/function-properties.ts";
import type { NamedPrototypes } from "./javascript/class-name.ts";

/** A variable of the program that is captured and restored. */
export interface StatePlace {
  /** `d<declaration ordinal>.<field>`, or `file:scope:name#activation`. */
  readonly key: string;
  readonly source: PlaceSource;
  /** The value now; a ReferenceError means that the variable is not initialized yet. */
  get(): unknown;
  /** Why it cannot be captured, where that is known before it is read. */
  readonly lost?: string;
  /** Rebinds the variable; absent for a `const` and for `this`. */
  set?(value: unknown): void;
}

/** A block of bytes of the state. */
export interface TensorLeaf extends TensorSpec {
  /** Object whose identity proves that the bytes are unchanged; absent for mutable memory. */
  readonly immutable?: object;
  /** Copies the bytes into `target` (exactly `bytes` long). Called once, after the walk. */
  copyTo(target: Uint8Array): void;
}

/** The objects that the places reached at one moment, numbered in the order of the walk. */
export interface EntryIds {
  readonly size: number;
  /** The number of the object that each place held, by the place's key. */
  readonly places: ReadonlyMap<string, number>;
  get(value: object): number | undefined;
  /** What the functions among them had as properties. */
  readonly functions: WeakMap<Function, FunctionProperties>;
  readonly prototypes: NamedPrototypes;
  /** Functions made by `bind`, and which of the places led to each. */
  readonly bound: readonly { readonly function: WeakRef<Function>; readonly place: number }[];
  /** The objects by number. Only where asked for, because it keeps them all alive. */
  readonly objects?: readonly object[];
}

export interface Capture {
  readonly graph: StateGraph;
  /** For each node, the number that its object had at entry of the loop. */
  readonly entry: readonly (number | null)[];
  readonly leaves: readonly TensorLeaf[];
}

/** What `restore` reads: a graph and the entry number of each node. */
export type RestorableGraph = StateGraph & Pick<Capture, "entry">;

/** Finds the loaded copies of a package, likeliest first. */
export type ModuleResolver = (packageName: string) => Iterable<object>;

export type Integrity = "fixed" | "sealed" | "frozen";

/** Own properties, class and integrity can stand on every kind of node. */
export type GraphNode = StructureNode & {
  readonly props?: readonly EncodedProperty[];
  readonly class?: ClassName | null;
  readonly integrity?: Integrity;
  /** A view without a length of its own, that follows its resizable buffer. */
  readonly tracks?: true;
};

/** What an adapter asks of the walk while it writes the node of one value. */
export interface NodeWriter {
  /** True when objects are only numbered: nothing costly may be done. */
  readonly identifying: boolean;
  /** Encodes a value met under the present node; `segment` is its part of the path, or "". */
  value(value: unknown, segment: string | number): EncodedValue;
  /** Announces bytes of the present node and gives the name of the tensor. */
  leaf(spec: Omit<TensorLeaf, "name">): string;
  /** The node number of the buffer under a view. */
  bufferOf(view: ArrayBufferView): number;
  /** Leaves the buffer of the present node to the end of the walk, when all views are known. */
  buffer(buffer: ArrayBufferLike): NodeOf<"buffer">;
  /** Tells of a view, so that the buffer's element type can be chosen. */
  view(view: ArrayBufferView, node: NodeOf<"view">): void;
  /** Class of the value; `undefined` if its prototype is `base`. Refuses private state. */
  classOf(value: object, base: object): ClassName | null | undefined;
  /** Throws AL070 for the present value. `segment` says what inside it is meant. */
  refuse(what: string, help?: string, segment?: string | number): never;
}

/** What an adapter asks of a restoration. */
export interface NodeReader {
  /** What an adapter found out once for all nodes of this restoration. */
  readonly memo: Map<string, object>;
  readonly modules: ModuleResolver;
  /** The JavaScript value; an object may not be filled yet. */
  value(encoded: EncodedValue): unknown;
  node(number: number): GraphNode;
  /** The object of a node. */
  object(node: number): object;
  /** A view on that buffer that was there before, and the offset that its node has. */
  liveViewOn(buffer: number): { view: ArrayBufferView; offset: number } | undefined;
  /**
   * The bytes of a tensor: `into` itself if it was given and could be filled, else memory of the
   * reader's. That may be shared: copy what is kept.
   */
  bytes(tensor: string, into?: Uint8Array): Uint8Array;
  /** Prototype of a class, from a live instance; throws AL071 if none is known. */
  prototypeOf(name: ClassName): object;
  /** Any live object for which `test` holds. */
  find<T extends object>(test: (value: object) => value is T): T | undefined;
  /** AL071 for the present node. */
  mismatch(why: string, help?: string): Error;
}

/** Nodes of one kind. */
export type NodeOf<T extends GraphNode["t"]> = Extract<GraphNode, { t: T }>;

/** One kind of value `V`, and its nodes `N`. */
export interface Adapter<V extends object = object, N extends GraphNode = GraphNode> {
  readonly name: string;
  /** Whether it captures this value. The first adapter of the list that says so is used. */
  matches(value: object): value is V;
  /** Writes the node; never descends by itself. */
  write(value: V, writer: NodeWriter): N;
  /** Whether it restores this node. */
  reads(node: GraphNode): node is N;
  /**
   * The object for a node: `live` if there is one to refill, else a new one. Changes nothing that
   * exists, so that a checkpoint that does not fit is found before anything is overwritten.
   */
  allocate(node: N, live: object | undefined, reader: NodeReader): V;
  /** Gives the object its content. All objects exist; their contents may not be there yet. */
  fill?(node: N, object: V, reader: NodeReader): void;
  /** Like `fill`, but after all fills: for objects that load themselves from a finished state. */
  load?(node: N, object: V, reader: NodeReader): void;
}
