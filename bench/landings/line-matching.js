// @ts-check
/**
 * @file The place of a statement by lines alone, from both sides: between the nearest line above it and the
 * nearest below it that the other version has too. It is what landing is measured against.
 */
import { matchLines } from "../../build/tree/line-diff.js";
import { withoutComments } from "./removed.js";

/** @import { Place } from "./list.js" */

/**
 * @param {{ readonly place: Place, readonly newer: string, readonly older: string }} pair
 * @returns {"right" | "wrong" | "none"}
 */
export function gapByLines({ place, newer, older }) {
  const ours = codeLines(place.file, newer, place.newerLine, place.newerEnd);
  const theirs = codeLines(place.file, older, place.olderLine, place.olderEnd);
  const partners = matchLines([...ours.above, ...ours.below], [...theirs.above, ...theirs.below]);
  const at = ours.above.length;
  const up = partners.subarray(0, at).findLastIndex((partner) => partner >= 0);
  const down = partners.findIndex((partner, line) => line >= at && partner >= 0);
  if (up === -1 && down === -1) return "none";
  const [first, last] = [
    (partners[up] ?? -1) + 1,
    partners[down] ?? theirs.above.length + theirs.below.length,
  ];
  const isNearerAbove = down === -1 || (up !== -1 && at - up <= down - at + 1);
  return (isNearerAbove ? first : last) === theirs.above.length ? "right" : "wrong";
}

/**
 * The lines of code above and below a statement, without blanks and comments.
 * @param {string} file
 * @param {string} text
 * @param {string} first
 * @param {string} last
 */
function codeLines(file, text, first, last) {
  const lines = withoutComments(file, text).split("\n");
  const words = (/** @type {string[]} */ some) => {
    return some.map((one) => one.replaceAll(/\s+/g, "")).filter((one) => one !== "");
  };
  return {
    above: words(lines.slice(0, Number(first) - 1)),
    below: words(lines.slice(Number(last))),
  };
}
