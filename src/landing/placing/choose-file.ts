/**
 * @file The file of the old version in which a statement goes: the one of the same name, unless the
 * function around the statement stood in another then; else the one that is most like it.
 */
import { basename, extname } from "node:path";
import type { LandingRequest } from "../../format/index.ts";
import type { Language, ParsedFile } from "../../languages/index.ts";
import { namesAround } from "../pairing/named-anchors.ts";

/** Share of lines that a file of another name needs in common. */
const LIKENESS_MIN = 0.3;

/** The old file for a place of the newer one; undefined if none is like it. */
export function chooseFile(
  { now, then }: Pick<LandingRequest, "now" | "then">,
  source: ParsedFile,
  offset: number,
): string | undefined {
  const { language } = source;
  const files = then.files.filter((file) => language.isOwn(file));
  const names = namesAround(source, offset);
  const own = files.find((file) => file === now.file) ?? sameStem(files, now.file);
  const holding = (some: readonly string[]): string[] => {
    return names.length === 0 ? [] : holdersOf(language, names, some, then.text);
  };
  // The others are parsed only where it is not the one: there may be hundreds.
  if (own !== undefined && (names.length === 0 || holding([own]).length > 0)) return own;
  const holders = holding(files);
  if (own !== undefined) return holders.length === 1 ? holders[0] : own;
  const others = holders.length > 0 ? holders : files;
  return mostAlike(others, source, then.text, holders.length > 0 ? 0 : LIKENESS_MIN);
}

/** A file that only changed its language: `train.js` for `train.ts`. */
function sameStem(files: readonly string[], wanted: string): string | undefined {
  const stem = (file: string): string => file.slice(0, file.length - extname(file).length);
  return files.find((file) => stem(file) === stem(wanted));
}

/** Files that declare the outermost of some nested functions or classes. */
function holdersOf(
  { read }: Language,
  names: readonly string[],
  files: readonly string[],
  textOf: (file: string) => string | undefined,
): string[] {
  const [outermost = ""] = names;
  const word = outermost.split(/[/ .]/).findLast((part) => part !== "") ?? "";
  return files.filter((file) => {
    const text = textOf(file);
    if (!text?.includes(word)) return false;
    const source = read(file, text);
    return !("problem" in source) && source.named.has(outermost);
  });
}

function mostAlike(
  files: readonly string[],
  { text, file: name }: ParsedFile,
  textOf: (file: string) => string | undefined,
  least: number,
): string | undefined {
  const own = linesOf(text);
  const ranked = files
    .map((file) => {
      const bonus = basename(file) === basename(name) ? 0.2 : 0;
      return { file, likeness: likeness(own, linesOf(textOf(file) ?? "")) + bonus };
    })
    .sort((one, other) => other.likeness - one.likeness);
  const [best] = ranked;
  return best && best.likeness >= least ? best.file : undefined;
}

/** Lines that say something. */
function linesOf(text: string): ReadonlySet<string> {
  const lines = text.split(/\r?\n/).map((line) => line.replaceAll(/\s+/g, ""));
  return new Set(lines.filter((line) => line.length > 3));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter((line) => b.has(line)).length;
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size);
}
