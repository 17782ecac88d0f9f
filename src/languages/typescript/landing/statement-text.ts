/** @file A statement of the newer version as it is written in the old one: renamed, not laid out yet. */
import type { Node } from "oxc-parser";
import type { Written } from "./layout.ts";
import { indentAt, styleOf } from "./layout.ts";
import type { Reference } from "./scope.ts";
import type { Source } from "./source.ts";
import { childrenOf } from "../syntax.ts";

/** New names by the uses that get them. */
export type Renaming = ReadonlyMap<Reference, string>;

/** A change inside a statement: what is wrapped around an expression. */
export interface Wrap {
  readonly node: Node;
  readonly before: string;
  readonly after: string;
}

export function writtenStatement(
  source: Source,
  node: Node,
  renaming: Renaming,
  wraps: readonly Wrap[] = [],
): Written {
  const edits = [...renaming].map(([{ node: use, name, isShorthand }, to]) => {
    return { start: use.start, end: use.end, text: isShorthand ? `${name}: ${to}` : to };
  });
  for (const { node: inner, before, after } of wraps) {
    const { start, end } = inner;
    edits.push({ start, end: start, text: before }, { start: end, end, text: after });
  }
  edits.sort((one, other) => one.start - other.start || one.end - other.end);
  const strings = multilineStrings(node);
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
    step: styleOf(source.text).indent,
    kept,
    endsWithSemicolon: ENDS_WITH_SEMICOLON.test(node.type),
  };
}

const ENDS_WITH_SEMICOLON = /^(?:Expression|Return|Throw|Debugger)Statement$|^VariableDeclaration$/;

/** Where a text breaks its line inside a string: there the break belongs to the value. */
export function breaksInStrings({ program, text }: Source): ReadonlySet<number> {
  const breaks = multilineStrings(program).flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/\r?\n/g)].map(({ index }) => start + index),
  );
  return new Set(breaks);
}

/** Parts in which a line break belongs to the value. */
function multilineStrings(node: Node): Node[] {
  if (node.type === "TemplateElement" || node.type === "JSXText") return [node];
  return childrenOf(node).flatMap(multilineStrings);
}
