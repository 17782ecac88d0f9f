#!/usr/bin/env node
/**
 * @file `afterlog`: the command line. The only place that reads argv, the environment, the folder
 * and the terminal; commands get them as a context, and are loaded when they are called.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import { CommanderError } from "commander";
import { AfterlogError } from "../format/index.ts";
import type { GlobalOptions } from "./commands/command-table.ts";
import type { CliContext, Labels } from "./context.ts";
import { reportError } from "./report-error.ts";
import type { Perform } from "./register.ts";
import { createProgram, parsedWords, usageError } from "./register.ts";
import { edgeText } from "./terminal/terminal-edge.ts";

async function main(): Promise<void> {
  const program = createProgram(ownVersion(), perform);
  try {
    if (process.argv.length <= 2) program.outputHelp();
    else await program.parseAsync(parsedWords(process.argv));
  } catch (error) {
    process.exitCode = failed(program, error);
  }
}

/** Says what was wrong with the command line, or with what stands before every command. */
function failed(program: Command, error: unknown): number {
  if (!(error instanceof CommanderError)) return reportError(contextFor({}), error);
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help") return 2;
  return reportError(contextFor({}), usageError(program, error));
}

const perform: Perform = async (options, action) => {
  const context = contextFor(options);
  try {
    process.exitCode = await action(context);
  } catch (error) {
    process.exitCode = reportError(context, error);
  }
};

function contextFor(options: GlobalOptions): CliContext {
  const { stdout, stderr, env } = process;
  const { isTTY } = stdout;
  const cwd = folderOf(options.C);
  let labels: Labels | undefined;
  const isNamed = options.json !== true && options.ids !== true;
  const named = (text: string): string => labels?.inText(text) ?? text;
  // A program that reads standard output knows runs by their ids.
  const shown = isTTY ? named : String;
  return {
    cwd,
    json: options.json === true,
    color: options.color !== false && colorWanted(env, isTTY),
    errColor: options.color !== false && colorWanted(env, stderr.isTTY),
    columns: stdout.columns || 80,
    isTTY,
    verbose: options.verbose === true,
    env,
    ...(isTTY && options.json !== true && env["TERM"] !== "dumb"
      ? { page: pagerOf(stdout, shown) }
      : {}),
    ...(process.stdin.isTTY && stderr.isTTY
      ? { prompt: (question: string) => askOnTerminal(named(question)) }
      : {}),
    named: shown,
    useLabels: (make) => (isNamed ? (labels ??= make()) : undefined),
    out: (text) => void stdout.write(edgeText(shown(text))),
    err: (text) => void stderr.write(edgeText(named(text))),
    errExact: (text) => void stderr.write(edgeText(text)),
    data: (text) => void stdout.write(isTTY ? edgeText(text) : text),
  };
}

function pagerOf(
  stdout: NodeJS.WriteStream,
  shown: (text: string) => string,
): NonNullable<CliContext["page"]> {
  return {
    rows: stdout.rows || 24,
    show: async (text) => {
      const { showInPager } = await import("./terminal/pager.ts");
      const named = edgeText(shown(text));
      if (!(await showInPager(named, process.env))) stdout.write(named);
    },
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
    return await Promise.race([terminal.question(edgeText(question)), closed]);
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

function ownVersion(): string {
  const file = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

// A reader that has seen enough (`afterlog ls | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
await main();
