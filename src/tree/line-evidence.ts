/**
 * @file What the difference of the lines says about where a statement belongs: which statements
 * around it stand on lines that did not change, and between which two lines of the old text it goes.
 */
import type { Gap } from "./evidence.ts";
import { matchLines } from "./line-diff.ts";
import type { Span, Tree, TreeNode } from "./tree.ts";

/** A text with its tree. */
export interface TreeText extends Tree {
  readonly text: string;
}

interface Line {
  /** Offset of its first character that is no space. */
  readonly start: number;
  readonly end: number;
  /** Without spaces. */
  readonly words: string;
}

/** What comments of a language look like. */
export interface CommentSigns {
  /** Begins a line that is a comment. */
  readonly line: RegExp;
  /** What may follow a statement on its line: nothing, or a comment. */
  readonly tail: RegExp;
}

/** A line that is only a comment between statements: the gaps in which it stands. */
export interface MatchedComment {
  readonly ours: Gap;
  readonly theirs: Gap;
  /** No other line of either text is the same. */
  readonly isOnly: boolean;
}

/** A line near the statement that the old text has too. */
export interface MatchedLine {
  /** Innermost statements at the two lines. */
  readonly ours: TreeNode | null;
  readonly theirs: TreeNode | null;
  readonly comment: MatchedComment | null;
}

/** The matched lines around a place, the nearest first, and where it lies between them. */
export interface LinesAround {
  readonly above: readonly MatchedLine[];
  readonly below: readonly MatchedLine[];
  /** Offsets in the old text between which the place lies. */
  readonly from: number;
  readonly to: number;
  /** Nothing but spaces lies between them, and nothing but the statement lies between theirs. */
  readonly isTight: boolean;
}

/** The lines of two texts, matched once for all statements. */
export class LineEvidence {
  readonly #now: TreeText;
  readonly #then: TreeText;
  readonly #ours: readonly Line[];
  readonly #theirs: readonly Line[];
  readonly #partners: Int32Array;
  readonly #comments: CommentSigns;

  /** `without` are the parts of the newer text that are not in its tree. */
  constructor(now: TreeText, then: TreeText, without: readonly Span[], comments: CommentSigns) {
    this.#comments = comments;
    this.#now = now;
    this.#then = then;
    this.#ours = linesOf(now.text, without, comments);
    this.#theirs = linesOf(then.text, [], comments);
    this.#partners = matchLines(
      this.#ours.map(({ words }) => words),
      this.#theirs.map(({ words }) => words),
    );
  }

  /** Around a part of the newer text that was left out. */
  around({ start, end }: Span): LinesAround {
    const first = this.#ours.findIndex((line) => line.start >= end);
    const below = this.#matched(first === -1 ? this.#ours.length : first, 1);
    const last = this.#ours.findLastIndex((line) => line.end <= start);
    const above = this.#matched(last, -1);
    const [up] = above;
    const [down] = below;
    const upper = up === undefined ? -1 : this.#partnerOf(up);
    const lower = down === undefined ? this.#theirs.length : this.#partnerOf(down);
    return {
      above: above.map((at) => this.#pair(at)),
      below: below.map((at) => this.#pair(at)),
      from: this.#theirs[upper]?.end ?? 0,
      to: this.#theirs[lower]?.start ?? this.#then.text.length,
      isTight: lower === upper + 1 && (up ?? -1) === last && isNext(down, first, this.#ours.length),
    };
  }

  /** Matched lines from one on, in a direction. */
  #matched(from: number, step: 1 | -1): number[] {
    const found: number[] = [];
    for (let at = from; at >= 0 && at < this.#ours.length && found.length < LOOKED_AT; at += step) {
      if (this.#partnerOf(at) >= 0) found.push(at);
    }
    return found;
  }

  #isOnly(text: string): boolean {
    return [this.#ours, this.#theirs].every((lines) => {
      return lines.filter(({ words }) => words === text).length === 1;
    });
  }

  #partnerOf(at: number): number {
    return this.#partners[at] ?? -1;
  }

  #pair(at: number): MatchedLine {
    const [ours, theirs] = [this.#ours[at], this.#theirs[this.#partnerOf(at)]];
    if (!ours || !theirs) return { ours: null, theirs: null, comment: null };
    const [gap, other] = [
      gapAt(this.#now, ours, this.#comments),
      gapAt(this.#then, theirs, this.#comments),
    ];
    return {
      ours: innermostStatement(this.#now, ours.start),
      theirs: innermostStatement(this.#then, theirs.start),
      comment: gap && other ? { ours: gap, theirs: other, isOnly: this.#isOnly(ours.words) } : null,
    };
  }
}

/** Matched lines that are looked at on each side, to find those of siblings among them. */
const LOOKED_AT = 12;

function isNext(line: number | undefined, first: number, count: number): boolean {
  return (line ?? count) === (first === -1 ? count : first);
}

/** Lines that are not blank, without those of which nothing is left. */
function linesOf(text: string, without: readonly Span[], { tail }: CommentSigns): Line[] {
  const lines: Line[] = [];
  for (const { index, 0: line } of text.matchAll(/[^\r\n]+/g)) {
    const start = index + (line.length - line.trimStart().length);
    const end = index + line.trimEnd().length;
    if (end <= start) continue;
    if (without.some((span) => isCovered(text, { start, end }, span, tail))) continue;
    lines.push({ start, end, words: line.replaceAll(/\s+/g, "") });
  }
  return lines;
}

/** Whether a line holds only a part of the span, and perhaps its semicolon. */
function isCovered(text: string, line: Span, span: Span, tail: RegExp): boolean {
  if (line.end <= span.start || line.start >= span.end) return false;
  const after = text.slice(Math.min(span.end, line.end), line.end);
  return line.start >= span.start && tail.test(after);
}

/** The gap in which a line stands that is a comment between statements. */
function gapAt(
  { root, text }: TreeText,
  { start, end }: Line,
  { line: isComment }: CommentSigns,
): Gap | undefined {
  const line = text.slice(start, end);
  if (!isComment.test(line) || !/[\p{L}\p{N}]/u.test(line)) return undefined;
  let innermost = root;
  for (let at: TreeNode | undefined = root; at;) {
    innermost = at;
    at = at.children.find((child) => holds(child, start));
  }
  if (innermost.role !== "block") return undefined;
  const { children } = innermost;
  return { block: innermost, index: children.filter((child) => child.end <= start).length };
}

function holds(node: TreeNode, offset: number): boolean {
  return node.start <= offset && offset < node.end;
}

/** The smallest statement that holds an offset. */
function innermostStatement({ root }: Tree, offset: number): TreeNode | null {
  let found: TreeNode | null = null;
  let at: TreeNode | undefined = root;
  while (at) {
    if (at.parent?.role === "block") found = at;
    at = at.children.find(({ start, end }) => start <= offset && offset < end);
  }
  return found;
}
