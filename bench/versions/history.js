// @ts-check
/**
 * @file A training script and its history: as many lines and as many versions as are asked for. From
 * one version to the next about a seventh of its functions change: names, added lines, constants,
 * the order of statements; the state is renamed now and then, and the evaluation moves.
 */

/** Versions until every function has changed once. */
const PERIOD = 7;
/** Versions until the state has another name. */
const RENAMED = 20;
const LINES_OF_SECTION = 11;
const LINES_OF_TRAINING = 18;

const NAMES = ["state", "net", "model", "params", "trained"];
const SUMS = ["sum", "total", "result", "acc"];

/**
 * @typedef {object} Script
 * @property {number} lines about so many
 * @property {number} version from 0 on
 * @property {string} [probe] name that is logged at its end
 */

/**
 * @typedef {object} History A program as it changes.
 * @property {string} file
 * @property {string} language
 * @property {(script: Script) => string} scriptAt
 */

/**
 * The text of one version.
 * @param {Script} script
 */
function scriptAt({ lines, version, probe }) {
  const count = Math.max(1, Math.round((lines - LINES_OF_TRAINING) / LINES_OF_SECTION));
  const sections = Array.from({ length: count }, (_, at) => section(at, version));
  const state = NAMES[Math.floor(version / RENAMED) % NAMES.length] ?? "state";
  const statement =
    probe === undefined ? "" : `al.log(${JSON.stringify(probe)}, ${state}.w[3] * 2);\n`;
  return `import * as al from "afterlog";

${sections.join("\n")}
const version = al.arg("version", ${version});
const ${state} = al.checkpointing({ w: new Float64Array(64) });
${version % 3 === 0 ? "// Tried on the small data first.\n" : ""}for (const epoch of al.loop("epoch", al.range(3))) {
  for (const step of al.loop("step", al.range(16))) {
    ${state}.w[step] += step${version % count}(step, epoch) + Math.random();
    al.log("loss", ${state}.w[step]);
  }
${version % 5 < 2 ? "  const size = 64;\n" : ""}  al.log("accuracy", ${state}.w[1]);
}
al.log("f1", ${state}.w[2]);
${statement}`;
}

/**
 * @param {number} at
 * @param {number} version
 */
function section(at, version) {
  const age = Math.floor((version + at) / PERIOD);
  const sum = SUMS[age % SUMS.length] ?? "sum";
  const first = `  let ${sum} = ${age % 10};`;
  const second = `  const scale = 1 / (1 + epoch * ${(at % 9) + 1});`;
  return `/** Part ${at} of the step. */
function step${at}(step, epoch) {
${(age % 2 === 0 ? [first, second] : [second, first]).join("\n")}
  for (let i = 0; i < ${4 + (at % 3)}; i++) {
    ${sum} += (step + i) * scale;
${age % 4 === 3 ? `    if (${sum} > 1e6) ${sum} = 0;\n` : ""}  }
  return ${sum} * ${(at % 5) + 1}e-3;
}
`;
}

/** @type {History} */
export const JAVASCRIPT = { file: "train.js", language: "JavaScript", scriptAt };
