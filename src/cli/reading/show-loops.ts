/**
 * @file The loops of a run for `afterlog show`. Those of a hands-free run were found, not named by
 * its author: so where each stands, how long it took, which one is the main loop (Flor §3.3.2: the
 * longest), and which could not be recorded.
 */
import type { FoundLoops } from "../../app/read.ts";
import { mainLoop } from "../../app/read.ts";
import type { LoopSummary, RunDetails } from "../../catalog/index.ts";
import { formatCount, formatDuration, formatShare } from "../terminal/format-units.ts";
import { textWidth } from "../terminal/text-table.ts";

/** A program has many small loops: of those that nobody named, so many are listed. */
const LISTED_MAX = 20;

/** One line for each loop, inner ones indented. */
export function loopLines(details: RunDetails, found: FoundLoops | undefined): string[] {
  const loops = found ? longestLoops(details.loops) : details.loops;
  const names = loops.map((loop) => `${"  ".repeat(loop.loops.length)}${loop.loop}`);
  const facts = loops.map(describeLoop);
  if (!found) return names.map((name, at) => `${name}  ${facts[at] ?? ""}`);
  const main = mainLoop(details);
  const runMs = Number(details.run["seconds"] ?? 0) * 1000;
  const rows = loops.map((loop, at) => [
    names[at] ?? "",
    facts[at] ?? "",
    loop.file === null ? "" : `${loop.file}:${loop.line ?? 1}`,
    runMs > 0 ? `${formatShare(Math.min(1, loop.ms / runMs))} of the time` : "",
    loop === main ? "main loop" : "",
  ]);
  return [...alignedRows(rows), ...moreLoops(details.loops.length, "shorter ones")];
}

/** The longest, in the order in which they were entered. */
function longestLoops(loops: readonly LoopSummary[]): readonly LoopSummary[] {
  const listed = new Set(loops.toSorted((a, b) => b.ms - a.ms).slice(0, LISTED_MAX));
  return loops.filter((loop) => listed.has(loop));
}

function moreLoops(count: number, which: string): string[] {
  return count > LISTED_MAX ? [`  … and ${count - LISTED_MAX} ${which}`] : [];
}

/** Loops that are in the source and not in the record. */
export function leftAloneLines(found: FoundLoops | undefined): string[] {
  const all = found?.leftAlone ?? [];
  const rows = all.slice(0, LISTED_MAX).map(({ file, line, why }) => [`  ${file}:${line}`, why]);
  return [...alignedRows(rows), ...moreLoops(all.length, "more")];
}

/** Long calls into code of which no loop is recorded. */
export function unseenCallLines({ calls, run }: Pick<RunDetails, "calls" | "run">): string[] {
  const runMs = Number(run["seconds"] ?? 0) * 1000;
  const rows = calls
    .slice(0, LISTED_MAX)
    .map(({ call, times, ms }) => [
      `  ${call}`,
      formatDuration(ms),
      times > 1 ? `${formatCount(times)} times` : "",
      runMs > 0 ? `${formatShare(Math.min(1, ms / runMs))} of the time` : "",
    ]);
  return [...alignedRows(rows), ...moreLoops(calls.length, "shorter ones")];
}

function alignedRows(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number): number =>
    rows.reduce((most, row) => Math.max(most, textWidth(row[column] ?? "")), 0);
  return rows.map((row) => {
    const cells = row.map((cell, column) => cell + " ".repeat(width(column) - textWidth(cell)));
    return cells.join("  ").trimEnd();
  });
}

function describeLoop({ entries, iterations, exits }: LoopSummary): string {
  const times = entries === 1 ? "" : ` in ${formatCount(entries)} entries`;
  const ends = Object.entries(exits)
    .filter(([how]) => how !== "exhausted")
    .map(([how, count]) => (how === "open" ? `${count} not finished` : `${count} left by ${how}`));
  const how = ends.length === 0 ? "" : ` (${ends.join(", ")})`;
  return `${formatCount(iterations)} iteration${iterations === 1 ? "" : "s"}${times}${how}`;
}
