// @ts-check
/**
 * @file Draws the pairs: statements that log, which both versions of a file have once. Which of them are
 * taken is decided by a checksum of where they stand, so that the same packages give the same list.
 */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { languageOf } from "../../build/languages/index.js";
import { fetchBoth } from "./archives.js";
import { placeText } from "./list.js";
import { isPython } from "./removed.js";

/** @import { Version } from "./archives.js" */
/** @import { Package, Pair } from "./list.js" */

/**
 * What decides which are taken; how many at most of two versions of one package, and of one kind of files in all;
 * and those of another list.
 * @typedef {{ readonly seed: string, readonly versionsMax: number, readonly kindMax: { readonly [kind: string]: number },
 *   readonly except: readonly Pair[] }} Drawing
 */

/** @type {Drawing} */
export const KEPT = {
  seed: "landings 1",
  versionsMax: 20,
  kindMax: { js: 320, ts: 320, py: 440 },
  except: [],
};
/** @type {Omit<Drawing, "except">} */
export const APART = {
  seed: "landings apart",
  versionsMax: 12,
  kindMax: { js: 100, ts: 100, py: 120 },
};

/** Of one file. */
const FILE_MAX = 3;
/** Share of those whose neighbours changed: the others are easy, and show that easy ones stay so. */
const CHANGED = 0.7;

/** What is built from sources, or is others' work, or is not meant to be read. */
const NOT_SOURCE =
  /(?:^|\/)(?:dist|build|node_modules|vendor|_vendor|third_party|fixtures|min|umd|cjs|es5|locale|i18n)(?:\/|$)|\.min\.|bundle/;
const TEXT_MAX = 150_000;

/**
 * @param {readonly Package[]} packages
 * @param {Drawing} drawing
 * @returns {Pair[]}
 */
export function drawPairs(packages, { seed, versionsMax, kindMax, except }) {
  const known = new Set(except.map(placeText));
  const mixed = (/** @type {number} */ most, /** @type {readonly Pair[]} */ pairs) =>
    mixedBy(seed, most, pairs);
  const drawn = packages.flatMap((one) => {
    const both = fetchBoth(one);
    if (!both) return [];
    const found = filesOf(both).flatMap((file) => {
      const own = statementsOfBoth(one, both, file).filter((pair) => !known.has(placeText(pair)));
      return mixed(FILE_MAX, own);
    });
    return mixed(versionsMax, found);
  });
  return Object.entries(kindMax).flatMap(([kind, most]) => {
    const own = drawn.filter(({ file }) => kindOf(file) === kind);
    const order = new Map(packages.map(({ name, older }, at) => [`${name} ${older}`, at]));
    const place = (/** @type {Pair} */ one) => order.get(`${one.name} ${one.older}`) ?? 0;
    return mixed(most, own).sort(
      (a, b) =>
        place(a) - place(b) ||
        (a.file < b.file ? -1 : a.file > b.file ? 1 : Number(a.newerLine) - Number(b.newerLine)),
    );
  });
}

/** @param {string} file */
export function kindOf(file) {
  return isPython(file) ? "py" : /\.[cm]?ts$/.test(file) ? "ts" : "js";
}

/**
 * @param {string} seed
 * @param {number} most
 * @param {readonly Pair[]} pairs
 */
function mixedBy(seed, most, pairs) {
  const changed = atMost(
    seed,
    Math.round(most * CHANGED),
    pairs.filter(({ near }) => near === "changed"),
  );
  return [
    ...changed,
    ...atMost(
      seed,
      most - changed.length,
      pairs.filter(({ near }) => near === "same"),
    ),
  ];
}

/**
 * @param {string} seed
 * @param {number} most
 * @param {readonly Pair[]} pairs
 */
function atMost(seed, most, pairs) {
  const rank = (/** @type {Pair} */ { name, older, newer, file, newerLine }) => {
    const place = [seed, name, older, newer, file, newerLine].join("\n");
    return createHash("sha256").update(place).digest("hex");
  };
  const ranked = pairs.map((pair) => ({ pair, rank: rank(pair) }));
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return ranked.slice(0, most).map(({ pair }) => pair);
}

/**
 * The name of a file without folders and extension: JavaScript by the name of a TypeScript file was made from it.
 * @param {string} file
 */
function stemOf(file) {
  return basename(file).replace(/\.\w+$/, "");
}

/** @param {{ readonly older: Version, readonly newer: Version }} both */
function filesOf({ older, newer }) {
  const old = new Set(older.files());
  const files = newer.files().filter((file) => !NOT_SOURCE.test(file));
  const typed = new Set(files.filter((file) => kindOf(file) === "ts").map(stemOf));
  return files.filter((file) => {
    if (!old.has(file) || (kindOf(file) === "js" && typed.has(stemOf(file)))) return false;
    const [now = "", then = ""] = [newer.text(file), older.text(file)];
    return now !== then && Math.max(now.length, then.length) <= TEXT_MAX;
  });
}

