/** @file The commands that read what runs left: their words on the command line. */
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { CliContext } from "./context.ts";

export interface Registration {
  /** Adds --json, -C, -v, --no-color to a command. */
  readonly globalOptions: (command: Command) => Command;
  /** Runs the action with the context made from the command's options; its number is the exit code. */
  readonly perform: (
    command: Command,
    action: (context: CliContext) => Promise<number>,
  ) => Promise<void>;
}

/** Adds `ls`, `show`, `frame`, `query`, `export` and `du`. Each loads its code when it is called. */
export function registerReadingCommands(program: Command, registration: Registration): void {
  registerLs(program, registration);
  registerShow(program, registration);
  registerFrame(program, registration);
  registerQuery(program, registration);
  registerExport(program, registration);
  registerDu(program, registration);
}

function registerLs(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("ls"))
    .summary("list the runs")
    .description("Lists the runs, newest first, with their arguments and last logged values.")
    .option("-w, --where <sql>", 'only runs for which this holds, e.g. "lr < 0.01"')
    .option("-c, --columns <names>", "columns to show, separated by commas", splitNames)
    .option("--sort-by <column>", "sort by a column; column:desc for the largest first")
    .option("-L, --limit <n>", "how many runs; 0 for all", parseCount)
    .option("--all-columns", "also columns that are the same in all runs")
    .option("--only-changed", "no column that is the same in all runs")
    .action(async (options: object, command: Command) => {
      const { lsCommand } = await import("./ls.ts");
      await perform(command, (context) => lsCommand(context, options));
    });
}

function registerShow(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("show"))
    .summary("one run at a glance")
    .description("Shows one run: arguments, version, loops, logged names, checkpoints, problems.")
    .argument("[run]", "@ (newest), @~1, an id or the beginning of one, or a name", "@")
    .action(async (reference: string, _options: object, command: Command) => {
      const { showCommand } = await import("./show.ts");
      await perform(command, (context) => showCommand(context, reference));
    });
}

function registerFrame(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("frame"))
    .summary("a table of logged names: rows are runs or iterations")
    .description(
      "Shows names as columns. Rows are the deepest loop iterations in which one was logged;\n" +
        "shallower values repeat. Arguments are names too, and projid, started and filename.",
    )
    .argument("<names...>", "names of logged values or arguments")
    .option("-w, --where <sql>", 'only rows for which this holds, e.g. "lr < 0.01 and epoch > 3"')
    .option("--grain <loop>", "run, or a loop's name: one row for each, with the last values")
    .option("-L, --limit <n>", "how many rows; 0 for all", parseCount)
    .action(async (names: string[], options: object, command: Command) => {
      const { frameCommand } = await import("./frame.ts");
      await perform(command, (context) => frameCommand(context, names, options));
    });
}

function registerQuery(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("query"))
    .summary("read-only SQL over the tables")
    .description(
      "Runs one SQL query (DuckDB) over runs, args, logs, loops, items, checkpoints, profile and\n" +
        "the view frame, which docs/sql.md describes.",
    )
    .argument("<sql>", "the query")
    .option("-L, --limit <n>", "how many rows; 0 for all", parseCount)
    .action(async (sql: string, options: object, command: Command) => {
      const { queryCommand } = await import("./query.ts");
      await perform(command, (context) => queryCommand(context, sql, options));
    });
}

function registerExport(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("export"))
    .summary("write tables, frames or queries to files")
    .description(
      "Writes CSV, JSON or Parquet. WHAT is runs, args, logs, loops, items, checkpoints, profile,\n" +
        "frame NAME…, or query SQL; without it all tables go into the folder given by --out.",
    )
    .argument("[what...]", "what to write")
    .option("-o, --out <file>", "file to write; standard output without it")
    .option("-f, --format <format>", "csv, json or parquet; else told by the file name")
    .option("-w, --where <sql>", "only rows for which this holds")
    .option("--grain <loop>", "for a frame: run, or a loop's name")
    .action(async (words: string[], options: object, command: Command) => {
      const { exportCommand } = await import("./export.ts");
      await perform(command, (context) => exportCommand(context, words, options));
    });
}

function registerDu(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("du"))
    .summary("bytes on disk by run and kind")
    .description("Shows what runs take on disk, the largest first.")
    .action(async (_options: object, command: Command) => {
      const { duCommand } = await import("./du.ts");
      await perform(command, (context) => duCommand(context));
    });
}

function splitNames(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function parseCount(text: string): number {
  const count = Number(text);
  if (text.trim() === "" || !Number.isInteger(count) || count < 0) {
    throw new InvalidArgumentError("It must be a whole number.");
  }
  return count;
}
