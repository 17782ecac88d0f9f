// @ts-check
/** @file What was obtained for the pairs as text: the tables, and what changed against the kept list. */
import { kindOf } from "./draw.js";
import { placeText } from "./list.js";

/** @import { Pair } from "./list.js" */

/**
 * A pair with what the landing said of itself. What was added with the statement and left out counts as a
 * warning `left_out`.
 * @typedef {Pair & { readonly confidence: number,
 *   readonly warnings: readonly { readonly code: string, readonly text: string }[] }} Obtained
 */

const VERDICTS = ["exact", "moved", "review", "cannot", "present"];
const GAPS = ["right", "wrong", "none"];
const LANGUAGES = [
  { title: "JavaScript", kinds: ["js"] },
  { title: "TypeScript", kinds: ["ts"] },
  { title: "Python", kinds: ["py"] },
];

/**
 * The worst first: what landed in a wrong gap and does not ask to be looked at.
 * @param {readonly Obtained[]} pairs
 * @param {number} all
 */
export function report(pairs, all) {
  const silent = pairs.filter(({ verdict, gap }) => gap === "wrong" && isSure(verdict));
  const lines = [
    `in a wrong gap as exact or moved: ${silent.length}`,
    ...silent.map(described),
    "",
  ];
  for (const { title, kinds } of LANGUAGES) {
    const own = pairs.filter(({ file }) => kinds.includes(kindOf(file)));
    lines.push(...tableOf(title, own), "");
  }
  lines.push(...warningTable(pairs), "", ...calibrationTable(pairs), "");
  if (pairs.length < all)
    lines.push(`${all - pairs.length} of ${all} pairs could not be fetched`, "");
  lines.push(...listed("right only with the lines as a witness", pairs, onlyWithLines));
  lines.push(...listed("right by lines alone, and not as landed", pairs, onlyByLines));
  return lines.join("\n");
}

/**
 * What landings in the right gap say of themselves, by kind of warning: all that say it, and those that ask a
 * person to look. Beside it those in a wrong gap.
 * @param {readonly Obtained[]} pairs
 */
function warningTable(pairs) {
  const codes = [...new Set(pairs.flatMap(({ warnings }) => warnings.map(({ code }) => code)))];
  const isSaid =
    (/** @type {string} */ code) =>
    (/** @type {Obtained} */ { warnings }) =>
      warnings.some((one) => one.code === code);
  const groups = LANGUAGES.map(({ kinds }) => {
    const own = pairs.filter(({ file }) => kinds.includes(kindOf(file)));
    return own.filter(({ gap }) => gap === "right");
  });
  const wrong = pairs.filter(({ gap }) => gap === "wrong");
  const counts = (/** @type {(pair: Obtained) => boolean} */ isCounted) => [
    ...groups.map((own) => shareOf(own, isCounted)),
    shareOf(wrong, isCounted),
  ];
  const isReview = (/** @type {Obtained} */ { verdict }) => verdict === "review";
  return [
    rowOf(["of the right gaps", ...LANGUAGES.map(({ title }) => title), "of wrong gaps"]),
    rowOf(["review", ...counts(isReview)]),
    rowOf(["any warning", ...counts(({ warnings }) => warnings.length > 0)]),
    ...codes
      .sort()
      .flatMap((code) => [
        rowOf([code, ...counts(isSaid(code))]),
        rowOf(["  of them review", ...counts((pair) => isReview(pair) && isSaid(code)(pair))]),
      ]),
  ];
}

/**
 * @param {readonly Obtained[]} pairs
 * @param {(pair: Obtained) => boolean} isCounted
 */
function shareOf(pairs, isCounted) {
  const count = pairs.filter(isCounted).length;
  return pairs.length === 0 ? "0" : `${count} ${((100 * count) / pairs.length).toFixed(1)}%`;
}

const CONFIDENCES = [0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0];

/**
 * How often a landing is right, by how sure it says it is.
 * @param {readonly Obtained[]} pairs
 */
