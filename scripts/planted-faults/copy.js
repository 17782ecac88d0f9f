// @ts-check
/**
 * @file A copy of the working tree in a temporary folder, in which sources are changed and tests
 * run; the tree itself is only read. Packages are not copied, only linked to.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { applyEdit, locate } from "./edits.js";

/** @import { Edit, Sources } from "./edits.js" */

export const ROOT = resolve(import.meta.dirname, "../..");

/**
 * All files of the working tree that git knows, or would.
 * @returns {string[]}
 */
function treeFiles() {
  const argv = ["ls-files", "-co", "--exclude-standard", "-z"];
  const listed = execFileSync("git", argv, { cwd: ROOT, encoding: "utf8" }).split("\0");
  return [...new Set(listed)].filter((file) => file !== "" && existsSync(join(ROOT, file)));
}

/**
 * The texts that faults are planted in: both languages, without tests.
 * @returns {Sources}
 */
export function readSources() {
  const scripts = filesIn("src").filter((file) => /(?<!\.test)\.ts$/.test(file));
  return readTexts([...scripts, ...filesIn("python/afterlog").filter((f) => f.endsWith(".py"))]);
}

/**
 * All tests, of both languages.
 * @returns {string[]}
 */
export function testFiles() {
  const files = ["src", "test", "python/tests"].flatMap(filesIn);
  return files.filter((file) => /\.test\.ts$|\/test_[^/]*\.py$/.test(file));
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(folder) {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map((entry) => relative(ROOT, join(entry.parentPath, entry.name))).sort();
}

/**
 * @param {readonly string[]} files
 * @returns {Map<string, string>}
 */
export function readTexts(files) {
  return new Map(files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
}

export class TreeCopy {
  folder = mkdtempSync(join(tmpdir(), "planted-fault-"));
  #sources = readSources();
  /** @type {string | undefined} */
  #edited;

  constructor() {
    for (const file of treeFiles()) cpSync(join(ROOT, file), join(this.folder, file));
    const built = ["build", "dist"].filter((name) => existsSync(join(ROOT, name)));
    for (const name of built) {
      const how = { recursive: true, preserveTimestamps: true };
      cpSync(join(ROOT, name), join(this.folder, name), how);
    }
    symlinkSync(join(ROOT, "node_modules"), join(this.folder, "node_modules"));
    // Some tests ask git for the files; there is no commit, so a seed has to be given.
    execFileSync("git", ["init", "-q"], { cwd: this.folder });
  }

  /**
   * Plants a fault, after removing the one before.
   * @param {Edit} edit
   */
  plant(edit) {
    this.clear();
    const file = locate(this.#sources, edit);
    this.#edited = file;
    this.#write(file, applyEdit(this.#sources.get(file) ?? "", edit));
    return file;
  }

  /** Puts back what the working tree had. */
  clear() {
    if (this.#edited === undefined) return;
    this.#write(this.#edited, this.#sources.get(this.#edited) ?? "");
    this.#edited = undefined;
  }

  /**
   * @param {string} file
   * @param {string} text
   */
  #write(file, text) {
    writeFileSync(join(this.folder, file), text);
    // Bytecode is found stale by time and size only; an edit may change neither.
    if (file.endsWith(".py")) {
      const cache = join(this.folder, file, "..", "__pycache__");
      rmSync(cache, { recursive: true, force: true });
    }
  }

  [Symbol.dispose]() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
