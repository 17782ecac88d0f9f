/**
 * @file Where a node of a graph is, for messages: a search from the places, done only on errors.
 */
import type { EncodedValue, StateGraph } from "../format/index.ts";
import type { GraphNode } from "./adapter.ts";
import { joinSegments, placeLabels } from "./leaf-names.ts";
import { decodeScalar } from "./javascript/scalar.ts";

/** `model.cache.0`; `state` if nothing leads there. */
export function nodePath(graph: StateGraph, target: number): string {
  const labels = placeLabels(graph.places.map((place) => ({ ...place, get: () => undefined })));
  const cameFrom = new Map<number, { parent: number; segment: string }>();
  const queue: number[] = [];
  const meet = (value: EncodedValue | undefined, parent: number, segment: string): void => {
    if (!Array.isArray(value) || value[0] !== "ref") return;
    const number = value[1] as number;
    if (cameFrom.has(number)) return;
    cameFrom.set(number, { parent, segment });
    queue.push(number);
  };
  for (const [i, place] of graph.places.entries()) meet(place.value, -1 - i, "");
  for (let i = 0; i < queue.length && !cameFrom.has(target); i++) {
    const number = queue[i] ?? 0;
    const node = graph.nodes[number];
    if (node !== undefined)
      visitNodeChildren(node, (value, segment) => meet(value, number, segment));
  }
  const segments: string[] = [];
  let at = target;
  while (at >= 0) {
    const step = cameFrom.get(at);
    if (step === undefined) return "state";
    if (step.segment !== "") segments.push(step.segment);
    at = step.parent;
  }
  return joinSegments(labels[-1 - at] ?? "state", segments.toReversed());
}

function visitNodeChildren(
  node: GraphNode,
  visit: (value: EncodedValue, segment: string) => void,
): void {
  for (const [key, value] of node.props ?? []) visit(value, String(decodeScalar(key)));
  if (node.t === "array" || node.t === "set") {
    for (const [i, item] of node.items.entries()) visit(item, String(i));
  } else if (node.t === "map") {
    for (const [i, [key, value]] of node.entries.entries()) {
      visit(key, `key${i}`);
      visit(value, Array.isArray(key) && key[0] === "ref" ? `key${i}` : String(decodeScalar(key)));
    }
  } else if (node.t === "view") {
    visit(["ref", node.buffer], "");
  } else if (node.t === "adapted") {
    visit(node.state, "");
  }
}