function calibrationTable(pairs) {
  const rows = ["exact", "moved", "review"].flatMap((verdict) =>
    CONFIDENCES.flatMap((least, at) => {
      const most = CONFIDENCES[at - 1] ?? Number.POSITIVE_INFINITY;
      const own = pairs.filter((pair) => {
        return pair.verdict === verdict && pair.confidence >= least && pair.confidence < most;
      });
      const right = shareOf(own, ({ gap }) => gap === "right");
      return own.length === 0 ? [] : [rowOf([`${verdict} from ${least}`, `${own.length}`, right])];
    }),
  );
  return [rowOf(["confidence", "pairs", "right gap"]), ...rows];
}

/** @param {string} verdict */
function isSure(verdict) {
  return verdict === "exact" || verdict === "moved";
}

/** @param {Pair} pair */
function onlyWithLines({ gap, tree }) {
  return gap === "right" && tree !== "right";
}

/** @param {Pair} pair */
function onlyByLines({ gap, lines }) {
  return gap !== "right" && lines === "right";
}

/** @param {Pair} pair */
function described(pair) {
  return `  ${placeText(pair)}: ${pair.verdict}${pair.seen === "" ? "" : ` (${pair.seen})`}`;
}

/**
 * @param {string} title
 * @param {readonly Pair[]} pairs
 * @param {(pair: Pair) => boolean} isListed
 */
function listed(title, pairs, isListed) {
  const found = pairs.filter(isListed);
  return [`${title}: ${found.length}`, ...found.map(described), ""];
}

/**
 * @param {string} title
 * @param {readonly Pair[]} pairs
 */
function tableOf(title, pairs) {
  const rows = VERDICTS.map((verdict) => {
    return countsOf(
      verdict,
      pairs.filter((pair) => pair.verdict === verdict),
    );
  });
  return [
    rowOf([title, "pairs", "right gap", "wrong gap", "not placed"]),
    ...rows,
    countsOf("all", pairs),
    countsOf(
      "neighbours changed",
      pairs.filter(({ near }) => near === "changed"),
    ),
    countsOf("tree alone", pairs, "tree"),
    countsOf("lines alone", pairs, "lines"),
  ];
}

/**
 * @param {string} name
 * @param {readonly Pair[]} pairs
 * @param {"gap" | "tree" | "lines"} [column]
 */
function countsOf(name, pairs, column = "gap") {
  const counts = GAPS.map((gap) => pairs.filter((pair) => pair[column] === gap).length);
  return rowOf([name, ...[pairs.length, ...counts].map(String)]);
}

/** @param {readonly string[]} cells */
function rowOf(cells) {
  return cells.map((cell, at) => (at === 0 ? cell.padEnd(24) : cell.padStart(14))).join("");
}

/**
 * How good an outcome is: the right gap, and the surer the better; then to say that it cannot; then a wrong gap,
 * and the surer the worse.
 * @param {Pair} pair
 */
function worthOf({ verdict, gap }) {
  if (gap === "none") return 0;
  const sure = verdict === "exact" ? 3 : verdict === "review" ? 1 : 2;
  return gap === "right" ? sure : -sure;
}

/**
 * @param {readonly Pair[]} kept
 * @param {readonly Pair[]} obtained
 */
export function changesOf(kept, obtained) {
  const before = new Map(kept.map((pair) => [placeText(pair), pair]));
  const changes = obtained.flatMap((pair) => {
    const old = before.get(placeText(pair));
    return old && (old.verdict !== pair.verdict || old.gap !== pair.gap) ? [{ old, pair }] : [];
  });
  const worse = changes.filter(({ old, pair }) => worthOf(pair) < worthOf(old));
  const better = changes.filter(({ old, pair }) => worthOf(pair) > worthOf(old));
  const other = changes.filter((change) => !worse.includes(change) && !better.includes(change));
  const texts = (/** @type {typeof changes} */ some) =>
    some.map(({ old, pair }) => {
      return `  ${placeText(pair)}: ${old.verdict}, ${old.gap} -> ${pair.verdict}, ${pair.gap}`;
    });
  const lines = [
    `worse than kept: ${worse.length}`,
    ...texts(worse),
    `better than kept: ${better.length}`,
    ...texts(better),
    `otherwise than kept: ${other.length}`,
    ...texts(other),
  ];
  return { lines, isWorse: worse.length > 0 };
}
