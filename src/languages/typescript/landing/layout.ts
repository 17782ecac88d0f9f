/**
 * @file Text put between the statements of a file the way its author would have: indentation, line
 * endings, semicolons and braces are those of the file. Nothing is ever removed or replaced.
 */
import type { TreeNode } from "../../../tree/index.ts";
import type { SlotRequest, Source } from "../../landing/grammar.ts";
import type { FileStyle, Slot } from "../../landing/layout.ts";
import { eolOf, indentAt, indentStep } from "../../landing/layout.ts";

export function stylesOf(text: string): readonly [FileStyle, ...FileStyle[]] {
  const code = text.split(/\r?\n/).filter((line) => /[\w)\]'"`;]$/.test(line.trimEnd()));
  const ended = code.filter((line) => line.trimEnd().endsWith(";")).length;
  const semicolons = code.length === 0 || ended * 4 >= code.length;
  const found = { eol: eolOf(text), indent: indentStep(text) ?? "  ", semicolons };
  // Without semicolons a statement may run into the next one: then it gets its semicolon.
  return semicolons ? [found] : [found, { ...found, semicolons: true }];
}

/** A block holds the lines after its first one, the one of its closing brace included. */
export function holdsLine({ lines }: Source, { start, end }: TreeNode, line: number): boolean {
  return lines.at(start).line < line && line <= lines.at(end - 1).line;
}

export function slotFor(request: SlotRequest): Slot {
  const { block, index, near, syntax } = request;
  // A body without braces, or one that is an expression, has no syntax of its own.
  if (!syntax && block.parent?.type !== "SwitchCase") {
    return block.parent?.role === "function" ? arrowSlot(request) : bracedSlot(request);
  }
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
