/**
 * @file `node scripts/papers.js`: whether docs/papers.md says what is so. docs/papers.json lists the sections of
 * the documents. Every section has a row; what a row names is there; `done` has a test and a figure;
 * sections that comments cite exist.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "./processes.js";

const COLUMNS = ["section", "what", "status", "where", "test", "benchmark", "result"];
/** `other`: done in another way, or left out on purpose; `none`: nothing to build (an introduction). */
const STATUSES = ["done", "part", "planned", "other", "none"];
/** These say why. */
const NEEDS_REASON = ["part", "planned", "other"];
const SOURCES = /^(?:src|python|bench|scripts|libraries|test|examples)\/.*\.(?:ts|py|js|mjs|sh)$/;
const RESULTS = /^docs\/results\/.*\.md$/;

/** What is wrong with the page, in words. `files`: all of the repository; `textOf` reads one. */
export function problemsOf(page, { documents, files, textOf }) {
  const problems = [];
  const known = new Repository(files, textOf);
  const tables = readTables(page);
  for (const [name, { sections }] of Object.entries(documents)) {
    const rows = tables.get(name);
    if (!rows) {
      problems.push(`no table for ${name}`);
      continue;
    }
    const covered = new Set();
    for (const row of rows) {
      const own = sectionsOf(row.section, sections);
      for (const one of own.unknown) problems.push(`${name}: there is no section ${one}`);
      for (const one of own.found) covered.add(one);
      problems.push(...rowProblems(row, known).map((why) => `${name} ${row.section}: ${why}`));
    }
    const missing = sections.filter((one) => !covered.has(one));
    if (missing.length > 0) problems.push(`${name}: no row for §${missing.join(", §")}`);
  }
  return [...problems, ...citedProblems(documents, known)];
}

/** The rows of the table below each heading `## Flor: …`, by the first word. */
function readTables(page) {
  const tables = new Map();
  for (const part of page.split(/^## /m).slice(1)) {
    const name = /^[\w-]+/.exec(part)?.[0] ?? "";
    const rows = part
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.split("|").slice(1, -1));
    const cells = rows.map((row) => row.map((cell) => cell.trim()));
    if (cells[0]?.join() !== COLUMNS.join()) continue;
    const read = (row) => Object.fromEntries(COLUMNS.map((column, at) => [column, row[at] ?? ""]));
    tables.set(name, cells.slice(2).map(read));
  }
  return tables;
}

/** `§1, §2.1-§2.3`: a range goes by the order of the list. */
function sectionsOf(text, sections) {
  const found = [];
  const unknown = [];
  for (const part of text.split(",").map((one) => one.trim())) {
    const ends = part.split("-").map((one) => one.trim().replace(/^§/, ""));
    const [from, to] = [ends[0], ends.at(-1)].map((one) => sections.indexOf(one));
    unknown.push(...ends.filter((one) => !sections.includes(one)));
    if (from >= 0 && to >= 0) found.push(...sections.slice(from, to + 1));
  }
  return { found, unknown };
}

function rowProblems(row, known) {
  const { status, what } = row;
  if (!STATUSES.includes(status))
    return [`status ${JSON.stringify(status)} is none of ${STATUSES.join(", ")}`];
  const problems = ["where", "test", "benchmark", "result"].flatMap((column) =>
    known.wrongWords(row[column]).map((why) => `${column}: ${why}`),
  );
  if (NEEDS_REASON.includes(status) && what.length < 12)
    problems.push(`${status} without a reason`);
  if (status !== "done") return problems;
  if (wordsOf(row.where).length === 0) problems.push("done without a place");
  if (!known.pathsIn(row.test).some(isTest)) problems.push("done without a test");
  if (!known.pathsIn(row.result).some((file) => RESULTS.test(file))) {
    problems.push("done without a figure");
  }
  return problems;
}

function isTest(file) {
  return /\.test\.ts$|^test\/|^python\/tests\//.test(file);
}

