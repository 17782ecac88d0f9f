/**
 * @file The model of a Python program, from Python's own parser: the package that records a program
 * also analyses it (docs/decisions/0016), so what a run captures and what a plan asks for agree.
 */
import type { RunMode } from "../../format/index.ts";
import type { SourceModel } from "../source-model.ts";
import { askPython } from "./ask.ts";

type Answer =
  | { readonly problem: string }
  | (SourceModel & { readonly missing: readonly string[] });

/** The model of a program; `read` gives texts, by names relative to the project's root. */
export function analyzePython(
  entry: string,
  read: (file: string) => string | undefined,
  mode: RunMode = { handsFree: false },
): SourceModel {
  const files = new Map<string, string>();
  const looked = new Set<string>();
  const look = (file: string): boolean => {
    if (looked.has(file)) return false;
    looked.add(file);
    const text = read(file);
    if (text !== undefined) files.set(file, text);
    return text !== undefined;
  };
  look(entry);
  for (;;) {
    const texts = Object.fromEntries(files);
    const found = askPython({ ask: "model", entry, files: texts, ...mode }) as Answer;
    if ("problem" in found) return { files: [], loops: [], logs: [], uncertain: [found.problem] };
    const { missing, ...model } = found;
    // Not `some`: all of them are looked for at once, since each answer takes a process.
    if (missing.filter(look).length === 0) return mode.handsFree ? { ...model, ...mode } : model;
  }
}
