/**
 * @file Puts a captured graph back into the places (semantics, "Restore").
 *
 * First every node gets its object: the live one that had the node's number at entry of the loop,
 * or a new one. Only when all fit is anything filled, so that a checkpoint of another state leaves
 * the program's untouched.
 */
import { AfterlogError } from "../format/index.ts";
import type { ClassName, EncodedValue, StructurePlace } from "../format/index.ts";
import type {
  Adapter,
  EntryIds,
  GraphNode,
  ModuleResolver,
  NodeReader,
  StatePlace,
} from "./adapter.ts";
import type { RestorableGraph } from "./adapter.ts";
import { heldBy } from "./javascript/bound-functions.ts";
import { builtinPrototype, nameOfPrototype } from "./javascript/class-name.ts";
import type { ClassRegistry } from "./javascript/class-registry.ts";
import { hasTraps } from "./javascript/has-traps.ts";
import { nodePath } from "./node-path.ts";
import { applyIntegrity } from "./javascript/properties.ts";
import { decodeScalar, isReference } from "./javascript/scalar.ts";

/** One restoration. It is used once. */
export class Restoration implements NodeReader {
  readonly memo: Map<string, object> = new Map();
  readonly modules: ModuleResolver;
  readonly bytes: (tensor: string, into?: Uint8Array) => Uint8Array;
  readonly #adapters: readonly Adapter[];
  readonly #classes: ClassRegistry;
  readonly #graph: RestorableGraph;
  readonly #nodes: readonly GraphNode[];
  readonly #live: readonly object[];
  /** What bound functions hold. */
  readonly #held: ReadonlySet<object>;
  readonly #objects: (object | undefined)[] = [];
  readonly #adapterOfNode: (Adapter | undefined)[] = [];
  readonly #reused = new Set<object>();
  #liveViews: ReadonlyMap<number, { view: ArrayBufferView; offset: number }> | undefined;
  #prototypes: ReadonlyMap<string, ReadonlySet<object>> | undefined;
  #current = -1;

  constructor(options: {
    adapters: readonly Adapter[];
    graph: RestorableGraph;
    readTensor: (tensor: string, into?: Uint8Array) => Uint8Array;
    entry: EntryIds;
    modules: ModuleResolver;
    classes: ClassRegistry;
  }) {
    this.#classes = options.classes;
    this.#adapters = options.adapters;
    this.#graph = options.graph;
    this.#nodes = options.graph.nodes;
    this.bytes = options.readTensor;
    this.#live = options.entry.objects ?? [];
    const bound = options.entry.bound.map(({ function: made }) => made.deref());
    this.#held = new Set(bound.flatMap((made) => (made === undefined ? [] : heldBy(made))));
    this.modules = options.modules;
  }

