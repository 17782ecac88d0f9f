// @ts-check
/**
 * @file The kept list: which versions of which packages the pairs are of (`packages.tsv`), and each pair
 * with what was obtained for it (`pairs.tsv`, `pairs-apart.tsv`). Tables with tabs, a head each, so that a change shows as
 * the lines that changed. The texts are not kept: they are others' work, and the registries hold them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Two versions of a package. `olderArchive` and `newerArchive` say where a Debian archive is found below a
 * mirror, with its checksum (`pool/main/…tar.gz#sha256`); they are empty for npm, where name and version
 * say it.
 * @typedef {{ readonly registry: string, readonly name: string, readonly older: string, readonly newer: string,
 *   readonly olderArchive: string, readonly newerArchive: string }} Package
 */

/**
 * A statement that both versions of a file have, by its first and last line in each, from 1.
 * @typedef {{ readonly name: string, readonly older: string, readonly newer: string, readonly file: string,
 *   readonly newerLine: string, readonly newerEnd: string, readonly olderLine: string, readonly olderEnd: string }} Place
 */

/**
 * `text`: whether the statement is the `same` in both or `edited`. `near`: whether the lines next to it are
 * the `same` in both or `changed`. `verdict`: of the landing. `gap`: whether it landed in the `right` gap, a
 * `wrong` one, or `none`. `tree` and `lines`: the same for the landing without the lines as a witness, and
 * for the lines alone. `seen`: what a person found a wrong gap to be:
 * `beside`, the older version has statements next to it that the newer one lacks, and it went to their other
 * side; `authors`, they put it elsewhere between the versions; `other`, it is not the same statement; `swap`,
 * it changed places with one that does not depend on it; `fault`, a mistake of landing.
 * @typedef {Place & { readonly text: string, readonly near: string, readonly verdict: string, readonly gap: string,
 *   readonly tree: string, readonly lines: string, readonly seen: string }} Pair
 */

const PACKAGE_COLUMNS = /** @type {const} */ ([
  "registry",
  "name",
  "older",
  "newer",
  "olderArchive",
  "newerArchive",
]);

const PAIR_COLUMNS = /** @type {const} */ ([
  "name",
  "older",
  "newer",
  "file",
  "newerLine",
  "newerEnd",
  "olderLine",
  "olderEnd",
  "text",
  "near",
  "verdict",
  "gap",
  "tree",
  "lines",
  "seen",
]);

/**
 * What a pair is called.
 * @param {Place} pair
 */
export function placeText({ name, older, newer, file, newerLine }) {
  return `${name} ${newer} ${file}:${newerLine} -> ${older}`;
}

/** @returns {Package[]} */
export function readPackages() {
  return readTable("packages.tsv", PACKAGE_COLUMNS);
}

/** The list that is looked at, and one of others of the same packages that is only counted. */
export const PAIRS = "pairs.tsv";
export const PAIRS_APART = "pairs-apart.tsv";

/**
 * @param {string} list
 * @returns {Pair[]}
 */
export function readPairs(list) {
  return readTable(list, PAIR_COLUMNS);
}

/**
 * @param {string} list
 * @param {readonly Pair[]} pairs
 */
export function writePairs(list, pairs) {
  const rows = pairs.map((pair) => PAIR_COLUMNS.map((column) => pair[column]).join("\t"));
  const text = `${[PAIR_COLUMNS.join("\t"), ...rows].join("\n")}\n`;
  writeFileSync(join(import.meta.dirname, list), text);
}

/**
 * @template {string} C
 * @param {string} name
 * @param {readonly C[]} columns
 * @returns {{ readonly [column in C]: string }[]}
 */
function readTable(name, columns) {
  const [head, ...lines] = readFileSync(join(import.meta.dirname, name), "utf8").split("\n");
  if (head !== columns.join("\t")) throw new Error(`${name} does not begin with ${columns.join()}`);
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const cells = line.split("\t");
      const entries = columns.map((column, at) => [column, cells[at] ?? ""]);
      return /** @type {{ readonly [column in C]: string }} */ (Object.fromEntries(entries));
    });
}
