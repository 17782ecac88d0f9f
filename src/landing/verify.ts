/**
 * @file The safety net of every landing: the changed text is parsed again, and must be the old
 * program with what was inserted and nothing else.
 */
import type { Span } from "../tree/index.ts";
import type { Shape } from "../languages/index.ts";

/** Whether a program is another one, apart from the nodes that lie in what was inserted. */
export function isSameApartFrom(old: Shape, now: Shape, inserted: readonly Span[]): boolean {
  return isSame(old, now, ({ start, end }) => {
    return inserted.some((span) => span.start <= start && end <= span.end);
  });
}

type IsNew = (part: Shape) => boolean;

function isSame(old: Shape, now: Shape, isNew: IsNew): boolean {
  const inner = withoutBraces(old, now, isNew);
  if (inner) return isSame(old, inner, isNew);
  if (old.label !== now.label) return false;
  const rest = now.parts.filter((part) => !isNew(part));
  return (
    old.parts.length === rest.length &&
    old.parts.every((part, at) => {
      const other = rest[at];
      return other !== undefined && part.field === other.field && isSame(part, other, isNew);
    })
  );
}

/** What was there before braces, and perhaps `return`, were put around it. */
function withoutBraces(old: Shape, now: Shape, isNew: IsNew): Shape | undefined {
  if (now.kind !== "block" || old.kind === "block") return undefined;
  const rest = now.parts.filter((part) => !isNew(part));
  const [only] = rest;
  if (!only || rest.length > 1 || rest.length === now.parts.length) return undefined;
  return old.kind === undefined && only.kind === "return" ? only.parts[0] : only;
}
