// @ts-check
/** @file The history of `history.js` for Python: the same lines, versions and kinds of changes. */

/** @import { History, Script } from "./history.js" */

const PERIOD = 7;
const RENAMED = 20;
const LINES_OF_SECTION = 9.3;
const LINES_OF_TRAINING = 18;

const NAMES = ["weights", "net", "model", "params", "trained"];
const SUMS = ["acc", "total", "result", "value"];

/**
 * The text of one version.
 * @param {Script} script
 */
function scriptAt({ lines, version, probe }) {
  const count = Math.max(1, Math.round((lines - LINES_OF_TRAINING) / LINES_OF_SECTION));
  const sections = Array.from({ length: count }, (_, at) => section(at, version));
  const state = NAMES[Math.floor(version / RENAMED) % NAMES.length] ?? "weights";
  const statement =
    probe === undefined ? "" : `al.log(${JSON.stringify(probe)}, ${state}[3] * 2)\n`;
  return `import random
import afterlog as al


${sections.join("\n\n")}

version = al.arg("version", ${version})
${state} = [0.0] * 64
${version % 3 === 0 ? "# Tried on the small data first.\n" : ""}with al.checkpointing(weights=${state}):
    for epoch in al.loop("epoch", range(3)):
        for step in al.loop("step", range(16)):
            ${state}[step] += step${version % count}(step, epoch) + random.random()
            al.log("loss", ${state}[step])
${version % 5 < 2 ? "        size = 64\n" : ""}        al.log("accuracy", ${state}[1])
al.log("f1", ${state}[2])
${statement}`;
}

/**
 * @param {number} at
 * @param {number} version
 */
function section(at, version) {
  const age = Math.floor((version + at) / PERIOD);
  const sum = SUMS[age % SUMS.length] ?? "acc";
  const first = `    ${sum} = ${age % 10}`;
  const second = `    scale = 1 / (1 + epoch * ${(at % 9) + 1})`;
  return `def step${at}(step, epoch):
    """Part ${at} of the step."""
${(age % 2 === 0 ? [first, second] : [second, first]).join("\n")}
    for i in range(${4 + (at % 3)}):
        ${sum} += (step + i) * scale
${age % 4 === 3 ? `        if ${sum} > 1e6: ${sum} = 0\n` : ""}    return ${sum} * ${(at % 5) + 1}e-3
`;
}

/** @type {History} */
export const PYTHON = { file: "train.py", language: "Python", scriptAt };
