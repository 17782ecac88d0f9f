// @ts-check
/**
 * @file `node scripts/planted-faults/draw.js [--seed N] [--count N] > mutants.json`: draws small
 * changes of the sources by a seed, as many in each room as in any other. One that the compiler
 * refuses is drawn anew: no test is needed to see it. The list is kept, so that the very same are
 * planted before and after a change of the tests.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readSources, TreeCopy } from "./copy.js";
import { describeEdit } from "./edits.js";
import { mutateTypeScript } from "./mutate-typescript.js";
import { build, complaint, stopRunning } from "./run-step.js";
import { roomOf } from "./test-steps.js";

/** @import { Sources } from "./edits.js" */
/** @import { Mutation } from "./mutate-typescript.js" */

/** @typedef {Mutation & { readonly file: string }} Candidate */

const { values: options } = parseArgs({
  options: { seed: { type: "string", default: "13" }, count: { type: "string", default: "40" } },
});

/**
 * What can be changed, by room.
 * @param {Sources} sources
 * @returns {Map<string, Candidate[]>}
 */
function candidates(sources) {
  const python = [...sources].filter(([file]) => file.endsWith(".py"));
  const script = join(import.meta.dirname, "mutate_python.py");
  const input = JSON.stringify(Object.fromEntries(python));
  /** @type {{ [file: string]: Mutation[] }} */
  const inPython = JSON.parse(
    execFileSync("python3", [script], { input, encoding: "utf8", maxBuffer: 1 << 28 }),
  );
  /** @type {Map<string, Candidate[]>} */
  const rooms = new Map();
  for (const [file, text] of sources) {
    const room = roomOf(file);
    // Doors only say what is behind them.
    if (room.includes(".") || file.endsWith("/index.ts")) continue;
    const own = inPython[file] ?? mutateTypeScript(file, text);
    const known = rooms.get(room) ?? [];
    rooms.set(room, known);
    for (const one of own) known.push({ file, ...one });
  }
  return rooms;
}

/**
 * A number below `count` that only the seed and the place in the sequence decide.
 * @param {string} place
 * @param {number} count
 */
function drawn(place, count) {
  const digest = createHash("sha256").update(`${options.seed} ${place}`).digest();
  return Number(digest.readBigUInt64LE(0) % BigInt(count));
}

async function main() {
  const sources = readSources();
  const rooms = [...candidates(sources)].filter(([, own]) => own.length > 0);
  const copy = new TreeCopy();
  process.on("SIGINT", stopRunning);
  try {
    console.log(JSON.stringify(await draw(sources, rooms, copy), null, 2));
  } finally {
    copy[Symbol.dispose]();
  }
}

/**
 * @param {Sources} sources
 * @param {readonly (readonly [room: string, candidates: readonly Candidate[]])[]} rooms
 * @param {TreeCopy} copy
 */
async function draw(sources, rooms, copy) {
  const taken = new Set();
  const mutants = [];
  for (let n = 0, redrawn = 0; mutants.length < Number(options.count); redrawn++) {
    const [room, own] = rooms[n % rooms.length] ?? ["", []];
    const place = `${n} ${redrawn}`;
    const one = own[drawn(place, own.length)];
    if (!one || taken.has(`${one.file} ${one.start}`)) continue;
    taken.add(`${one.file} ${one.start}`);
    const edit = describeEdit(sources.get(one.file) ?? "", one);
    copy.plant(edit);
    const isRefused = one.file.endsWith(".py")
      ? await complaint(copy.folder, one.file)
      : await build(copy.folder);
    if (isRefused !== null) continue;
    n++;
    const id = `m${String(n).padStart(2, "0")}`;
    mutants.push({ id, room, operator: one.operator, ...edit });
    process.stderr.write(`${id} ${room} ${one.operator} ${one.file}\n`);
  }
  return mutants;
}

await main();
