/**
 * @file Compares the state of a replaying program with that of a checkpoint taken at the same
 * point: the deferred check for what no log statement shows (semantics, "Marks").
 */
import { crc32 } from "node:zlib";
import type { EntryIds, StatePlace } from "../../adapters/index.ts";
import type { ClassRegistry } from "../../adapters/index.ts";
import { capture } from "../../adapters/index.ts";
import type { CheckpointRecord, GeneratorState } from "../../format/index.ts";
import { CRC_CHUNK_BYTES, hex32 } from "../../format/index.ts";
import { placeHashes } from "../../materialize/index.ts";

/** Keys of the places, and ids of the generators, that are not as the checkpoint has them. */
export function differingPlaces(
  now: {
    readonly places: readonly StatePlace[];
    readonly entry: EntryIds;
    readonly classes: ClassRegistry;
    readonly generators: readonly GeneratorState[];
  },
  { places, generators }: Pick<CheckpointRecord, "places" | "generators">,
): string[] {
  const { graph, leaves } = capture(now.places, now.entry, now.classes);
  const checksums = new Map(leaves.map((leaf) => [leaf.name, placeChecksum(leaf)]));
  const mine = placesByKey(placeHashes(graph, checksums));
  const theirs = placesByKey(places);
  const keys = [...new Set([...mine.keys(), ...theirs.keys()])];
  return [
    ...keys.filter((key) => mine.get(key) !== theirs.get(key)),
    ...generators
      .filter((state, at) => JSON.stringify(state) !== JSON.stringify(now.generators[at]))
      .map(({ id }) => id),
  ];
}

/** Whether an absent variable was there once does not count: its iteration may have been skipped. */
function placesByKey(places: CheckpointRecord["places"]): Map<string, string> {
  return new Map(
    places.map(({ key, crc32: crc }) => {
      const there = key.replace(/@(?:gone|none)$/, "");
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
