/** @file Names of a question that count iterations: where they stand in its parts, and which of them are no more than that. */
import type { Overlay, ProbePlace, SourcePlace } from "../../format/index.ts";
import type { FileEdit, FilePiece } from "../../landing/index.ts";
import type { AskedParts, GatheredWithin } from "./asked-model.ts";
import { isPutIn } from "./same-names.ts";

interface EditPiece extends Pick<FilePiece, "counters"> {
  readonly edit: FileEdit;
}

type PlacedCounter = AskedParts["counters"][number] & {
  /** Where statements begin that mention it, the one that begins it first. */
  readonly mentions: readonly SourcePlace[];
};

/** `carried`: those that are values like any other, for not all that has to do with them is executed by itself. */
export function placeCounters(
  pieces: readonly EditPiece[],
  brought: readonly Overlay[],
  parts: readonly ProbePlace[],
): Pick<AskedParts, "probes" | "counters"> & { readonly carried: AskedParts["counters"] } {
  const all = pieces.flatMap(countersOf);
  const isCounted = ({ name, file, mentions }: PlacedCounter): boolean => {
    const texts = [...pieces.map(({ edit }) => edit.now), ...brought];
    const others = texts.filter((one) => one.file !== file);
    const isElsewhere = others.some(({ text }) => text.split(BETWEEN_WORDS).includes(name));
    return !isElsewhere && mentions.every((at) => isPutIn({ probes: parts }, at));
  };
  const counters = all.filter(isCounted);
  const probes = parts.map((part) => {
    const own = counters.flatMap(({ name, key, mentions: [beginning, ...others] }) => {
      const isHere = (at: SourcePlace): boolean => isPutIn({ probes: [part] }, at);
      if (beginning && isHere(beginning)) return [{ name, key, begins: true as const }];
      return others.some(isHere) ? [{ name, key }] : [];
    });
    return own.length > 0 ? { ...part, counters: own } : part;
  });
  return { probes, counters, carried: all.filter((one) => !counters.includes(one)) };
}

const BETWEEN_WORDS = /[^\p{L}\p{N}_$]+/u;

function countersOf({ counters, edit: { now } }: EditPiece): PlacedCounter[] {
  const { file, lines } = now;
  return counters.map(({ name, start, step, beginning, loops, users, within }) => ({
    name,
    key: `${file}:${lines.at(beginning.start).line}:${name}`,
    file,
    start,
    step,
    loops: loops.map((one) => lines.at(one.start)),
    within: within && placeOf({ name, within }, now),
    mentions: [beginning, ...users].map((one) => ({ file, ...lines.at(one.start) })),
  }));
}

/** What is gathered, by the places of the part in which it begins anew. */
export function placeOf(
  { name, within: { start, end } }: FilePiece["gathered"][number],
  { file, lines }: FileEdit["now"],
): GatheredWithin {
  return { name, file, from: lines.at(start), to: lines.at(end) };
}
