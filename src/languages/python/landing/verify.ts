/**
 * @file The safety net of every landing: the changed text is parsed again, and must be the old
 * program with what was inserted and nothing else, to the last token.
 */
import type { Span } from "../../../tree/index.ts";
import type { PyNode } from "./syntax.ts";

/** Whether a program is another one, apart from the nodes that lie in what was inserted. */
export function isSameApartFrom(old: PyNode, now: PyNode, inserted: readonly Span[]): boolean {
  if (old.type !== now.type || old.text !== now.text) return false;
  const rest = now.children.filter(({ start, end }) => {
    return !inserted.some((span) => span.start <= start && end <= span.end);
  });
  const { children } = old;
  return (
    children.length === rest.length &&
    children.every((child, at) => isSameApartFrom(child, rest[at] as PyNode, inserted))
  );
}
