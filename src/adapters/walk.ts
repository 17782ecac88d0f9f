/**
 * @file The walk over the places: numbers objects in the order in which it meets them, and writes
 * one node for each. Breadth first with an explicit queue, so that depth costs no stack.
 */
import { types } from "node:util";
import { AfterlogError, describeError, isAfterlogError } from "../format/index.ts";
import type { ClassName, EncodedValue, StructurePlace } from "../format/index.ts";
import type {
  Adapter,
  Capture,
  EntryIds,
  GraphNode,
  NodeOf,
  NodeWriter,
  StatePlace,
} from "./adapter.ts";
import type { TensorLeaf } from "./adapter.ts";
import { isPool } from "./buffer-pools.ts";
import { BufferRegistry } from "./buffer-registry.ts";
import { heldBy } from "./javascript/bound-functions.ts";
import { classOf, NamedPrototypes, unreachableKind } from "./javascript/class-name.ts";
import { ClassRegistry } from "./javascript/class-registry.ts";
import { changedProperty, functionProperties } from "./javascript/function-properties.ts";
import type { FunctionProperties } from "./javascript/function-properties.ts";
import { joinSegments, LeafNames, placeLabels } from "./leaf-names.ts";
import { privateStateCheck } from "./javascript/private-state.ts";
import type { PrivateStateCheck } from "./javascript/private-state.ts";
import { encodeScalar } from "./javascript/scalar.ts";

const LEAVE_OUT =
  "leave it out of checkpointing, or give its class stateDict() and loadStateDict()";

/** Nodes between two looks at the clock. */
const LOOKED_AT_EACH = 1024;

/** There are more objects than may be walked now. */
export class WalkTooLong extends Error {}

/** A Map or a WeakMap. */
interface NumberMap {
  get(object: object): number | undefined;
  set(object: object, number: number): unknown;
}

/** One walk. It is used once. */
export class StateWalk implements NodeWriter {
  readonly identifying: boolean;
  readonly #adapters: readonly Adapter[];
  readonly #hold: boolean;
  readonly #entry: EntryIds | undefined;
  /** Places to leave out, with the reason, by key. */
  readonly #absent: ReadonlyMap<string, string>;
  /** Every object met, functions too, in order. */
  readonly #met: object[] = [];
  readonly #numbers: NumberMap;
  /** For each object met, the one that holds it (or -1 - place) and its part of the path. */
  readonly #parents: number[] = [];
  readonly #segments: (string | number)[] = [];
  readonly #nodes: GraphNode[] = [];
  readonly #leaves: { readonly node: number; readonly leaf: TensorLeaf }[] = [];
  readonly #shared = new Map<object, string>();
  readonly #names = new LeafNames();
  readonly #buffers = new BufferRegistry();
  readonly #hasPrivateState: PrivateStateCheck = privateStateCheck();
  readonly #classes: ClassRegistry;
  readonly #endsAtMs: number;
  #labels: readonly string[] = [];
  #sources: readonly StatePlace["source"][] = [];
  #current = -1;

  constructor(
    adapters: readonly Adapter[],
    options: {
      identifying: boolean;
      hold?: boolean;
      entry?: EntryIds;
      absent?: ReadonlyMap<string, string>;
      classes?: ClassRegistry;
      endsAtMs?: number;
    },
  ) {
    this.#adapters = adapters;
    this.#hold = options.hold ?? false;
    // Numbers outlive the walk; the objects need not.
    const weak = options.identifying && !this.#hold;
    this.#numbers = weak ? new WeakMap<object, number>() : new Map<object, number>();
    this.identifying = options.identifying;
    this.#entry = options.entry;
    this.#absent = options.absent ?? new Map();
    this.#classes = options.classes ?? new ClassRegistry();
    this.#endsAtMs = options.endsAtMs ?? Infinity;
  }

