/** `model.fit` of TensorFlow.js in a program that never heard of Afterlog: epochs that can be skipped. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { formatPath } from "../../src/format/index.ts";
import { analyzeProgram, rewriteSource } from "../../src/languages/index.ts";
import { ROOT, TestProject } from "../support/project.ts";
import { ask, costOf, edit } from "../support/ask.ts";

const PROBES = `console.log("after", losses.length + history.epoch.length + history.history.loss[2]);
console.log("weight", tf.tidy(() => model.getWeights()[0].norm().dataSync()[0]));
console.log("kind", history.constructor.name === kind ? 1 : 0);
`;

/** Prints little, changes a variable in a callback, and stops early. */
const program = (probes: string): string => `import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const x = tf.tensor2d(Float32Array.from({ length: 40 }, (_, i) => Math.sin(i)), [20, 2]);
const y = x.sum(1, true);
const model = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [2] })] });
model.compile({ optimizer: tf.train.adam(0.05), loss: "meanSquaredError" });
const losses = [];
let kind = "none";
const history = await model.fit(x, y, {
  epochs: 9,
  batchSize: 5,
  verbose: 0,
  callbacks: {
    onEpochEnd: (epoch, logs) => {
      losses.push(logs.loss);
      kind = "History";
      if (epoch === 3) model.stopTraining = true;
    },
  },
});
${probes}console.log("end", model.getWeights()[0].dataSync()[0]);
`;

test("a training is recorded by epoch and batch, and skipped where nothing of it is asked", async () => {
  using project = new TestProject({ "train.mjs": program(""), ".gitignore": "node_modules\n" });
  const recorded = await project.afterlog("run", "--overhead", "inf", "--seed", "3", "train.mjs");
  expect(recorded.code, recorded.stderr).toBe(0);
  expect(recorded.stdout).toMatch(/^end -?\d/m);
  const paths = project.records.flatMap((record) => {
    return record.k === "log" && record.name === "batch_loss" ? [record.path] : [];
  });
  expect(paths).toHaveLength(16);
  expect(paths.at(-1)).toEqual([
    ["epoch", 3],
    ["batch", 3],
  ]);
  expect(project.manifest.audit ?? []).toEqual([]);

  using other = new TestProject({ "train.mjs": program(PROBES), ".gitignore": "node_modules\n" });
  await other.afterlog("run", "--seed", "3", "train.mjs");
  edit(project, { "train.mjs": program(PROBES) });
  const answer = await ask(project, ["after", "weight", "kind"]);
  const { share, notes } = costOf(answer);
  expect(share, notes.join("\n")).toBe(0);
  const valuesOf = (cells: readonly { name: string; value: unknown }[]): string[] =>
    cells.map(({ name, value }) => `${name} ${Number(value)}`).toSorted((p, q) => (p < q ? -1 : 1));
  const truth = ["after", "weight", "kind"].flatMap((name) =>
    other.logged(name).map((value) => ({ name, value })),
  );
  expect(valuesOf(answer.cells)).toEqual(valuesOf(truth));
  expect(answer.cells.map(({ check }) => check)).toEqual(Array(3).fill("verified"));
});

/** Names, what became of lines of the run so that they are logged, and whether less than all is executed. */
const SHOWN: readonly (readonly [name: string, then: string, now: string, isLess: boolean])[] = [
  [
    "by_epoch",
    "epochs: 4 }",
    'epochs: 4, callbacks: { onEpochEnd: (e, l) => console.log("by_epoch", l.loss) } }',
    true,
  ],
  [
    "batches",
    "const history = await model.fit(x, y, { batchSize: 5, verbose: 0, epochs: 4 });",
    "let n = 0;\nconst history = await model.fit(x, y, { batchSize: 5, verbose: 0, epochs: 4, " +
      'callbacks: { onBatchEnd() { n += 1; } } });\nconsole.log("batches", n);',
    false,
  ],
  [
    "cost",
    "sgd.minimize(error);",
    'const cost = sgd.minimize(error, true).dataSync()[0];\n  console.log("cost", cost);',
    true,
  ],
];

