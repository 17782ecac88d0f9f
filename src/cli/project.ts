/** @file The command line as a use case sees it, and the catalog for commands that print rows. */
import type { Ports } from "../app/index.ts";
import * as app from "../app/index.ts";
import type { Catalog } from "../catalog/index.ts";
import type { Project } from "../store/index.ts";
import type { CliContext } from "./context.ts";

/** What a command hands to a use case. */
export function portsOf(context: CliContext): Ports {
  const { cwd, env, verbose } = context;
  const notice = (text: string): void => context.err(`${text}\n`);
  return { cwd, env, now: () => new Date(), ...(verbose ? { notice } : {}) };
}

/** The project around the current folder. Throws AL003 if nothing was ever recorded in it. */
export function requireProject(context: CliContext): Project {
  return app.requireProject(portsOf(context));
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

/**
 * Opens the catalog of the project for `work`, and closes it after. `work` prints to the context
 * it is given: as long as it has printed nothing, it can be repeated on an index built again.
 */
export async function withCatalog<T>(
  context: CliContext,
  work: (catalog: Catalog, context: CliContext) => Promise<T>,
  allowed: readonly string[] = [],
): Promise<T> {
  let printed = false;
  const watched: CliContext = {
    ...context,
    out: (text) => {
      printed = true;
      context.out(text);
    },
  };
  const use = { allowed, isRepeatable: () => !printed };
  return app.withCatalog(portsOf(context), (catalog) => work(catalog, watched), use);
}
