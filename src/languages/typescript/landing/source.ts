/** @file One version of a file, parsed. */
import { extname } from "node:path";
import type { Node, Program } from "oxc-parser";
import { Lines, parseSource } from "../parse.ts";

export interface Source {
  readonly file: string;
  readonly text: string;
  readonly program: Program;
  readonly lines: Lines;
}

/** Endings to try when the file's own does not parse: a `.js` file may hold types, a `.ts` file JSX. */
const OTHER_ENDINGS = [".tsx", ".ts", ".jsx"];

/** Parses a file, if need be as another dialect than its name says; undefined if none fits. */
export function readSource(file: string, text: string): Source | undefined {
  const stem = file.slice(0, file.length - extname(file).length);
  for (const name of [file, ...OTHER_ENDINGS.map((ending) => stem + ending)]) {
    const { program, problem } = parseSource(name, text);
    if (!problem) return { file, text, program, lines: new Lines(text) };
  }
  return undefined;
}

/** The nodes directly inside a node, in the order of its fields. */
export function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  // Every node of every version comes here: no intermediate lists.
  for (const key in node) {
    const value: unknown = node[key as keyof Node];
    if (typeof value !== "object" || value === null) continue;
    if (!Array.isArray(value)) {
      if (isNode(value)) children.push(value);
      continue;
    }
    for (const item of value) if (isNode(item)) children.push(item);
  }
  return children;
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
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
