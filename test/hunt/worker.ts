/**
 * @file Hunts the seeds that `scripts/hunt.js` sends, one after the other, and sends the verdicts
 * back. It needs no vitest: types are blanked while it is loaded.
 */
import { endKeptProcess } from "../support/command-line.ts";
import { editsOf, hunt } from "./hunt.ts";
import type { Language } from "./ingredients.ts";

export interface Order {
  readonly seed: number;
  readonly language: Language;
  /** A part of the kinds of edits that are drawn. */
  readonly edits?: string;
  readonly isQuick?: boolean;
}

async function answer({ seed, language, edits, isQuick = false }: Order): Promise<unknown> {
  try {
    return await hunt(seed, language, { table: editsOf(edits), isQuick });
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
    const findings = [{ fault: "failed", what: `${what}\n${cause}` }];
    return { seed, language, findings };
  }
}

process.on("message", (order: Order) => {
  void answer(order).then((verdict) => process.send?.(verdict));
});
process.on("disconnect", () => void endKeptProcess());
