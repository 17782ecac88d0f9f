/** @file Log calls that log more than before. */
import type { Shape } from "../../../languages/index.ts";
import type { Comparison, IsSame } from "./comparison.ts";

/** The same log call with more in it. */
export function logsMore(own: Comparison, isSame: IsSame, then: Shape, now: Shape): boolean {
  const [old, call] = [own.anatomyThen(then), own.anatomyNow(now)];
  if (old?.kind !== "call" || call?.kind !== "call") return false;
  return isSame(old.callee, call.callee) && hasAll(own, isSame, old.given, call.given);
}

/** Whether some parts are in a list of others, in their order, and all others only compute. */
function hasAll(
  own: Comparison,
  isSame: IsSame,
  then: readonly Shape[],
  now: readonly Shape[],
): boolean {
  let next = 0;
  for (const one of now) {
    const old = then[next];
    if (old && isSameOrMore(own, isSame, old, one)) next += 1;
    else if (!own.onlyComputes(one)) return false;
  }
  return next === then.length;
}

function isSameOrMore(own: Comparison, isSame: IsSame, then: Shape, now: Shape): boolean {
  if (isSame(then, now)) return true;
  const [old, given] = [own.anatomyThen(then), own.anatomyNow(now)];
  if (old?.kind === "mapping" && given?.kind === "mapping") {
    return hasAll(own, isSame, old.entries, given.entries);
  }
  if (old?.kind !== "text" || given?.kind !== "text") return false;
  if (given.pieces.length < old.pieces.length) return false;
  return given.pieces.every((piece, at) => {
    const before = old.pieces[at];
    if (typeof piece === "string") {
      const isLast = at === old.pieces.length - 1;
      return before === undefined || before === piece || (isLast && isBegun(piece, before));
    }
    if (before === undefined || before === "") return own.onlyComputes(piece);
    return typeof before !== "string" && isSame(before, piece);
  });
}

function isBegun(text: string, by: string | Shape): boolean {
  return typeof by === "string" && text.startsWith(by);
}
