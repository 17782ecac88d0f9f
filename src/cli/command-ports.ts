/** @file The command line as a use case sees it. */
import type { Ports } from "../app/index.ts";
import { watchIndexing } from "./terminal/indexing.ts";
import { projectAround, RunLabels } from "../app/quick.ts";
import type { CliContext, Labels } from "./context.ts";

type Named = Parameters<Labels["learn"]>[0];

/** What a command hands to a use case. `trust`: remotes whose code may be executed, as was just said. */
export function portsOf(
  context: CliContext,
  { trust: said = [] }: { readonly trust?: readonly string[] | undefined } = {},
): Ports {
  const { cwd, env, verbose, prompt, json } = context;
  const notice = (text: string): void => context.err(`${text}\n`);
  // Here, and not before: whoever asks for help waits for nothing of a project.
  const labels = context.useLabels(() => new RunLabels(() => projectAround(context).store));
  const names = labels ? { learnNames: (named: Named) => labels.learn(named) } : {};
  const ask = prompt && !json ? { ask: askTrust(context, prompt) } : {};
  const trust = { said, ...ask };
  return {
    cwd,
    env,
    now: () => new Date(),
    processorMs,
    trust,
    ...names,
    watchIndexing: () => watchIndexing(context),
    ...(verbose ? { notice } : {}),
  };
}

/** A yes to all other questions is none to this one. */
function askTrust(
  context: CliContext,
  prompt: NonNullable<CliContext["prompt"]>,
): NonNullable<NonNullable<Ports["trust"]>["ask"]> {
  return async ({ remote, address, runs }) => {
    const what = runs.length === 1 ? "the code of 1 run" : `the code of ${runs.length} runs`;
    const where = remote === address ? "" : ` (${address})`;
    context.err(`! ${what} came from ${remote}${where}, and would be executed on this machine\n`);
    const answer = await prompt("? Trust whoever can write to it, from now on?  [y]es  [N]o › ");
    return /^y/i.test(answer.trim());
  };
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * A context that notes whether anything was printed to standard output: as long as nothing was, what
 * prints to it can be repeated on an index built again.
 */
export function watchOutput(context: CliContext): {
  readonly context: CliContext;
  readonly isRepeatable: () => boolean;
} {
  let printed = false;
  const out = (text: string): void => {
    printed = true;
    context.out(text);
  };
  return { context: { ...context, out }, isRepeatable: () => !printed };
}
