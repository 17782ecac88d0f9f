/** @file A checksum for each captured place: says which one differs when two states do. */
import { crc32 } from "node:zlib";
import type { CheckpointRecord, StateGraph, StructureNode } from "../format/index.ts";
import { hex32 } from "../format/index.ts";

/** `checksums`: of each tensor by name, all its pieces joined. */
export function placeHashes(
  { places, nodes }: StateGraph,
  checksums: ReadonlyMap<string, string>,
): CheckpointRecord["places"] {
  const seen = new Set<number>();
  return places.map((place) => {
    let crc = crc32(JSON.stringify([place.key, place.value ?? null]));
    const queue = referencesIn(place.value);
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const node = nodes[id];
      if (seen.has(id) || !node) continue;
      seen.add(id);
      crc = crc32(JSON.stringify(node) + (tensorsOf(node, checksums) ?? ""), crc);
      queue.push(...referencesIn(node));
    }
    return { key: place.key, crc32: hex32(crc) };
  });
}

function tensorsOf(
  node: StructureNode,
  checksums: ReadonlyMap<string, string>,
): string | undefined {
  return node.t === "buffer" || node.t === "tensor" ? checksums.get(node.tensor) : undefined;
}

function referencesIn(value: unknown): number[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    if (value.length === 2 && value[0] === "ref" && typeof value[1] === "number") return [value[1]];
    return value.flatMap(referencesIn);
  }
  if ("t" in value && value.t === "view" && "buffer" in value) return [Number(value.buffer)];
  return Object.values(value).flatMap(referencesIn);
}