/** What stands between backticks. */
function wordsOf(cell) {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word);
}

class Repository {
  constructor(files, textOf) {
    this.files = files;
    this.textOf = textOf;
  }

  /** The files that the paths of a cell mean; a folder means all in it. */
  pathsIn(cell) {
    return wordsOf(cell).flatMap((word) => this.match(word));
  }

  match(word) {
    const [path] = word.split("#");
    if (!isPath(path)) return [];
    const pattern = path
      .replace(/[.+^$()|[\]\\]/g, "\\$&")
      .replaceAll("*", "[^/]*")
      .replace(/\{([^}]*)\}/g, (_, names) => `(?:${names.split(",").join("|")})`);
    const exact = new RegExp(`^${pattern.replace(/\/$/, "")}(?:/.*)?$`);
    return this.files.filter((file) => exact.test(file));
  }

  /** Paths that are not there; headings of pages, and names, that the files before them lack. */
  wrongWords(cell) {
    const problems = [];
    let before = [];
    for (const word of wordsOf(cell)) {
      if (isPath(word.split("#")[0])) {
        before = this.match(word);
        if (before.length === 0) problems.push(`there is no ${word}`);
        const heading = word.split("#")[1];
        if (heading && !before.some((file) => hasHeading(this.textOf(file), heading))) {
          problems.push(`${word}: there is no such heading`);
        }
      } else if (word.startsWith("afterlog ")) {
        const command = word.split(" ")[1];
        if (!this.textOf("docs/cli.md").includes(`\n## afterlog ${command}\n`)) {
          problems.push(`there is no command ${command}`);
        }
      } else if (/^[\w.]+$/.test(word)) {
        const name = new RegExp(`\\b${word.replaceAll(".", "\\.")}\\b`);
        const at = before.filter((file) => /\.(?:ts|py|js|md|mjs)$/.test(file));
        if (!at.some((file) => name.test(this.textOf(file)))) problems.push(`${word} is not in it`);
      }
    }
    return problems;
  }
}

function isPath(word) {
  return /^[\w@.-]+(?:\/|\.(?:md|json|py|ts|js)$)/.test(word) && !word.includes(" ");
}

function hasHeading(text, anchor) {
  return text
    .split("\n")
    .filter((line) => /^#+ /.test(line))
    .map((line) => line.replace(/^#+ /, "").toLowerCase())
    .some((title) => title.replace(/[^\w -]/g, "").replaceAll(" ", "-") === anchor);
}

/** Comments say `Flor §3.2.1`, and may name more behind it: `CheckFreq §6.2.2, §6.2.3 and §6.3`. */
function citedProblems(documents, known) {
  const names = new Map(
    Object.entries(documents).flatMap(([name, { alsoCalled = [], sections }]) =>
      [name, ...alsoCalled].map((one) => [one, sections]),
    ),
  );
  const cited = new RegExp(
    `\\b(${[...names.keys()].join("|")})(?:'s|,)?((?:(?:,| and| or)? §[\\dIVX]+(?:\\.[\\da-eA-E]+)*)+)`,
    "g",
  );
  return known.files
    .filter((file) => SOURCES.test(file) && file !== "scripts/papers.js")
    .flatMap((file) => {
      const text = known.textOf(file).replaceAll(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, " ");
      return [...text.matchAll(cited)].flatMap(([, name, list]) =>
        [...list.matchAll(/§([\w.]*\w)/g)]
          .filter(([, section]) => !names.get(name).includes(section))
          .map(([, section]) => `${file} cites ${name} §${section}, which does not exist`),
      );
    });
}

function main() {
  const read = (file) => readFileSync(join(ROOT, file), "utf8");
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT });
  const files = listed.toString().split("\n").filter(Boolean);
  const documents = JSON.parse(read("docs/papers.json"));
  const problems = problemsOf(read("docs/papers.md"), { documents, files, textOf: read });
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main();
