/** @file A statement of the newer version as it is written in the old one: renamed, not laid out yet. */
import type {
  Edit,
  ParsedFile,
  Reference,
  Statement,
  Syntax,
  StatementText,
} from "../../languages/index.ts";
import { indentAt } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";

/** New names by the uses that get them. */
export type Renaming = ReadonlyMap<Reference, string>;

/** A change inside a statement: what is wrapped around an expression. */
export interface Wrap {
  readonly node: Syntax;
  readonly before: string;
  readonly after: string;
}

export function writtenStatement(
  source: ParsedFile,
  { node, endsWithSemicolon }: Statement,
  renaming: Renaming,
  wraps: readonly Wrap[] = [],
): StatementText {
  const edits: Edit[] = [...renaming].map(([{ node: use, name, isShorthand }, to]) => {
    return { start: use.start, end: use.end, text: isShorthand ? `${name}: ${to}` : to };
  });
  const selfDocumenting = source.selfDocumenting.filter((one) => {
    return isInside(one, node) && [...renaming.keys()].some((use) => isInside(use.node, one));
  });
  edits.push(...selfDocumenting.flatMap((one) => one.edits));
  for (const { node: inner, before, after } of wraps) {
    const { start, end } = inner;
    edits.push({ start, end: start, text: before }, { start: end, end, text: after });
  }
  edits.sort((one, other) => one.start - other.start || one.end - other.end);
  const strings = source.strings.filter((one) => isInside(one, node));
  let text = "";
  let done = node.start;
  const kept = new Set<number>();
  const take = (end: number): void => {
    for (const { index } of source.text.slice(done, end).matchAll(/\r?\n/g)) {
      const at = done + index;
      if (strings.some((string) => string.start < at && at < string.end))
        kept.add(text.length + index);
    }
    text += source.text.slice(done, end);
    done = end;
  };
  for (const edit of edits) {
    take(edit.start);
    text += edit.text;
    done = edit.end;
  }
  take(node.end);
  return {
    text,
    indent: indentAt(source, node.start),
    step: source.language.layout.stylesOf(source.text)[0].indent,
    kept,
    endsWithSemicolon,
  };
}

/** Where a text breaks its line inside a string: there the break belongs to the value. */
export function breaksInStrings({ strings, text }: ParsedFile): ReadonlySet<number> {
  const breaks = strings.flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/\r?\n/g)].map(({ index }) => start + index),
  );
  return new Set(breaks);
}
