/**
 * @file Text put between the statements of a file the way its author would have: indentation, line
 * endings, semicolons and braces are those of the file. Nothing is ever removed or replaced.
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
  comments: {
    line: /^(?:\/\/|\/\*|\*)/,
    tail: /^\s*;?\s*(?:\/\/.*|\/\*.*\*\/)?$/,
  },
};

function stylesOf(text: string): readonly [FileStyle, ...FileStyle[]] {
  const code = text.split(/\r?\n/).filter((line) => /[\w)\]'"`;]$/.test(line.trimEnd()));
  const ended = code.filter((line) => line.trimEnd().endsWith(";")).length;
  const semicolons = code.length === 0 || ended * 4 >= code.length;
  const found = { eol: eolOf(text), indent: indentStep(text) ?? "  ", semicolons };
  // Without semicolons a statement may run into the next one: then it gets its semicolon.
  return semicolons ? [found] : [found, { ...found, semicolons: true }];
}

/** A block holds the lines after its first one, the one of its closing brace included. */
function holdsLine({ lines }: ParsedFile, block: TreeNode, line: number): boolean {
  // The first line of a case is that of its condition.
  const { start } = block.parent?.type === "SwitchCase" ? block.parent : block;
  return lines.at(start).line < line && line <= lines.at(block.end - 1).line;
}

function slotFor(request: SlotRequest): Slot {
  const { block, index, near, syntax } = request;
  // A body without braces, or one that is an expression, has no syntax of its own.
  if (!syntax && block.parent?.type !== "SwitchCase") {
    return block.parent?.role === "function" ? arrowSlot(request) : bracedSlot(request);
  }
  const before = block.children[index - 1];
  const after = block.children[index];
  const among = slotAmongComments(request, { mark: /\/[/*]/, isOpen: isInComment });
  if (among) return among;
  if (after && (near === "after" || !before)) return slotBefore(request, after, before);
  if (before) return slotAfter(request, before, after);
  return emptySlot(request);
}

/** Whether a part of a text ends in a comment of several lines. */
function isInComment(part: string): boolean {
  return part.lastIndexOf("/*") > part.lastIndexOf("*/");
}

/** On the line before a statement, or before it on its line if it is not the first there. */
function slotBefore(request: SlotRequest, after: TreeNode, before: TreeNode | undefined): Slot {
  const { source, style } = request;
  const lineStart = source.lines.startOf(source.lines.at(after.start).line);
  const lead = source.text.slice(lineStart, after.start);
  if (lead.trim() === "") {
    const insertions = (text: string): Insertions => {
      return insertionAt(lineStart, "", lead, text, style.eol);
    };
    return { indent: lead, insertions };
  }
  if (before && source.lines.at(before.end).line !== source.lines.at(after.start).line) {
    return slotAfter(request, before, after);
  }
  const insertions = (text: string): Insertions => {
    return insertionAt(after.start, "", "", ended(text), " ");
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
    const insertions = (text: string): Insertions => {
      return insertionAt(before.end + rest.length, style.eol, indent, text, "");
    };
    return { indent, insertions };
  }
  const gap = source.text.slice(0, before.end).endsWith(";") || before.role !== null ? " " : "; ";
  const insertions = (text: string): Insertions => {
    return insertionAt(before.end, gap, "", ended(text), "");
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
    const insertions = (text: string): Insertions => {
      return insertionAt(length, isFresh ? "" : style.eol, "", text, isFresh ? style.eol : "");
    };
    return { indent: "", insertions };
  }
  const outer = indentAt(source, block.start);
  const indent = outer + style.indent;
  const brace = source.text.indexOf("{", block.start);
  const isOneLine = source.lines.at(block.start).line === source.lines.at(block.end).line;
  // A comment behind the brace speaks of the block: it stays there.
  const comment = /^[ \t]*\/\/[^\r\n]*/.exec(source.text.slice(brace + 1))?.[0] ?? "";
  const insertions = (text: string): Insertions => {
    const tail = isOneLine ? style.eol + outer : "";
    return insertionAt(brace + 1 + comment.length, style.eol, indent, text, tail);
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
  const insertions = (text: string): Insertions => {
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
  const insertions = (text: string): Insertions => {
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
