/**
 * @file A captured state without the program that it was captured in: tensors and arrays as they are, and
 * everything else as plain objects. The graph is written anew in plain words and restored like any
 * other, so no class of the program is needed, and no code is called but that of its tensor framework.
 */
import type { EncodedProperty, EncodedValue, Structure, StructureNode } from "../format/index.ts";
import type { RestorableGraph } from "./adapter.ts";
import { isReference } from "./javascript/scalar.ts";

/** The graph in plain words, without what nobody holds. */
export function plainGraph({ places, nodes }: Structure): RestorableGraph {
  const held = places.flatMap((place) =>
    place.value === undefined || isOpaque(place.value) ? [] : [{ ...place, value: place.value }],
  );
  return {
    places: held,
    nodes: nodes.map((node) => plainNode(node, nodes)),
    entry: nodes.map(() => null),
  };
}

/** A function, or what else is known only as the object that was there. */
function isOpaque(value: EncodedValue): boolean {
  return Array.isArray(value) && value[0] === "entry";
}

function plainValue(value: EncodedValue): EncodedValue {
  return isOpaque(value) ? ["undefined"] : value;
}

function plainProperties(props: readonly EncodedProperty[]): EncodedProperty[] {
  return props.map(([key, value]) => [key, plainValue(value)]);
}

function plainNode(node: StructureNode, nodes: readonly StructureNode[]): StructureNode {
  switch (node.t) {
    case "object":
      return { t: "object", props: plainProperties(node.props) };
    case "array":
      return { t: "array", items: node.items.map(plainValue) };
    case "map": {
      const entries = node.entries.map(
        ([key, value]) => [plainValue(key), plainValue(value)] as const,
      );
      return { t: "map", entries };
    }
    case "set":
      return { t: "set", items: node.items.map(plainValue) };
    case "tensor": {
      // A variable is a tensor here; and nobody else holds it.
      const { variable: _, trainable: __, references: ___, ...flags } = node.flags ?? {};
      const { class: ____, props: _____, ...own } = node;
      return { ...own, flags };
    }
    case "adapted":
      return savedState(node, nodes);
    case "date":
    case "regexp":
    case "buffer":
    case "view": {
      const { class: _, props: __, integrity: ___, private: ____, ...own } = node;
      return own;
    }
  }
}

/** What an object saved of itself; of models and optimizers of TensorFlow.js weights and fields. */
function savedState(
  node: Extract<StructureNode, { t: "adapted" }>,
  nodes: readonly StructureNode[],
): StructureNode {
  const state = isReference(node.state) ? nodes[node.state[1]] : undefined;
  if (state === undefined) return { t: "object", props: [["state", plainValue(node.state)]] };
  const field = { "tfjs-model": "weights", "tfjs-optimizer": "fields" }[node.adapter];
  const [, inner] = (state.props ?? []).find(([key]) => key === field) ?? [];
  const meant = inner !== undefined && isReference(inner) ? nodes[inner[1]] : undefined;
  return plainNode(meant ?? state, nodes);
}