/**
 * @param {Package} one
 * @param {{ readonly older: Version, readonly newer: Version }} both
 * @param {string} file
 * @returns {Pair[]}
 */
function statementsOfBoth({ name, older, newer }, both, file) {
  const [now = "", then = ""] = [both.newer.text(file), both.older.text(file)];
  if (!mayLog(now) || !mayLog(then)) return [];
  const [ours, theirs] = [logsOf(file, now), logsOf(file, then)];
  /** @type {Pair[]} */
  const pairs = [];
  for (const log of ours) {
    const other = partnerOf(log, ours, theirs);
    if (!other || !other.isRemovable || !log.isAlone) continue;
    const place = {
      newerLine: String(log.line),
      newerEnd: String(log.end),
      olderLine: String(other.line),
      olderEnd: String(other.end),
    };
    pairs.push({
      name,
      older,
      newer,
      file,
      ...place,
      text: log.words === other.words ? "same" : "edited",
      near: log.near === other.near ? "same" : "changed",
      verdict: "",
      gap: "",
      tree: "",
      lines: "",
      seen: "",
    });
  }
  return pairs;
}

/**
 * The statement of the older text that is this one: with the same words, or else the same call with the
 * same first string, and in both cases the only such one on both sides.
 * @param {Log} log
 * @param {readonly Log[]} ours
 * @param {readonly Log[]} theirs
 * @returns {Log | undefined}
 */
function partnerOf(log, ours, theirs) {
  for (const key of /** @type {const} */ (["words", "call"])) {
    if (log[key].length < WORDS_MIN) continue;
    const [same, found] = [ours, theirs].map((logs) => logs.filter((one) => one[key] === log[key]));
    if (same?.length === 1 && found?.length === 1) return found[0];
  }
  return undefined;
}

/** Characters that make a statement one of its own. */
const WORDS_MIN = 18;

/**
 * @typedef {{ readonly line: number, readonly end: number, readonly words: string, readonly call: string,
 *   readonly near: string, readonly isAlone: boolean, readonly isRemovable: boolean }} Log
 */

/**
 * The statements of a text that log, each on lines of its own.
 * @param {string} file
 * @param {string} text
 * @returns {Log[]}
 */
function logsOf(file, text) {
  const source = languageOf(file).read(file, text);
  if ("problem" in source) return [];
  const lines = text.split("\n");
  /** @type {Log[]} */
  const found = [];
  for (const { statements } of source.lists) {
    for (const { node } of statements) {
      const { type, start, end } = node;
      const own = text.slice(start, end);
      const callee = CALLEE.exec(own)?.[1];
      if (!/^expression_?statement$/i.test(type) || callee === undefined || !isLogCall(callee))
        continue;
      const first = source.lines.at(start).line;
      const last = source.lines.at(end).line;
      const isAlone =
        /^[ \t]*$/.test(lines[first - 1]?.slice(0, source.lines.at(start).column - 1) ?? "") &&
        /^[ \t;\r]*$/.test(lines[last - 1]?.slice(source.lines.at(end).column - 1) ?? "");
      found.push({
        line: first,
        end: last,
        words: own.replaceAll(/[\s;]+/g, ""),
        call: callWith(callee, own),
        near: `${nearest(lines.slice(0, first - 1).toReversed())}\n${nearest(lines.slice(last))}`,
        isAlone,
        isRemovable: isAlone && statements.length > 1,
      });
    }
  }
  return found;
}

/**
 * A call with its first string that says something; empty if it has none.
 * @param {string} callee
 * @param {string} text
 */
function callWith(callee, text) {
  const string = /["'`]([^"'`\n]{10,})["'`]/.exec(text)?.[1];
  return string === undefined ? "" : `${callee} ${string}`;
}

const CALLEE = /^(?:await\s+)?([\w$.#?]+)\s*\(/;

/**
 * Whether a line begins like a call that logs: most files have none, and need not be parsed.
 * @param {string} text
 */
function mayLog(text) {
  return text.split("\n").some((line) => isLogCall(CALLEE.exec(line.trimStart())?.[1] ?? ""));
}

/** @param {string} callee */
function isLogCall(callee) {
  return (
    /(?:^|[.#_])(?:console|_?log|_?logger|logging|debug)(?:\.|\?\.)\w+$/i.test(callee) ||
    /(?:^|[.#_])(?:log|print|debug|info|warn|warning|error|exception|critical|trace|verbose)$/i.test(
      callee,
    ) ||
    /(?:stdout|stderr)\.write$|[a-z]Log$/.test(callee)
  );
}

/**
 * The first line that is not blank.
 * @param {readonly string[]} lines
 */
function nearest(lines) {
  return lines.find((line) => line.trim() !== "")?.trim() ?? "";
}
