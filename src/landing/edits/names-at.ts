/** @file What words mean where a statement stands. */
import type { Binding, ParsedFile, Statement } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";

/** Whether a word means something there, or names a property; what only functions beside it know does not count. */
export function isNameAt({ scopes, uses }: ParsedFile, word: string, { node }: Statement): boolean {
  const isSeen = (binding: Binding | null): boolean =>
    !binding || isInside(node, binding.scope.node);
  return (
    scopes.references.some((one) => one.name === word && isSeen(one.binding)) ||
    [...scopes.bindingOf.values()].some((one) => one.name === word && isSeen(one)) ||
    uses.members.some(({ name }) => name === word)
  );
}
