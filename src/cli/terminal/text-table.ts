/**
 * @file A table for people: aligned columns, numbers to the right, cut to the terminal's width.
 * It knows nothing of where cells come from.
 */
import { visibleText } from "../../format/index.ts";
import { createColors, onOneLine } from "./terminal-edge.ts";

export interface TableColumn {
  readonly title: string;
  readonly align: "left" | "right";
}

export interface TableOptions {
  readonly width: number;
  readonly color: boolean;
  /** Left out from the last on, if the terminal is too narrow; these many are always kept. */
  readonly keep?: number;
  /** Runs by their names in the place of their ids. */
  readonly named?: (text: string) => string;
}

export interface RenderedTable {
  readonly text: string;
  /** Titles of columns that had no room. */
  readonly leftOut: readonly string[];
}

const GAP = "  ";
/** No column, but the last one with room to spare, is wider than this. */
const CELL_MAX = 40;

/** Renders rows of texts. A cell with several lines shows its first. */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): RenderedTable {
  const { named = String } = options;
  const titles = columns.map(({ title }) => onOneLine(visibleText(named(title))));
  const cells = rows.map((row) => columns.map((_, at) => oneLine(named(row[at] ?? ""))));
  const widths = columns.map((_, at) =>
    Math.min(
      CELL_MAX,
      cells.reduce(
        (most, row) => Math.max(most, textWidth(row[at] ?? "")),
        textWidth(titles[at] ?? ""),
      ),
    ),
  );
  const count = fittingColumns(widths, options);
  const last = count - 1;
  const used = widths.slice(0, count).reduce((sum, width) => sum + width + GAP.length, 0);
  // The first columns are never dropped, so the last of them gives way instead.
  const excess = used - GAP.length - options.width;
  if (excess > 0) widths[last] = Math.max(3, (widths[last] ?? 0) - excess);
  const line = (texts: readonly string[]): string =>
    columns
      .slice(0, count)
      .map((column, at) =>
        padCell(cutCell(texts[at] ?? "", widths[at] ?? 0), widths[at] ?? 0, column),
      )
      .join(GAP)
      .trimEnd();
  const { dim } = createColors(options.color);
  const lines = [dim(line(titles)), ...cells.map(line)];
  return {
    text: `${lines.join("\n")}\n`,
    leftOut: titles.slice(count),
  };
}

function fittingColumns(widths: readonly number[], options: TableOptions): number {
  let used = -GAP.length;
  for (const [at, width] of widths.entries()) {
    used += GAP.length + width;
    if (used > options.width && at >= (options.keep ?? 1)) return at;
  }
  return widths.length;
}

function padCell(text: string, width: number, column: TableColumn): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return column.align === "right" ? space + text : text + space;
}

/** The first line, and nothing that moves the cursor. */
function oneLine(text: string): string {
  const [first = "", ...more] = text.split(/\r?\n/);
  return onOneLine(visibleText(more.length > 0 ? `${first} …` : first));
}

function cutCell(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += graphemeWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u02ff]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += graphemeWidth(segment);
  return width;
}

/** East Asian wide characters and emoji take two columns. */
function graphemeWidth(grapheme: string): number {
  const wide =
    /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|^\p{Emoji_Presentation}/u;
  return wide.test(grapheme) ? 2 : 1;
}
