/** @file One version of a Python file, parsed. */
import type { Source as AnySource } from "../../landing/grammar.ts";
import { Lines } from "../../lines.ts";
import { parsePython } from "./parser.ts";
import type { PyNode } from "./syntax.ts";

export interface Source extends AnySource {
  readonly program: PyNode;
}

/** A file as it was parsed. */
export type Parsed = Omit<Source, "grammar">;

/** Where Python ends a line. */
const BREAKS = /\r\n|[\n\r]/g;

export function parseFile(file: string, text: string): Parsed | undefined {
  const { program, problem } = parsePython(text);
  return problem ? undefined : { file, text, program, lines: linesOf(text) };
}

export function linesOf(text: string): Lines {
  return new Lines(text, BREAKS);
}
