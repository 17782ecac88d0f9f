/** @file A text with parts of it written otherwise, and where everything else stands in either. */
import type { SourcePlace } from "../../format/index.ts";
import { withEdits } from "../../landing/index.ts";
import type { Edit, ParsedFile } from "../../languages/index.ts";
import { languageOf } from "../../languages/index.ts";

export class RewrittenFile {
  readonly text: string;
  readonly before: string;
  readonly #edits: readonly Edit[];
  readonly #lines: { readonly before: ParsedFile["lines"]; readonly now: ParsedFile["lines"] };

  constructor(file: string, before: string, edits: readonly Edit[]) {
    this.before = before;
    this.text = withEdits(before, edits);
    this.#edits = edits.toSorted((one, other) => one.start - other.start);
    this.#lines = { before: linesOf(file, before), now: linesOf(file, this.text) };
  }

  placeNow<T extends SourcePlace>(place: T): T {
    const { before, now } = this.#lines;
    const at = before.startOf(place.line) + place.column - 1;
    const done = this.#edits.filter(({ start, end }) => start < at || (start === at && end === at));
    return { ...place, ...now.at(done.reduce((offset, one) => offset + growth(one), at)) };
  }

  placeBefore<T extends SourcePlace>(place: T): T {
    const { before, now } = this.#lines;
    let at = now.startOf(place.line) + place.column - 1;
    for (const one of this.#edits) {
      if (one.start >= at) break;
      // What stands in a part that was put in stands where that was put.
      at = Math.max(one.start, at - growth(one));
    }
    return { ...place, ...before.at(at) };
  }
}

/** How much longer a text gets. */
function growth({ start, end, text }: Edit): number {
  return text.length - (end - start);
}

function linesOf(file: string, text: string): ParsedFile["lines"] {
  const source = languageOf(file).read(file, text);
  if ("problem" in source) throw new Error(`${file} cannot be read: ${source.problem.message}`);
  return source.lines;
}
