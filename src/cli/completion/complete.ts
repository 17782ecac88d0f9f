/**
 * @file `afterlog __complete WORD…`: what the last word may become, a line each. Asked at each press of a key:
 * it reads the table of commands, folders of runs, and the names that the index has noted.
 */
import { resolve } from "node:path";
import { completableNames, completableRuns } from "../../app/quick.ts";
import type { Command } from "../commands/command-table.ts";
import { listCommands } from "../commands/command-table.ts";
import type { OptionRow } from "../commands/rows.ts";
import { GLOBAL_OPTIONS } from "../commands/shared-options.ts";
import { TOPICS } from "../commands/topics.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";

type Words = (context: CliContext, typed: string) => readonly string[];

const runs: Words = (context, typed) => completableRuns(portsOf(context), typed);
const names: Words = (context) => completableNames(portsOf(context));
const fixed =
  (...words: readonly string[]): Words =>
  () =>
    words;

/** By the word that stands for a value in the table. What is not here is completed by the shell: files. */
const VALUES: ReadonlyMap<string, Words> = new Map([
  ["run", runs],
  ["runs", runs],
  ["other", runs],
  ["good", runs],
  ["bad", runs],
  ["name", names],
  ["names", names],
  ["column", names],
  ["axis", (context, typed) => ["run", ...names(context, typed)]],
  ["grain", fixed("run")],
  ["shell", fixed("bash", "zsh", "fish")],
  ["format", fixed("csv", "json", "parquet")],
]);

export function completeCommand(
  { cwd: from, ...context }: CliContext,
  words: readonly string[],
): Promise<number> {
  const typed = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const folder = before[before.indexOf("-C") + 1];
  const cwd = before.includes("-C") && folder !== undefined ? resolve(from, folder) : from;
  const found = candidates({ cwd, ...context }, before, typed);
  // Of names separated by commas the last is completed.
  const list = /^(.*,)[^,]*$/s.exec(typed)?.[1];
  const all = list === undefined ? found : found.map((word) => `${list}${word}`);
  const fitting = [...new Set(all)].filter((word) => word.startsWith(typed) && !/\n/.test(word));
  if (fitting.length > 0) context.out(`${fitting.join("\n")}\n`);
  return Promise.resolve(0);
}

function candidates(
  context: CliContext,
  before: readonly string[],
  typed: string,
): readonly string[] {
  const commands = listCommands();
  const { command, given, waiting } = readWords(commands, before);
  if (command === "unknown") return [];
  const valuesOf = (row: string): readonly string[] =>
    VALUES.get(placeholder(row))?.(context, typed) ?? [];
  if (waiting) return valuesOf(waiting.flags);
  if (command === "help") return [...Object.keys(TOPICS), ...commands.map(({ name }) => name)];
  if (command === undefined) {
    const own = GLOBAL_OPTIONS.flatMap(flagsOf);
    return typed.startsWith("-") ? own : [...commands.map(({ name }) => name), "help"];
  }
  if (typed.startsWith("-")) return [...command.options, ...GLOBAL_OPTIONS].flatMap(flagsOf);
  const row = command.arguments[Math.min(given, command.arguments.length - 1)];
  const isMore = given >= command.arguments.length && row?.name.includes("...") !== true;
  return row === undefined || isMore ? [] : valuesOf(row.name);
}

interface ReadWords {
  readonly command: Command | "help" | "unknown" | undefined;
  /** Words behind the command that are no options. */
  readonly given: number;
  /** The option whose value comes next. */
  readonly waiting: OptionRow | undefined;
}

function readWords(commands: readonly Command[], before: readonly string[]): ReadWords {
  let command: ReadWords["command"];
  let given = 0;
  let waiting: OptionRow | undefined;
  for (const word of before) {
    const own = typeof command === "object" ? command.options : [];
    if (waiting) waiting = undefined;
    else if (word.startsWith("-")) {
      const option = [...own, ...GLOBAL_OPTIONS].find((row) => flagsOf(row).includes(word));
      waiting = option?.flags.includes("<") === true ? option : undefined;
    } else if (command === undefined) {
      const known = commands.find(({ name }) => name === word);
      command = word === "help" ? "help" : (known ?? "unknown");
    } else given += 1;
  }
  return { command, given, waiting };
}

/** `--sort-by` of `--sort-by <column>`; nothing of what is hidden. */
function flagsOf({ flags, hidden }: OptionRow): string[] {
  return hidden ? [] : flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));
}

/** `names` of `-c, --columns <names>` and of `<names...>`. */
function placeholder(text: string): string {
  return /[<[]([\w:]+)/.exec(text)?.[1] ?? "";
}
