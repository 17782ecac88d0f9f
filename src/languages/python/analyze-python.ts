/**
 * @file The model of a Python program, from Python's own parser: the package that records a program
 * also analyses it (docs/decisions/0016), so what a run captures and what a plan asks for agree.
 */
import type { AnalysisOptions } from "../language.ts";
import type { SourceModel } from "../source-model.ts";
import { callPythonService } from "./python-service.ts";

type Answer =
  | { readonly problem: string }
  /** Files that it may import: while one of them is there nothing is analysed. */
  | { readonly missing: readonly string[] }
  | SourceModel;

/** The model of a program; `read` gives texts, by names relative to the project's root. */
export function analyzePython(
  entry: string,
  read: (file: string) => string | undefined,
  { probes = [], ...mode }: AnalysisOptions = { handsFree: false },
): SourceModel {
  const files = new Map<string, string>();
  const absent: string[] = [];
  const look = (file: string): void => {
    const text = read(file);
    if (text === undefined) absent.push(file);
    else files.set(file, text);
  };
  look(entry);
  for (;;) {
    const texts = Object.fromEntries(files);
    const found = callPythonService({
      ask: "model",
      entry,
      files: texts,
      absent,
      probes,
      ...mode,
    }) as Answer;
    if ("problem" in found) return { files: [], loops: [], logs: [], uncertain: [found.problem] };
    if (!("missing" in found)) return mode.handsFree ? { ...found, ...mode } : found;
    for (const file of found.missing) look(file);
  }
}
