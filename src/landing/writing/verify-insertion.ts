/**
 * @file The safety net of every landing: the changed text is parsed again, and must be the old
 * program with what was inserted and nothing else.
 */
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import type { Shape } from "../../languages/index.ts";

/** Whether a program is another one, apart from the nodes that lie in what was inserted. */
export function isSameApartFrom(old: Shape, now: Shape, inserted: readonly Span[]): boolean {
  return isSameShape(old, now, {
    isNew: (part) => inserted.some((span) => isInside(part, span)),
    holdsNew: ({ start, end }) => inserted.some((span) => start < span.end && span.start < end),
  });
}

interface Inserted {
  readonly isNew: (part: Shape) => boolean;
  /** Most of a program does not, and need not be gone through for it. */
  readonly holdsNew: (part: Shape) => boolean;
}

function isSameShape(old: Shape, now: Shape, inserted: Inserted): boolean {
  const inner = withoutBraces(old, now, inserted);
  if (inner) return isSameShape(old, inner, inserted);
  if (old.label !== now.label) return false;
  const { isNew, holdsNew } = inserted;
  const rest = holdsNew(now) ? now.parts.filter((part) => !isNew(part)) : now.parts;
  return (
    old.parts.length === rest.length &&
    old.parts.every((part, at) => {
      const other = rest[at];
      return (
        other !== undefined && part.field === other.field && isSameShape(part, other, inserted)
      );
    })
  );
}

/** What was there before braces, and perhaps `return`, were put around it. */
function withoutBraces(old: Shape, now: Shape, { isNew }: Inserted): Shape | undefined {
  if (now.kind !== "block" || old.kind === "block") return undefined;
  const rest = now.parts.filter((part) => !isNew(part));
  const [only] = rest;
  if (!only || rest.length > 1 || rest.length === now.parts.length) return undefined;
  return old.kind === undefined && only.kind === "return" ? only.parts[0] : only;
}
