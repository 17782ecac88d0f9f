/** @file `afterlog where`: its words on the command line. */
import type { Command } from "commander";
import { AfterlogError } from "../format/index.ts";
import type { Registration } from "./read-commands.ts";
import type { WhereOptions } from "./where.ts";

export function registerWhere(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("where"))
    .summary("where a log statement goes in older versions")
    .description(
      "Shows the place that the statement of a name gets in each past version, and why. What is\n" +
        "decided here is kept, and used by every plan and replay.\n" +
        "With --files it compares two files: afterlog where --files NEW_FILE:LINE OLD_FILE",
    )
    .argument("[words...]", "NAME and maybe a VERSION (a commit or a run)")
    .option("--accept", "it lands where it should")
    .option("--at <line>", "put it before this line of the older file")
    .option("--edit [text]", "write it otherwise; without the text in your editor")
    .option("--exclude", "leave these versions out")
    .option("--forget", "as if nothing had been decided")
    .option("--files", "compare two files, without a project")
    .action(
      async (words: string[], options: WhereOptions & { files?: boolean }, command: Command) => {
        await perform(command, async (context) => {
          if (options.files) {
            const { whereFilesCommand } = await import("./where-files.ts");
            return whereFilesCommand(context, words);
          }
          const [name, version, ...more] = words;
          if (name !== undefined && more.length === 0) {
            const { whereCommand } = await import("./where.ts");
            return whereCommand(context, [name, version], options);
          }
          throw new AfterlogError("AL001", "where needs a name, and maybe a version", {
            help: [
              "the statement of a name in all versions:  afterlog where NAME",
              "or of two files:  afterlog where --files NEW_FILE:LINE OLD_FILE",
            ],
          });
        });
      },
    );
}
