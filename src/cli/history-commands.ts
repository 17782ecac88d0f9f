/** @file The commands over the history of runs: their words on the command line. */
import type { Command } from "commander";
import type { Registration } from "./read-commands.ts";
import { parseJobs } from "./replay-commands.ts";

/** Adds `bisect`, `diff`, `push` and `pull`. Each loads its code when it is called. */
export function registerHistoryCommands(program: Command, registration: Registration): void {
  registerBisect(program, registration);
  registerDiff(program, registration);
  registerExchange(program, registration);
}

function registerBisect(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("bisect"))
    .summary("find the first run for which a condition holds")
    .description(
      "Goes through the runs by halves: values that are there cost nothing, others are replayed,\n" +
        "about log2 N of N runs. Says the price first, and asks.",
    )
    .argument("<condition>", "SQL that holds for bad runs, e.g. 'f1_seven < 0.4'")
    .option("--good <run>", "a run that is good; the oldest that can answer if not given")
    .option("--bad <run>", "a run that is bad; the newest that can answer if not given")
    .option("-y, --yes", "start without asking")
    .option("-j, --jobs <n>", "processes at a time", parseJobs)
    .action(async (condition: string, options: object, command: Command) => {
      const { bisectCommand } = await import("./bisect.ts");
      await perform(command, (context) => bisectCommand(context, condition, options));
    });
}

function registerDiff(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("diff"))
    .summary("what is different between two runs")
    .description("Compares arguments, last values, source and environment of two runs.")
    .argument("<run>", "@ (newest), @~1, an id or the beginning of one, or a name")
    .argument("[other]", "the run to compare it with; the one before it if not given")
    .option("--all", "also what is the same, and the whole source diff")
    .action(async (run: string, other: string | undefined, options: object, command: Command) => {
      const { diffCommand } = await import("./diff.ts");
      await perform(command, (context) => diffCommand(context, run, other, options));
    });
}

function registerExchange(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("push"))
    .summary("send runs to a git remote")
    .description(
      "Sends versions and sealed logs of runs, under hidden refs. Checkpoints stay here. The\n" +
        "commits that the runs were made on travel with them, and so do their uncommitted files.",
    )
    .argument("<remote>", "name of a git remote, a URL, or the path of a repository")
    .action(async (remote: string, _options: object, command: Command) => {
      const { pushCommand } = await import("./exchange.ts");
      await perform(command, (context) => pushCommand(context, remote));
    });
  globalOptions(program.command("pull"))
    .summary("receive runs from a git remote")
    .description("Receives versions and logs of runs that other machines have sent.")
    .argument("<remote>", "name of a git remote, a URL, or the path of a repository")
    .action(async (remote: string, _options: object, command: Command) => {
      const { pullCommand } = await import("./exchange.ts");
      await perform(command, (context) => pullCommand(context, remote));
    });
}
