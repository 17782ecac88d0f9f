/**
 * @file The model of a Python program: its loops and log statements, and where they run. What its
 * loops change is not followed yet, which the model says: a replay then executes everything.
 */
import { posix } from "node:path";
import type { SourceLog, SourceLoop, SourceModel } from "../source-model.ts";
import { askPython } from "./ask.ts";

interface OutlinedLoop {
  readonly line: number;
  readonly column: number;
  readonly name: string | null;
  readonly counted: boolean;
}

interface OutlinedLog {
  readonly line: number;
  readonly column: number;
  readonly name: string | null;
  readonly pattern?: string;
  readonly text: string;
  /** Numbers of loops of the same file. */
  readonly loops: readonly number[];
  readonly certain: boolean;
}

interface Outline {
  readonly error: string | null;
  readonly loops: readonly OutlinedLoop[];
  readonly logs: readonly OutlinedLog[];
  /** Files that its imports may lead to, from its own folder. */
  readonly imports: readonly string[];
}

type Answer = { readonly problem: string } | { readonly files: { [file: string]: Outline } };

const NOT_FOLLOWED = "what the loops of a Python program change is not followed yet";

/** The model of a program; `read` gives texts, by names relative to the project's root. */
export function analyzePython(
  entry: string,
  read: (file: string) => string | undefined,
): SourceModel {
  const outlines = new Map<string, Outline>();
  const uncertain = [NOT_FOLLOWED];
  let wanted = new Map<string, string>();
  const want = (file: string): void => {
    const text = outlines.has(file) ? undefined : read(file);
    if (text !== undefined) wanted.set(file, text);
  };
  for (want(entry); wanted.size > 0;) {
    const files = Object.fromEntries(wanted);
    const found = askPython({ ask: "outline", files }) as Answer;
    if ("problem" in found) return nothing([...uncertain, found.problem]);
    wanted = new Map();
    for (const [file, outline] of Object.entries(found.files)) outlines.set(file, outline);
    for (const [file, { error, imports }] of Object.entries(found.files)) {
      if (error !== null) uncertain.push(error);
      for (const path of imports) want(posix.join(posix.dirname(file), path));
    }
  }
  return modelOf(outlines, uncertain);
}

function nothing(uncertain: readonly string[]): SourceModel {
  return { files: [], loops: [], logs: [], uncertain };
}

function modelOf(
  outlines: ReadonlyMap<string, Outline>,
  uncertain: readonly string[],
): SourceModel {
  const loops: SourceLoop[] = [];
  const logs: SourceLog[] = [];
  for (const [file, outline] of outlines) {
    const first = loops.length;
    for (const [ordinal, { line, column, name, counted }] of outline.loops.entries()) {
      loops.push({
        id: first + ordinal,
        ordinal,
        file,
        line,
        column,
        name,
        form: "for",
        changes: [],
        iterator: counted ? "index" : "dependent",
      });
    }
    for (const { loops: around, certain, ...log } of outline.logs) {
      logs.push({ ...log, file, chain: around.map((id) => first + id), certain, before: [] });
    }
  }
  return { files: [...outlines.keys()], loops, logs, uncertain };
}