const LINES = `import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const x = tf.tensor2d(Float32Array.from({ length: 40 }, (_, i) => Math.sin(i)), [20, 2]);
const y = x.sum(1, true);
const model = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [2] })] });
model.compile({ optimizer: "sgd", loss: "meanSquaredError" });
const history = await model.fit(x, y, { batchSize: 5, verbose: 0, epochs: 4 });
console.log("last", history.history.loss[3]);
const w = tf.variable(tf.scalar(0.5));
const sgd = tf.train.sgd(0.1);
const error = () => w.mul(2).sub(1.5).square().asScalar();
for (let step = 0; step < 3; step++) {
  sgd.minimize(error);
  console.log("w", w.dataSync()[0]);
}
`;

test.each(SHOWN)("a line that shows more: %s", async (name, before, after, isLess) => {
  const now = LINES.replace(before, after);
  using project = new TestProject({ "train.mjs": LINES, ".gitignore": "node_modules\n" });
  using other = new TestProject({ "train.mjs": now, ".gitignore": "node_modules\n" });
  await project.afterlog("run", "--overhead", "inf", "--seed", "3", "train.mjs");
  await other.afterlog("run", "--seed", "3", "train.mjs");
  edit(project, { "train.mjs": now });
  const answer = await ask(project, [name]);
  const found = answer.cells.map(({ value, check }) => `${Number(value)} ${check}`);
  const truth = other.logged(name).map((value) => `${Number(value)} verified`);
  expect(truth.length).toBeGreaterThan(0);
  expect(found).toEqual(truth);
  expect(costOf(answer).share < 1).toBe(isLess);
});

test("a training that is killed behind the batches of an epoch, and resumed, tells all of that epoch", async () => {
  const told = program("console.log(JSON.stringify(history.history.loss), losses.length);\n");
  using plain = new TestProject({ "train.mjs": told, ".gitignore": "node_modules\n" });
  const { stdout } = await plain.afterlog("run", "--seed", "3", "train.mjs");
  const losses = async (of: TestProject): Promise<string> =>
    (await of.afterlog("frame", "loss", "--json")).stdout.replaceAll(/"run":"[^"]*"/g, "");
  using project = new TestProject({ "train.mjs": told, ".gitignore": "node_modules\n" });
  const how = ["run", "--overhead", "inf", "--seed", "3"];
  // Of the first epoch there is the end of its batches.
  const crash = { AFTERLOG_CRASH_AT: "persist:before-rename#2" };
  await project.afterlogWith(crash, ...how, "train.mjs");
  const resumed = await project.afterlog(...how, "--resume", "train.mjs");
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stdout).toContain(stdout.trim());
  expect(await losses(project)).toBe(await losses(plain));
});

test("two trainings at once are left alone, and no error of ours reaches the program", async () => {
  const text = `import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const x = tf.ones([8, 2]);
async function train() {
  const model = tf.sequential({ layers: [tf.layers.dense({ units: 1, inputShape: [2] })] });
  model.compile({ optimizer: "sgd", loss: "meanSquaredError" });
  return await model.fit(x, x.sum(1, true), { epochs: 2, batchSize: 2 });
}
const [a, b] = await Promise.all([train(), train()]);
console.log("epochs", a.epoch.length + b.history.loss.length);
`;
  using project = new TestProject({ "train.mjs": text, ".gitignore": "node_modules\n" });
  const { code, stdout, stderr } = await project.afterlog("run", "train.mjs");
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: "epochs 4\n" });
  expect(project.manifest.rewriter.leftAlone).toMatchObject([{ file: "train.mjs", line: 7 }]);
});

