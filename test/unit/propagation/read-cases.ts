/**
 * @file The table of landings: text in `cases/*.txt`, one case after `=== name`. Headers say what is
 * expected; then come files of the newer version (`--- now NAME`) and of the older (`--- then NAME`).
 * The first column of a line of code is a mark:
 *
 * - now: `>` begins a statement that is to land, `|` continues it;
 * - then: `+` is a line that the landing should add, `-` one that it replaces.
 *
 * `⏎` at the end of a line joins it with the next. A case is wrong if the landing is elsewhere.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface PropagationCase {
  /** Topic (the file's name) and what happened between the two versions. */
  readonly name: string;
  /** For each statement the verdicts that a careful engineer would accept. */
  readonly verdicts: readonly (readonly string[])[];
  readonly headers: Readonly<{ [header: string]: string }>;
  /** The file with the statements. */
  readonly file: string;
  readonly statements: readonly { readonly line: number; readonly column: number }[];
  readonly now: ReadonlyMap<string, string>;
  readonly then: ReadonlyMap<string, string>;
  /** The files of `then` with everything landed. */
  readonly expected: ReadonlyMap<string, string>;
}

export function readCases(folder: string): PropagationCase[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
  return files.toSorted().flatMap((file) => {
    const [, ...texts] = readFileSync(join(folder, file), "utf8").split(/^=== /m);
    return texts.map((text) => readCase(file.slice(0, -".txt".length), text));
  });
}

function readCase(topic: string, text: string): PropagationCase {
  const [head = "", ...sections] = text.split(/^--- /m);
  const [title = "", ...headerLines] = head.trim().split("\n");
  const headers = Object.fromEntries(headerLines.map((line) => split(line, ": ")));
  const now = new Map<string, string>();
  const then = new Map<string, string>();
  const expected = new Map<string, string>();
  let file: string | undefined;
  let statements: PropagationCase["statements"] = [];
  for (const section of sections) {
    const [heading, body] = split(section, "\n");
    const [version, name] = split(heading, " ");
    const marked = body.trimEnd().split("\n");
    if (version === "now") {
      now.set(name, write(marked, " >|", headers));
      const found = statementsOf(marked);
      if (found.length === 0) continue;
      file = name;
      statements = found;
    } else {
      then.set(name, write(marked, " -", headers));
      expected.set(name, write(marked, " +", headers));
    }
  }
  if (file === undefined || headers["verdict"] === undefined) throw new Error(`bad case: ${title}`);
  const verdicts = headers["verdict"].split(";").map((one) => one.split(",").map((v) => v.trim()));
  if (verdicts.length !== statements.length) throw new Error(`verdicts of ${title}`);
  const name = `${topic}: ${title}`;
  return { name, verdicts, headers, file, statements, now, then, expected };
}

function split(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function write(
  marked: readonly string[],
  marks: string,
  headers: PropagationCase["headers"],
): string {
  const lines = marked.filter((line) => line === "" || marks.includes(line.slice(0, 1)));
  const text = lines.map((line) => `${line.slice(1)}\n`).join("");
  const joined = text.replaceAll("⏎\n", "");
  const ended = headers["end"] === "none" ? joined.replace(/\n$/, "") : joined;
  return headers["eol"] === "crlf" ? ended.replaceAll("\n", "\r\n") : ended;
}

function statementsOf(marked: readonly string[]): { line: number; column: number }[] {
  return marked.flatMap((line, index) =>
    line.startsWith(">") ? [{ line: index + 1, column: line.slice(1).search(/\S/) + 1 }] : [],
  );
}
