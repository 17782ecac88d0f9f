/** @file Whether a Python text is another one with log statements added to it, and where it stood. */
import type { RunMode } from "../../format/index.ts";
import type { AddedLog, InsertedSource, SourceDifference } from "../typescript/compare-sources.ts";
import { askPython } from "./ask.ts";

type Pair = readonly [line: number, column: number, thenLine: number, thenColumn: number];

interface Compared {
  readonly problem?: string;
  readonly kind: "same" | "logs" | "differs";
  readonly line?: number;
  readonly why?: string;
  readonly added?: readonly (Omit<AddedLog, "place"> & { line: number; column: number })[];
  readonly pairs?: readonly Pair[];
}

/** Like `compareInserted` of TypeScript; nothing but log statements may be added. */
export function comparePython(
  before: string,
  after: string,
  file: string,
  mode: RunMode,
): InsertedSource {
  if (before === after) return { difference: { kind: "same" }, text: after, before: (at) => at };
  const { handsFree, consoleRule } = mode;
  const question = { ask: "compare", before, after, handsFree, consoleRule };
  const compared = askPython(question) as Compared;
  const then = new Map(
    compared.pairs?.map(([line, column, l, c]) => [`${line}:${column}`, { line: l, column: c }]),
  );
  return {
    difference: differenceOf(compared, file),
    text: after,
    before: ({ line, column }) => then.get(`${line}:${column}`),
  };
}

function differenceOf(
  { problem, kind, line, why, added }: Compared,
  file: string,
): SourceDifference {
  if (problem !== undefined) return { kind: "differs", line: 1, why: problem };
  if (kind === "differs") return { kind, line: line ?? 1, why: why ?? "it has changed" };
  if (kind === "same") return { kind };
  return {
    kind: "logs",
    added: (added ?? []).map(({ line: at, column, ...log }) => ({
      ...log,
      place: { file, line: at, column },
    })),
  };
}
