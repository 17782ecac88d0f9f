/** @file What recording cost, and the one line about it that a program prints when nobody watches. */
import type { Overhead, TurnedOff } from "../format/index.ts";
import type { Ledger } from "../materialize/index.ts";
import { formatBytes } from "../store/index.ts";
import { roundMs } from "./log/loop-profile.ts";

/** What the start and the wait at the end cost is said from here on. */
const APART_MS_MIN = 100;

export function overheadOf(
  ledger: Ledger,
  known: Pick<Overhead, "checkpoints" | "bytes" | "endMs" | "setupMs" | "runMs"> & {
    readonly elapsedMs: number;
    readonly processorMs: number;
    readonly rewrittenMs: number | null | undefined;
  },
): Overhead {
  const spent = ledger.processorMs;
  // A program that waits for something else takes longer than it computes.
  const taken = Math.max(known.processorMs, known.elapsedMs);
  return {
    budget: Number.isFinite(ledger.budget) ? ledger.budget : null,
    share: spent / Math.max(1, taken - spent),
    checkpoints: known.checkpoints,
    bytes: known.bytes,
    captureMs: roundMs(ledger.captureMs),
    snapshotMs: roundMs(ledger.snapshotMs),
    waitMs: roundMs(ledger.waitMs),
    slowdownMs: roundMs(ledger.slowdownMs),
    logMs: roundMs(ledger.logMs),
    otherMs: roundMs(ledger.otherMs + ledger.boundaryMs),
    outermostMs: roundMs(ledger.outermostMs),
    endMs: roundMs(known.endMs),
    setupMs: roundMs(known.setupMs),
    runMs: roundMs(known.runMs),
    besideMs: roundMs(ledger.besideMs),
    processorMs: roundMs(known.processorMs),
    ...rewrittenOf(known.rewrittenMs),
  };
}

function rewrittenOf(ms: number | null | undefined): Pick<Overhead, "rewrittenMs"> {
  if (ms === undefined) return {};
  return { rewrittenMs: ms === null ? null : roundMs(ms) };
}

/** The feature that is off where something of ours broke. */
export const RECORDING = "recording";

/** A run that stopped recording says so at its end, too. */
export function stoppedHint(off: readonly TurnedOff[]): string[] {
  const stopped = off.find(({ feature }) => feature === RECORDING);
  return stopped
    ? [`recording stopped on the way, what came later is missing: ${stopped.why}`]
    : [];
}

/** What is said of loops that were given up; `costMs`: of what rewritten code took longer, null if nobody knows. */
export function givenUpHint(loops: readonly string[], costMs: number | null | undefined): string[] {
  if (loops.length === 0) return [];
  const unknown = "the overhead is more than is said: what rewritten code cost was not measured";
  return [
    ...(costMs === null ? [unknown] : []),
    `too costly to record any longer, found by executing when asked: ${loops.join(", ")}`,
  ];
}

export function overheadText(run: string, overhead: Overhead): string {
  const share = (overhead.share * 100).toFixed(1);
  const { budget } = overhead;
  const limit = budget === null ? "no budget" : `budget ${(budget * 100).toFixed(1)} %`;
  const parts = [
    ["start", overhead.setupMs],
    ["wait at the end", overhead.endMs],
  ] as const;
  const said = parts.filter(([, ms]) => ms >= APART_MS_MIN);
  const words = said.map(([what, ms]) => `${what} ${Math.round(ms)} ms`).join(", ");
  const apart = words === "" ? "" : ` · ${words} apart`;
  const count = overhead.checkpoints;
  const sized = `${count} checkpoint${count === 1 ? "" : "s"} ${formatBytes(overhead.bytes)}`;
  const taken = count === 0 ? "no checkpoints" : sized;
  return `run ${run} · ${taken} · overhead ${share} % (${limit})${apart}`;
}
