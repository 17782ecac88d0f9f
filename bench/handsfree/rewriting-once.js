// @ts-check
/** @file Rewrites one program several times in this process; prints the processor time of each. */
import { readFileSync } from "node:fs";
import { ProgramRewriter } from "../../build/languages/typescript/rewriting/program-rewriter.js";
import { optionsFor } from "./rewriting.js";

const [root = "", program = "", rounds = "8"] = process.argv.slice(2);
const text = readFileSync(program, "utf8");
/** @type {number[]} */
const all = [];
for (let round = 0; round < Number(rounds); round++) {
  const before = process.cpuUsage();
  new ProgramRewriter(optionsFor(root, program)).rewrite(program, text);
  const { user, system } = process.cpuUsage(before);
  all.push((user + system) / 1e3);
}
console.log(JSON.stringify(all));
