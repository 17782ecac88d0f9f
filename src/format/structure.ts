/**
 * @file The part of a checkpoint that is not tensors: the object graph of the captured state.
 *
 * Written as JSON into the U8 tensor `__structure__`. Objects are numbered in the order in which
 * the walk over the places meets them; sharing and cycles are references to that number. Tensors
 * are named, and their bytes stand in the checkpoint file (or in the one it names).
 */

/** A value inside the graph: a JSON scalar, or a tagged tuple for what JSON lacks. */
export type EncodedValue =
  | null
  | boolean
  | number
  | string
  | readonly ["undefined"]
  | readonly ["float", "NaN" | "Infinity" | "-Infinity" | "-0"]
  | readonly ["bigint", string]
  /** A string with lone surrogates: base64 of its UTF-16LE code units. */
  | readonly ["utf16", string]
  /** A registered (`Symbol.for`) or well-known (`@@iterator`) symbol. */
  | readonly ["symbol", string]
  /** A hole of a sparse array. */
  | readonly ["hole"]
  /** A node of the graph, by number. */
  | readonly ["ref", number]
  /** A function or other opaque object, known only as the object that had this entry id. */
  | readonly ["entry", number];

/** `attributes` is a sum of 1 (read-only), 2 (not enumerable), 4 (not configurable); absent is 0. */
export type EncodedProperty = readonly [
  key: EncodedValue,
  value: EncodedValue,
  attributes?: number,
];

/** Where a class can be found again; without module and export only a live instance tells. */
export interface ClassName {
  readonly name: string;
  readonly module: string | null;
  readonly export: string | null;
}

export type ViewType =
  | "Int8Array"
  | "Uint8Array"
  | "Uint8ClampedArray"
  | "Int16Array"
  | "Uint16Array"
  | "Int32Array"
  | "Uint32Array"
  | "Float32Array"
  | "Float64Array"
  | "BigInt64Array"
  | "BigUint64Array"
  | "DataView"
  | "Buffer";

type ViewClass = new (buffer: ArrayBuffer, offset?: number, length?: number) => ArrayBufferView;

/** The views of memory that the language has. */
export const VIEW_CLASSES: Readonly<{ [T in Exclude<ViewType, "Buffer">]: ViewClass }> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
};

/** Every kind of node may have these. */
interface NodeCommon {
  /** `null`: no prototype; absent: the usual prototype of the kind. */
  readonly class?: ClassName | null;
  /** Own properties beyond what the kind itself says, in order. */
  readonly props?: readonly EncodedProperty[];
  readonly integrity?: "fixed" | "sealed" | "frozen";
  /** Values of its private fields, in the order in which the class has them. */
  readonly private?: readonly EncodedValue[];
}

export type StructureNode = NodeCommon &
  (
    | { readonly t: "object"; readonly props: readonly EncodedProperty[] }
    | { readonly t: "array"; readonly items: readonly EncodedValue[] }
    | { readonly t: "map"; readonly entries: readonly (readonly [EncodedValue, EncodedValue])[] }
    | { readonly t: "set"; readonly items: readonly EncodedValue[] }
    | { readonly t: "date"; readonly ms: EncodedValue }
    | {
        readonly t: "regexp";
        readonly source: string;
        readonly flags: string;
        readonly lastIndex: number;
      }
    /** An ArrayBuffer: its bytes are the tensor of that name. */
    | {
        readonly t: "buffer";
        readonly tensor: string;
        readonly bytes: number;
        readonly shared?: true;
        readonly maxBytes?: number;
        /** A piece of a pool of Node's, in which small `Buffer`s lie. */
        readonly pooled?: true;
      }
    | {
        readonly t: "view";
        readonly type: ViewType;
        readonly buffer: number;
        readonly offset: number;
        readonly length: number;
        /** Has no length of its own and follows its resizable buffer. */
        readonly tracks?: true;
      }
    /** A framework's tensor. Strides are in elements; absent means row-major and contiguous. */
    | {
        readonly t: "tensor";
        readonly framework: string;
        readonly tensor: string;
        readonly dtype: string;
        readonly shape: readonly number[];
        readonly strides?: readonly number[];
        readonly device?: string;
        readonly flags?: Readonly<Record<string, boolean | string | number>>;
      }
    /** An object that knows how to load itself from `state`. */
    | { readonly t: "adapted"; readonly adapter: string; readonly state: EncodedValue }
  );

/**
 * Why a place is captured (semantics, "Captured state"): declared, changed by a loop, generator,
 * iterator.
 */
export type PlaceSource = "a" | "b" | "c" | "d";

export interface StructurePlace {
  /** `d<declaration ordinal>.<field>`, or `file:scope:name#activation` for a captured name. */
  readonly key: string;
  readonly source: PlaceSource;
  readonly value?: EncodedValue;
  /** The value that the place held at entry of the checkpoint's loop: an entry id, if an object. */
  readonly entry?: number;
  readonly unbound?: true;
  /** Present when the value could not be captured. */
  readonly absent?: string;
}

/** What the state is, without what only this checkpoint knows: this text is hashed. */
export interface StateGraph {
  readonly places: readonly StructurePlace[];
  readonly nodes: readonly StructureNode[];
}

export interface GeneratorState {
  /** `Math.random`, or the name of the Python generator. */
  readonly id: string;
  readonly algorithm: string;
  readonly state: unknown;
  /** Draws since the run began. */
  readonly draws: number;
}

export interface IteratorPosition {
  /** Creation ordinal in the run. */
  readonly id: number;
  /** Loop path at which it was first seen. */
  readonly created: readonly unknown[];
  /** Items delivered since creation, and in the present loop entry. */
  readonly delivered: number;
  readonly inEntry: number;
  /** The pass is over: it yields nothing more. */
  readonly over: boolean;
  /** Of a dataset: the iteration in which it was made, and the how many-th it was there, from 0. */
  readonly made?: string;
  /** What its `state()` returned, in the encoding of logged values. */
  readonly state?: unknown;
  /** Why there is no state, though it has a `state()`. */
  readonly absent?: string;
}

/** The content of `__structure__`. */
export interface Structure extends StateGraph {
  readonly v: 1;
  /** For each node, the number the same object had at entry of the checkpoint's loop. */
  readonly entry: readonly (number | null)[];
  readonly generators: readonly GeneratorState[];
  readonly iterators: readonly IteratorPosition[];
}
