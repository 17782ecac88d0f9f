/**
 * @file Imports that a statement needs and the old file lacks: each on a line of its own, after the
 * imports that it has.
 */
import type { ImportedName } from "../../landing/grammar.ts";
import type { FileStyle, Insertion } from "../../landing/layout.ts";
import type { Parsed } from "./source.ts";
import type { PyNode } from "./syntax.ts";
import { dotted, fieldOf, isDocstring, named } from "./syntax.ts";

/** Stands for the whole module: `import a`, `import a.b as c`. */
const WHOLE = "*";
/** `import a.b` gives the name `a`, and makes sure that `a.b` is there. */
const INNER = ".";

export function isWhole(imported: string): boolean {
  return imported === WHOLE;
}

/** Everything that a file imports outside of functions and classes. */
export function importedNames({ program }: Parsed): ImportedName[] {
  return importsIn(program).flatMap(namesOf);
}

function importsIn(node: PyNode): PyNode[] {
  if (/^import(?:_from)?_statement$/.test(node.type)) return [node];
  const isOther = /^(?:function_definition|class_definition|lambda)$/.test(node.type);
  return isOther ? [] : named(node).flatMap(importsIn);
}

export function namesOf(statement: PyNode): ImportedName[] {
  const from = fieldOf(statement, "module_name");
  return statement.children.flatMap((child): ImportedName[] => {
    if (child.field !== "name") return [];
    const alias = fieldOf(child, "alias");
    const path = dotted(fieldOf(child, "name") ?? child);
    if (from) return [{ module: dotted(from), imported: path, local: alias?.text ?? path }];
    if (alias) return [{ module: path, imported: WHOLE, local: alias.text }];
    const [first = path] = path.split(".");
    return [{ module: path, imported: first === path ? WHOLE : INNER, local: first }];
  });
}

/** Whether names come from a module that nobody lists. */
export function isOpen(program: PyNode): boolean {
  return starModules(program).length > 0;
}

/** Modules of which a file takes everything, in their order. */
export function starModules(program: PyNode): string[] {
  return importsIn(program).flatMap((statement) => {
    const isStar = statement.children.some(({ type }) => type === "wildcard_import");
    const module = fieldOf(statement, "module_name");
    return isStar && module ? [dotted(module)] : [];
  });
}

/** The text that imports something, and where it goes. */
export function importInsertion(
  source: Parsed,
  wanted: ImportedName,
  { eol }: FileStyle,
): Insertion & { readonly shown: string } {
  const shown = importLine(wanted);
  const { text } = source;
  const last = lastOfHead(source);
  if (last) {
    const rest = /^[^\r\n]*/.exec(text.slice(last.end))?.[0] ?? "";
    const isAlone = /^\s*;?\s*(?:#.*)?$/.test(rest);
    if (!isAlone) return { offset: last.end, text: `; ${shown}`, shown };
    return { offset: last.end + rest.length, text: eol + shown, shown };
  }
  const [first] = named(source.program);
  const start = first ? source.lines.startOf(source.lines.at(first.start).line) : text.length;
  // A byte order mark stays the first.
  const offset = start === 0 && text.startsWith("\uFEFF") ? 1 : start;
  const isFresh = offset <= 1 || /[\r\n]$/.test(text.slice(0, offset));
  return { offset, text: (isFresh ? "" : eol) + shown + eol, shown };
}

/** The last of the docstring and the imports that a file begins with. */
function lastOfHead({ program }: Parsed): PyNode | undefined {
  const statements = named(program);
  const end = statements.findIndex((one, at) => {
    return !(at === 0 && isDocstring(one)) && !/^(?:future_)?import_/.test(one.type);
  });
  return statements[(end === -1 ? statements.length : end) - 1];
}

function importLine({ module, imported, local }: ImportedName): string {
  if (imported === INNER) return `import ${module}`;
  if (imported === WHOLE)
    return module === local ? `import ${module}` : `import ${module} as ${local}`;
  return `from ${module} import ${imported === local ? local : `${imported} as ${local}`}`;
}
