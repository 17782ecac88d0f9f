/** @file `docs/cli.md`: every command, from the table. */
import { EXIT_CODES } from "../commands/exit-codes.ts";
import type { ArgumentRow, OptionRow } from "../commands/rows.ts";
import { GLOBAL_OPTIONS } from "../commands/shared-options.ts";
import type { Command } from "../commands/command-table.ts";
import { environmentOf, listCommands, usageOf } from "../commands/command-table.ts";
import { TOPICS } from "../commands/topics.ts";
import { markdownTable } from "./markdown-table.ts";

/** The Markdown, as the formatter leaves it. */
export function cliPage(): string {
  const commands = listCommands();
  const blocks = [
    "<!-- Written by `npm run docs` from src/cli/commands/: edit there. -->",
    "# The command line",
    "A run is named by `@` (the newest), `@~1` (the one before it), its id, the beginning of its id, or the\n" +
      "name that `run --name` or `name` gave it; a point of a run by `RUN@epoch=3` or `RUN@epoch=3,step=17`. The name of\n" +
      "a loop means the program's own value (`for epoch in range(1, 11)`), and `epoch#` the index, from 0.\n" +
      "`afterlog COMMAND --help` and `man afterlog` say what stands here. A variable beside an option says the\n" +
      "same in the environment; [configuration](configuration.md) has the order, and the file of a project.",
    markdownTable(
      ["command", "what it does"],
      commands.map(({ name, summary }) => [`[${name}](#afterlog-${name})`, summary]),
    ),
    "## Options of every command",
    optionTable(GLOBAL_OPTIONS),
    "They stand before the command or after it. `afterlog --version` says which version this is.",
    ...commands.flatMap(commandBlocks),
    "## afterlog help",
    "Of a command what `--help` says, and of a topic these lines.",
    ...Object.entries(TOPICS).flatMap(([topic, lines]) => [
      `### afterlog help ${topic}`,
      `\`\`\`text\n${lines.join("\n")}\n\`\`\``,
    ]),
    "## Exit codes",
    markdownTable(
      ["code", "what it means"],
      EXIT_CODES.map(([code, meaning]) => [String(code), meaning]),
    ),
    "`afterlog run` returns the program's own exit code, or 128 plus the number of the signal that ended\n" +
      "it. Errors have codes of their own: [errors](errors.md).",
  ];
  return `${blocks.join("\n\n")}\n`;
}

function commandBlocks(command: Command): string[] {
  const { name, summary, description = [summary], notes = [], examples = [] } = command;
  const options = command.options.filter(({ hidden }) => hidden !== true);
  const width = Math.max(...examples.map(({ line }) => line.length));
  const exampleLines = examples.map(({ line, says }) => `${line.padEnd(width)}  # ${says}`);
  return [
    `## afterlog ${name}`,
    `\`\`\`\n${usageOf(command)}\n\`\`\``,
    sentence(description.join("\n")),
    ...(notes.length === 0 ? [] : [notes.join("\n")]),
    ...(command.arguments.length === 0 ? [] : [argumentTable(command.arguments)]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${exampleLines.join("\n")}\n\`\`\``]),
  ];
}

function argumentTable(rows: readonly ArgumentRow[]): string {
  return markdownTable(
    ["argument", ""],
    rows.map(({ name, help, default: value }) => [
      `\`${name}\``,
      helpText(help) + (value === undefined ? "" : `; \`${value}\` if not given`),
    ]),
  );
}

function optionTable(rows: readonly OptionRow[]): string {
  return markdownTable(
    ["option", ""],
    rows.map((row) => {
      const environment = environmentOf(row);
      const more = [
        ...(row.repeatable ? ["may be given several times"] : []),
        ...(environment === undefined ? [] : [`or \`${environment}\``]),
      ];
      return [`\`${row.flags}\``, [helpText(row.help), ...more].join("; ")];
    }),
  );
}

/** What begins like a summary becomes a sentence. */
export function sentence(text: string): string {
  return /^[a-z]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}.` : text;
}

/** In a help text a command stands between two spaces on either side. */
function helpText(text: string): string {
  return text.replaceAll(/ {2}(afterlog .+?)(?: {2}|$)/g, " `$1` ").trimEnd();
}
