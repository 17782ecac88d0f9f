/**
 * @file The safety net of every landing: the changed text is parsed again, and must be the old
 * program with what was inserted and nothing else.
 */
import type { Node } from "oxc-parser";
import type { Span } from "../../../tree/index.ts";
import { comparedFields, fieldOf, isNode, isSamePlain } from "../syntax.ts";

/** Whether a program is another one, apart from the nodes that lie in what was inserted. */
export function isSameApartFrom(old: Node, now: Node, inserted: readonly Span[]): boolean {
  return isSame(old, now, (node) => inserted.some((span) => isInside(node, span)));
}

function isInside(node: Node, { start, end }: Span): boolean {
  return start <= node.start && node.end <= end;
}

function isSame(old: unknown, now: unknown, isNew: (node: Node) => boolean): boolean {
  if (Array.isArray(old) && Array.isArray(now)) {
    const rest = (now as unknown[]).filter((item) => !isNode(item) || !isNew(item));
    return old.length === rest.length && old.every((item, at) => isSame(item, rest[at], isNew));
  }
  if (!isNode(old) || !isNode(now)) return isSamePlain(old, now);
  const inner = withoutBraces(old, now, isNew);
  if (inner) return isSame(old, inner, isNew);
  return comparedFields(old, now).every((key) => {
    return isSame(fieldOf(old, key), fieldOf(now, key), isNew);
  });
}

/** What was there before braces, and perhaps `return`, were put around it. */
function withoutBraces(old: Node, now: Node, isNew: (node: Node) => boolean): Node | undefined {
  if (now.type !== "BlockStatement" || old.type === "BlockStatement") return undefined;
  const rest = now.body.filter((node) => !isNew(node));
  const [only] = rest;
  if (!only || rest.length > 1 || rest.length === now.body.length) return undefined;
  const isArrow = !/(?:Statement|Declaration)$/.test(old.type);
  return isArrow && only.type === "ReturnStatement" ? (only.argument ?? undefined) : only;
}
