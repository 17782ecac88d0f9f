/** Loops inside of described packages are loops of the run: a stand-in for brain.js with its control flow. */
import { expect, test } from "vitest";
import { TestProject } from "../support/project.ts";
import { ask, costOf, edit } from "../support/ask.ts";

const NETWORK = `"use strict";
function NeuralNetwork(options) {
  this.trainOpts = Object.assign({ iterations: 10, callbackPeriod: 10 }, options);
  this.weights = null;
}
NeuralNetwork.prototype.trainingTick = function trainingTick(data, status) {
  if (status.iterations >= this.trainOpts.iterations) return false;
  status.iterations++;
  var sum = 0;
  for (var i = 0; i < data.length; i++) {
    for (var k = 0; k < 20000; k++) this.weights[0] += 1e-6 * (data[i].output[0] - this.weights[0]);
    sum += Math.abs(this.weights[0] - data[i].output[0]);
  }
  status.error = sum / data.length;
  if (this.trainOpts.callback && status.iterations % this.trainOpts.callbackPeriod === 0) {
    this.trainOpts.callback({ iterations: status.iterations, error: status.error });
  }
  return true;
};
NeuralNetwork.prototype.train = function train(data, options) {
  Object.assign(this.trainOpts, options);
  this.weights = new Float32Array([0.5, 0.25]);
  var status = { error: 1, iterations: 0 };
  while (this.trainingTick(data, status)) {}
  return status;
};
NeuralNetwork.prototype.unheardOf = function () {
  this.weights[0] += 1;
};
exports.default = NeuralNetwork;
`;

const files = (version: string): { [file: string]: string } => ({
  "node_modules/brain.js/package.json": JSON.stringify({ version, main: "index.js" }),
  "node_modules/brain.js/index.js":
    'module.exports = { NeuralNetwork: require("./dist/neural-network").default };\n',
  "node_modules/brain.js/dist/neural-network.js": NETWORK,
  ".gitignore": "node_modules\n",
  "train.cjs": program(),
});

const program = (inside = "", behind = ""): string => `const brain = require("brain.js");
const net = new brain.NeuralNetwork({ hiddenLayers: [3] });
const rows = [0, 1, 1].map((x) => ({ input: [x], output: [x] }));
const seen = [];
const result = net.train(rows, {
  iterations: 40,
  callback: (state) => {
    seen.push(state.error);${inside}
  },
});
${behind}console.log("final", result.error, seen.length);
`;

const cells = (answer: Awaited<ReturnType<typeof ask>>): number[] =>
  answer.cells.map(({ value }) => Number(value));

test("the loop of train is one of the run: it is skipped, and callbacks are asked in it", async () => {
  using project = new TestProject(files("1.6.2"));
  const plain = await project.node("train.cjs");
  const recorded = await project.afterlog("run", "--overhead", "inf", "train.cjs");
  expect(recorded.code, recorded.stderr).toBe(0);
  expect(recorded.stdout).toBe(plain.stdout);
  expect(recorded.stderr).toContain("40 × iteration");

  const behind = 'console.log("w", net.weights[0]);\n';
  edit(project, { "train.cjs": program("", behind) });
  const edited = await project.node("train.cjs");
  const suffix = await ask(project, ["w"]);
  expect(cells(suffix)).toEqual([Number(/^w (.*)$/m.exec(edited.stdout)?.[1])]);
  expect(suffix.cells.map(({ check }) => check)).toEqual(["verified"]);
  expect(costOf(suffix).share, costOf(suffix).notes.join("\n")).toBe(0);

  edit(project, { "train.cjs": program('\n    console.log("e", state.error + net.weights[0]);') });
  const truth = [...(await project.node("train.cjs")).stdout.matchAll(/^e (.*)$/gm)];
  const step = await ask(project, ["e"], { where: "iteration = 29" });
  expect(cells(step)).toEqual([Number(truth[2]?.[1])]);
  expect(costOf(step).share).toBeLessThan(0.2);
});

test("a version that nobody has described is left as it is", async () => {
  using project = new TestProject(files("2.0.0"));
  const plain = await project.node("train.cjs");
  const recorded = await project.afterlog("run", "train.cjs");
  expect(recorded.code, recorded.stderr).toBe(0);
  expect(recorded.stdout).toBe(plain.stdout);
  expect(recorded.stderr).not.toContain("iteration");
});

test("what a skeleton does not have is the package's own", async () => {
  const rest = (behind = ""): string =>
    `for (let round = 0; round < 4; round++) net.unheardOf();\n${behind}`;
  using project = new TestProject({ ...files("1.6.2"), "train.cjs": program("", rest()) });
  const recorded = await project.afterlog("run", "--overhead", "inf", "train.cjs");
  expect(recorded.code, recorded.stderr).toBe(0);
  edit(project, { "train.cjs": program("", rest('console.log("w", net.weights[0]);\n')) });
  const edited = await project.node("train.cjs");
  const answer = await ask(project, ["w"]);
  expect(cells(answer)).toEqual([Number(/^w (.*)$/m.exec(edited.stdout)?.[1])]);
});
