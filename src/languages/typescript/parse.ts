/**
 * @file Source text to syntax tree. The parser is a native module and loads
 * in 20 ms, so it is loaded with the first file that needs it.
 */
import { createRequire } from "node:module";
import { extname } from "node:path";
import type { EcmaScriptModule, ParserOptions, parseSync, Program } from "oxc-parser";
import type { ParsedText } from "../facts-reader.ts";

export type ParsedSource = ParsedText<Program>;

let loaded: typeof parseSync | undefined;

function loadParser(): typeof parseSync {
  const require = createRequire(import.meta.url);
  loaded ??= (require("oxc-parser") as { readonly parseSync: typeof parseSync }).parseSync;
  return loaded;
}

/** What a text imports and exports, and where its comments are. */
export type ModuleRecord = Pick<EcmaScriptModule, "staticImports" | "staticExports"> & {
  readonly comments: readonly { readonly start: number; readonly end: number }[];
};
export type ImportRecord = ModuleRecord["staticImports"][number];

/** Without a tree, which takes most of the time. */
export function readModuleRecord(file: string, text: string): ModuleRecord {
  const { module, comments } = loadParser()(file, text, { lang: languageOf(file) });
  const { staticImports, staticExports } = module;
  return { staticImports, staticExports, comments };
}

function languageOf(file: string): "ts" | "js" {
  return LANGUAGES[extname(file)] ?? "ts";
}

/** Parses TypeScript or JavaScript, by the ending of the name. Never throws on bad text. */
export function parseSource(file: string, text: string): ParsedSource {
  const parse = loadParser();
  const lang = languageOf(file);
  const parsed = parseAs(parse, file, text, { lang });
  if (!parsed.problem) return parsed;
  // The parser takes a text without imports and exports for a script. Modules may wait at top level,
  // files of CommonJS may return there.
  for (const [word, sourceType] of OTHER_TYPES) {
    if (!word.test(text)) continue;
    const other = parseAs(parse, file, text, { lang, sourceType });
    if (!other.problem) return other;
  }
  return parsed;
}

const OTHER_TYPES: readonly (readonly [RegExp, "module" | "commonjs"])[] = [
  [/\bawait\b/, "module"],
  [/\breturn\b/, "commonjs"],
];

function parseAs(
  parse: typeof parseSync,
  file: string,
  text: string,
  options: ParserOptions,
): ParsedSource {
  // Parentheses are no nodes: what they hold is what counts, for analysis and for comparing.
  const { program, errors } = parse(file, text, { ...options, preserveParens: false });
  const first = errors.find(({ severity }) => (severity as string) === "Error");
  const offset = first?.labels[0]?.start ?? 0;
  return { program, problem: first ? { message: first.message, offset } : null };
}

/** No program with JSX is run, so none is read: it has a meaning only after a transformation. */
const LANGUAGES: Readonly<{ [extension: string]: "ts" | "js" }> = {
  ".tsx": "ts",
  ".js": "js",
  ".mjs": "js",
  ".cjs": "js",
};
