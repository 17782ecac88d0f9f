// @ts-check
/**
 * @file A project with the training in it, and the commands on it: their time by the clock, and the
 * processor time of all their processes, which others on the machine weigh on much less.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** @import { EventCell, ReplayEvent } from "../../build/replayer/index.js" */
/** @import { Manifest, Plan } from "../../build/format/index.js" */

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CLI = join(ROOT, "dist/cli/main.js");
const PROGRAM = "train.js";
const SOURCE = fileURLToPath(new URL("programs/train.js", import.meta.url));
/** All executions of a size draw the same numbers, so their values can be compared. */
const SEED = ["--seed", "7"];

/** Defaults of the program's arguments: those are used where recording is off, too.
 * @typedef {{ epochs: number, steps: number, batch: number, hidden: number }} Sizes
 */

/** @typedef {"prefix" | "suffix" | "outer" | "inner"} Place */

/**
 * @typedef {object} Taken
 * @property {number} s by the clock
 * @property {number} cpuS user and system time of the process and all that it waited for
 * @property {string} out what it printed
 */

/** What is logged at each place: something that needs the state, as a question would. */
const EXPRESSIONS = Object.freeze({
  prefix: "norm(state.params)",
  suffix: "norm(state.velocity)",
  outer: "norm(state.params)",
  inner: "norm(grads)",
});
/** @type {readonly Place[]} */
export const PLACES = ["prefix", "suffix", "outer", "inner"];

/** A package that nobody knows, and that keeps its state to itself: a checkpoint that lacks it is partial. */
const RATES = "rates";

export class Project {
  /** @type {Sizes} */
  #sizes;
  /** The program asks the package for something once an epoch. */
  #isPartial;
  #names = 0;
  /** @type {string} */
  folder;

  /**
   * @param {string} folder
   * @param {Sizes} sizes
   * @param {{ partial?: boolean }} [kind]
   */
  constructor(folder, sizes, { partial = false } = {}) {
    this.#sizes = sizes;
    this.#isPartial = partial;
    this.folder = folder;
    mkdirSync(folder);
    // As ES modules, whatever folder it lies in, and a project of its own.
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
    if (partial) makePackages(folder);
    else symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    this.write({});
  }

  /**
   * Writes the program with these names logged, each at its place.
   * @param {{ readonly [name: string]: Place }} probes
   * @param {(source: string) => string} [change]
   */
  write(probes, change = (source) => source) {
    let source = readFileSync(SOURCE, "utf8");
    for (const [name, size] of Object.entries(this.#sizes)) {
      source = replaceOnce(source, new RegExp(`al\\.arg\\("${name}", \\d+\\)`), `${size}`, name);
    }
    for (const [name, place] of Object.entries(probes)) {
      const mark = `// probe: ${place}`;
      const statement = `al.log("${name}", ${EXPRESSIONS[place]});`;
      assert.ok(source.includes(mark), `the program has no ${mark}`);
      source = source.replace(mark, `${statement} ${mark}`);
    }
    const whole = this.#isPartial ? withRates(source) : source;
    writeFileSync(join(this.folder, PROGRAM), change(whole));
  }

  /**
   * A name that no run has been asked for: a filled cell would cost nothing.
   * @param {Place} place
   */
  freshName(place) {
    return `${place}_${this.#names++}`;
  }

  /**
   * @param {readonly string[]} [args]
   * @param {{ [name: string]: string }} [env]
   */
  run(args = [], env = {}) {
    return take([CLI, "run", ...SEED, PROGRAM, ...args], this.folder, env);
  }

  /**
   * Asks for a new name at a place, with the statement alone in the working tree.
   * @param {Place} place
   * @param {{ where?: string, jobs?: number, canary?: boolean }} [question]
   */
  async ask(place, { where, jobs = 1, canary = true } = {}) {
    const name = this.freshName(place);
    this.write({ [name]: place });
    const condition = where === undefined ? [] : ["--where", where];
    const first = canary ? [] : ["--no-canary"];
    const flags = ["--yes", "--json", "-j", String(jobs), ...first, ...condition];
    const taken = await take([CLI, "replay", name, ...flags], this.folder);
    return { ...taken, ...readEvents(taken.out, name) };
  }

  /**
   * @param {string} name
   * @param {readonly string[]} [flags]
   */
  async plan(name, flags = []) {
    const taken = await take([CLI, "plan", name, "--json", ...flags], this.folder);
    return { ...taken, plan: /** @type {Plan} */ (JSON.parse(taken.out)) };
  }

  /** Folders of the runs that were recorded here, oldest first. */
  recorded() {
    const runs = join(this.folder, ".afterlog/runs");
    return readdirSync(runs)
      .map((run) => ({ folder: join(runs, run), manifest: readManifest(join(runs, run)) }))
      .filter(({ manifest }) => manifest.kind === "record")
      .toSorted((a, b) => a.manifest.order - b.manifest.order);
  }
}

/** @param {string} folder */
function makePackages(folder) {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, RATES), { recursive: true });
  symlinkSync(join(ROOT, "node_modules/@jax-js"), join(modules, "@jax-js"));
  const about = { name: RATES, version: "1.0.0", type: "module", main: "index.js" };
  writeFileSync(join(modules, RATES, "package.json"), JSON.stringify(about));
  const text = "let n = 0;\nexport const nextRate = () => 0.1 / (1 + ++n);\n";
  writeFileSync(join(modules, RATES, "index.js"), text);
}

