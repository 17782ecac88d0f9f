/** @file Whether a Python text is another one with log statements added to it, and where it stood. */
import type { AddedLog, Allowed, InsertedSource, SourceDifference } from "../inserted-source.ts";
import { callPythonService } from "./python-service.ts";

type Pair = readonly [line: number, column: number, thenLine: number, thenColumn: number];

interface Compared {
  readonly problem?: string;
  readonly kind: "same" | "logs" | "differs";
  readonly line?: number;
  readonly why?: string;
  readonly added?: readonly (Omit<AddedLog, "place"> & { line: number; column: number })[];
  readonly pairs?: readonly Pair[];
}

/** Like `compareInserted` of TypeScript. */
export function comparePython(
  before: string,
  after: string,
  file: string,
  { handsFree, consoleRule, also }: Allowed,
): InsertedSource {
  if (before === after) return { difference: { kind: "same" }, text: after, before: (at) => at };
  const texts = { before: unmarked(before), after: unmarked(after), also };
  const question = { ask: "compare", ...texts, handsFree, consoleRule };
  const compared = callPythonService(question) as Compared;
  const then = new Map(
    compared.pairs?.map(([line, column, l, c]) => [`${line}:${column}`, { line: l, column: c }]),
  );
  return {
    difference: differenceOf(compared, file),
    text: after,
    before: ({ line, column }) => then.get(`${line}:${column}`),
  };
}

/**
 * Whether a changed text is a program if the text that it was is one: the grammar that places
 * statements takes indentation less seriously than Python does. True where nobody can tell.
 */
export function compilesStill(before: string, after: string): boolean {
  const texts = [unmarked(before), unmarked(after)];
  const answer = callPythonService({ ask: "compile", texts });
  if (!Array.isArray(answer)) return true;
  const [did, does] = answer as readonly unknown[];
  return did === false || does === true;
}

/** Python's parser knows a byte order mark in a file only, and not in a text. */
function unmarked(text: string): string {
  return text.replace(/^\uFEFF/, "");
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