  /** Numbers everything that the places reach. Never throws on what cannot be captured. */
  identify(places: readonly StatePlace[]): EntryIds {
    const held = new Map<string, number>();
    for (const [i, place] of places.entries()) {
      const value = readPlace(place);
      this.#current = -1 - i;
      if (value !== UNBOUND) this.value(value, "");
      const number = isObject(value) ? this.#numbers.get(value) : undefined;
      if (number !== undefined) held.set(place.key, number);
    }
    this.#drain();
    const bound = this.#meetHeld();
    const numbers = this.#numbers;
    const functions = new WeakMap<Function, FunctionProperties>();
    const prototypes = new NamedPrototypes();
    for (const met of this.#met) {
      prototypes.meet(met);
      if (typeof met === "function") functions.set(met, functionProperties(met));
    }
    return {
      functions,
      prototypes,
      bound,
      size: this.#met.length,
      places: held,
      get: (value) => numbers.get(value),
      ...(this.#hold ? { objects: this.#met } : {}),
    };
  }

  /**
   * Numbers what only bound functions hold, behind all else: others have the numbers that they would
   * have without. Gives these functions, each with its place.
   */
  #meetHeld(): EntryIds["bound"] {
    const found: { function: WeakRef<Function>; place: number }[] = [];
    // While it is gone through, it grows.
    for (let i = 0; i < this.#met.length; i++) {
      const met = this.#met[i];
      const held = typeof met === "function" ? heldBy(met) : [];
      if (typeof met !== "function" || held.length === 0) continue;
      found.push({ function: new WeakRef(met), place: this.#path(i, []).place });
      this.#current = i;
      const first = this.#met.length;
      for (const one of held) this.value(one, "");
      this.#drain(first);
    }
    return found;
  }

  /** What the bound functions hold that were there at entry: nothing else need lead to it. */
  #captureHeld(places: readonly StatePlace[]): void {
    for (const { function: made, place } of this.#entry?.bound ?? []) {
      // Without its place the checkpoint is not complete: no more need be in it.
      const bound = this.#absent.has(places[place]?.key ?? "") ? undefined : made.deref();
      const first = this.#met.length;
      this.#current = -1 - place;
      for (const one of bound === undefined ? [] : heldBy(bound)) {
        if (typeof one !== "function") this.value(one, "");
      }
      this.#drain(first);
    }
  }

  /** The graph of everything that the places reach; throws AL070. */
  capture(places: readonly StatePlace[]): Capture {
    this.#labels = placeLabels(places);
    this.#sources = places.map(({ source }) => source);
    const graphPlaces = places.map((place, i) => this.#capturePlace(place, i));
    this.#drain();
    if (places.some(({ source }) => source === "b")) this.#captureHeld(places);
    const nameOf = (node: number): string => this.#leafName(node);
    const whole = this.#buffers.finish(nameOf);
    const { buffers, views } = this.#buffers.finishPieces((view) => this.#meetPiece(view), nameOf);
    for (const { number, node, leaf } of [...whole, ...buffers]) {
      this.#nodes[number] = node;
      this.#leaves.push({ node: number, leaf });
    }
    for (const { number, node } of views) this.#nodes[number] = node;
    return {
      graph: { places: graphPlaces, nodes: this.#nodes },
      entry: this.#met.map((object) => this.#entry?.get(object) ?? null),
      leaves: this.#leaves.toSorted((a, b) => a.node - b.node).map(({ leaf }) => leaf),
    };
  }

  #capturePlace(place: StatePlace, index: number): StructurePlace {
    const { key, source } = place;
    const absent = this.#absent.get(key) ?? place.lost;
    if (absent !== undefined) return { key, source, absent };
    const value = readPlace(place);
    if (value === UNBOUND) return { key, source, unbound: true };
    this.#current = -1 - index;
    const entry = this.#entry?.places.get(key);
    return {
      key,
      source,
      value: this.value(value, ""),
      ...(entry === undefined ? {} : { entry }),
    };
  }

  #drain(first = 0): void {
    for (let i = first; i < this.#met.length; i++) {
      const object = this.#met[i];
      if (object === undefined || typeof object === "function") continue;
      if (i % LOOKED_AT_EACH === 0 && performance.now() > this.#endsAtMs) throw new WalkTooLong();
      this.#current = i;
      try {
        const node = this.#write(object);
        if (!this.identifying) this.#nodes[i] = node;
      } catch (error) {
        this.#failed(error);
      }
    }
  }

  /** An entry needs numbers only, and what cannot be captured has one all the same. */
  #failed(error: unknown): void {
    if (this.identifying) return;
    if (isAfterlogError(error)) throw error;
    // A getter or a method of the program threw.
    this.refuse(`a value that fails when it is read (${describeError(error)})`);
  }

  #write(object: object): GraphNode {
    const kind = unreachableKind(object);
    if (kind !== undefined) return this.refuse(kind);
    for (const adapter of this.#adapters) {
      if (adapter.matches(object)) return this.#withPrivate(object, adapter.write(object, this));
    }
    return this.refuse("a value of a kind that is not known");
  }

