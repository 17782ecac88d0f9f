/** @file What functions are called. */
import type { ParsedFile, Statement } from "../../languages/index.ts";

/** The name of the function or method that a statement stands in; undefined: in none, or in a nameless one. */
export function functionAround(file: ParsedFile, { parent }: Statement): string | undefined {
  if (!parent) return undefined;
  return parent.parameters === undefined ? functionAround(file, parent) : nameOf(file, parent);
}

/** The name of the function or method that a statement defines. */
export function nameOf({ scopes }: ParsedFile, { node, member }: Statement): string | undefined {
  if (member !== undefined) return member;
  const declared = [...scopes.bindingOf].filter(([at, { kind }]) => {
    return node.start <= at.start && at.end <= node.end && kind !== "parameter";
  });
  return declared.toSorted(([a], [b]) => a.start - b.start)[0]?.[1].name;
}
