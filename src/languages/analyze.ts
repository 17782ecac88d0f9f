/** @file The model of a program, in whichever language it is written. */
import type { RunMode } from "../format/index.ts";
import { languageOf } from "./language.ts";
import type { SourceModel } from "./source-model.ts";

/** The model of a program; never throws on what a source file says. */
export function analyzeProgram(
  entry: string,
  read: (file: string) => string | undefined,
  options?: RunMode,
): SourceModel {
  return languageOf(entry).analyze(entry, read, options);
}
