// @ts-check
/**
 * @file Does the hunt find the planted faults? Many programs are needed for that, and so a machine with many
 * processors, which need not have a compiler: what a fault changes is built first, in one file for each.
 *
 * Usage: node scripts/planted-faults/by-hunt.js --build FOLDER [--only ID]...
 *        node scripts/planted-faults/by-hunt.js --hunt FOLDER --out FOLDER [--only ID]...
 *   --jobs N     processes beside each other
 *   --seeds A-B  programs of each language; without it the one by which the fault was found before
 *                (`hunt` in faults.json), then those of npm test
 *   --minutes N  begins no fault after so long; a second call goes on with what is left
 */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { ROOT, TreeCopy } from "./copy.js";

const { values: options } = parseArgs({
  options: {
    build: { type: "string" },
    hunt: { type: "string" },
    out: { type: "string" },
    only: { type: "string", multiple: true },
    jobs: { type: "string", default: String(availableParallelism()) },
    seeds: { type: "string" },
    minutes: { type: "string", default: "Infinity" },
  },
});

/** The programs of npm test. */
const USUAL = "0-29";

const FAULTS = JSON.parse(readFileSync(join(import.meta.dirname, "faults.json"), "utf8"));

/** What a hunt reads of the tree besides what is built. */
const PARTS = ["build", "dist", "python", "libraries", "scripts", "test", "package.json"];

if (options.build) buildFaults(options.build);
else if (options.hunt && options.out) huntFaults(options.hunt, options.out);
else throw new Error("say --build FOLDER, or --hunt FOLDER and --out FOLDER");

/**
 * Files that users run and that are not as in this tree.
 * @param {string} folder
 * @returns {string[]}
 */
function changedOf(folder) {
  const entries = readdirSync(join(folder, "dist"), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  return paths
    .map((path) => relative(folder, path))
    .filter((path) => path.endsWith(".js") && !path.startsWith("dist/ui/"))
    .filter((path) => {
      const own = join(ROOT, path);
      return !existsSync(own) || !readFileSync(own).equals(readFileSync(join(folder, path)));
    });
}

/** @param {string} id */
function isChosen(id) {
  return options.only === undefined || options.only.includes(id);
}

/** @param {string} folder */
function buildFaults(folder) {
  const copy = new TreeCopy();
  try {
    for (const fault of FAULTS) {
      if (fault.gone !== undefined || !isChosen(fault.id)) continue;
      const file = copy.plant(fault);
      const isBuilt = file.endsWith(".ts");
      if (isBuilt) execFileSync("npm", ["run", "--silent", "build"], { cwd: copy.folder });
      const built = file.replace(/^src\/(.*)\.ts$/, "build/$1.js");
      for (const part of isBuilt ? [built, ...changedOf(copy.folder)] : [built]) {
        mkdirSync(join(folder, fault.id, dirname(part)), { recursive: true });
        cpSync(join(copy.folder, part), join(folder, fault.id, part));
      }
    }
  } finally {
    copy[Symbol.dispose]();
  }
}

/**
 * One tree after the other, each with a fault in it.
 * @param {string} folder
 * @param {string} out
 */
function huntFaults(folder, out) {
  const endsAt = performance.now() + Number(options.minutes) * 60_000;
  const ids = readdirSync(folder).filter(isChosen);
  for (const id of ids) {
    const result = join(out, `${id}.jsonl`);
    if (existsSync(result)) continue;
    if (performance.now() > endsAt) break;
    const tree = mkdtempSync(join(tmpdir(), "planted-fault-"));
    for (const part of PARTS) cpSync(join(ROOT, part), join(tree, part), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
    cpSync(join(folder, id), tree, { recursive: true, force: true });
    const found = huntTree(tree, id, languageOf(join(folder, id)));
    writeFileSync(result, found.map((line) => `${line}\n`).join(""));
    rmSync(tree, { recursive: true, force: true });
    console.log(`${id}: ${firstFinding(found) ?? `not found by ${found.length} programs`}`);
  }
}

/**
 * Lines of the programs that were hunted, until something was found.
 * @param {string} tree
 * @param {string} id
 * @param {string | undefined} language
 * @returns {string[]}
 */
function huntTree(tree, id, language) {
  const lines = join(tree, "hunt.jsonl");
  const hunt = (/** @type {string} */ seeds, /** @type {readonly string[]} */ how) => {
    const own = ["--seeds", seeds, "--jobs", options.jobs, "--commit", id, "--first", ...how];
    spawnSync(process.execPath, ["scripts/hunt.js", ...own, "--out", lines], {
      cwd: tree,
      stdio: "ignore",
    });
    return readFileSync(lines, "utf8").split("\n").slice(0, -1);
  };
  const known = FAULTS.find((/** @type {any} */ fault) => fault.id === id)?.hunt?.split(" ");
  if (known && options.seeds === undefined) {
    const found = hunt(known[1], ["--language", known[0]]);
    if (firstFinding(found) !== undefined) return found;
  }
  const only = language === undefined ? [] : ["--language", language];
  return hunt(options.seeds ?? USUAL, [...only, "--quick"]);
}

/**
 * Programs of one language alone meet what its own recorder and analysis do.
 * @param {string} folder
 */
function languageOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const all = files.filter((file) => file.isFile()).map(({ parentPath }) => parentPath);
  const paths = all.filter((path) => !path.startsWith(join(folder, "dist")));
  if (paths.every((path) => path.startsWith(join(folder, "python")))) return "python";
  const own = ["adapters", "sdk", "languages/typescript"].map((room) =>
    join(folder, "build", room),
  );
  const isTypeScript = paths.every((path) => own.some((room) => path.startsWith(room)));
  return isTypeScript ? "typescript" : undefined;
}

/** @param {readonly string[]} lines */
function firstFinding(lines) {
  for (const { language, seed, findings } of lines.map((line) => JSON.parse(line))) {
    // One that failed for want of a package is no wrong answer.
    const found = findings.find((/** @type {any} */ one) => one.fault !== "failed");
    if (found) return `${language} ${seed}: ${found.fault}: ${found.what.slice(0, 160)}`;
  }
  return undefined;
}
