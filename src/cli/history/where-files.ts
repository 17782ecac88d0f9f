/**
 * @file `afterlog where --files NEW_FILE:LINE OLD_FILE`: where a statement of one file goes in an
 * older copy of it. Needs no project.
 */
import { landInFile } from "../../app/index.ts";
import type { Landing } from "../../format/index.ts";
import { AfterlogError } from "../../format/index.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { noteText, wrapText } from "../terminal/wrap-text.ts";
import { createColors, onOneLine } from "../terminal/terminal-edge.ts";

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
  const question = { newFile, line: Number(line), oldFile };
  for (const { landing, changed, report } of await landInFile(portsOf(context), question)) {
    if (context.json) context.out(`${JSON.stringify(report, undefined, 2)}\n`);
    else context.out(landingText(landing, { file: oldFile, text: changed }, context));
  }
  return 0;
}

/** Of renames, and of what is brought along, the text itself is shown. */
const SHOWN_WARNINGS = new Set(["renamed", "carried_helper", "carried_import"]);

/** The landing for a person: the lines around it, unless these are shown by a diff, and why. */
export function landingText(
  landing: Landing,
  changed: { readonly file: string; readonly text: string },
  {
    color,
    columns,
    isShown = false,
  }: Pick<CliContext, "color" | "columns"> & { readonly isShown?: boolean },
): string {
  const { bold, green, dim, yellow } = createColors(color);
  const { verdict, line, text, confidence, reason } = landing;
  const head = `${changed.file}   ${bold(verdict)}, confidence ${confidence.toFixed(2)}`;
  const isRow = line !== null && text !== null && !isShown;
  const rows = isRow ? contextRows(changed.text, line, text, verdict) : [];
  const width = String((line ?? 0) + CONTEXT_LINES + 1).length;
  const shown = rows.map((row) => {
    const tail = `${String(row.line).padStart(width)} │ ${row.text}`;
    return row.isNew ? green(`+ ${tail}`) : dim(`  ${tail}`);
  });
  const notes = [reason, ...landing.renames.map(({ from, to }) => `renamed: ${from} → ${to}`)];
  const carried = new Set(landing.carried.map((statement) => statement.text));
  const brought = [...carried].flatMap((one) => one.split("\n")).map((one) => green(`  + ${one}`));
  const warnings = landing.warnings.filter(({ code }) => !SHOWN_WARNINGS.has(code));
  const lines = [
    onOneLine(head),
    ...shown,
    ...notes.flatMap((note) => wrapText(note, { columns, indent: "  " })),
    ...(brought.length === 0 || isShown ? [] : ["  brought along:", ...brought]),
    ...new Set(warnings.map((warning) => yellow(noteText(warning.text, columns)))),
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
    .map((text, index) => ({ line: index + 1, text, isNew: isNew(index + 1) }))
    .slice(Math.max(0, line - 1 - CONTEXT_LINES), last + CONTEXT_LINES);
}
