/** @file How a command says which runs it changed, and how to get back to what was before. */
import type { CliContext } from "../context.ts";
import { formatCount } from "../terminal/format-units.ts";
import { createColors } from "../terminal/terminal-edge.ts";

/** Runs that are named in one line; more are counted. */
const RUNS_NAMED = 6;

/** `way back:  afterlog tag train-… -good`: by ids, as names may be others until then. */
export function sayWayBack(context: CliContext, commands: readonly string[]): void {
  const { dim } = createColors(context.errColor);
  for (const command of commands) context.errExact(dim(`way back:  afterlog ${command}\n`));
}

export function listedRuns(runs: readonly { readonly run: string }[]): string {
  const more = runs.length - RUNS_NAMED;
  const named = runs.slice(0, RUNS_NAMED).map(({ run }) => run);
  return [...named, ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join(", ");
}

/** All of them, as words of a command: a way back that leaves some out is none. */
export function runWords(runs: readonly { readonly run: string }[]): string {
  return runs.map(({ run }) => run).join(" ");
}
