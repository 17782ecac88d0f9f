/**
 * @file While the index is brought up to date: a line that says how far it is, once that takes more than a
 * second, and Ctrl-C, which keeps what is in the index already.
 */
import type { IndexingProgress, IndexingWatcher } from "../../catalog/index.ts";
import type { CliContext } from "../context.ts";
import { Interrupt } from "../interrupt.ts";
import { formatBytes, formatCount } from "./format-units.ts";
import { WIPE_LINE } from "./terminal-edge.ts";

const PATIENCE_MS = 1000;

/** Watches one indexing. Only a terminal has the line. */
export function watchIndexing(context: CliContext): IndexingWatcher {
  const interrupt = new Interrupt(() => {
    if (drawn) context.err(WIPE_LINE);
    context.err(
      "stopping: what is in the index stays, and the next command goes on with the rest\n",
    );
  });
  let state: IndexingProgress | undefined;
  let drawn = false;
  const draw = (): void => {
    if (state === undefined || !process.stderr.isTTY || interrupt.signal.aborted) return;
    context.err(`${WIPE_LINE}${progressText(state)}`);
    drawn = true;
  };
  const patience = setTimeout(draw, PATIENCE_MS);
  return {
    signal: interrupt.signal,
    progress: (next) => {
      state = next;
      if (drawn) draw();
    },
    end: () => {
      clearTimeout(patience);
      if (drawn) context.err(WIPE_LINE);
      interrupt.release();
    },
  };
}

/** `indexing  1200 of 10,000 runs · 34 MB of 300 MB · newest first, Ctrl-C keeps what is done` */
export function progressText({ runs, runsTotal, bytes, bytesTotal }: IndexingProgress): string {
  const of = `${formatCount(runs)} of ${formatCount(runsTotal)} runs`;
  const size = `${formatBytes(bytes)} of ${formatBytes(bytesTotal)}`;
  return `indexing  ${of} · ${size} · newest first, Ctrl-C keeps it`;
}
