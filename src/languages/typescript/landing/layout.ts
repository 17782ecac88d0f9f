/**
 * @file Text put between the statements of a file the way its author would have: indentation, line
 * endings, semicolons and braces are those of the file. Nothing is ever removed or replaced.
 */
import type { LinesAround, TreeNode } from "../../../tree/index.ts";
import type { Source } from "./source.ts";

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

export function styleOf(text: string): FileStyle {
  const breaks = text.match(/\r?\n/g) ?? [];
  const windows = breaks.filter((one) => one === "\r\n").length;
  const code = text.split(/\r?\n/).filter((line) => /[\w)\]'"`;]$/.test(line.trimEnd()));
  const ended = code.filter((line) => line.trimEnd().endsWith(";")).length;
  return {
    eol: windows * 2 > breaks.length ? "\r\n" : "\n",
    indent: indentStep(text),
    semicolons: code.length === 0 || ended * 4 >= code.length,
  };
}

/** The commonest difference between the indentations of two lines, the second deeper. */
function indentStep(text: string): string {
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
  return best?.[0] ?? "  ";
}

/** The indentation of the line on which an offset lies. */
export function indentAt({ text, lines }: Source, offset: number): string {
  const start = lines.startOf(lines.at(offset).line);
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? "";
}

export interface Written {
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
export function written(statement: Written, style: FileStyle, indent: string): string {
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
function relativeIndent(own: string, { indent, step }: Written, style: FileStyle): string {
  if (!own.startsWith(indent)) return "";
  const deeper = own.slice(indent.length);
  if (step === style.indent || step === "") return deeper;
  const steps = Math.floor(deeper.length / step.length);
  const isWhole = deeper === step.repeat(steps);
  return isWhole ? style.indent.repeat(steps) : deeper;
}

/** Where, and with what around it, a statement is put into a gap of a block. */
export interface Slot {
  readonly indent: string;
  /** The insertions for a text; the one that holds it is said, with the offset of the text in it. */
  insertions(text: string): {
    readonly all: readonly Insertion[];
    readonly own: number;
    readonly at: number;
  };
}

export interface SlotRequest {
  readonly source: Source;
  readonly style: FileStyle;
  readonly block: TreeNode;
  readonly index: number;
  readonly near: "before" | "after";
  /** The lines of the old text between which the statement stands by its lines. */
  readonly lines: Pick<LinesAround, "from" | "to">;
  /** Whether the text has braces, or none are needed, around the block. */
  readonly braces: "written" | "none" | "arrow";
}

export function slotFor(request: SlotRequest): Slot {
  const { block, index, near, braces } = request;
  if (braces === "arrow") return arrowSlot(request);
  if (braces === "none") return bracedSlot(request);
  const before = block.children[index - 1];
  const after = block.children[index];
  const among = slotAmongComments(request, before, after);
  if (among) return among;
  if (after && (near === "after" || !before)) return slotBefore(request, after, before);
  if (before) return slotAfter(request, before, after);
  return emptySlot(request);
}

const one = (offset: number, text: string, at: number): ReturnType<Slot["insertions"]> => {
  return { all: [{ offset, text }], own: 0, at };
};

/** Where comments fill the gap: between those between which it stood, if they are still there. */
function slotAmongComments(
  { source, style, block, lines: { from, to } }: SlotRequest,
  before: TreeNode | undefined,
  after: TreeNode | undefined,
): Slot | undefined {
  const { text, lines } = source;
  const isFile = block.parent === null;
  const start = before?.end ?? (isFile ? 0 : block.start + 1);
  const end = after?.start ?? (isFile ? text.length : block.end - 1);
  const neighbour = after ?? before;
  if (!neighbour || !/\/[/*]/.test(text.slice(start, end))) return undefined;
  const isInComment = (offset: number): boolean => {
    const part = text.slice(start, offset);
    return part.lastIndexOf("/*") > part.lastIndexOf("*/");
  };
  const indent = indentAt(source, neighbour.start);
  const below = lines.startOf(lines.at(to).line);
  const isBelow = start < below && below < end && text.slice(below, to).trim() === "";
  if (isBelow && !isInComment(below)) {
    return { indent, insertions: (own) => one(below, indent + own + style.eol, indent.length) };
  }
  const rest = /^[^\r\n]*/.exec(text.slice(from))?.[0] ?? "";
  if (from <= start || from + rest.length >= end || rest.trim() !== "") return undefined;
  if (isInComment(from)) return undefined;
  const lead = style.eol + indent;
  return { indent, insertions: (own) => one(from + rest.length, lead + own, lead.length) };
}

/** On the line before a statement, or before it on its line if it is not the first there. */
function slotBefore(request: SlotRequest, after: TreeNode, before: TreeNode | undefined): Slot {
  const { source, style } = request;
  const lineStart = source.lines.startOf(source.lines.at(after.start).line);
  const lead = source.text.slice(lineStart, after.start);
  if (lead.trim() === "") {
    const insertions = (text: string): ReturnType<Slot["insertions"]> => {
      return one(lineStart, lead + text + style.eol, lead.length);
    };
    return { indent: lead, insertions };
  }
  if (before && source.lines.at(before.end).line !== source.lines.at(after.start).line) {
    return slotAfter(request, before, after);
  }
  const insertions = (text: string): ReturnType<Slot["insertions"]> => {
    return one(after.start, `${ended(text)} `, 0);
  };
  return { indent: indentAt(source, after.start), insertions };
}

/** On a line after a statement, or behind it if another one follows there. */
function slotAfter(
  { source, style, block }: SlotRequest,
  before: TreeNode,
  after: TreeNode | undefined,
): Slot {
  const rest = /^[^\r\n]*/.exec(source.text.slice(before.end))?.[0] ?? "";
  const indent = indentAt(source, before.start);
  const isLast = /^\s*;?\s*(?:\/\/.*|(?:\/\*(?:[^*]|\*(?!\/))*\*\/\s*)*)$/.test(rest);
  const isAlone = !after || after.start >= before.end + rest.length;
  if (isLast && isAlone && isEndInside(block, before.end + rest.length)) {
    const insertions = (text: string): ReturnType<Slot["insertions"]> => {
      const lead = style.eol + indent;
      return one(before.end + rest.length, lead + text, lead.length);
    };
    return { indent, insertions };
  }
  const gap = source.text.slice(0, before.end).endsWith(";") || before.role !== null ? " " : "; ";
  const insertions = (text: string): ReturnType<Slot["insertions"]> => {
    return one(before.end, gap + ended(text), gap.length);
  };
  return { indent, insertions };
}

function isEndInside(block: TreeNode, offset: number): boolean {
  return block.parent === null || offset < block.end || block.children.at(-1)?.end === block.end;
}

/** On one line with others, a statement must end with a semicolon or a brace. */
function ended(text: string): string {
  return /[;}]$/.test(text) ? text : `${text};`;
}

/** In a block without statements. */
function emptySlot({ source, style, block }: SlotRequest): Slot {
  if (block.parent === null) {
    const { length } = source.text;
    const isFresh = length === 0 || source.text.endsWith("\n");
    const insertions = (text: string): ReturnType<Slot["insertions"]> => {
      const lead = isFresh ? "" : style.eol;
      return one(length, lead + text + (isFresh ? style.eol : ""), lead.length);
    };
    return { indent: "", insertions };
  }
  const outer = indentAt(source, block.start);
  const indent = outer + style.indent;
  const brace = source.text.indexOf("{", block.start);
  const isOneLine = source.lines.at(block.start).line === source.lines.at(block.end).line;
  // A comment behind the brace speaks of the block: it stays there.
  const comment = /^[ \t]*\/\/[^\r\n]*/.exec(source.text.slice(brace + 1))?.[0] ?? "";
  const insertions = (text: string): ReturnType<Slot["insertions"]> => {
    const lead = style.eol + indent;
    const tail = isOneLine ? style.eol + outer : "";
    return one(brace + 1 + comment.length, lead + text + tail, lead.length);
  };
  return { indent, insertions };
}

/** Around a statement that is a body without braces. */
function bracedSlot({ source, style, block, index }: SlotRequest): Slot {
  const only = block.children[0];
  const end = only?.end ?? block.end;
  const outer = indentAt(source, block.parent?.start ?? block.start);
  const isOwnLine =
    source.lines.at(block.parent?.start ?? 0).line !== source.lines.at(block.start).line;
  const indent = isOwnLine ? indentAt(source, block.start) : outer + style.indent;
  const insertions = (text: string): ReturnType<Slot["insertions"]> => {
    const close = { offset: end, text: `${style.eol}${outer}}` };
    const lead = style.eol + indent;
    if (index === 0 || !only) {
      const open = { offset: block.start, text: `{${lead}${text}${lead}` };
      return { all: [open, close], own: 0, at: 1 + lead.length };
    }
    const open = { offset: block.start, text: `{${isOwnLine ? " " : lead}` };
    const all = [open, { offset: end, text: `${lead}${text}${close.text}` }];
    return { all, own: 1, at: lead.length };
  };
  return { indent, insertions };
}

/** In an arrow function whose body is an expression: it becomes what a block returns. */
function arrowSlot({ source, style, block }: SlotRequest): Slot {
  const arrow = source.text.lastIndexOf("=>", block.start) + 2;
  const end = block.parent?.end ?? block.end;
  const outer = indentAt(source, block.parent?.start ?? block.start);
  const indent = outer + style.indent;
  const insertions = (text: string): ReturnType<Slot["insertions"]> => {
    const lead = ` {${style.eol}${indent}`;
    const open = { offset: arrow, text: `${lead}${text}${style.eol}${indent}return` };
    const all = [
      open,
      { offset: end, text: `${style.semicolons ? ";" : ""}${style.eol}${outer}}` },
    ];
    return { all, own: 0, at: lead.length };
  };
  return { indent, insertions };
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
