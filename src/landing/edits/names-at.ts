/** @file What words mean where a statement stands. */
import type { Binding, ParsedFile, Statement } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";

/**
 * Whether a word of another version means something there: as a property if it is one in its own version, else as
 * a name. What only functions beside the statement know does not count.
 */
export function isKnownAt(
  source: ParsedFile,
  statement: Statement,
  { word, of }: { readonly word: string; readonly of: ParsedFile },
): boolean {
  const isProperty = of.uses.members.some(({ name }) => name === word);
  const isName = isNameIn(of, word, () => true);
  const isSeen = (binding: Binding | null): boolean =>
    !binding || isInside(statement.node, binding.scope.node);
  return (
    ((isName || !isProperty) && isNameIn(source, word, isSeen)) ||
    (isProperty && !isName && source.uses.members.some(({ name }) => name === word))
  );
}

function isNameIn(
  { scopes }: ParsedFile,
  word: string,
  isSeen: (binding: Binding | null) => boolean,
): boolean {
  return (
    scopes.references.some((one) => one.name === word && isSeen(one.binding)) ||
    [...scopes.bindingOf.values()].some((one) => one.name === word && isSeen(one))
  );
}
