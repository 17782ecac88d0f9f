// @ts-check
/**
 * @file Programs of the gallery in several trees of Afterlog (before and after a change), each in turn with the plain
 * program, several programs at a time on two cores each: for a machine that is idle for some minutes. One line of
 * JSON for each program and tree goes to the folder as soon as a round is over.
 *
 *     node bench/programs/interleaved.js --out FOLDER --python PYTHON --tree before=DIR --tree after=. \
 *       --program diffusion --program kfold [--rounds 3] [--seconds 420]
 */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median } from "../measure.js";
import { ROOT } from "../replay/project.js";
import { manifestsOf, runPlain, succeed, timed, writeFiles } from "./executing.js";
import { filesAsking, readPrograms } from "./program.js";

/** @import { Program } from "./program.js" */

const CORES_EACH = 2;

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "interleaved" },
    python: { type: "string", default: "python3" },
    tree: { type: "string", multiple: true, default: [`now=${ROOT}`] },
    program: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "420" },
    // A second or two each: to see that it works.
    quick: { type: "boolean", default: false },
    // Which one of the programs this process measures.
    at: { type: "string" },
  },
});
const out = resolve(values.out);
const untilMs = Date.now() + Number(values.seconds) * 1000;
const trees = values.tree.map((text) => {
  const [name = "", folder = ""] = text.split("=");
  return { name, cli: join(resolve(folder), "dist/cli/main.js") };
});

if (values.at === undefined) await measureAll();
else measure(Number(values.at));

/** Each program in a process of its own, with cores of its own. */
async function measureAll() {
  mkdirSync(out, { recursive: true });
  const waiting = values.program.map((_, at) => at);
  const places = Math.max(1, Math.floor(availableParallelism() / CORES_EACH));
  await Promise.all(
    Array.from({ length: places }, async (_, place) => {
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
        const cores = `${place * CORES_EACH}-${place * CORES_EACH + CORES_EACH - 1}`;
        const own = [fileURLToPath(import.meta.url), ...process.argv.slice(2), "--at", `${at}`];
        const child = spawn("taskset", ["-c", cores, process.execPath, ...own], {
          stdio: "inherit",
        });
        await new Promise((done) => child.on("exit", done));
      }
    }),
  );
}

/** @param {number} at */
function measure(at) {
  const name = values.program[at] ?? "";
  const program = readPrograms(join(ROOT, "bench/programs/python")).find(
    (one) => one.name === name,
  );
  if (!program) throw new Error(`no program ${name}`);
  /** @type {{ [tree: string]: { ratios: number[], shares: number[] } }} */
  const found = Object.fromEntries(trees.map((one) => [one.name, { ratios: [], shares: [] }]));
  const argv = values.quick ? program.quick : program.full;
  const startS = startsOf(name);
  for (let round = 0; round < Number(values.rounds) && Date.now() < untilMs; round++) {
    const folder = join(out, "runs", name, `${round}`);
    const execution = { program, interpreter: values.python, argv, folder };
    const plainS = succeed(runPlain(execution, "plain", filesAsking(program, []))).cpuS;
    // Whoever is first finds colder files.
    for (const tree of round % 2 === 0 ? trees : trees.toReversed()) {
      const cwd = writeFiles(join(folder, tree.name, name), filesAsking(program, []));
      const how = ["run", "--python", values.python, program.entry, ...argv];
      const { cpuS } = succeed(timed(cwd, [process.execPath, tree.cli, ...how]));
      const overhead = manifestsOf(cwd)[0]?.overhead;
      const { ratios = [], shares = [] } = found[tree.name] ?? {};
      ratios.push((cpuS - (startS[tree.name] ?? 0)) / plainS);
      shares.push(outerShare(program, cwd, tree.cli));
      const line = { name, tree: tree.name, round, plainS, cpuS, startS: startS[tree.name] };
      const more = { share: shares.at(-1), ratio: ratios.at(-1), overhead };
      appendFileSync(join(out, "results.jsonl"), `${JSON.stringify({ ...line, ...more })}\n`);
    }
  }
  for (const [tree, { ratios, shares }] of Object.entries(found)) {
    const ratio = `${spread(ratios)} of plain, less the start`;
    console.log(`${name} ${tree}: n=${ratios.length}, ${ratio}; outer ${spread(shares)}`);
  }
}

/**
 * What recording a program takes that does nothing, by tree.
 * @param {string} name
 */
function startsOf(name) {
  const cwd = writeFiles(join(out, "runs", name, "start", "empty"), { "main.py": "pass\n" });
  const plainS = timed(cwd, [values.python, "main.py"]).cpuS;
  return Object.fromEntries(
    trees.map((tree) => {
      const command = [process.execPath, tree.cli, "run", "--python", values.python, "main.py"];
      return [tree.name, timed(cwd, command).cpuS - plainS];
    }),
  );
}

/**
 * What the question that is asked once an epoch would execute again.
 * @param {Program} program
 * @param {string} cwd
 * @param {string} cli
 */
function outerShare(program, cwd, cli) {
  const asked = program.questions.find(({ depth }) => depth === "outer");
  if (!asked) return NaN;
  writeFiles(cwd, filesAsking(program, [asked.name]));
  const { stdout } = spawnSync(process.execPath, [cli, "plan", asked.name, "--json"], {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  return stdout.startsWith("{") ? (JSON.parse(stdout).runs?.[0]?.share ?? NaN) : NaN;
}

/** @param {readonly number[]} numbers */
function spread(numbers) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return `${median([...numbers]).toFixed(3)} (${least.toFixed(3)} – ${most.toFixed(3)})`;
}