/** Trains once for each row, and prints what came of it; the rows are options of `fit`. */
const optionRows = (probe: string, inCallback: string): string => `
import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const x = tf.tensor2d(Float32Array.from({ length: 46 }, (_, i) => Math.sin(i)), [23, 2]);
const y = x.sum(1, true);
class Seen extends tf.Callback {
  calls = [];
  setParams(params) { super.setParams(params); this.calls.push(params.epochs, params.samples); }
  async onTrainBegin() { this.calls.push("begin"); }
  async onBatchEnd(batch, logs) { this.calls.push(typeof logs.loss.dataSync); }
  async onEpochEnd(epoch, logs) { this.calls.push(epoch, Object.keys(logs).join()); }
  async onTrainEnd() { this.calls.push("end"); }
}
const calls = [];
const functions = {
  onEpochBegin(epoch) { calls.push(this.params.epochs, epoch); },
  onEpochEnd: (epoch, logs) => {
    ${inCallback}calls.push(logs.loss, Math.random());
  },
};
const stopping = { onEpochEnd: (epoch) => { if (epoch === 2) model.stopTraining = true; } };
const half = [x.slice(0, 4), y.slice(0, 4)];
const rows = [
  {}, { shuffle: true }, { shuffle: false }, { shuffle: null }, { shuffle: "batch" },
  { validationSplit: 0.3 }, { initialEpoch: 2 }, { initialEpoch: 4 }, { epochs: 1 }, { batchSize: 23 },
  { callbacks: functions }, { callbacks: [functions, stopping] }, { callbacks: new Seen() },
  { callbacks: [new Seen(), tf.callbacks.earlyStopping({ monitor: "loss", minDelta: 1e9 })] },
  { callbacks: [], yieldEvery: "never" }, { validationData: half },
];
let model;
const makeModel = (isSequential) => {
  const [dense, dropout, last] = [tf.layers.dense({ units: 4, inputShape: [2] }), tf.layers.dropout({ rate: 0.3 }), tf.layers.dense({ units: 1 })];
  const inputs = tf.input({ shape: [2] });
  const made = isSequential
    ? tf.sequential({ layers: [dense, dropout, last] })
    : tf.model({ inputs, outputs: last.apply(dropout.apply(dense.apply(inputs))) });
  made.compile({ optimizer: tf.train.adam(0.05), loss: "meanSquaredError" });
  return made;
};
const told = (what) => console.log("told", JSON.stringify(what));
for (const row of rows) {
  model = makeModel(rows.indexOf(row) % 2 === 0);
  try {
    const { epoch, history } = await model.fit(x, y, { epochs: 4, batchSize: 5, verbose: 0, ...row });
    told([epoch, history, model.stopTraining, model.history?.epoch]);
  } catch (error) { told(error.message); }
  ${probe}told([calls.splice(0), row.callbacks?.calls, row.callbacks?.[0]?.calls]);
  console.log("weights", model.getWeights().map((w) => w.dataSync().join()).join("|"), Math.random());
}
model = makeModel(true);
const data = tf.data.zip({ xs: tf.data.array(x.arraySync()), ys: tf.data.array(y.arraySync()) });
const { history } = await model.fitDataset(data.shuffle(23, "s").batch(5), { epochs: 3, verbose: 0 });
told(history);
`;

test("a recorded training is the same training, whatever its options, and so is a replayed one", async () => {
  const seeded = `import { SeededRandom } from ${JSON.stringify(join(ROOT, "build/sdk/random.js"))};
Math.random = new SeededRandom("3").random;
`;
  const asked = optionRows(
    'console.log("norm", model.getWeights()[0].norm().dataSync()[0]);\n  ',
    'console.log("bias", model.getWeights()[1].norm().dataSync()[0]);\n    ',
  );
  const files = { "seed.mjs": seeded, ".gitignore": "node_modules\n" };
  using project = new TestProject({ ...files, "train.mjs": optionRows("", "") });
  const plain = await project.node("--import", "./seed.mjs", "train.mjs");
  expect(plain.code, plain.stderr).toBe(0);
  const argv = ["run", "--overhead", "inf", "--seed", "3", "train.mjs"];
  const recorded = await project.afterlog(...argv);
  expect(recorded.code, recorded.stderr).toBe(0);
  expect(recorded.stdout.split("\n")).toEqual(plain.stdout.split("\n"));
  expect(recorded.stdout.match(/^weights/gm)).toHaveLength(16);

  using other = new TestProject({ ...files, "train.mjs": asked });
  const truth = await other.node("--import", "./seed.mjs", "train.mjs");
  edit(project, { "train.mjs": asked });
  for (const name of ["norm", "bias"]) {
    const answer = await ask(project, [name]);
    const values = [...truth.stdout.matchAll(new RegExp(`^${name} (\\S+)$`, "gm"))];
    expect(
      answer.cells.map(({ value }) => Number(value)),
      answer.stderr,
    ).toEqual(values.map(([, text]) => Number(text)));
    const marks = new Set(answer.cells.map(({ check }) => check));
    expect([...marks], answer.stderr).toEqual(["verified"]);
  }
}, 180_000);

