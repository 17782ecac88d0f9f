/** @file A Markdown table whose columns are padded, as the formatter wants it. */

export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = head.map((_, column) => {
    return Math.max(3, ...cells.map((row) => row[column]?.length ?? 0));
  });
  const line = (row: readonly string[]): string => {
    return `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`;
  };
  const [title = [], ...body] = cells;
  return [line(title), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join(
    "\n",
  );
}
