/** @file `afterlog where`: its words on the command line. */
import type { Command } from "commander";
import { AfterlogError } from "../format/index.ts";
import type { Registration } from "./read-commands.ts";

export function registerWhere(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("where"))
    .summary("where a log statement goes in an older version")
    .description(
      "Shows the place that a statement gets in an older copy of its file, and why:\n" +
        "afterlog where --files NEW_FILE:LINE OLD_FILE",
    )
    .argument("[words...]", "a line of a file, and the older file")
    .option("--files", "compare two files, without a project")
    .action(async (words: string[], options: { files?: boolean }, command: Command) => {
      const { whereFilesCommand } = await import("./where-files.ts");
      await perform(command, (context) => {
        if (options.files) return whereFilesCommand(context, words);
        throw new AfterlogError("AL001", "where needs two files", {
          help: ["afterlog where --files NEW_FILE:LINE OLD_FILE"],
        });
      });
    });
}
