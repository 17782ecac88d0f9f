/** @file A text that is known to parse, with its facts. */
import { languageOf } from "../../src/languages/language.ts";
import type { ParsedFile } from "../../src/languages/parsed-file.ts";

/** Undefined if it does not parse after all. */
export function parsed(file: string, text: string): ParsedFile | undefined {
  const source = languageOf(file).read(file, text);
  return "problem" in source ? undefined : source;
}
