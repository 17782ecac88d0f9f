/**
 * @file The text of `afterlog.toml`: TOML with one key a line, so that every problem has a line and
 * all readers (smol-toml, Python's `tomllib`, and our own for Pythons that have none) accept the
 * same texts. This file knows the lines; what stands behind the `=` is read by the function given.
 */

export interface SettingsFile {
  /** As messages name it. */
  readonly path: string;
  readonly sections: readonly { readonly name: string; readonly line: number }[];
  readonly entries: readonly FileEntry[];
  /** The first line that cannot be read; then nothing else is reported. */
  readonly broken?: { readonly line: number; readonly why: string };
}

export interface FileEntry {
  /** Empty above the first section. */
  readonly section: string;
  readonly key: string;
  /** What a variable of the environment would say. */
  readonly text: string;
  readonly line: number;
}

/** A value of TOML as JavaScript; throws if it cannot be read. */
export type ReadTomlValue = (text: string) => unknown;

const NAME = "[A-Za-z0-9_-]+";
const COMMENT = "(?:#[^\\x00-\\x08\\x0a-\\x1f\\x7f]*)?";
const EMPTY = new RegExp(`^[ \\t]*${COMMENT}$`);
const SECTION = new RegExp(`^[ \\t]*\\[[ \\t]*(${NAME})[ \\t]*\\][ \\t]*${COMMENT}$`);
const ENTRY = new RegExp(`^[ \\t]*(${NAME})[ \\t]*=[ \\t]*([^\\r]*)$`);
/** Lists, tables, and texts over several lines. */
const NO_SCALAR = /^(?:[[{]|"""|''')/;
/** Escapes of TOML 1.1, which not every reader knows. */
const NEW_ESCAPE = /^"(?:[^"\\]|\\[^ex])*\\[ex]/;

/** Reads the text of a file; `path` is how messages name it. */
export function readSettingsText(path: string, text: string, read: ReadTomlValue): SettingsFile {
  const sections: { name: string; line: number }[] = [];
  const entries: FileEntry[] = [];
  const seen = new Set<string>();
  let section = "";
  for (const [index, content] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1;
    const broken = (why: string): SettingsFile => {
      return { path, sections: [], entries: [], broken: { line, why } };
    };
    if (EMPTY.test(content)) continue;
    const [, head] = SECTION.exec(content) ?? [];
    const [, key, rest = ""] = ENTRY.exec(content) ?? [];
    if (head === undefined && key === undefined) {
      return broken("a line is [section], or key = value, or a # comment");
    }
    const name = head === undefined ? `${section}.${key}` : `[${head}]`;
    if (seen.has(name)) return broken(`${head === undefined ? key : name} stands there twice`);
    seen.add(name);
    if (key === undefined) {
      section = head ?? "";
      sections.push({ name: section, line });
      continue;
    }
    const value = scalarOf(rest, read);
    if (value === undefined) return broken(whyUnreadable(key, rest));
    entries.push({ section, key, text: value, line });
  }
  return { path, sections, entries };
}

/** The text of a text, a number, true or false; undefined if it is none of them. */
function scalarOf(rest: string, read: ReadTomlValue): string | undefined {
  if (NO_SCALAR.test(rest) || NEW_ESCAPE.test(rest)) return undefined;
  let value: unknown;
  try {
    value = read(rest);
  } catch {
    return undefined;
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  const isScalar = ["string", "number", "bigint", "boolean"].includes(typeof value);
  return isScalar ? String(value) : undefined;
}

/** The mistakes that everybody makes once are named. */
function whyUnreadable(key: string, rest: string): string {
  if (/^"[^"]*\\/.test(rest)) return `${key}: a text with \\ stands in single quotes: ${key} = '…'`;
  if (/^(["'])(?:(?!\1).)*$/.test(rest)) return `${key}: the quote is not closed`;
  const [, word] = /^([^"'[{#]*[A-Za-z%][^"'[{#]*)/.exec(rest) ?? [];
  if (word !== undefined) return `${key}: a text stands in quotes: ${key} = "${word.trimEnd()}"`;
  return `${key} is neither a text in quotes, a number, true nor false`;
}
