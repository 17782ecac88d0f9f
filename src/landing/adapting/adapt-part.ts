/**
 * @file Statements that were added together, adapted to one gap of another version: neighbours on both
 * sides of them all vote for it, and it lies behind the last write of what any of them reads.
 */
import type { Statement } from "../../languages/index.ts";
import type { Place } from "../../tree/index.ts";
import type { Target, VersionPair } from "../pairing/version-pair.ts";
import type { AdaptedStatement, BroughtNames, Refusal } from "./adapt-statement.ts";
import { adaptAt, namesWhereItGoes } from "./adapt-statement.ts";
import { settledGap } from "./settle-gap.ts";

/** A part of a question with its gap, as one statement. */
export interface AdaptedPart {
  readonly target: Target;
  readonly items: readonly AdaptedStatement[];
  /** Somebody put it there. */
  readonly isDecided?: boolean;
}

/** Adapts a part to a place; all of it goes to the gap that suits all of it. */
export function adaptPart(
  pair: VersionPair,
  statements: readonly Statement[],
  target: Target,
  brought: BroughtNames,
): AdaptedPart | Refusal {
  const adapted = adaptTogether(pair, statements, target, brought);
  const [first] = "refusal" in adapted ? [] : adapted.items;
  if ("refusal" in adapted || !first) return adapted;
  const { place } = adapted.target;
  const names = adapted.items.flatMap((one) => namesWhereItGoes(pair, one));
  const whole = { ...first, statement: asOne(statements), target: adapted.target };
  const index = settledGap(
    pair,
    whole,
    names.filter(({ free }) => !free.binding || !brought.has(free.binding)),
  );
  if (index === place.index) return adapted;
  const near = index > place.index ? "before" : "after";
  const settled: Place = { ...place, index, near, before: "other", after: "other" };
  const again = adaptTogether(pair, statements, { ...target, place: settled }, brought);
  if ("refusal" in again || again.target.place.index !== index) return adapted;
  const isPushedDown = index > place.index;
  return { ...again, items: again.items.map((one) => ({ ...one, isPushedDown })) };
}

/** Several statements of a block as one. */
export function asOne(statements: readonly Statement[]): Statement {
  const [first, last] = [statements[0], statements.at(-1)];
  if (!first || !last) throw new Error("a part has statements");
  const { type, start } = first.node;
  return { ...first, node: { type, start, end: last.node.end } };
}

/** Each at the gap to which the one goes that has to go furthest. */
export function adaptTogether(
  pair: VersionPair,
  statements: readonly Statement[],
  target: Target,
  brought: BroughtNames,
): AdaptedPart | Refusal {
  let at = target;
  for (;;) {
    const items: AdaptedStatement[] = [];
    for (const statement of statements) {
      const adapted = adaptAt(pair, statement, at, 0, brought);
      if ("refusal" in adapted) return adapted;
      items.push({ ...adapted, isPushedDown: at !== target || adapted.isPushedDown });
    }
    const furthest = items.find((one) => one.target.place.index > at.place.index);
    if (!furthest) return { target: at, items: items.map((one) => ({ ...one, target: at })) };
    at = furthest.target;
  }
}
