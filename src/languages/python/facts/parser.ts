/**
 * @file Python text to syntax tree, by tree-sitter's grammar: it reads texts of every version of the
 * language, also those that the interpreter at hand does not (docs/python.md). It is WebAssembly,
 * which is loaded asynchronously, with the first file that needs it; to parse then is not.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Parser, TreeCursor } from "web-tree-sitter";
import type { ParsedText } from "../../facts-reader.ts";
import { keepingLast } from "../../lazy-facts.ts";
import type { PyNode } from "./syntax.ts";

let loading: Promise<Parser> | undefined;
let loaded: Parser | undefined;

/** Loads the parser. To be awaited before anything of Python is landed; once is enough. */
export async function preparePython(): Promise<void> {
  loading ??= load();
  loaded = await loading;
}

async function load(): Promise<Parser> {
  const { Language, Parser: TreeSitter } = await import("web-tree-sitter");
  const { resolve } = createRequire(import.meta.url);
  await TreeSitter.init();
  const grammar = await readFile(resolve("tree-sitter-python/tree-sitter-python.wasm"));
  const parser = new TreeSitter();
  parser.setLanguage(await Language.load(grammar));
  return parser;
}

export type ParsedPython = ParsedText<PyNode>;

/** Parses a text; the last are kept. Never throws on bad text. */
export const parsePython: (text: string) => ParsedPython = keepingLast(4, parse);

function parse(text: string): ParsedPython {
  assert(loaded, "Python is parsed before its parser was loaded");
  const tree = loaded.parse(text);
  assert(tree, "the parser was stopped");
  const cursor = tree.walk();
  try {
    const building = new Building(text);
    const program = building.node(cursor);
    // A byte order mark and blank lines belong to no statement.
    return { program: { ...program, start: 0, end: text.length }, problem: building.problem };
  } finally {
    cursor.delete();
    tree.delete();
  }
}

/** Nodes that say nothing about what the program does. */
const LEFT_OUT = new Set(["comment", "line_continuation"]);

class Building {
  problem: ParsedPython["problem"] = null;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The node at the cursor, which stands there again afterwards. Each question to a cursor is costly. */
  node(cursor: TreeCursor, type: string = cursor.nodeType): PyNode {
    const { startIndex: start, endIndex: end, nodeIsNamed: isNamed } = cursor;
    const field = cursor.currentFieldName;
    if (type === "ERROR" || (start === end && cursor.nodeIsMissing)) {
      this.#spoil(start, `unexpected ${JSON.stringify(this.#text.slice(start, start + 20))}`);
    }
    const children: PyNode[] = [];
    // Escapes are a part of the text that they stand in.
    if (type !== "string_content" && cursor.gotoFirstChild()) {
      do {
        const inner = cursor.nodeType;
        if (!LEFT_OUT.has(inner)) children.push(this.node(cursor, inner));
      } while (cursor.gotoNextSibling());
      cursor.gotoParent();
    }
    // The grammar lets a body without indentation pass, as an empty one.
    if (type === "block" && children.length === 0)
      this.#spoil(start, "an indented block is missing");
    const text = children.length === 0 ? this.#text.slice(start, end) : "";
    return { type, start, end, isNamed, field, children, text };
  }

  #spoil(offset: number, message: string): void {
    this.problem ??= { offset, message };
  }
}
