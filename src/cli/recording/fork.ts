/** @file `afterlog fork RUN@path [k=v…]`: a new run that continues an iteration of another. */
import { forkRun } from "../../app/index.ts";
import type { OptionsOf } from "../commands/command-table.ts";
import type { CliContext } from "../context.ts";
import { portsOf } from "../command-ports.ts";
import { recordingSession } from "./recording-view.ts";

export async function forkCommand(
  context: CliContext,
  reference: string,
  args: readonly string[],
  { name, trust }: OptionsOf<"fork">,
): Promise<number> {
  const session = recordingSession(context, reference);
  const { code } = await forkRun(portsOf(context, { trust }), { reference, args, name }, session);
  return code;
}
