/** @file The command line as a use case sees it. */
import type { Ports } from "../app/index.ts";
import { watchIndexing } from "./terminal/indexing.ts";
import { projectAround, RunLabels } from "../app/quick.ts";
import type { CliContext, Labels } from "./context.ts";

type Named = Parameters<Labels["learn"]>[0];

/** What a command hands to a use case. */
export function portsOf(context: CliContext): Ports {
  const { cwd, env, verbose } = context;
  const notice = (text: string): void => context.err(`${text}\n`);
  // Here, and not before: whoever asks for help waits for nothing of a project.
  const labels = context.useLabels(() => new RunLabels(() => projectAround(context).store));
  const names = labels ? { learnNames: (named: Named) => labels.learn(named) } : {};
  return {
    cwd,
    env,
    now: () => new Date(),
    processorMs,
    ...names,
    watchIndexing: () => watchIndexing(context),
    ...(verbose ? { notice } : {}),
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
