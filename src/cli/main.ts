#!/usr/bin/env node
/**
 * @file `afterlog`: the command line. The only place that reads argv, the environment, the folder
 * and the terminal; commands get them as a context, and are loaded when they are called.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { Command, CommanderError, Option } from "commander";
import { AfterlogError } from "../format/index.ts";
import type { CliContext } from "./context.ts";
import { reportError } from "./errors.ts";
import { registerReadingCommands } from "./read-commands.ts";
import { registerGc } from "./gc-command.ts";
import { registerHistoryCommands } from "./history-commands.ts";
import { registerReplayCommands } from "./replay-commands.ts";
import { registerWhere } from "./where-command.ts";

interface GlobalOptions {
  readonly json?: boolean;
  readonly C?: string;
  readonly verbose?: boolean;
  readonly color?: boolean;
}

/** Runs a command with its context, and makes its answer the exit code. */
type Action = (context: CliContext) => Promise<number>;

async function main(): Promise<void> {
  const program = globalOptions(new Command("afterlog"))
    .description("Hindsight logging: train once, ask later.")
    .version(ownVersion(), "-V, --version")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
    .showSuggestionAfterError();
  const perform = async (command: Command, action: Action): Promise<void> => {
    const context = contextFor(command.optsWithGlobals());
    try {
      process.exitCode = await action(context);
    } catch (error) {
      process.exitCode = reportError(context, error);
    }
  };
  registerRun(program, perform);
  registerDemo(program, perform);
  registerReadingCommands(program, { globalOptions, perform });
  registerReplayCommands(program, { globalOptions, perform });
  registerGc(program, { globalOptions, perform });
  registerWhere(program, { globalOptions, perform });
  registerHistoryCommands(program, { globalOptions, perform });
  try {
    if (process.argv.length <= 2) program.outputHelp();
    else await program.parseAsync(process.argv.map(withRun));
  } catch (error) {
    process.exitCode = failed(program, error);
  }
}

function registerRun(
  program: Command,
  perform: (command: Command, action: Action) => Promise<void>,
): void {
  globalOptions(program.command("run"))
    .description("record a TypeScript, JavaScript or Python program")
    .argument("<file>", "the program")
    .argument("[args...]", "its arguments: lr=0.01 or --lr 0.01")
    .passThroughOptions()
    .option("--name <name>", "a name for the run")
    .option("--seed <n>", "seed of the random generators")
    .option(
      "--overhead <share>",
      "most that recording may cost: 0.02 or 2%; inf for every checkpoint",
    )
    .option(
      "--keep <policy>",
      "which checkpoints stay: all, peak:accuracy, every:5, 20GB, steps:2GB",
    )
    .option("--hands-free", "find the loops of a program that imports afterlog, too")
    .option("--no-hands-free", "record only what the program asks Afterlog to")
    .option(
      "--console <regexp>",
      "a rule of your own for printed lines: its named groups are logged",
    )
    .option("--no-console", "take no values from what a hands-free program prints")
    .option("--resume", "go on with the newest run of the program, if it was interrupted")
    .addOption(new Option("--resume-run <run>").hideHelp())
    .option("--force", "with --resume: whoever recorded it on another machine is gone")
    .option("--auto-resume <n>", "go on so often after a crash")
    .option("--python <command>", "interpreter of a Python program (active environment, python3)")
    .option("--grace <seconds>", "time for a last checkpoint after SIGTERM (10)")
    .action(async (file: string, args: string[], options: object, command: Command) => {
      const { runCommand } = await import("./run.ts");
      await perform(command, (context) => runCommand(context, file, args, options));
    });
}

function registerDemo(
  program: Command,
  perform: (command: Command, action: Action) => Promise<void>,
): void {
  globalOptions(program.command("demo"))
    .description("nine weeks of a changing script, asked for what it did not log")
    .argument("[folder]", "where to make the project (a temporary folder if not given)")
    .action(async (folder: string | undefined, _options: object, command: Command) => {
      const { demoCommand } = await import("./demo.ts");
      await perform(command, (context) => demoCommand(context, folder));
    });
}

/** Options that every command takes, before or after its name. */
function globalOptions(command: Command): Command {
  return command
    .option("--json", "data as JSON")
    .option("-C <dir>", "as if started in this folder")
    .option("-v, --verbose", "say more")
    .option("--no-color", "no colours");
}

function contextFor(options: GlobalOptions): CliContext {
  const { stdout, stderr, env } = process;
  const { isTTY } = stdout;
  return {
    cwd: folderOf(options.C),
    json: options.json === true,
    color: options.color !== false && colorWanted(env, isTTY),
    errColor: options.color !== false && colorWanted(env, stderr.isTTY),
    columns: stdout.columns || 80,
    isTTY,
    verbose: options.verbose === true,
    env,
    ...(process.stdin.isTTY && stderr.isTTY ? { prompt: askOnTerminal } : {}),
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  };
}

/** The line that the user types; nothing if the input ends or is interrupted. */
async function askOnTerminal(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(terminal, "close").then(() => "");
  try {
    terminal.on("SIGINT", () => {
      process.stderr.write("\n");
      terminal.close();
    });
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}

function folderOf(given: string | undefined): string {
  const folder = resolve(given ?? ".");
  if (given === undefined || (existsSync(folder) && statSync(folder).isDirectory())) return folder;
  throw new AfterlogError("AL006", `-C ${given}: there is no such folder`, {
    help: ["name a folder of a project:  afterlog -C path/to/project ls"],
  });
}

function colorWanted(env: NodeJS.ProcessEnv, isTTY: boolean): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["FORCE_COLOR"] !== undefined) return env["FORCE_COLOR"] !== "0";
  return isTTY;
}

/**
 * `--resume=RUN` names a run, `--resume train.ts` does not: an option whose value may be missing
 * would take the program for it.
 */
function withRun(word: string): string {
  return word.replace(/^--resume=/, "--resume-run=");
}

/** Usage errors of commander get a code and a help line like all others. */
function failed(program: Command, error: unknown): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  const context = contextFor({});
  if (!(error instanceof CommanderError)) return reportError(context, error);
  if (error.code === "commander.help") return 2;
  const [message = "", ...notes] = error.message.replace(/^error: /, "").split("\n");
  const command = program.commands.find((one) => one.name() === program.args[0]);
  const words = [program.name(), ...(command ? [command.name()] : []), "--help"];
  const usage = new AfterlogError("AL001", message, {
    notes: notes.map((note) => note.replace(/^\((.*)\)$/, "$1")),
    help: [`see  ${words.join(" ")}`],
  });
  return reportError(context, usage);
}

function ownVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

// A reader that has seen enough (`afterlog ls | head`) is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
await main();
