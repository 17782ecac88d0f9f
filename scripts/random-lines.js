// @ts-check
/**
 * @file `node scripts/random-lines.js [--seed N] [--count N] [--answers]`: lines of the sources of
 * both languages, drawn by a seed, each with the function around it and without its path. Somebody
 * who has read ARCHITECTURE.md only should be able to say in which room each stands; `--answers`
 * says it. A room whose lines nobody knows has names that say too little.
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { parseSync } from "oxc-parser";
import { readSources } from "./planted-faults/copy.js";
import { roomOf } from "./planted-faults/test-steps.js";

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "30" },
    answers: { type: "boolean", default: false },
  },
});

/** Lines that say nothing of their room: blank, brackets, comments, imports and exports of a door. */
const SILENT =
  /^\s*(?:$|[^\w"'`]+$|\/\/|\/?\*|#|"""|(?:import|from|export \{|export type \{)\b|\} from\b)/;

const candidates = [...readSources()].flatMap(([file, text]) => {
  if (/(?:^|\/)(?:index\.ts|__init__\.py)$/.test(file)) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, at) => (SILENT.test(line) ? [] : [{ file, text, lines, at }]));
});

for (let nth = 1; nth <= Number(options.count); nth++) {
  const digest = createHash("sha256").update(`${options.seed} ${nth}`).digest();
  const { file, text, lines, at } = candidates[digest.readUInt32LE() % candidates.length] ?? fail();
  if (options.answers) {
    console.log(`${nth}\t${roomOf(file)}\t${file}:${at + 1}`);
    continue;
  }
  const [from, to] = file.endsWith(".py") ? pythonAround(lines, at) : scriptAround(file, text, at);
  const shown = lines
    .slice(from, to + 1)
    .map((line, n) => `${from + n === at ? ">" : " "} ${line}`);
  console.log(`--- ${nth}\n${shown.join("\n")}\n`);
}

/** @returns {never} */
function fail() {
  throw new Error("there is no source");
}

/**
 * First and last line of the innermost function, or of the statement at the top of the file.
 * @param {string} file
 * @param {string} text
 * @param {number} at
 * @returns {[number, number]}
 */
function scriptAround(file, text, at) {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const lineOf = (/** @type {number} */ offset) => ends.filter((end) => end < offset).length;
  /** @type {[number, number]} */
  let around = [at, at];
  const visit = (/** @type {any} */ node, /** @type {boolean} */ isTop) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach((one) => visit(one, isTop));
    const isShown = isTop || /^(?:FunctionDeclaration|MethodDefinition)$/.test(node.type);
    if (isShown && lineOf(node.start) <= at && lineOf(node.end) >= at)
      around = [lineOf(node.start), lineOf(node.end)];
    for (const [key, child] of Object.entries(node)) if (key !== "parent") visit(child, false);
  };
  visit(parseSync(file, text).program.body, true);
  return around;
}

/**
 * The same, by indentation.
 * @param {readonly string[]} lines
 * @param {number} at
 * @returns {[number, number]}
 */
function pythonAround(lines, at) {
  const depth = (/** @type {number} */ n) => /\S/.exec(lines[n] ?? "")?.index ?? Infinity;
  let from = at;
  let least = depth(at);
  while (from > 0 && least > 0 && !/^\s*(?:async )?def /.test(lines[from] ?? "")) {
    from--;
    while (from > 0 && depth(from) >= least) from--;
    least = depth(from);
  }
  let to = at;
  while (to + 1 < lines.length && depth(to + 1) > least) to++;
  return [from, to];
}
