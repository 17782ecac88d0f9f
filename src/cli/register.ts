/** @file From the table of commands to a parser of command lines. */
import type { CommanderError } from "commander";
import { Argument, Command, Option } from "commander";
import { AfterlogError, nearestName } from "../format/index.ts";
import { loadAction } from "./commands/actions.ts";
import type { ArgumentRow, OptionRow } from "./commands/rows.ts";
import { GLOBAL_OPTIONS } from "./commands/shared-options.ts";
import type { GlobalOptions } from "./commands/command-table.ts";
import { TOPICS } from "./commands/topics.ts";
import { COMMANDS, listCommands } from "./commands/command-table.ts";
import { VALUE_READERS } from "./commands/option-values.ts";
import type { CliContext } from "./context.ts";

/** Runs a command with its context, and makes its answer the exit code. */
export type Perform = (
  options: GlobalOptions,
  action: (context: CliContext) => Promise<number>,
) => Promise<void>;

/** The parser of everything that can follow `afterlog`. */
export function createProgram(version: string, perform: Perform): Command {
  const program = new Command("afterlog")
    .description("Hindsight logging: train once, ask later.")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .showSuggestionAfterError();
  for (const row of GLOBAL_OPTIONS) program.addOption(optionOf(row));
  program.version(version, "-V, --version").helpCommand(false);
  for (const { name, summary, description = [], passThrough = false, ...row } of listCommands()) {
    const command = program
      .command(name)
      .summary(summary)
      .description(description.join("\n"))
      .passThroughOptions(passThrough);
    for (const argument of row.arguments) command.addArgument(argumentOf(argument));
    for (const option of [...GLOBAL_OPTIONS, ...row.options]) command.addOption(optionOf(option));
    command.action(async (...given: unknown[]) => {
      // Commander adds itself after the arguments and the options.
      const words = given.slice(0, -1);
      await perform({ ...givenOptions(command), ...givenOptions(program) }, async (context) => {
        const action = await loadAction(name);
        return action(context, ...words);
      });
    });
  }
  program
    .command("help")
    .argument("[word]", "a command, or a topic")
    .summary(`help on a command, or on ${Object.keys(TOPICS).join(", ")}`)
    .action(async (word: string | undefined) => {
      await perform(givenOptions(program), (context) => {
        context.out(helpText(program, word));
        return Promise.resolve(0);
      });
    });
  program
    .command("__complete", { hidden: true })
    .argument("[words...]")
    .allowUnknownOption()
    .helpOption(false)
    .passThroughOptions()
    .action(async (words: readonly string[]) => {
      await perform(givenOptions(program), async (context) => {
        const { completeCommand } = await import("./completion/complete.ts");
        return completeCommand(context, words);
      });
    });
  return program;
}

/** A topic comes before the command of its name, which has `--help`. Throws AL001 for any other word. */
function helpText(program: Command, word: string | undefined): string {
  if (word === undefined) return program.helpInformation();
  const topic = Object.hasOwn(TOPICS, word) ? TOPICS[word] : undefined;
  if (topic) return `${topic.join("\n")}\n`;
  const command = program.commands.find((known) => known.name() === word);
  if (command) return command.helpInformation();
  const known = [...Object.keys(TOPICS), ...program.commands.map((one) => one.name())];
  const close = nearestName(word, known);
  throw new AfterlogError("AL001", `there is no command and no topic ${JSON.stringify(word)}`, {
    help: [
      close === undefined
        ? "see all commands:  afterlog help"
        : `did you mean  afterlog help ${close}`,
    ],
  });
}

/** Without the defaults: those of the program would hide what was said after the command. */
function givenOptions(command: Command): GlobalOptions {
  const values: { readonly [key: string]: unknown } = command.opts();
  const given = Object.entries(values).filter(([key]) => {
    return command.getOptionValueSource(key) === "cli";
  });
  return Object.fromEntries(given);
}

function argumentOf({ name, help, default: value }: ArgumentRow): Argument {
  const argument = new Argument(name, help);
  return value === undefined ? argument : argument.default(value);
}

function optionOf({ flags, help, value, repeatable, hidden }: OptionRow): Option {
  const option = new Option(flags, help).hideHelp(hidden === true);
  const read: (text: string) => unknown =
    value === undefined ? (text) => text : VALUE_READERS[value];
  if (repeatable) {
    return option.argParser((text, before: readonly unknown[] | undefined) => [
      ...(before ?? []),
      read(text),
    ]);
  }
  return value === undefined ? option : option.argParser(read);
}

/**
 * Words as the parser takes them. `--resume=RUN` names a run, `--resume train.ts` does not: an option whose
 * value may be missing would take the program for it. SQL may begin with a comment, `-- …`, which is
 * no option, and so is a tag that is taken away: `tag RUN -bad`. What follows a program is not ours.
 */
export function parsedWords(argv: readonly string[]): string[] {
  const own = ownCount(argv);
  const isTag = argv[commandAt(argv)] === "tag";
  return argv.map((word, at) => {
    if (isTag && TAG_TAKEN.test(word)) return ` ${word}`;
    return at < own
      ? word.replace(/^--resume=/, "--resume-run=").replace(/^--(?=\s)/, " --")
      : word;
  });
}

/** A word behind one hyphen, but no option that `tag` takes. */
const TAG_TAKEN = /^-(?:[^-CVhvw]|[^-C].+)$/s;

/** Where the command stands: behind options of all commands, of which one has a value. */
function commandAt(argv: readonly string[]): number {
  return argv.findIndex((word, at) => at > 1 && !word.startsWith("-") && argv[at - 1] !== "-C");
}

/** How many words stand before the program that `run` is given. */
function ownCount(argv: readonly string[]): number {
  const run = argv.indexOf("run");
  if (run < 0) return argv.length;
  const rows: readonly OptionRow[] = [...COMMANDS.run.options, ...GLOBAL_OPTIONS];
  const withValue = rows.flatMap(({ flags }) => (flags.includes("<") ? flags.split(/[ ,]+/) : []));
  const program = argv.findIndex((word, at) => {
    return at > run && !word.startsWith("-") && !withValue.includes(argv[at - 1] ?? "");
  });
  return program < 0 ? argv.length : program;
}

/** Usage errors of commander get a code and a help line like all others. */
export function usageError(program: Command, error: CommanderError): AfterlogError {
  const [message = "", ...notes] = error.message.replace(/^error: /, "").split("\n");
  const command = program.commands.find((known) => known.name() === program.args[0]);
  const words = [program.name(), ...(command ? [command.name()] : []), "--help"];
  return new AfterlogError("AL001", message, {
    notes: notes.map((note) => note.replace(/^\((.*)\)$/, "$1")),
    help: [`see  ${words.join(" ")}`],
  });
}
