/** @file Whether a part of a text computes, and changes nothing. */
import type { ParsedFile, Shape } from "../../languages/index.ts";

export function onlyComputes(file: ParsedFile, shape: Shape): boolean {
  const anatomy = file.language.anatomyOf(shape);
  if (!anatomy && shape.parts.length > 0) return false;
  if (anatomy?.kind === "assignment") return false;
  if (anatomy?.kind === "call" && !isHarmless(file, shape)) return false;
  return shape.parts.every((part) => onlyComputes(file, part));
}

/** Whether a call is known to change nothing. */
export function isHarmless({ uses }: ParsedFile, { start, end }: Shape): boolean {
  return uses.calls.some(({ node, byName }) => {
    return node.start === start && node.end === end && byName === "none";
  });
}
