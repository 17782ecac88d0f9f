/** @file One version of a file, parsed. */
import { extname } from "node:path";
import type { Node, Program } from "oxc-parser";
import type { Source as AnySource } from "../../landing/grammar.ts";
import { Lines } from "../../lines.ts";
import { parseSource } from "../parse.ts";

export interface Source extends AnySource {
  readonly program: Program;
}

/** A file as it was parsed. */
export type Parsed = Omit<Source, "grammar">;

/** Parses a file, if need be as another dialect than its name says; undefined if none fits. */
export function parseFile(file: string, text: string): Parsed | undefined {
  // A `.js` file may hold types.
  const typed = `${file.slice(0, file.length - extname(file).length)}.ts`;
  for (const name of [file, typed]) {
    const { program, problem } = parseSource(name, text);
    if (!problem) return { file, text, program, lines: new Lines(text) };
  }
  return undefined;
}

/** The statements of a node that holds a list of them; undefined for any other. */
export function statementsOf(node: Node): readonly Node[] | undefined {
  switch (node.type) {
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
    case "TSModuleBlock":
      return node.body;
    case "SwitchCase":
      return node.consequent;
    default:
      return undefined;
  }
}
