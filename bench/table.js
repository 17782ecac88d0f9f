// @ts-check
/** @file The results as text: a line each, its details below. */
import { digits3 } from "./measure.js";

/** @import { Result } from "./measure.js" */

/** @param {readonly Result[]} results */
export function resultTable(results) {
  const head = ["", "name", "ratio", "min - max", "goal", "median", "n"];
  const rows = results.map((result) => [
    result.pass ? "✓" : "✗",
    result.name,
    ratioText(result.ratio),
    `${ratioText(result.spread[0])} - ${ratioText(result.spread[3])}`,
    result.goal,
    `${digits3(result.median)} ${result.unit}`,
    String(result.n),
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? "").length)),
  );
  /** @param {readonly string[]} row */
  const line = (row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  const lines = [line(head)];
  for (const [at, row] of rows.entries()) {
    lines.push(line(row), ...detailLines(results[at]?.detail ?? {}));
  }
  return lines.join("\n");
}

/** @param {number} ratio NaN, and null in JSON, where nothing could be measured */
function ratioText(ratio) {
  if (!Number.isFinite(ratio)) return "-";
  return Math.abs(ratio) < 0.1 ? ratio.toFixed(4) : ratio.toFixed(2);
}

/** @param {{ readonly [fact: string]: unknown }} detail */
function detailLines(detail) {
  return Object.entries(detail).map(([fact, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value, roundNumber);
    return `     ${fact}: ${text}`;
  });
}

/**
 * @param {string} _key
 * @param {unknown} value
 */
function roundNumber(_key, value) {
  return typeof value === "number" ? digits3(value) : value;
}
