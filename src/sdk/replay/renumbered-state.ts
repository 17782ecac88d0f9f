/**
 * @file A state with its objects, tensors and known functions numbered in the order in which its places
 * reach them. Walks number all that they meet: an object that only one of two states has shifts the
 * numbers of all behind it.
 */
import type { EncodedProperty, EncodedValue, StructureNode } from "../../format/index.ts";
import type { ComparableState } from "./compare-state.ts";

export function renumbered({ graph, checksums }: ComparableState): ComparableState {
  const [objects, known, tensors] = [
    new Numbers<number>(),
    new Numbers<number>(),
    new Numbers<string>(),
  ];
  const sums = new Map<string, string>();
  const value = (one: EncodedValue): EncodedValue => {
    if (!Array.isArray(one)) return one;
    const [kind, number] = one;
    if (kind === "ref") return [kind, objects.of(number)];
    return kind === "entry" ? [kind, known.of(number)] : one;
  };
  const tensor = (name: string): string => {
    const own = String(tensors.of(name));
    const sum = checksums.get(name);
    if (sum !== undefined) sums.set(own, sum);
    return own;
  };
  const places = graph.places.map((place) => {
    return place.value === undefined ? place : { ...place, value: value(place.value) };
  });
  const nodes: StructureNode[] = [];
  // While it is gone through, it grows.
  for (const number of objects.met) {
    const node = graph.nodes[number];
    if (node) nodes.push(mapped(node, { value, tensor, object: (one) => objects.of(one) }));
  }
  return { graph: { places, nodes }, checksums: sums };
}

/** Gives numbers by first sight. */
class Numbers<T> {
  readonly #numbers = new Map<T, number>();

  get met(): Iterable<T> {
    return this.#numbers.keys();
  }

  of(one: T): number {
    const known = this.#numbers.get(one) ?? this.#numbers.size;
    this.#numbers.set(one, known);
    return known;
  }
}

interface Renumbering {
  readonly value: (value: EncodedValue) => EncodedValue;
  readonly tensor: (name: string) => string;
  readonly object: (number: number) => number;
}

function mapped(node: StructureNode, { value, tensor, object }: Renumbering): StructureNode {
  const property = ([key, held, ...rest]: EncodedProperty): EncodedProperty => {
    return [value(key), value(held), ...rest];
  };
  const common = {
    ...node,
    ...(node.props ? { props: node.props.map(property) } : {}),
    ...(node.private ? { private: node.private.map(value) } : {}),
  };
  if (common.t === "array" || common.t === "set")
    return { ...common, items: common.items.map(value) };
  if (common.t === "map") {
    return { ...common, entries: common.entries.map(([key, held]) => [value(key), value(held)]) };
  }
  if (common.t === "view") return { ...common, buffer: object(common.buffer) };
  if (common.t === "adapted") return { ...common, state: value(common.state) };
  if (common.t === "buffer" || common.t === "tensor") {
    return { ...common, tensor: tensor(common.tensor) };
  }
  return common;
}
