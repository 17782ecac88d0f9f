/** @file `afterlog where`: of a name in all versions, or of two files. */
import { AfterlogError } from "../../format/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";

export async function whereWords(
  context: CliContext,
  words: readonly string[],
  options: OptionsOf<"where">,
): Promise<number> {
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
}
