/** @file Offsets to lines and columns; columns count UTF-16 units, as V8 does. */

/** Lines and columns of a text, both from 1; `breaks` is what the language ends a line with. */
export class Lines {
  readonly #starts: number[] = [0];

  constructor(text: string, breaks: RegExp = /\r\n|[\n\r\u2028\u2029]/g) {
    for (const { index, 0: end } of text.matchAll(breaks)) {
      this.#starts.push(index + end.length);
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** Offset of the first character of a line. */
  startOf(line: number): number {
    return this.#starts[line - 1] ?? 0;
  }

  at(offset: number): { readonly line: number; readonly column: number } {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 };
  }
}
