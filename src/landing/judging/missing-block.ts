/** @file What a statement stands in, and another version does not have. */
import type { Statement } from "../../languages/index.ts";
import type { Refusal } from "../adapting/adapt-statement.ts";
import type { Target, VersionPair } from "../pairing/version-pair.ts";
import { quotedLine } from "./judge-landing.ts";

/** A loop or function around the statement that the old version does not have. */
export function missingBlock(
  pair: VersionPair,
  statement: Statement,
  { place }: Target,
): Refusal | undefined {
  const outermost = place.climbed.at(-1);
  if (!outermost) return undefined;
  for (let at = pair.blockOf(statement) ?? null; at && at !== outermost.parent; at = at.parent) {
    if (at.role !== "loop" && at.role !== "function" && at.role !== "class") continue;
    const reason = `the ${at.role} ${quotedLine(pair.now.source.text, at)} does not exist in that version`;
    return { refusal: "missing_block", reason };
  }
  return undefined;
}
