// @ts-check
/**
 * @file `npm run bench -- landings`: takes a log statement out of the older of two versions of a real file,
 * lands it there from the newer one, and looks whether it is back in the very gap. `pairs.tsv` holds what was
 * obtained last: what is worse now fails the command. `--write` keeps what is obtained now; `--draw` draws
 * the pairs anew from the packages of `packages.tsv`.
 */
import assert from "node:assert/strict";
import { landStatements } from "../../dist/landing/index.js";
import { prepareLanguages } from "../../dist/languages/index.js";
import { LineEvidence } from "../../dist/tree/index.js";
import { fetchBoth } from "./archives.js";
import { drawPairs } from "./draw.js";
import { gapByLines } from "./line-matching.js";
import { placeText, readPackages, readPairs, writePairs } from "./list.js";
import { gapOf, withoutStatement } from "./removed.js";
import { changesOf, report } from "./report.js";

/** @import { Landings } from "../../src/format/index.ts" */
/** @import { Version } from "./archives.js" */
/** @import { Package, Pair } from "./list.js" */

/**
 * @param {{ readonly write: boolean, readonly draw: boolean }} options
 * @returns {Promise<boolean>} Whether no pair is worse than the kept list says.
 */
export async function benchLandings({ write, draw }) {
  await prepareLanguages(["a.py", "a.ts"]);
  const packages = readPackages();
  const before = readPairs();
  const kept = draw ? drawAnew(packages, before) : before;
  /** @type {Pair[]} */
  const obtained = [];
  for (const one of packages) {
    const own = kept.filter(({ name, older, newer }) => {
      return name === one.name && older === one.older && newer === one.newer;
    });
    const both = own.length === 0 ? undefined : fetchBoth(one);
    if (both) obtained.push(...own.map((pair) => land(pair, both)));
  }
  console.log(report(obtained, kept.length));
  const { lines, isWorse } = changesOf(before, obtained);
  console.log(lines.join("\n"));
  if (write || draw) writePairs(inOrderOf(kept, obtained));
  return !isWorse;
}

/**
 * New pairs, with what a person found of those that were kept before.
 * @param {readonly Package[]} packages
 * @param {readonly Pair[]} before
 */
function drawAnew(packages, before) {
  const seen = new Map(before.map((pair) => [placeText(pair), pair.seen]));
  return drawPairs(packages).map((pair) => ({ ...pair, seen: seen.get(placeText(pair)) ?? "" }));
}

/**
 * What was obtained, and as they are those whose package cannot be fetched.
 * @param {readonly Pair[]} kept
 * @param {readonly Pair[]} obtained
 */
function inOrderOf(kept, obtained) {
  const found = new Map(obtained.map((pair) => [placeText(pair), pair]));
  return kept.map((pair) => found.get(placeText(pair)) ?? pair);
}

/**
 * @param {Pair} pair
 * @param {{ readonly older: Version, readonly newer: Version }} both
 * @returns {Pair}
 */
function land(pair, { older, newer }) {
  const { file } = pair;
  const [now = "", then = ""] = [newer.text(file), older.text(file)];
  const bare = withoutStatement(then, pair);
  const line = Number(pair.newerLine);
  const column = (now.split("\n")[line - 1] ?? "").search(/\S/) + 1;
  const answer = () =>
    landStatements({
      handsFree: true,
      now: { file, text: (name) => newer.text(name) },
      statements: [{ line, column }],
      then: { files: [file], text: (name) => (name === file ? bare : older.text(name)) },
    });
  const whole = answer();
  const gap = gapOf({ place: pair, older: then, answer: whole });
  return {
    ...pair,
    verdict: whole.landings[0]?.verdict ?? "cannot",
    gap,
    seen: gap === "wrong" ? pair.seen : "",
    tree: gapOf({ place: pair, older: then, answer: byTreeAlone(answer) }),
    lines: gapByLines({ place: pair, newer: now, older: then }),
  };
}

/**
 * What is answered when the lines are no witness: none of them is matched, and any place agrees with them.
 * @param {() => Landings} answer
 */
function byTreeAlone(answer) {
  const own = Object.getOwnPropertyDescriptor(LineEvidence.prototype, "around");
  assert.ok(own, "the lines around a statement are asked by this name");
  LineEvidence.prototype.around = () => {
    return { above: [], below: [], from: 0, to: Number.POSITIVE_INFINITY, isTight: false };
  };
  try {
    return answer();
  } finally {
    Object.defineProperty(LineEvidence.prototype, "around", own);
  }
}
