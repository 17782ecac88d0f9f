/**
 * @file Imports that a statement needs and the old file lacks: each on a line of its own, after the
 * imports that it has.
 */
import type { FileStyle, Insertion } from "../../text-layout.ts";
import type { ImportedName, ParsedFile } from "../../parsed-file.ts";
import type { PyNode } from "./syntax.ts";
import { dotted, fieldOf, isDocstring, namedChildren } from "./syntax.ts";

/** Stands for the whole module: `import a`, `import a.b as c`. */
const WHOLE = "*";
/** `import a.b` gives the name `a`, and makes sure that `a.b` is there. */
const INNER = ".";

/** Everything that a file imports outside of functions and classes. */
export function importedNames(program: PyNode): ImportedName[] {
  return importsIn(program).flatMap(namesOf);
}

function importsIn(node: PyNode): PyNode[] {
  if (/^import(?:_from)?_statement$/.test(node.type)) return [node];
  const isOther = /^(?:function_definition|class_definition|lambda)$/.test(node.type);
  return isOther ? [] : namedChildren(node).flatMap(importsIn);
}

function namesOf(statement: PyNode): ImportedName[] {
  const from = fieldOf(statement, "module_name");
  return statement.children.flatMap((child): ImportedName[] => {
    if (child.field !== "name") return [];
    const alias = fieldOf(child, "alias");
    const path = dotted(fieldOf(child, "name") ?? child);
    if (from) return [importedAs(dotted(from), path, alias?.text ?? path)];
    if (alias) return [importedAs(path, WHOLE, alias.text)];
    const [first = path] = path.split(".");
    return [importedAs(path, first === path ? WHOLE : INNER, first)];
  });
}

function importedAs(module: string, imported: string, local: string): ImportedName {
  return { module, imported, local, isWhole: imported === WHOLE };
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
  source: ParsedFile,
  wanted: ImportedName,
  { eol }: FileStyle,
): Insertion & { readonly shown: string } {
  const shown = importLine(wanted);
  const { text } = source;
  const program = source.program as PyNode;
  const last = lastOfHead(program);
  if (last) {
    const rest = /^[^\r\n]*/.exec(text.slice(last.end))?.[0] ?? "";
    const isAlone = /^\s*;?\s*(?:#.*)?$/.test(rest);
    if (!isAlone) return { offset: last.end, text: `; ${shown}`, shown };
    return { offset: last.end + rest.length, text: eol + shown, shown };
  }
  const [first] = namedChildren(program);
  const start = first ? source.lines.startOf(source.lines.at(first.start).line) : text.length;
  // A byte order mark stays the first.
  const offset = start === 0 && text.startsWith("\uFEFF") ? 1 : start;
  const isFresh = offset <= 1 || /[\r\n]$/.test(text.slice(0, offset));
  return { offset, text: (isFresh ? "" : eol) + shown + eol, shown };
}

/** The last of the docstring and the imports that a file begins with. */
function lastOfHead(program: PyNode): PyNode | undefined {
  const statements = namedChildren(program);
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
