/**
 * @file Whether Node loads a file as a module or as CommonJS: by its name, by what it says, and by the
 * package.json over it. What is put into a file must not change that.
 */
import { posix } from "node:path";
import type { Node, Program } from "oxc-parser";

export type ModuleKind = "module" | "commonjs";

/** The text of a file of a version; undefined if it has none. */
export type TextOf = (file: string) => string | undefined;

/** As what a file is loaded. `textOf`: asked for a package.json, and only where nothing else tells. */
export function moduleKindOf(
  { file, text, program }: { readonly file: string; readonly text: string; program: Program },
  textOf: TextOf,
): ModuleKind {
  if (/\.c[jt]s$/.test(file)) return "commonjs";
  if (/\.m[jt]s$/.test(file) || hasModuleSyntax(program, text)) return "module";
  return packageType(file, textOf) === "module" ? "module" : "commonjs";
}

/** Whether it says what only a module may. Types are gone when it is loaded. */
export function hasModuleSyntax(program: Program, text: string): boolean {
  const own = program.body.filter(({ type }) => /^(?:Import|Export)/.test(type));
  if (own.some((statement) => !isOnlyType(statement))) return true;
  if (/\bimport\.meta\b/.test(text)) return true;
  // Without any it is parsed as a module only where it waits outside of functions.
  return own.length === 0 && program.sourceType === "module";
}

function isOnlyType(statement: Node): boolean {
  if (statement.type === "ImportDeclaration") return statement.importKind === "type";
  return "exportKind" in statement && statement.exportKind === "type";
}

function packageType(file: string, textOf: TextOf): unknown {
  for (let at = posix.dirname(file.replaceAll("\\", "/")); ; at = posix.dirname(at)) {
    const text = textOf(posix.join(at, "package.json"));
    if (text !== undefined) return typeIn(text);
    if (at === posix.dirname(at)) return undefined;
  }
}

function typeIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { readonly type?: unknown } | null)?.type;
  } catch {
    return undefined;
  }
}
