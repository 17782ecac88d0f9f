// @ts-check
/**
 * @file A program of the gallery as data. Its comments `#: …` (`//: …` in JavaScript) say what it needs, how long
 * it is made to take, and what it is asked: an `ask` line becomes a log call where it stands, and a `save` line what
 * somebody who saves each epoch by hand would have written there.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative } from "node:path";

/** @typedef {"suffix" | "outer" | "step"} Depth */

/**
 * @typedef {object} Question
 * @property {Depth} depth
 * @property {string} name
 * @property {string | undefined} where which iterations are asked; undefined: all
 */

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {"python" | "javascript"} language
 * @property {string} about
 * @property {string} entry
 * @property {readonly string[]} needs packages, with `>=VERSION` where that matters
 * @property {readonly string[]} quick arguments for a second or two
 * @property {readonly string[]} full arguments for ten seconds and more
 * @property {readonly Question[]} questions
 * @property {boolean} isSaved somebody has said what an expert would save
 * @property {{ readonly [file: string]: string }} files as they lie there
 */

const MARKED = /^([ \t]*)(?:#|\/\/): (about|needs|quick|full|ask|save)\b ?(.*)$/;
const ASKED = /^(suffix|outer|step) (\w+) = (.+?)(?: where (.+?))?(?: when (.+))?$/;
const LANGUAGES = Object.freeze({ ".py": "python", default: "javascript" });

/**
 * All programs of a folder, a file or a folder each.
 * @param {string} folder
 * @returns {Program[]}
 */
export function readPrograms(folder) {
  const names = readdirSync(folder).filter((name) => !name.startsWith("."));
  return names.toSorted().map((name) => {
    const path = join(folder, name);
    const single = statSync(path).isFile();
    const root = single ? dirname(path) : path;
    const paths = single ? [path] : filesOf(path);
    const files = paths.map((file) => [relative(root, file), readFileSync(file, "utf8")]);
    return readProgram(name.replace(/\.\w+$/, ""), Object.fromEntries(files));
  });
}

/** @param {string} folder */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && !path.includes("__pycache__"));
}

/**
 * @param {string} name
 * @param {{ readonly [file: string]: string }} files one of them alone, or with `main` among them
 * @returns {Program}
 */
export function readProgram(name, files) {
  const paths = Object.keys(files);
  const entry = paths.find((path) => /^main\.\w+$/.test(path)) ?? paths[0] ?? "";
  const lines = Object.values(files).flatMap((text) => text.split("\n"));
  const marked = lines.flatMap((line) => {
    const [, , word = "", rest = ""] = MARKED.exec(line) ?? [];
    return word === "" ? [] : [{ word, rest }];
  });
  /** @param {string} word */
  const words = (word) =>
    marked.flatMap((one) => (one.word === word ? one.rest.split(" ").filter(Boolean) : []));
  return {
    name,
    language: extname(entry) === ".py" ? LANGUAGES[".py"] : LANGUAGES.default,
    about: words("about").join(" "),
    entry,
    needs: words("needs"),
    quick: words("quick"),
    full: words("full"),
    questions: marked.flatMap(({ word, rest }) => (word === "ask" ? [parseAsked(rest)] : [])),
    isSaved: marked.some(({ word }) => word === "save"),
    files,
  };
}

/** @param {string} text */
function parseAsked(text) {
  const [, depth, name = "", value = "", where, when] = ASKED.exec(text) ?? [];
  if (depth === undefined) throw new Error(`no question: ${text}`);
  return { depth: /** @type {Depth} */ (depth), name, value, where, when };
}

/**
 * The files with log calls for some of the questions; the rest of the markers is left out. `guarded`: where
 * some iterations are asked, only these log.
 * @param {Program} program
 * @param {readonly string[]} asked names
 * @param {boolean} [guarded]
 * @returns {{ [file: string]: string }}
 */
export function filesAsking(program, asked, guarded = false) {
  const write = program.language === "python" ? pythonLog : javascriptLog;
  return filesWith(program, (word, rest) => {
    if (word !== "ask") return undefined;
    const { name, value, where, when = where } = parseAsked(rest);
    return asked.includes(name) ? write(name, value, guarded ? when : undefined) : undefined;
  });
}

/**
 * The files as somebody wrote them who saves each epoch by hand.
 * @param {Program} program
 */
export function filesSaving(program) {
  return filesWith(program, (word, rest) => (word === "save" ? rest : undefined));
}

/**
 * The files with statements in place of some markers, and without the others.
 * @param {Program} program
 * @param {(word: string, rest: string) => string | undefined} statementOf
 * @returns {{ [file: string]: string }}
 */
function filesWith({ files }, statementOf) {
  const texts = Object.entries(files).map(([file, text]) => {
    const lines = text.split("\n").flatMap((line) => {
      const [whole, indent = "", word = "", rest = ""] = MARKED.exec(line) ?? [];
      if (whole === undefined) return [line];
      const statement = statementOf(word, rest);
      return statement === undefined ? [] : [indent + statement];
    });
    return [file, lines.join("\n")];
  });
  return Object.fromEntries(texts);
}

/** @type {(name: string, value: string, when: string | undefined) => string} */
function pythonLog(name, value, when) {
  const call = `print("${name}", ${value})`;
  return when === undefined ? call : `if ${when.replaceAll(/(?<![=<>!])=(?!=)/g, "==")}: ${call}`;
}

/** @type {(name: string, value: string, when: string | undefined) => string} */
function javascriptLog(name, value, when) {
  const call = `console.log("${name}", ${value});`;
  if (when === undefined) return call;
  const test = when.replaceAll(/(?<![=<>!])=(?![=>])/g, "===").replaceAll(/\band\b/g, "&&");
  return `if (${test}) ${call}`;
}

/** @param {Program} program */
export function programFile({ language, name, entry }) {
  return `${language}/${entry.startsWith("main.") ? name : basename(entry)}`;
}
