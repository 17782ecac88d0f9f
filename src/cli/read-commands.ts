/** @file The commands that read: ls, show, frame, query, export, du. */
import type { Command } from "commander";
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

export function registerReadingCommands(_program: Command, _registration: Registration): void {}