/** Callbacks of all kinds, in `fit` and in `fitDataset`; a probe is put before each `//` that stands alone. */
const CALLBACKS = `import * as tf from "@tensorflow/tfjs";
await tf.setBackend("cpu");
const rows = Array.from({ length: 24 }, (_, i) => [Math.sin(i), Math.cos(i)]);
const xs = tf.tensor2d(rows);
const ys = xs.sum(1, true);
const make = () => {
  const made = tf.sequential({ layers: [tf.layers.dense({ units: 3, inputShape: [2] }), tf.layers.dropout({ rate: 0.2 }), tf.layers.dense({ units: 1 })] });
  made.compile({ optimizer: tf.train.adam(0.05), loss: "meanSquaredError" });
  return made;
};
const norm = (of) => tf.tidy(() => of.getWeights()[0].norm().dataSync()[0]);
const losses = [];
let seen = 0;
const model = make();
const told = {
  onTrainBegin: () => {
    //PROBE console.log("p_begin", norm(model));
  },
  onEpochBegin: async () => {
    seen += 10;
    //PROBE console.log("p_before", norm(model), seen);
  },
  onBatchEnd: async (batch) => {
    seen += 1;
    //PROBE console.log("p_batch", norm(model), seen);
  },
  onEpochEnd: (epoch, logs) => {
    losses.push(logs.loss + logs.val_loss);
    //PROBE console.log("p_epoch", norm(model), seen, losses.at(-1));
    if (epoch === 4) model.stopTraining = true;
  },
  onTrainEnd: () => {
    //PROBE console.log("p_end", norm(model), losses.length);
  },
};
await model.fit(xs, ys, { epochs: 9, batchSize: 6, validationSplit: 0.2, callbacks: [told, {}] });
class Watch extends tf.Callback {
  async onEpochEnd(epoch) {
    losses.push(epoch);
    //PROBE console.log("p_class", norm(other), losses.length);
  }
}
const other = make();
await other.fit(xs, ys, { epochs: 4, batchSize: 6, callbacks: new Watch() });
function* give() {
  for (const row of rows) yield { xs: row, ys: [row[0] + row[1]] };
}
const data = tf.data.generator(give).shuffle(24, "s").batch(6);
const last = make();
const { history } = await last.fitDataset(data, {
  epochs: 5,
  callbacks: {
    onBatchEnd: () => {
      //PROBE console.log("p_data_batch", norm(last));
    },
    onEpochEnd: (epoch, logs) => {
      //PROBE console.log("p_data_epoch", norm(last), logs.loss);
    },
  },
});
await last.fitDataset(data, { epochs: 2, batchesPerEpoch: 2, verbose: 0 });
//PROBE console.log("p_last", norm(last), history.loss[3]);
console.log("end", norm(model), norm(other), norm(last), losses.length, seen);
`;
const probed = CALLBACKS.replaceAll("//PROBE ", "");

