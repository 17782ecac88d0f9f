/**
 * @file What a question keeps from one iteration to the next outside of its names: in files that it writes
 * and reads again, in databases. A replay that begins in the middle finds nothing of it. What was written
 * anew before anything is read, in the same iteration, keeps nothing: a model that is saved to see how
 * large it is.
 */
import type { ParsedFile, Statement } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { iterationOf } from "./carried-names.ts";

/** A statement of a question. */
interface Putting {
  readonly statement: Statement;
}

interface Access {
  readonly at: number;
  /** `adds`: what was there before is a part of it afterwards. */
  readonly does: "reads" | "writes" | "adds";
  readonly statement: Statement;
  readonly text: string;
}

/** As it is written, by what writes it. */
export function keptInFiles(question: readonly Putting[], file: ParsedFile): string[] {
  const accesses = question.flatMap(({ statement }) => {
    // What stands in it and was added, too, is asked for itself.
    const isInner = question.some((other) => {
      return other.statement !== statement && isInside(statement.node, other.statement.node);
    });
    return isInner ? [] : accessesOf(statement, file.text);
  });
  const readers = accesses.filter(({ does }) => does !== "writes");
  const writers = accesses.filter(({ does }) => does !== "reads");
  const isAnew = (writer: Access): boolean =>
    writer.does === "writes" &&
    !isConditional(writer, file) &&
    readers.every(({ at, statement }) => {
      return writer.at < at && iterationOf(statement) === iterationOf(writer.statement);
    });
  const kept = readers.length > 0 ? writers.filter((writer) => !isAnew(writer)) : [];
  return [...new Set(kept.filter(isReadByOthers(readers)).map(({ text }) => text))];
}

/** One that only adds is read by somebody else, or is a database. */
function isReadByOthers(readers: readonly Access[]): (writer: Access) => boolean {
  return (writer) => readers.some((one) => one !== writer || READS_TOO.test(writer.text));
}

function accessesOf(statement: Statement, text: string): Access[] {
  const { start, end } = statement.node;
  const own = text.slice(start, end);
  return PATTERNS.flatMap(([does, pattern]) =>
    [...own.matchAll(pattern)].flatMap((found) => {
      const mode = does === "opens" ? openedTo(own.slice(found.index)) : does;
      const [shown = ""] = /^[^\n]*/.exec(own.slice(found.index)) ?? [];
      return [{ at: start + found.index, does: mode, statement, text: `\`${shown}\`` }];
    }),
  );
}

/** By the mode that is given to `open`, if any is. */
function openedTo(call: string): Access["does"] {
  const [, mode] =
    /^[^\n]*?[,(]\s*(?:mode\s*=\s*)?[rbfu]?["']([rwxabt+]{1,3})["']/.exec(call) ?? [];
  if (mode === undefined) return /^[^\n]*?,\s*mode\s*=/.test(call) ? "adds" : "reads";
  if (/[a+]/.test(mode)) return "adds";
  return /[wx]/.test(mode) ? "writes" : "reads";
}

/** It may not be executed each time. */
function isConditional({ at, statement }: Access, { text, statements }: ParsedFile): boolean {
  const inner = statements.filter(({ node }) => {
    return isInside(node, statement.node) && node.start <= at && at < node.end;
  });
  return inner.some(({ node }) => CONDITION.test(text.slice(node.start, at)));
}

/** What stands behind it, in the same statement, is not always executed. */
export const CONDITION: RegExp = /\b(?:if|elif|else|except|while|case|and|or)\b|\?|&&|\|\|/;

/** A database, which is read and written by the same object. */
const READS_TOO = /sqlite|shelve|dbm|Database|localStorage/;

const PATTERNS: readonly (readonly [Access["does"] | "opens", RegExp])[] = [
  [
    "opens",
    /(?<![\w.])(?:(?:io|gzip|bz2|lzma|codecs|fs|fsPromises)\.)?open(?:Sync)?\s*\(|\.open\s*\(/g,
  ],
  [
    "writes",
    /\.(?:write_text|write_bytes|save|savez\w*|savetxt|dump|to_(?:csv|json|pickle|parquet|feather|excel)|savefig|save_\w+)\s*\(|\bwriteFile(?:Sync)?\s*\(|\bcreateWriteStream\s*\(/g,
  ],
  [
    "adds",
    /\bappendFile(?:Sync)?\s*\(|\bflags?\s*:\s*["']a|\bmode\s*=\s*["']a|\.touch\s*\(|\b(?:os|shutil|fs)\.(?:rename|replace|move|copy\w*)(?:Sync)?\s*\(|\bsqlite3\.connect\s*\((?!\s*["']:memory:)|\b(?:shelve|dbm(?:\.\w+)?)\.open\s*\(|\bnew Database(?:Sync)?\s*\(|\blocalStorage\b/g,
  ],
  [
    "reads",
    /\.(?:read_text|read_bytes|exists|is_file|is_dir|stat|getsize|getmtime|isfile|isdir|listdir|scandir|iterdir|r?glob|load|loadtxt|genfromtxt|read_(?:csv|json|pickle|parquet|feather|excel)|readlines?)\s*\(|\b(?:readFile|exists|stat|readdir|access|createReadStream)(?:Sync)?\s*\(/g,
  ],
];
