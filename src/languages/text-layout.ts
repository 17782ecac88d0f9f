/**
 * @file Text put between the statements of a file the way its author would have: indentation, line
 * endings, semicolons and braces are those of the file. Nothing is ever removed or replaced.
 */
import type { LinesAround, Place } from "../tree/index.ts";
import type { ParsedFile, Syntax } from "./parsed-file.ts";

export interface Insertion {
  readonly offset: number;
  readonly text: string;
}

/** How a file is written. */
export interface FileStyle {
  readonly eol: string;
  /** One step of indentation. */
  readonly indent: string;
  readonly semicolons: boolean;
}

/** The line ending that most lines have. */
export function eolOf(text: string): string {
  const breaks = text.match(/\r?\n/g) ?? [];
  const windows = breaks.filter((one) => one === "\r\n").length;
  return windows * 2 > breaks.length ? "\r\n" : "\n";
}

/** The commonest difference between the indentations of two lines, the second deeper, if any. */
export function indentStep(text: string): string | undefined {
  const counts = new Map<string, number>();
  let before = "";
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "" || /^\s*\*/.test(line)) continue;
    const indent = /^[ \t]*/.exec(line)?.[0] ?? "";
    if (indent.length > before.length && indent.startsWith(before)) {
      const step = indent.slice(before.length);
      counts.set(step, (counts.get(step) ?? 0) + 1);
    }
    before = indent;
  }
  const [best] = [...counts].sort((one, other) => other[1] - one[1]);
  return best?.[0];
}

/** The indentation of the line on which an offset lies. */
export function indentAt(
  { text, lines }: Pick<ParsedFile, "text" | "lines">,
  offset: number,
): string {
  const start = lines.startOf(lines.at(offset).line);
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

export interface StatementText {
  /** The first line without indentation, the others as they were. */
  readonly text: string;
  /** Of its first line, in the file that it comes from. */
  readonly indent: string;
  /** One step of indentation there. */
  readonly step: string;
  /** Offsets in `text` of line breaks that lie in strings: what follows them is no indentation. */
  readonly kept: ReadonlySet<number>;
  /** Whether it is of the kind that a semicolon ends. */
  readonly endsWithSemicolon: boolean;
}

/** A statement as it is written in a file, at an indentation. */
export function laidOutStatement(
  statement: StatementText,
  style: FileStyle,
  indent: string,
): string {
  const body = statement.text.replaceAll(/\r?\n[ \t]*/g, (found, offset: number) => {
    if (statement.kept.has(offset)) return found;
    const own = found.replace(/^\r?\n/, "");
    return style.eol + indent + relativeIndent(own, statement, style);
  });
  if (!statement.endsWithSemicolon) return body;
  const bare = body.replace(/\s*;$/, "");
  return style.semicolons ? `${bare};` : bare;
}

/** How much deeper a line is than the first, in the steps of the other file. */
function relativeIndent(own: string, { indent, step }: StatementText, style: FileStyle): string {
  if (!own.startsWith(indent)) return "";
  const deeper = own.slice(indent.length);
  if (step === style.indent || step === "") return deeper;
  const steps = Math.floor(deeper.length / step.length);
  const isWhole = deeper === step.repeat(steps);
  return isWhole ? style.indent.repeat(steps) : deeper;
}

export interface SlotRequest extends Pick<Place, "block" | "index" | "near"> {
  readonly source: ParsedFile;
  readonly style: FileStyle;
  /** The lines of the old text between which the statement stands by its lines. */
  readonly lines: Pick<LinesAround, "from" | "to">;
  /** The syntax of the block; undefined if the text has none for it. */
  readonly syntax: Syntax | undefined;
}

/** Where, and with what around it, a statement is put into a gap of a block. */
export interface Slot {
  readonly indent: string;
  /** What stands between two statements; absent: a new line. */
  readonly between?: string;
  /** The insertions for a text; the one that holds it is said, with the offset of the text in it. */
  insertions(text: string): Insertions;
}

export interface Insertions {
  readonly all: readonly Insertion[];
  readonly own: number;
  readonly at: number;
}

/** One insertion: what comes first, the indentation, the text, what follows. */
export function insertionAt(
  offset: number,
  first: string,
  indent: string,
  text: string,
  last: string,
): Insertions {
  const lead = first + indent;
  return { all: [{ offset, text: lead + text + last }], own: 0, at: lead.length };
}

/** Where comments fill the gap: between those between which it stood, if they are still there. */
export function slotAmongComments(
  { source, style, block, index, lines: { from, to } }: SlotRequest,
  comments: { readonly mark: RegExp; readonly isOpen: (part: string) => boolean },
): Slot | undefined {
  const { text, lines } = source;
  const [before, after] = [block.children[index - 1], block.children[index]];
  const isFile = block.parent === null;
  const start = before?.end ?? (isFile ? 0 : block.start + 1);
  const end = after?.start ?? (isFile ? text.length : block.end - 1);
  const neighbour = after ?? before;
  if (!neighbour || !comments.mark.test(text.slice(start, end))) return undefined;
  const isInComment = (offset: number): boolean => comments.isOpen(text.slice(start, offset));
  const indent = indentAt(source, neighbour.start);
  const below = lines.startOf(lines.at(to).line);
  const isBelow = start < below && below < end && text.slice(below, to).trim() === "";
  if (isBelow && !isInComment(below)) {
    return { indent, insertions: (own) => insertionAt(below, "", indent, own, style.eol) };
  }
  const rest = /^[^\r\n]*/.exec(text.slice(from))?.[0] ?? "";
  if (from <= start || from + rest.length >= end || rest.trim() !== "") return undefined;
  if (isInComment(from)) return undefined;
  const at = from + rest.length;
  return { indent, insertions: (own) => insertionAt(at, style.eol, indent, own, "") };
}

/** Puts all insertions into a text; those at the same offset in the order given. */
export function insertAll(
  text: string,
  insertions: readonly Insertion[],
): { readonly text: string; readonly spans: readonly { start: number; end: number }[] } {
  const order = insertions
    .map((insertion, at) => ({ ...insertion, at }))
    .sort((a, b) => a.offset - b.offset || a.at - b.at);
  const spans: { start: number; end: number }[] = [];
  let result = "";
  let done = 0;
  for (const { offset, text: added, at } of order) {
    result += text.slice(done, offset);
    spans[at] = { start: result.length, end: result.length + added.length };
    result += added;
    done = offset;
  }
  return { text: result + text.slice(done), spans };
}
