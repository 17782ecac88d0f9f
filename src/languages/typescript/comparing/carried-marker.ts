/**
 * @file A mark before what was put into an older version besides log statements: a helper that one
 * needs, braces around a body that had none. Scopes have numbers, and these are in the checkpoints of
 * the run: what is marked is numbered apart, so that all others keep theirs.
 */
import type { Span } from "../analysis/lowering/ir.ts";

/** Before every statement or block that was added. */
export const CARRIED_MARKER = "/*afterlog:added*/";

/** The text as a person would have written it. */
export function withoutCarriedMarkers(text: string): string {
  return text.replaceAll(CARRIED_MARKER, "");
}

export function isCarried(text: string, { start }: Span): boolean {
  return text.startsWith(CARRIED_MARKER, start - CARRIED_MARKER.length);
}
