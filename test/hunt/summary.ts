/** @file What many verdicts of the hunt come to: the shares that it must reach, and what they lack. */
import type { Verdict } from "./judge.ts";

export interface Summary {
  /** Share of values that are verified or restored, where nothing differs by itself; and of all. */
  readonly quiet: number;
  readonly all: number;
  /** Share of answerable edits that were refused or need a look. */
  readonly refused: number;
  /** Share of questions that executed less than the whole run: only these restore something. */
  readonly restoring: number;
  readonly lines: readonly string[];
}

export function summarized(verdicts: readonly Verdict[]): Summary {
  const marks = added(verdicts.map((one) => one.marks));
  const edits = verdicts.reduce((sum, one) => sum + one.edits, 0);
  const executed = verdicts.flatMap((one) => one.executed);
  const less = executed.filter((share) => share < 1);
  const refusals = verdicts.flatMap((one) => one.refusals);
  const weak = (isNoisy: boolean): string[] => {
    const some = verdicts.filter(({ noisy }) => noisy === isNoisy).map((one) => one.weak);
    const ordered = Object.entries(added(some)).toSorted(([, a], [, b]) => b - a);
    return ordered.map(([why, count]) => `  ${isNoisy ? "noisy, " : ""}unchecked ${count}: ${why}`);
  };
  return {
    quiet: promised(verdicts.filter(({ noisy }) => !noisy)),
    all: promised(verdicts),
    refused: edits === 0 ? 0 : refusals.length / edits,
    restoring: executed.length === 0 ? 1 : less.length / executed.length,
    lines: [
      `${verdicts.length} programs, ${edits} edits asked, ${refusals.length} not answered`,
      ...Object.entries(marks).map(([mark, count]) => `${mark} ${count}`),
      `${less.length} of ${executed.length} questions executed less than the whole run`,
      ...Object.entries(added(verdicts.map((one) => one.whole))).map(([why, count]) => {
        return `  whole ${count}: ${why}`;
      }),
      ...weak(false),
      ...weak(true),
      ...refusals.map((why) => `  not answered: ${why}`),
    ],
  };
}

function promised(verdicts: readonly Verdict[]): number {
  const marks = added(verdicts.map((one) => one.marks));
  const total = Object.values(marks).reduce((sum, count) => sum + count, 0);
  return total === 0 ? 1 : ((marks["verified"] ?? 0) + (marks["restored"] ?? 0)) / total;
}

function added(counts: readonly { readonly [name: string]: number }[]): { [name: string]: number } {
  const sums: { [name: string]: number } = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) {
    sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
