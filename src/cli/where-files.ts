/**
 * @file `afterlog where --files NEW_FILE:LINE OLD_FILE`: where a statement of one file goes in an
 * older copy of it. Needs no project.
 */
import { readFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import pc from "picocolors";
import type { Landing } from "../format/index.ts";
import { AfterlogError } from "../format/index.ts";
import {
  findStatement,
  isStillProgram,
  landStatements,
  prepareLanguages,
} from "../languages/index.ts";
import type { CliContext } from "./context.ts";
import { wrapText } from "./wrap-text.ts";

/** Lines of the old file that are shown on each side of a landing. */
const CONTEXT_LINES = 2;

export async function whereFilesCommand(
  context: CliContext,
  words: readonly string[],
): Promise<number> {
  const [place, oldFile, ...more] = words;
  const [, newFile = "", line = ""] = /^(.+):(\d+)$/s.exec(place ?? "") ?? [];
  if (newFile === "" || oldFile === undefined || more.length > 0) {
    throw new AfterlogError("AL001", "--files needs a line of a file, and an older file", {
      help: ["for example:  afterlog where --files NEW:61 OLD"],
    });
  }
  const newText = readText(context, newFile);
  const oldText = readText(context, oldFile);
  await prepareLanguages([newFile, oldFile]);
  const statement = statementAt(newFile, newText, Number(line));
  const { landings, overlays } = landStatements({
    now: { file: newFile, text: (file) => (file === newFile ? newText : undefined) },
    statements: [statement],
    then: { files: [oldFile], text: (file) => (file === oldFile ? oldText : undefined) },
    decided: { file: oldFile },
  });
  const changed = overlays.find(({ file }) => file === oldFile)?.text ?? oldText;
  const isSound = changed === oldText || isStillProgram(oldFile, oldText, changed);
  for (const landing of isSound ? landings : landings.map(unsound)) {
    if (context.json) context.out(`${JSON.stringify(toJson(landing, changed), undefined, 2)}\n`);
    else context.out(landingText(landing, { file: oldFile, text: changed }, context));
  }
  return 0;
}

/** A landing that would spoil the file. */
function unsound(landing: Landing): Landing {
  const reason = "the changed file would be no program";
  const none = { line: null, column: null, text: null, carried: [], renames: [], warnings: [] };
  return { ...landing, ...none, verdict: "cannot", confidence: 0, reason, refusal: UNSOUND };
}

const UNSOUND = "parse_error_in_region";

function readText(context: CliContext, file: string): string {
  const bytes = readBytes(isAbsolute(file) ? file : resolve(context.cwd, file), file);
  try {
    // What is not UTF-8 would come out with other characters than it has. A byte order mark stays.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AfterlogError("AL002", `${file} is not text in UTF-8`, {
      help: ["name two source files, in UTF-8:  afterlog where --files NEW:61 OLD"],
      cause: error,
    });
  }
}

function readBytes(path: string, file: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new AfterlogError("AL002", `${file} cannot be read`, {
      help: ["name two files that exist:  afterlog where --files NEW:61 OLD"],
      cause: error,
    });
  }
}

function statementAt(
  file: string,
  text: string,
  line: number,
): { readonly line: number; readonly column: number } {
  const found = findStatement(file, text, line);
  switch (found.kind) {
    case "statement":
      return found;
    case "unparsed":
      throw new AfterlogError("AL002", `${file} cannot be parsed: ${found.message}`, {
        help: [`repair ${file}:${found.line} first`],
      });
    case "none": {
      const { nearest } = found;
      throw new AfterlogError("AL023", `there is no statement at ${file}:${line}`, {
        help: nearest
          ? [`the nearest one:  ${file}:${nearest.line}   ${nearest.text}`]
          : ["the file has no statements: name another"],
      });
    }
  }
}

/** What `--json` prints; the order of the keys is that of the documentation. */
function toJson(landing: Landing, changed: string): { readonly [key: string]: unknown } {
  const { verdict, line, column, text, confidence, reason, warnings, carried } = landing;
  return {
    verdict,
    line,
    text,
    confidence,
    reason,
    warnings,
    carried,
    result: verdict === "cannot" ? null : changed,
    column,
    renames: landing.renames,
    refusal: landing.refusal,
  };
}

/** Of renames, and of what is brought along, the text itself is shown. */
const SHOWN_WARNINGS = new Set(["renamed", "carried_helper", "carried_import"]);

/** The landing for a person: the lines around it, what was changed, and why. */
export function landingText(
  landing: Landing,
  changed: { readonly file: string; readonly text: string },
  { color, columns }: Pick<CliContext, "color" | "columns">,
): string {
  const { bold, green, dim, yellow } = pc.createColors(color);
  const { verdict, line, text, confidence, reason } = landing;
  const head = `${changed.file}   ${bold(verdict)}, confidence ${confidence.toFixed(2)}`;
  const rows = line === null || text === null ? [] : contextRows(changed.text, line, text, verdict);
  const width = String((line ?? 0) + CONTEXT_LINES + 1).length;
  const shown = rows.map((row) => {
    const tail = `${String(row.line).padStart(width)} │ ${row.text}`;
    return row.isNew ? green(`+ ${tail}`) : dim(`  ${tail}`);
  });
  const notes = [reason, ...landing.renames.map(({ from, to }) => `renamed: ${from} → ${to}`)];
  const carried = new Set(landing.carried.map((one) => one.text));
  const brought = [...carried].flatMap((one) => one.split("\n")).map((one) => green(`  + ${one}`));
  const warnings = landing.warnings.filter(({ code }) => !SHOWN_WARNINGS.has(code));
  const lines = [
    head,
    ...shown,
    ...notes.flatMap((note) => wrapText(note, { columns, indent: "  " })),
    ...(brought.length === 0 ? [] : ["  brought along:", ...brought]),
    ...new Set(warnings.map((warning) => yellow(`! ${warning.text}`))),
  ];
  return `${lines.join("\n")}\n`;
}

function contextRows(
  text: string,
  line: number,
  statement: string,
  verdict: string,
): { readonly line: number; readonly text: string; readonly isNew: boolean }[] {
  const lines = text.split(/\r?\n/);
  const last = line + statement.split("\n").length - 1;
  const isNew = (at: number): boolean => verdict !== "present" && at >= line && at <= last;
  return lines
    .map((one, index) => ({ line: index + 1, text: one, isNew: isNew(index + 1) }))
    .slice(Math.max(0, line - 1 - CONTEXT_LINES), last + CONTEXT_LINES);
}
