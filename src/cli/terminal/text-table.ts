/**
 * @file A table for people: aligned columns, numbers to the right. No column is left out: where the terminal
 * is too narrow for all of them, each row is a block of lines. It knows nothing of where cells come from.
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
  /** Blocks of lines, whatever the width. */
  readonly isBlocks?: boolean;
  /** Runs by their names in the place of their ids. */
  readonly named?: (text: string) => string;
}

const GAP = "  ";
/** No column, but the last one with room to spare, is wider than this. */
const CELL_MAX = 40;
/** A text at the end of the rows may be cut to this, so that they still are rows. */
const TEXT_MIN = 12;

/** Renders rows of texts. A cell with several lines shows its first. */
export function renderTable(
  given: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const { named = String } = options;
  const columns = given.map(({ title, align }) => ({ title: oneLine(named(title)), align }));
  const cells = rows.map((row) => columns.map((_, at) => oneLine(named(row[at] ?? ""))));
  const widths = columns.map((column, at) =>
    columnWidth(
      column,
      cells.map((row) => row[at] ?? ""),
    ),
  );
  if (options.isBlocks) return renderBlocks(columns, cells, options);
  const last = widths.length - 1;
  const excess = tableWidth(widths) - options.width;
  if (excess > 0) {
    const left = (widths[last] ?? 0) - excess;
    if (last === 0 || columns[last]?.align === "right" || left < TEXT_MIN) {
      return renderBlocks(columns, cells, options);
    }
    widths[last] = left;
  }
  const line = (texts: readonly string[]): string =>
    columns
      .map((column, at) =>
        padCell(cutCell(texts[at] ?? "", widths[at] ?? 0), widths[at] ?? 0, column),
      )
      .join(GAP)
      .trimEnd();
  const { dim } = createColors(options.color);
  const lines = [dim(line(columns.map((column) => column.title))), ...cells.map(line)];
  return `${lines.join("\n")}\n`;
}

/** What a column takes of a row. */
export function columnWidth({ title }: TableColumn, cells: readonly string[]): number {
  const most = cells.reduce((width, cell) => Math.max(width, textWidth(cell)), textWidth(title));
  return Math.min(CELL_MAX, most);
}

/** What columns of these widths take together. */
export function tableWidth(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
}

/** A block for each row: its first cell, and below it a line for each other, with its title. */
function renderBlocks(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  { width, color }: TableOptions,
): string {
  const { dim } = createColors(color);
  const rest = columns.slice(1);
  const titleMax = Math.max(1, Math.floor((width - 2 * GAP.length) / 2));
  const titles = rest.map(({ title }) => cutCell(title, titleMax));
  const titleWidth = Math.max(0, ...titles.map(textWidth));
  const room = Math.max(1, width - titleWidth - 2 * GAP.length);
  const blocks = rows.map(([first = "", ...cells]) => {
    const lines = titles.map((title, at) => {
      const name = title + " ".repeat(titleWidth - textWidth(title));
      return `${GAP}${dim(name)}${GAP}${cutCell(cells[at] ?? "", room)}`.trimEnd();
    });
    return [cutCell(first, width), ...lines, ""].join("\n");
  });
  return blocks.join("\n");
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
