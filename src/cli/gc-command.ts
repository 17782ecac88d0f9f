/** @file `afterlog gc`: its words on the command line. */
import type { Command } from "commander";
import type { Registration } from "./read-commands.ts";

export function registerGc(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("gc"))
    .summary("remove checkpoints, and see first what gets slower")
    .description(
      "Removes checkpoints that a policy does not keep, and what killed processes left behind.\n" +
        "Logged values stay, and every question can still be asked; some take longer.",
    )
    .argument("[runs...]", "@ (newest), @~1, ids or beginnings of them; all runs if none is given")
    .option("-p, --policy <policy>", "what stays: peak:accuracy, peak:loss:min, every:5, 20GB, all")
    .option("-n, --dry-run", "only say what would go")
    .option("-y, --yes", "do not ask")
    .action(async (runs: string[], options: object, command: Command) => {
      const { gcCommand } = await import("./gc.ts");
      await perform(command, (context) => gcCommand(context, runs, options));
    });
}
