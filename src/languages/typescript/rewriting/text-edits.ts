/** @file Changes to a text: insertions, and parts that are taken out but for their line ends. */
import { markInserted } from "../../../format/index.ts";
import type { Span } from "../analysis/lowering/ir.ts";

/** A part of the old text in the new one. */
export interface KeptPiece {
  /** Offset in the old text. */
  readonly from: number;
  /** Offset in the new text. */
  readonly to: number;
  readonly length: number;
}

interface Edit {
  readonly at: number;
  /** Up to where the old text is left out. */
  readonly until: number;
  readonly order: number;
  readonly text: string;
  readonly isLasting: boolean;
  /** Where parts of the old text stand in `text`. */
  readonly copied?: readonly KeptPiece[];
}

/** The order of what stands in front of all, and of a copy in front of what it is a copy of. */
const FIRST = 1;
const COPY = 1.5;

export class Edits {
  readonly #text: string;
  readonly #edits: Edit[] = [];
  /** What is inserted from now on stands in copies too. */
  isLasting = false;

  constructor(text: string) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  /** In front of what begins at `at`; what was added first stands outermost. */
  before(at: number, text: string): void {
    this.#add(at, text, 2 + this.#sequence);
  }

  /** In front of all that is put before what begins there. */
  first(at: number, text: string): void {
    this.#add(at, text, FIRST);
  }

  /** Behind what ends at `at`, in front of all that begins there; added first stands outermost. */
  after(at: number, text: string): void {
    this.#add(at, text, -this.#sequence);
  }

  /** Takes out a part; its lines stay, without anything in them. */
  cut(from: number, until: number): void {
    const text = this.#text.slice(from, until).replaceAll(/[^\n\r\u2028\u2029]+/g, "");
    this.#edits.push({ at: from, until, order: Infinity, text, isLasting: false });
  }

  /** Orders stay between -1 and 1 behind a place, and above 2 in front of one. */
  get #sequence(): number {
    return this.#edits.length / 2 ** 24;
  }

  #add(at: number, text: string, order: number): void {
    this.#edits.push({ at, until: at, order, text, isLasting: this.isLasting });
  }

  /** Behind what ends at `start`: a copy of what follows up to `end`, with what lasts, between two texts. */
  copyBehind(span: Span, own: string, around: readonly [string, string]): void {
    this.#copy(span, own, around, -this.#sequence);
  }

  /** The same in front of what begins at `start`, and of all that is put before that. */
  copyBefore(span: Span, own: string, around: readonly [string, string]): void {
    this.#copy(span, own, around, COPY);
  }

  #copy({ start, end }: Span, own: string, around: readonly [string, string], order: number): void {
    const [open, close] = around;
    const lasting = this.#edits.filter(
      (edit) => edit.isLasting && start <= edit.at && edit.at <= end,
    );
    // Marked by another name: it stands inside of what is marked.
    const { text, kept } = this.#applied(lasting, { start, end }, `${own}c`);
    const copied = kept.map((piece) => ({ ...piece, to: piece.to + open.length }));
    const whole = { text: open + text + close, copied, isLasting: false };
    this.#edits.push({ at: start, until: start, order, ...whole });
  }

  /** `own`: a name that the text does not have; what is inserted is marked by it. */
  apply(own: string): { readonly text: string; readonly kept: readonly KeptPiece[] } {
    return this.#applied(this.#edits, { start: 0, end: this.#text.length }, own);
  }

  #applied(
    edits: readonly Edit[],
    { start, end }: Span,
    own: string,
  ): { readonly text: string; readonly kept: readonly KeptPiece[] } {
    const parts: string[] = [];
    const kept: KeptPiece[] = [];
    let from = start;
    let to = 0;
    const keep = (until: number): void => {
      if (until <= from) return;
      kept.push({ from, to, length: until - from });
      parts.push(this.#text.slice(from, until));
      to += until - from;
      from = until;
    };
    for (const { at, until, order, text, copied } of edits.toSorted(
      (a, b) => a.at - b.at || a.order - b.order,
    )) {
      keep(at);
      // What is first of all is in no function.
      const isFirst = order === FIRST;
      const marked = isFirst ? text : markInserted(own, text, this.#text.slice(at, until));
      const before = to + marked.indexOf(text);
      for (const piece of copied ?? []) kept.push({ ...piece, to: before + piece.to });
      parts.push(marked);
      to += marked.length;
      from = Math.max(from, until);
    }
    keep(end);
    return { text: parts.join(""), kept };
  }
}
