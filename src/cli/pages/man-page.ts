/**
 * @file `docs/man/afterlog.1`: every command, from the table, in the macros of man(7). ASCII only:
 * what else there is, is named, so that no terminal and no formatter has to guess the encoding.
 */
import { EXIT_CODES } from "../commands/exit-codes.ts";
import type { ArgumentRow, OptionRow } from "../commands/rows.ts";
import { GLOBAL_OPTIONS } from "../commands/shared-options.ts";
import type { Command } from "../commands/command-table.ts";
import { environmentOf, listCommands, usageOf } from "../commands/command-table.ts";
import { TOPICS } from "../commands/topics.ts";
import { sentence } from "./cli-page.ts";

export function manPage(): string {
  const commands = listCommands();
  const lines = [
    '.\\" Written by "npm run docs" from src/cli/commands/: edit there.',
    '.TH AFTERLOG 1 "" "Afterlog" "User Commands"',
    ".SH NAME",
    "afterlog \\- hindsight logging: train once, ask later",
    ".SH SYNOPSIS",
    ".B afterlog",
    "[options] \\fIcommand\\fR [arguments]",
    ".SH DESCRIPTION",
    "Records a training program as it lies there, and fills in later, from checkpoints, what it did",
    "not log. A run is named by \\fB@\\fR (the newest), \\fB@~1\\fR (the one before it), its id, the",
    "beginning of its id, or its name; a point of a run by \\fBRUN@epoch=3\\fR.",
    ".SH OPTIONS",
    "Every command takes these, before or after its name.",
    ...GLOBAL_OPTIONS.flatMap(optionLines),
    ...optionLines({ flags: "-V, --version", help: "say which version this is" }),
    ...optionLines({ flags: "-h, --help", help: "show the help; of a command after its name" }),
    ".SH COMMANDS",
    ...commands.flatMap(commandLines),
    ".SH TOPICS",
    "What the words mean that stand in plans and beside values:",
    ...Object.keys(TOPICS).flatMap((topic) => [".PP", `.B afterlog help ${topic}`]),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => [".TP", `.B ${code}`, roff(meaning)]),
    ".PP",
    "\\fBafterlog run\\fR returns the program's own exit code, or 128 plus the number of the signal",
    "that ended it.",
    ".SH FILES",
    ".TP",
    ".I .afterlog/",
    "what is recorded, in the folder of the project",
  ];
  return `${lines.join("\n")}\n`;
}

function commandLines(command: Command): string[] {
  const { name, summary, description = [summary], notes = [], examples = [] } = command;
  const options = command.options.filter(({ hidden }) => hidden !== true);
  return [
    `.SS afterlog ${name}`,
    `.B ${roff(usageOf(command))}`,
    ".PP",
    ...sentence(description.join("\n")).split("\n").map(roff),
    ...(notes.length === 0 ? [] : [".PP", ...notes.map(roff)]),
    ...command.arguments.flatMap(argumentLines),
    ...options.flatMap(optionLines),
    ...(examples.length === 0 ? [] : [".PP", "For example:"]),
    ...examples.flatMap(({ line, says }) => [".TP", `.B ${roff(line)}`, roff(says)]),
  ];
}

function argumentLines({ name, help, default: value }: ArgumentRow): string[] {
  return [
    ".TP",
    `.I ${roff(name)}`,
    roff(value === undefined ? help : `${help}; ${value} if not given`),
  ];
}

function optionLines(row: OptionRow): string[] {
  const { flags, help, repeatable } = row;
  const environment = environmentOf(row);
  const more = [
    ...(repeatable ? ["may be given several times"] : []),
    ...(environment === undefined ? [] : [`or ${environment} in the environment`]),
  ];
  return [".TP", `.B ${roff(flags)}`, roff([help, ...more].join("; "))];
}

/**
 * Text as it is to be read: nothing in it is taken for a request, an escape or a quotation mark. A
 * command that stands between two spaces on either side is bold.
 */
function roff(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll('"', "\\(dq")
    .replaceAll(/ {2}(afterlog .+?)(?: {2}|$)/g, " \\fB$1\\fR ")
    .replaceAll("`", "")
    .replaceAll(/[^ -~]/gu, (sign) => {
      return `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
    })
    .replace(/^(?=\.)/, "\\&")
    .trimEnd();
}
