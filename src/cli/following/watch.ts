/** @file `afterlog watch [RUN]`: how far a run or a replay of another shell is, until it ends. */
import { watch } from "../../app/quick.ts";
import type { WatchEvent } from "../../app/quick.ts";
import type { CliContext } from "../context.ts";
import { INTERRUPTED } from "../interrupt.ts";
import { formatCount, formatNumber } from "../terminal/format-units.ts";
import { liveText } from "../terminal/live-line.ts";
import { portsOf } from "../command-ports.ts";
import { onOneLine, WIPE_LINE } from "../terminal/terminal-edge.ts";
import { untilInterrupted } from "./until-interrupted.ts";

export async function watchCommand(
  context: CliContext,
  reference: string | undefined,
): Promise<number> {
  return untilInterrupted(async (signal) => {
    let last: WatchEvent | undefined;
    let step: unknown;
    for await (const event of watch(portsOf(context), reference, signal)) {
      if (context.json) context.out(`${JSON.stringify(event)}\n`);
      else if (context.isTTY) {
        const begin = last === undefined ? `${onOneLine(headText(event))}\n` : WIPE_LINE;
        context.out(`${begin}${stateText(event, context.columns)}`);
      } else if (stepOf(event) !== step) {
        // A file gets a line an iteration of the outermost loop, not one each moment.
        context.out(`${onOneLine(stateText(event, Infinity))}\n`);
      }
      step = stepOf(event);
      last = event;
    }
    if (context.isTTY && !context.json && last) context.out(WIPE_LINE);
    if (signal.aborted) return INTERRUPTED;
    if (last && !context.json) context.out(`${onOneLine(endText(last))}\n`);
    return last?.status === "done" ? 0 : 1;
  });
}

function headText(event: WatchEvent): string {
  return event.kind === "run" ? event.run : `replay ${event.replay} of ${event.names.join(", ")}`;
}

function stateText(event: WatchEvent, columns: number): string {
  if (event.kind === "run") {
    return liveText(event.loops, event.metrics, columns) || "no loop has begun";
  }
  const { units, done, failed, cells } = event;
  const parts = [
    `${formatCount(done)} of ${formatCount(units)} units`,
    `${formatCount(cells)} cells`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
  ];
  return parts.join(" · ").slice(0, columns === Infinity ? undefined : columns - 1);
}

function stepOf(event: WatchEvent): unknown {
  return event.kind === "run" ? event.loops[0]?.index : event.done + event.failed;
}

function endText(event: WatchEvent): string {
  const mark = event.status === "done" ? "✔" : "✗";
  if (event.kind === "replay") return `${mark} ${event.status} · ${stateText(event, Infinity)}`;
  const values = event.metrics
    .slice(0, 3)
    .map(({ name, last }) => `${name} ${typeof last === "number" ? formatNumber(last) : last}`);
  return [`${mark} ${event.run} ${event.status}`, ...values].join(" · ");
}
