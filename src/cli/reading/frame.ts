/** @file `afterlog frame NAME…`: the wide table of runs or iterations. */
import { askFrame } from "../../app/read.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { offerCells, printOffer } from "./suggest-replay.ts";
import { printRows } from "../terminal/output.ts";
import { noteText } from "../terminal/wrap-text.ts";
import { portsOf, watchOutput } from "../command-ports.ts";

type FrameOptions = OptionsOf<"frame">;

/** Prints the frame of `names`; the exit code is 0 also when no row matches. */
export async function frameCommand(
  outer: CliContext,
  names: readonly string[],
  options: FrameOptions,
): Promise<number> {
  const { where, grain } = options;
  const { context, isRepeatable } = watchOutput(outer);
  const limit = options.limit === 0 ? undefined : options.limit;
  const answer = await askFrame(
    portsOf(context),
    { names, where, grain, limit },
    (table) => printRows(context, table, { ...table, all: options.limit !== undefined }),
    { isRepeatable },
  );
  if (answer.value === 0 && !context.json) context.err("no rows\n");
  for (const note of answer.notes) context.err(`${noteText(note, context.columns)}\n`);
  await offerCells(context, answer.gaps, where);
  printOffer(context, answer.offer);
  return 0;
}