test("callbacks are asked in the loops in which they run", async () => {
  const files = { ".gitignore": "node_modules\n" };
  using project = new TestProject({ ...files, "train.mjs": CALLBACKS });
  const recorded = await project.afterlog("run", "--overhead", "inf", "--seed", "3", "train.mjs");
  expect(recorded.code, recorded.stderr).toBe(0);
  using other = new TestProject({ ...files, "train.mjs": probed });
  await other.afterlog("run", "--overhead", "0", "--seed", "3", "train.mjs");
  edit(project, { "train.mjs": probed });
  const outside = ["p_begin", "p_before", "p_epoch", "p_class", "p_end", "p_data_epoch", "p_last"];
  for (const [names, where, most] of [
    [outside, undefined, 0],
    // So many of 60 batches.
    [["p_batch"], "epoch >= 3 and batch < 2", 5],
    [["p_data_batch"], "epoch = 2", 4],
  ] as const) {
    const answer = await ask(project, names, { where, env: { AFTERLOG_CONTROL: "0" } });
    const { iterations, notes } = costOf(answer);
    const context = `${names.join()} ${notes.join("; ")} ${answer.stderr}`;
    expect(iterations, context).toBeLessThanOrEqual(most);
    const found = answer.cells.map(({ path, name, value }) => `${path} ${name} ${Number(value)}`);
    const truth = other.records.flatMap((record) => {
      if (record.k !== "log" || !(names as readonly string[]).includes(record.name)) return [];
      return [`${formatPath(record.path)} ${record.name} ${Number(record.value)}`];
    });
    expect(found.length, names.join()).toBeGreaterThan(0);
    expect(truth).toEqual(expect.arrayContaining(found));
    if (!where) expect(found).toHaveLength(truth.length);
    // Before anything was computed that the run had logged, there is nothing to compare.
    const first = [" p_begin unchecked", "epoch=0 p_before unchecked"];
    const doubted = answer.cells.filter(({ check }) => check !== "verified");
    const marks = doubted.map(({ path, name, check }) => `${path} ${name} ${check}`);
    expect(marks).toEqual(names === outside ? first : []);
  }
}, 180_000);

describe("which calls are such a training", () => {
  const rewritten = (text: string, handsFree: boolean): string => {
    const read = (file: string): string | undefined => (file === "p.ts" ? text : undefined);
    const model = analyzeProgram("p.ts", read, { handsFree });
    return rewriteSource("p.ts", text, model, { handsFree });
  };
  const TF = 'import * as tf from "@tensorflow/tfjs"; const m = tf.sequential(); const o = {};';
  const AL = 'import * as al from "afterlog";';
  test.each<[string, string, boolean]>([
    ["awaited", `${TF} await m.fit(1, 2, o);`, true],
    ["its model in an object", `${TF} const t = { m }; await t.m.fit(1, 2, o);`, true],
    ["perhaps", `${TF} await m?.fit(1, 2);`, true],
    ["by its options", "export async function f(m) { await m.fit(1, 2, { epochs: 3 }); }", true],
    ["of nothing that is known", "export async function f(m) { await m.fit(1, 2); }", false],
    ["of a dataset", `${TF} await m.fitDataset(1, o);`, true],
    ["of a dataset, with too much", `${TF} await m.fitDataset(1, 2, o);`, false],
    ["not awaited", `${TF} m.fit(1, 2, o);`, false],
    ["several at once", `${TF} await Promise.all([m.fit(1, 2, o), m.fit(3, 4, o)]);`, false],
    [
      "a function of the program",
      `${TF} class K { async fit() {} } await new K().fit(1, 2);`,
      false,
    ],
    ["in a log statement", `${TF} console.log("x", await m.fit(1, 2, o));`, false],
    ["of another name", `${TF} await m.fits(1, 2, o);`, false],
  ])("%s", (_, text, expected) => {
    expect(/\.on\(/.test(rewritten(text, true))).toBe(expected);
  });

  test.each<[string, string, boolean]>([
    ["with our callback", `${TF} ${AL} await m.fit(1, 2, { callbacks: al.fitCallback(m) });`, true],
    ["without it", `${TF} ${AL} al.log("x", 1); await m.fit(1, 2, o);`, false],
  ])("in a program that calls us: %s", (_, text, expected) => {
    expect(/\.on\(/.test(rewritten(text, false))).toBe(expected);
  });
});