  /** The node with the private fields of the object, which no adapter sees. */
  #withPrivate(object: object, node: GraphNode): GraphNode {
    if (node.class === undefined || node.class === null) return node;
    const fields = this.#classes.fieldsIn(object);
    if (fields.length === 0) return node;
    const held = fields.map((field) => this.value(field.get(object), field.name));
    return { ...node, private: held };
  }

  value(value: unknown, segment: string | number): EncodedValue {
    if (!isObject(value)) {
      const scalar = encodeScalar(value);
      if (scalar !== undefined || this.identifying) return scalar ?? null;
      return this.refuse(
        `the local symbol ${String(value)}`,
        "use Symbol.for(…), so that another process finds the same symbol",
        segment,
      );
    }
    if (typeof value === "function" && !this.identifying)
      return this.#functionEntry(value, segment);
    return ["ref", this.#meet(value, segment)];
  }

  bufferOf(view: ArrayBufferView): number {
    // Pieces of pools have their numbers behind all else.
    return isPool(view.buffer) ? -1 : this.#meet(view.buffer, "");
  }

  #meetPiece(view: number): number {
    this.#current = view;
    return this.#meet({}, "");
  }

  /** The number of an object, given now if it is met for the first time. */
  #meet(value: object, segment: string | number): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.#met.length;
    this.#numbers.set(value, number);
    this.#met.push(value);
    this.#parents.push(this.#current);
    this.#segments.push(segment);
    return number;
  }

  /** A function is known only as the one that was there when the loop was entered. */
  #functionEntry(value: Function, segment: string | number): EncodedValue {
    const number = this.#entry?.get(value);
    const then = this.#entry?.functions.get(value);
    const changed = then && changedProperty(value, then);
    if (changed !== undefined) {
      return this.refuse(
        `a function whose property ${String(changed)} changed after the loop began`,
        "keep it in an object instead, or leave the function out of checkpointing",
        segment,
      );
    }
    if (number !== undefined) return ["entry", number];
    if (types.isProxy(value)) return this.refuse("a Proxy", undefined, segment);
    return this.refuse(
      `the function ${value.name === "" ? "(anonymous)" : value.name}, made after the loop began`,
      "make the function before the loop, or leave it out of checkpointing",
      segment,
    );
  }

  leaf(spec: Omit<TensorLeaf, "name">): string {
    const known = spec.immutable === undefined ? undefined : this.#shared.get(spec.immutable);
    if (known !== undefined) return known;
    const name = this.#leafName(this.#current);
    if (spec.immutable !== undefined) this.#shared.set(spec.immutable, name);
    this.#leaves.push({ node: this.#current, leaf: { ...spec, name } });
    return name;
  }

  buffer(buffer: ArrayBufferLike): NodeOf<"buffer"> {
    return this.#buffers.addBuffer(this.#current, buffer);
  }

  view(view: ArrayBufferView, node: NodeOf<"view">): void {
    this.#buffers.addView(this.#current, view, node);
  }

  classOf(value: object, base: object): ClassName | null | undefined {
    return classOf(value, base, this, {
      hasPrivateState: this.#hasPrivateState,
      classes: this.#classes,
      isFound: (name, prototype) => this.#isFound(value, name, prototype),
    });
  }

  /** A restoration will look for it; in declared state, which nobody may leave out, it then says so. */
  #isFound(value: object, name: string, prototype: object): boolean {
    if (this.#entry === undefined || this.#entry.get(value) !== undefined) return true;
    if (this.#entry.prototypes.finds(name, prototype)) return true;
    return this.#sources[this.#path(this.#current, []).place] !== "b";
  }

  refuse(what: string, help: string = LEAVE_OUT, segment?: string | number): never {
    const inner = segment === undefined || segment === "" ? [] : [segment];
    const { path, place } = this.#path(this.#current, inner);
    throw new AfterlogError("AL070", `${path} cannot be captured: it is ${what}`, {
      help: [help],
      data: { path, place },
    });
  }

  #leafName(node: number): string {
    return this.#names.take(this.#path(node, []).path);
  }

  /** Where a node was met first, and the index of the place that led there. */
  #path(node: number, inner: (string | number)[]): { path: string; place: number } {
    const segments = inner;
    let at = node;
    while (at >= 0) {
      const segment = this.#segments[at] ?? "";
      if (segment !== "") segments.push(segment);
      at = this.#parents[at] ?? -1;
    }
    const place = -1 - at;
    return { path: joinSegments(this.#labels[place] ?? "state", segments.toReversed()), place };
  }
}

const UNBOUND = Symbol("unbound");

/** The value of a place; a variable before its initialization has none. */
function readPlace(place: StatePlace): unknown {
  try {
    return place.get();
  } catch (error) {
    if (error instanceof ReferenceError) return UNBOUND;
    throw error;
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
