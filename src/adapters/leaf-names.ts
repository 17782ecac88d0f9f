/**
 * @file Names of tensors in a checkpoint: the path at which each was first met, readable in any
 * safetensors viewer, and unique.
 */
import type { StatePlace } from "./adapter.ts";

/** A chain longer than this is shown by its two ends. */
const SEGMENTS_MAX = 24;
const SEGMENTS_SHOWN = 8;
const NAME_MAX = 240;

/** Names that begin so are the file's own (`__structure__`, `__pad.`, `__metadata__`). */
const RESERVED = "__";

/** What each place is called in paths: the field alone, unless two places share it. */
export function placeLabels(places: readonly StatePlace[]): string[] {
  const taken = new Set<string>();
  return places.map(({ key }) => {
    const short = shortKey(key);
    const label = taken.has(short) ? key : short;
    taken.add(label);
    return label;
  });
}

function shortKey(key: string): string {
  const declared = /^d\d+\.([^]+)$/.exec(key)?.[1];
  if (declared !== undefined) return declared;
  const name = key.slice(key.lastIndexOf(":") + 1).replace(/#0$/, "");
  return name === "" ? key : name;
}

/** The path as text; the middle of a very long one is left out. */
export function joinSegments(label: string, segments: readonly (string | number)[]): string {
  const shown =
    segments.length <= SEGMENTS_MAX
      ? segments
      : [...segments.slice(0, SEGMENTS_SHOWN), "…", ...segments.slice(-SEGMENTS_SHOWN)];
  return [label, ...shown].join(".");
}

/** Hands out names, each once. */
export class LeafNames {
  readonly #taken = new Set<string>();
  readonly #counts = new Map<string, number>();

  take(path: string): string {
    const base = cleanName(path);
    let name = base;
    let count = this.#counts.get(base) ?? 0;
    while (this.#taken.has(name)) name = `${base}~${++count}`;
    this.#counts.set(base, count);
    this.#taken.add(name);
    return name;
  }
}

function cleanName(path: string): string {
  // Control characters would be legal JSON, and unreadable in every viewer.
  const text = path.toWellFormed().replaceAll(/\p{Cc}/gu, "_");
  const name =
    text.length <= NAME_MAX ? text : `${text.slice(0, NAME_MAX / 2)}…${text.slice(-NAME_MAX / 2)}`;
  return name === "" || name.startsWith(RESERVED) ? `state.${name}` : name.toWellFormed();
}
