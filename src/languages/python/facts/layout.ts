/**
 * @file Text put between the statements of a Python file the way its author would have: indentation
 * and line endings are those of the file, and bodies on the line of their head stay there while they
 * can. Nothing is ever removed or replaced.
 */
import type { TreeNode } from "../../../tree/index.ts";
import type { Layout } from "../../language.ts";
import type { FileStyle, Insertions, Slot, SlotRequest } from "../../text-layout.ts";
import { eolOf, indentAt, indentStep, insertionAt, slotAmongComments } from "../../text-layout.ts";
import type { ParsedFile } from "../../parsed-file.ts";
import { importInsertion } from "./imports.ts";

export const LAYOUT: Layout = {
  stylesOf,
  slotFor,
  holdsLine,
  importInsertion,
  comments: { line: /^#/, tail: /^\s*;?\s*(?:#.*)?$/ },
};

function stylesOf(text: string): readonly [FileStyle] {
  return [{ eol: eolOf(text), indent: indentStep(text) ?? "    ", semicolons: false }];
}

/** A block that does not stand on the line of its head holds the lines from its first one on. */
function holdsLine(source: ParsedFile, { start, end }: TreeNode, line: number): boolean {
  const { lines } = source;
  if (!isFirstOnLine(source, start)) return false;
  return lines.at(start).line <= line && line <= lines.at(end - 1).line;
}

function slotFor(request: SlotRequest): Slot {
  const { source, block, index, near } = request;
  const before = block.children[index - 1];
  const after = block.children[index];
  if (block.parent !== null && !isFirstOnLine(source, block.start)) return inlineSlot(request);
  const among = slotAmongComments(request, { mark: /#/, isOpen: () => false });
  if (among) return among;
  if (after && (near === "after" || !before)) return slotBefore(request, after);
  if (before) return slotAfter(request, before);
  return emptySlot(request);
}

/** Where a line begins; a byte order mark belongs to no line. */
function lineStart({ text, lines }: ParsedFile, offset: number): number {
  const start = lines.startOf(lines.at(offset).line);
  return start === 0 && text.startsWith("\uFEFF") ? 1 : start;
}

function isFirstOnLine(source: ParsedFile, offset: number): boolean {
  return source.text.slice(lineStart(source, offset), offset).trim() === "";
}

/** On the line before a statement, or before it on its line if it is not the first there. */
function slotBefore({ source, style }: SlotRequest, after: TreeNode): Slot {
  const start = lineStart(source, after.start);
  const lead = source.text.slice(start, after.start);
  const indent = indentAt(source, after.start);
  if (lead.trim() === "") {
    return { indent: lead, insertions: (text) => insertionAt(start, "", lead, text, style.eol) };
  }
  return { indent, insertions: (text) => beforeOnLine(after.start, indent, text, style) };
}

/** Behind `a; ` and before `b`: with another semicolon if it is as short as they are. */
function beforeOnLine(
  offset: number,
  indent: string,
  text: string,
  { eol }: FileStyle,
): Insertions {
  if (isShort(text)) return insertionAt(offset, "", "", text, "; ");
  return insertionAt(offset, eol, indent, text, eol + indent);
}

/** On a line after a statement, or behind it if another one follows there. */
function slotAfter({ source, style, block, index }: SlotRequest, before: TreeNode): Slot {
  const rest = /^[^\r\n]*/.exec(source.text.slice(before.end))?.[0] ?? "";
  const indent = indentAt(source, before.start);
  const after = block.children[index];
  if (after && after.start < before.end + rest.length) {
    return { indent, insertions: (text) => beforeOnLine(after.start, indent, text, style) };
  }
  const end = before.end + rest.length;
  return { indent, insertions: (text) => insertionAt(end, style.eol, indent, text, "") };
}

/** In a body on the line of its head: there, or on lines of its own for what has several. */
function inlineSlot({ source, style, block, index }: SlotRequest): Slot {
  const outer = indentAt(source, block.start);
  const indent = outer + style.indent;
  const [before, after] = [block.children[index - 1], block.children[index]];
  const insertions = (text: string): Insertions => {
    const end = before?.end ?? block.end;
    if (isShort(text)) {
      if (after) return insertionAt(after.start, "", "", text, "; ");
      return insertionAt(end, "; ", "", text, "");
    }
    const lead = style.eol + indent;
    if (!before && after) return insertionAt(after.start, style.eol, indent, text, lead);
    const open = { offset: block.start, text: lead };
    const own = after
      ? insertionAt(after.start, style.eol, indent, text, lead)
      : insertionAt(end, style.eol, indent, text, "");
    return { all: [open, ...own.all], own: 1, at: own.at };
  };
  return { indent, insertions };
}

/** Whether a text is one simple statement, which may share its line. */
function isShort(text: string): boolean {
  const isCompound = /^(?:if|for|while|with|try|def|class|async|match|@)(?!\w)/.test(text);
  return !isCompound && !/[\r\n#]/.test(text);
}

/** In a file without statements, or in a body that holds a docstring only. */
function emptySlot({ source, style, block }: SlotRequest): Slot {
  const { text } = source;
  if (block.parent === null) {
    const isFresh = text.length === 0 || /[\r\n]$/.test(text);
    return {
      indent: "",
      insertions: (own) =>
        insertionAt(text.length, isFresh ? "" : style.eol, "", own, isFresh ? style.eol : ""),
    };
  }
  const rest = /^[^\r\n]*/.exec(text.slice(block.end))?.[0] ?? "";
  const indent = indentAt(source, block.start);
  const end = block.end + rest.length;
  return { indent, insertions: (own) => insertionAt(end, style.eol, indent, own, "") };
}
