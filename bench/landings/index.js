// @ts-check
/**
 * @file `npm run bench -- landings`: takes a log statement out of the older of two versions of a real file,
 * lands it there from the newer one, and looks whether it is back in the very gap. `pairs.tsv` holds what was
 * obtained last: what is worse now fails the command. `--write` keeps what is obtained now; `--draw` draws
 * the pairs anew from the packages of `packages.tsv`. `--apart` does the same with `pairs-apart.tsv`: others
 * of the same packages, at which nobody looks who changes landing. `--only NAME` takes one package.
 */
import assert from "node:assert/strict";
import { landStatements } from "../../build/landing/index.js";
import { prepareLanguages } from "../../build/languages/index.js";
import { LineEvidence } from "../../build/tree/index.js";
import { fetchBoth } from "./archives.js";
import { APART, drawPairs, KEPT } from "./draw.js";
import { gapByLines } from "./line-matching.js";
import { PAIRS, PAIRS_APART, placeText, readPackages, readPairs, writePairs } from "./list.js";
import { gapOf, withoutStatement } from "./removed.js";
import { changesOf, report } from "./report.js";

/** @import { Landings } from "../../src/format/index.ts" */
/** @import { Version } from "./archives.js" */
/** @import { Package, Pair } from "./list.js" */

/** @import { Obtained } from "./report.js" */

/**
 * @param {{ readonly write: boolean, readonly draw: boolean, readonly apart: boolean,
 *   readonly only: readonly string[] | undefined }} options
 * @returns {Promise<boolean>} Whether no pair is worse than the kept list says.
 */
export async function benchLandings({ write, draw, apart, only }) {
  await prepareLanguages(["a.py", "a.ts"]);
  const packages = readPackages();
  const list = apart ? PAIRS_APART : PAIRS;
  const before = readPairs(list);
  const kept = draw ? drawAnew(packages, before, apart) : before;
  /** @type {Obtained[]} */
  const obtained = [];
  for (const one of packages) {
    if (only && !only.includes(one.name)) continue;
    const own = kept.filter(({ name, older, newer }) => {
      return name === one.name && older === one.older && newer === one.newer;
    });
    const both = own.length === 0 ? undefined : fetchBoth(one);
    if (both) obtained.push(...own.map((pair) => land(pair, both)));
  }
  const all = only ? kept.filter(({ name }) => only.includes(name)) : kept;
  console.log(report(obtained, all.length));
  const { lines, isWorse } = changesOf(before, obtained);
  console.log(lines.join("\n"));
  if (write || draw) writePairs(list, inOrderOf(kept, obtained));
  return !isWorse;
}

/**
 * New pairs, with what a person found of those that were kept before.
 * @param {readonly Package[]} packages
 * @param {readonly Pair[]} before
 * @param {boolean} apart
 */
function drawAnew(packages, before, apart) {
  const seen = new Map(before.map((pair) => [placeText(pair), pair.seen]));
  const drawn = apart
    ? drawPairs(everyFourth(packages), { ...APART, except: readPairs(PAIRS) })
    : drawPairs(packages, KEPT);
  return drawn.map((pair) => ({ ...pair, seen: seen.get(placeText(pair)) ?? "" }));
}

/**
 * Some hundred are enough, and to draw them from all packages takes long.
 * @param {readonly Package[]} packages
 */
function everyFourth(packages) {
  return packages.filter((_, at) => at % 4 === 1);
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
 * @returns {Obtained}
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
      then: { files: older.files(), text: (name) => (name === file ? bare : older.text(name)) },
      // The packages have copies of some files, made from others.
      decided: { file },
    });
  const whole = answer();
  const [landing] = whole.landings;
  const gap = gapOf({ place: pair, older: then, answer: whole });
  return {
    ...pair,
    verdict: landing?.verdict ?? "cannot",
    confidence: landing?.confidence ?? 0,
    warnings: [...(landing?.warnings ?? []), ...(landing?.leftOut ?? []).map(leftOutWarning)],
    gap,
    seen: gap === "wrong" ? pair.seen : "",
    tree: gapOf({ place: pair, older: then, answer: byTreeAlone(answer) }),
    lines: gapByLines({ place: pair, newer: now, older: then }),
  };
}

/** @param {string} text */
function leftOutWarning(text) {
  return { code: "left_out", text };
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
