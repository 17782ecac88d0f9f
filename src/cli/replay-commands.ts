/** @file The commands that ask runs for more than they logged: their words on the command line. */
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { Registration } from "./read-commands.ts";

/**
 * Adds `plan`, `replay`, `resume`, `cancel`, `ps`, `why`, `check`, `restore` and `fork`. Each loads
 * its code when it is called.
 */
export function registerReplayCommands(program: Command, registration: Registration): void {
  registerPlan(program, registration);
  registerReplay(program, registration);
  registerReplays(program, registration);
  registerWhy(program, registration);
  registerCheck(program, registration);
  registerRestore(program, registration);
  registerFork(program, registration);
}

/** What `plan` and `replay` have in common. */
function questionOptions(command: Command): Command {
  return command
    .option("-w, --where <sql>", 'only where this holds, e.g. "epoch = 7 and lr < 0.01"')
    .option("--at <file:line>", "put the statement 'name = expression' there", collect)
    .option("-j, --jobs <n>", "processes at a time", parseJobs)
    .option("--gpus <list>", "GPUs that they see, one each in turn, e.g. 0,1", parseGpus)
    .option("--from-start", "execute runs from their start: restore nothing")
    .option("--install", "give versions the packages that their own lockfiles name");
}

function registerPlan(program: Command, { globalOptions, perform }: Registration): void {
  questionOptions(globalOptions(program.command("plan")))
    .summary("what a replay would do, and how long it would take")
    .description(
      "Finds the log statements of these names in the working tree and shows which runs would be\n" +
        "replayed, how much of each, from which checkpoints and for how long. Starts nothing.",
    )
    .argument("<names...>", "names to be logged; or 'name = expression' with --at")
    .option("-o, --out <file>", "write the plan, for  afterlog replay --plan")
    .action(async (words: string[], options: object, command: Command) => {
      const { planCommand } = await import("./plan.ts");
      await perform(command, (context) => planCommand(context, words, options));
    });
}

function registerReplay(program: Command, { globalOptions, perform }: Registration): void {
  questionOptions(globalOptions(program.command("replay")))
    .summary("fill in values that runs did not log")
    .description(
      "Shows the plan, asks, replays one part first (the canary), then the rest. Runs in trees of\n" +
        "its own; your files are not touched. Ctrl-C keeps what is finished.",
    )
    .argument("[names...]", "names to be logged; or 'name = expression' with --at")
    .option("-y, --yes", "start without asking")
    .option("--no-canary", "all at once")
    .option("--plan <file>", "execute a plan that was written with  afterlog plan --out")
    .option("--max-time <time>", "stop after this long, e.g. 10m", parseTime)
    .option("--newest-first", "the newest runs first, not the longest")
    .action(async (words: string[], options: object, command: Command) => {
      const { replayCommand } = await import("./replay.ts");
      await perform(command, (context) => replayCommand(context, words, options));
    });
}

function registerReplays(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("resume"))
    .summary("continue a replay that was stopped")
    .argument("[id]", "a replay, as  afterlog ps --all  lists them; the newest if not given")
    .option("--skip <run>", "leave this run out", collect)
    .option("-j, --jobs <n>", "processes at a time", parseJobs)
    .option("--max-time <time>", "stop after this long, e.g. 10m", parseTime)
    .action(async (id: string | undefined, options: object, command: Command) => {
      const { resumeCommand } = await import("./replays.ts");
      await perform(command, (context) => resumeCommand(context, id, options));
    });
  globalOptions(program.command("cancel"))
    .summary("stop a running replay; finished cells are kept")
    .argument("<id>", "a replay, as  afterlog ps  lists them")
    .action(async (id: string, _options: object, command: Command) => {
      const { cancelCommand } = await import("./replays.ts");
      await perform(command, (context) => cancelCommand(context, id));
    });
  globalOptions(program.command("ps"))
    .summary("replays that run")
    .option("-a, --all", "also those that have ended")
    .action(async (options: object, command: Command) => {
      const { psCommand } = await import("./replays.ts");
      await perform(command, (context) => psCommand(context, options));
    });
}

function registerWhy(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("why"))
    .summary("where a value comes from")
    .description("Shows the statement, version, scan, checkpoint and replay behind one value.")
    .argument("<run>", "@ (newest), @~1, an id or the beginning of one; or RUN@epoch=3,step=17")
    .argument("<name>", "the logged name")
    .argument("[path]", "where in the loops, e.g. epoch=3,step=17; the last value if not given")
    .action(async (run: string, name: string, path: string | undefined, ...rest: unknown[]) => {
      const { whyCommand } = await import("./why.ts");
      await perform(rest[1] as Command, (context) => whyCommand(context, run, name, path));
    });
}

function registerCheck(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("check"))
    .summary("execute a run again and compare all that it logged")
    .description(
      "Executes the run as it was, in a tree of its own, and compares every value with the record.\n" +
        "With -j N it is cut at its checkpoints, so that restoring them is checked too.",
    )
    .argument("[run]", "@ (newest), @~1, an id or the beginning of one, or a name", "@")
    .option("--explain", "say where to look at what differs")
    .option("-j, --jobs <n>", "processes at a time", parseJobs)
    .action(async (run: string, options: object, command: Command) => {
      const { checkCommand } = await import("./check.ts");
      await perform(command, (context) => checkCommand(context, run, options));
    });
}

function registerRestore(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("restore"))
    .summary("write the tensors of a checkpoint to a safetensors file")
    .argument("<run>", "RUN (its last checkpoint), RUN@end, RUN@epoch=3")
    .option("-o, --out <file>", "file to write")
    .option("--force", "overwrite the file")
    .action(async (run: string, options: object, command: Command) => {
      const { restoreCommand } = await import("./restore.ts");
      await perform(command, (context) => restoreCommand(context, run, options));
    });
}

function registerFork(program: Command, { globalOptions, perform }: Registration): void {
  globalOptions(program.command("fork"))
    .summary("train on from a point of a run, with other arguments")
    .description(
      "Starts a new run of the same program that goes on after the end of an iteration of another\n" +
        "run. Arguments that are not given are as they were.",
    )
    .argument("<run>", "RUN@epoch=3; RUN or RUN@end for its last iteration")
    .argument("[args...]", "arguments that differ: lr=0.001 epochs=40")
    .option("--name <name>", "a name for the new run")
    .action(async (run: string, args: string[], options: object, command: Command) => {
      const { forkCommand } = await import("./fork.ts");
      await perform(command, (context) => forkCommand(context, run, args, options));
    });
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

export function parseJobs(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 1024) {
    throw new InvalidArgumentError("It must be a whole number from 1 on.");
  }
  return count;
}

/** A number, or the name that the driver gave it (`nvidia-smi -L`). */
const GPU = /^(?:\d{1,3}|(?:GPU|MIG)-[\w/-]+)$/;

function parseGpus(text: string): string[] {
  const gpus = text.split(",").map((gpu) => gpu.trim());
  if (gpus.every((gpu) => GPU.test(gpu)) && new Set(gpus).size === gpus.length) return gpus;
  throw new InvalidArgumentError("It must name GPUs, each once: 0,1 or GPU-8932f937-….");
}

/** `90s`, `10m`, `1h30m`, or seconds. */
function parseTime(text: string): number {
  const [, hours, minutes, seconds] =
    /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?$/.exec(text.replaceAll(" ", "")) ?? [];
  const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
  if (total > 0) return total;
  throw new InvalidArgumentError("It must be a time such as 90s, 10m or 1h30m.");
}