/** @param {string} source */
function withRates(source) {
  const mark = "// probe: outer";
  assert.ok(source.includes(mark), `the program has no ${mark}`);
  const asking = source.replace(mark, `al.log("rate", nextRate());\n  ${mark}`);
  return `import { nextRate } from "${RATES}";\n${asking}`;
}

/** @param {string} folder */
function readManifest(folder) {
  return /** @type {Manifest} */ (JSON.parse(readFileSync(join(folder, "run.json"), "utf8")));
}

/**
 * @param {string} source
 * @param {RegExp} argument
 * @param {string} value
 * @param {string} name
 */
function replaceOnce(source, argument, value, name) {
  assert.ok(argument.test(source), `the program has no argument ${name}`);
  return source.replace(argument, `al.arg("${name}", ${value})`);
}

/**
 * Cells and summary of a replay; fails unless it filled something and nothing differed.
 * @param {string} out
 * @param {string} name
 */
function readEvents(out, name) {
  const events = out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => /** @type {ReplayEvent} */ (JSON.parse(line)));
  const plan = events.find((event) => event.kind === "plan");
  const canary = events.find((event) => event.kind === "canary");
  const done = events.find((event) => event.kind === "done");
  assert.ok(plan?.kind === "plan" && done?.kind === "done", `${name}: the replay did not end`);
  assert.equal(done.status, "done", name);
  assert.equal(done.marks.diverged, 0, `${name}: diverged`);
  assert.ok(done.cells > 0, `${name}: no cell was filled`);
  /** @type {EventCell[]} */
  const cells = events.filter((event) => event.kind === "cell");
  return { name, plan: plan.plan, canary, done, cells };
}

/**
 * Runs Node and waits.
 * @param {readonly string[]} argv
 * @param {string} cwd
 * @param {{ [name: string]: string }} [env]
 * @returns {Promise<Taken>}
 */
export async function take(argv, cwd, env = {}) {
  const cpuBefore = childrenS();
  const started = performance.now();
  const child = spawn(process.execPath, argv, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
  /** @type {number | null} */
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const s = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`node ${argv.join(" ")} ended with ${code}\n${err}`);
  return { s, cpuS: childrenS() - cpuBefore, out };
}

/** Clock ticks of Linux's `/proc`, whatever the machine. */
const TICKS_PER_S = 100;

/** Seconds of processor time of all processes that this one has waited for, and theirs. */
function childrenS() {
  // After the name, which may have blanks: state is field 3, cutime and cstime are 16 and 17.
  const fields = readFileSync("/proc/self/stat", "latin1").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S;
}
