/**
 * @file The one line that shows how a recording goes, below the program's own output.
 *
 * `liveText` is pure; `LiveLine` keeps the line off the program's output: it is wiped before the
 * program writes and drawn again when the cursor is at the beginning of a line.
 */
import type { LoopStatus, StatusMetrics } from "../../format/index.ts";
import { visibleText } from "../../format/index.ts";
import { formatDuration, formatNumber } from "./format-units.ts";
import { onOneLine, WIPE_LINE } from "./terminal-edge.ts";
import { textWidth } from "./text-table.ts";

const BAR_WIDTH = 24;
const METRICS_SHOWN = 3;

/** `epoch 7/20 ━━━━╺━━━ loss 0.214 acc 0.871 41 s/epoch ETA 8m 52s`, cut to the width. */
export function liveText(
  loops: readonly LoopStatus[],
  metrics: StatusMetrics,
  columns: number,
): string {
  const [outer, ...inner] = loops;
  if (!outer) return "";
  const places = [outer, ...inner].map(({ loop, index, length }) => {
    return `${loop} ${index + 1}${length === null ? "" : `/${length}`}`;
  });
  const share = progress(loops);
  const bar = share === undefined ? [] : [barOf(share)];
  const values = metrics
    .slice(0, METRICS_SHOWN)
    .map(({ name, last }) => `${name} ${formatNumber(Number(last))}`);
  const each = outer.index > 0 ? [`${formatDuration(outer.ms / outer.index)}/${outer.loop}`] : [];
  const left =
    share === undefined || share < 0.001
      ? []
      : [`ETA ${formatDuration(outer.ms / share - outer.ms)}`];
  const parts = [places.join(" "), ...bar, ...values, ...each, ...left];
  let text = "";
  // Measured as it will be shown: a line that is longer than the terminal cannot be wiped.
  for (const part of parts.map((one) => onOneLine(visibleText(one)))) {
    const next = text === "" ? part : `${text}  ${part}`;
    if (textWidth(next) >= columns) break;
    text = next;
  }
  return text;
}

/** Share of the outermost loop that is done, counting the loops inside; undefined if unknown. */
function progress(loops: readonly LoopStatus[]): number | undefined {
  let share = 0;
  let unit = 1;
  for (const [depth, { index, length }] of loops.entries()) {
    if (length === null || length === 0) return depth === 0 ? undefined : share;
    unit /= length;
    share += index * unit;
  }
  return Math.min(1, share);
}

function barOf(share: number): string {
  const filled = Math.floor(share * BAR_WIDTH);
  const tip = filled < BAR_WIDTH ? "╺" : "";
  return `${"━".repeat(filled)}${tip}${"─".repeat(Math.max(0, BAR_WIDTH - filled - 1))}`;
}

export class LiveLine {
  readonly #write: (text: string) => void;
  readonly #columns: () => number;
  #text = "";
  #drawn = false;
  /** Whether the program's output left the cursor at the beginning of a line. */
  #atLineStart = true;

  constructor(write: (text: string) => void, columns: () => number) {
    this.#write = write;
    this.#columns = columns;
  }

  update(loops: readonly LoopStatus[], metrics: StatusMetrics): void {
    this.#text = liveText(loops, metrics, this.#columns());
    this.#draw();
  }

  /** Lets the program write: `pass` puts its bytes on the terminal. */
  around(bytes: Uint8Array, pass: () => void): void {
    this.#wipe();
    pass();
    if (bytes.byteLength > 0) this.#atLineStart = bytes.at(-1) === 0x0a;
    this.#draw();
  }

  end(): void {
    this.#wipe();
    this.#text = "";
  }

  #wipe(): void {
    if (this.#drawn) this.#write(WIPE_LINE);
    this.#drawn = false;
  }

  #draw(): void {
    if (!this.#atLineStart || this.#text === "") return;
    this.#write(`${WIPE_LINE}${this.#text}`);
    this.#drawn = true;
  }
}