  run(places: readonly StatePlace[]): void {
    const nodes = this.#nodes;
    for (let i = 0; i < nodes.length; i++) this.#checkPrivate(i, this.object(i));
    this.#checkHeld();
    const bindings = this.#bindings(places);
    this.#each((node, object, adapter) => {
      adapter.fill?.(node, object, this);
      if (node.private) this.#fillPrivate(node.private, object);
    });
    // What a state contains has a higher number than the object that loads it.
    this.#each((node, object, adapter) => adapter.load?.(node, object, this), true);
    this.#each((node, object) => applyIntegrity(node, object));
    for (const { place, value } of bindings) place.set?.(value);
  }

  #each(act: (node: GraphNode, object: object, adapter: Adapter) => void, backwards = false): void {
    const count = this.#nodes.length;
    for (let step = 0; step < count; step++) {
      const i = backwards ? count - 1 - step : step;
      this.#current = i;
      act(this.node(i), this.object(i), this.#adapterOf(i));
    }
  }

  /** What each place will hold; throws AL071 if one cannot take it. */
  #bindings(places: readonly StatePlace[]): { place: StatePlace; value: unknown }[] {
    const byKey = new Map(places.map((place) => [place.key, place]));
    return this.#graph.places.flatMap((captured) => {
      if (captured.value === undefined) return [];
      const place = byKey.get(captured.key);
      if (place === undefined) throw placeMisfit(captured, "the program has no such variable now");
      const value = this.value(captured.value);
      if (place.set === undefined && !Object.is(place.get(), value)) {
        throw placeMisfit(captured, "it cannot be assigned, and is not the object it was");
      }
      return place.set === undefined || placeHolds(place, value) ? [] : [{ place, value }];
    });
  }

  /** What a bound function holds stays what it holds: it must be the object that is refilled. */
  #checkHeld(): void {
    for (const [number, entry] of this.#graph.entry.entries()) {
      const live = entry === null ? undefined : this.#live[entry];
      if (live === undefined || !this.#held.has(live) || this.#objects[number] === live) continue;
      this.#current = number;
      throw this.mismatch("a bound function holds it, and cannot be given another one");
    }
  }

  /** Private fields come into being with their object: a new one cannot be given any. */
  #checkPrivate(number: number, object: object): void {
    const held = this.node(number).private;
    if (!held || this.#classes.fieldsIn(object).length === held.length) return;
    this.#current = number;
    throw this.mismatch("it has private fields (#) and was made in the loop");
  }

  #fillPrivate(held: readonly EncodedValue[], object: object): void {
    const fields = this.#classes.fieldsIn(object);
    for (const [at, field] of fields.entries()) field.set(object, this.value(held[at] ?? null));
  }

  node(number: number): GraphNode {
    const node = this.#nodes[number];
    if (node === undefined) throw this.mismatch(`it names object ${number}, which is not there`);
    return node;
  }

  object(number: number): object {
    const known = this.#objects[number];
    if (known !== undefined) return known;
    const node = this.node(number);
    const before = this.#current;
    this.#current = number;
    const live = this.#liveFor(number);
    const object = this.#adapterOf(number).allocate(node, live, this);
    this.#objects[number] = object;
    this.#current = before;
    return object;
  }

  /** The object that had the node's number at entry; none is refilled twice. */
  #liveFor(number: number): object | undefined {
    const entry = this.#graph.entry[number] ?? null;
    const live = entry === null ? undefined : this.#live[entry];
    if (live === undefined || this.#reused.has(live)) return undefined;
    this.#reused.add(live);
    return live;
  }

  liveViewOn(buffer: number): { view: ArrayBufferView; offset: number } | undefined {
    this.#liveViews ??= this.#findLiveViews();
    return this.#liveViews.get(buffer);
  }

  #findLiveViews(): Map<number, { view: ArrayBufferView; offset: number }> {
    const found = new Map<number, { view: ArrayBufferView; offset: number }>();
    for (const [number, node] of this.#nodes.entries()) {
      const view = this.#live[this.#graph.entry[number] ?? -1];
      if (node.t !== "view" || found.has(node.buffer) || !ArrayBuffer.isView(view)) continue;
      found.set(node.buffer, { view, offset: node.offset });
    }
    return found;
  }

  #adapterOf(number: number): Adapter {
    const node = this.node(number);
    const adapter = (this.#adapterOfNode[number] ??= this.#adapters.find((candidate) =>
      candidate.reads(node),
    ));
    if (adapter !== undefined) return adapter;
    throw this.mismatch(`it is of a kind that this version cannot read (${node.t})`);
  }

  value(encoded: EncodedValue): unknown {
    if (!isReference(encoded)) return decodeScalar(encoded);
    const [kind, number] = encoded;
    if (kind === "ref") return this.object(number);
    const live = this.#live[number];
    if (live !== undefined) return live;
    throw this.mismatch("it holds a function that the program does not have at this point");
  }

  prototypeOf(name: ClassName): object {
    const builtin = builtinPrototype(name) ?? this.#classes.prototypeOf(name);
    if (builtin !== undefined) return builtin;
    this.#prototypes ??= livePrototypes(this.#live);
    const found = [...(this.#prototypes.get(name.name) ?? [])];
    if (found.length === 1 && found[0] !== undefined) return found[0];
    throw this.mismatch(
      found.length === 0
        ? `it is an instance of ${name.name} made in the loop, and that class is not known here`
        : `it is an instance of ${name.name} made in the loop, and ${found.length} classes have that name`,
      `let the state hold an instance of ${name.name}, or the class itself, before the loop`,
    );
  }

  find<T extends object>(test: (value: object) => value is T): T | undefined {
    return this.#live.find((value) => test(value));
  }

  mismatch(why: string, help?: string): AfterlogError {
    const path = nodePath(this.#graph, this.#current);
    return new AfterlogError("AL071", `${path} cannot be restored: ${why}`, {
      help: [help ?? "restore the checkpoint with the version of the program that made it"],
      data: { path },
    });
  }
}

function placeMisfit({ key }: StructurePlace, why: string): AfterlogError {
  const name = key.replace(/^d\d+\./, "");
  return new AfterlogError("AL071", `${name} cannot be restored: ${why}`, {
    help: ["restore the checkpoint with the version of the program that made it"],
    data: { path: name, key },
  });
}

/** Whether the place holds the value already; an uninitialized variable holds nothing. */
function placeHolds(place: StatePlace, value: unknown): boolean {
  try {
    return Object.is(place.get(), value);
  } catch {
    return false;
  }
}

/** Prototypes of the classes that live objects are of, or that are live themselves, by name. */
function livePrototypes(live: readonly object[]): Map<string, Set<object>> {
  const byName = new Map<string, Set<object>>();
  const add = (prototype: object, name: string): void => {
    const known = byName.get(name);
    if (known === undefined) byName.set(name, new Set([prototype]));
    else known.add(prototype);
  };
  for (const object of live) {
    if (hasTraps(object)) continue;
    const start: unknown =
      typeof object === "function" ? object.prototype : Object.getPrototypeOf(object);
    if (typeof start !== "object" || start === null || start === Object.prototype) continue;
    const name = nameOfPrototype(start);
    if (name !== undefined) add(start, name);
  }
  return byName;
}
