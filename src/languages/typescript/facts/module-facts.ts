/** @file What the project's own files give to others, and what loading them does. */
import { posix } from "node:path";
import type { Node, Program } from "oxc-parser";
import type { Language } from "../../language.ts";
import type { Effect } from "../../parsed-file.ts";
import { ImportFinder } from "../starting/find-import.ts";
import { childrenOf } from "../syntax.ts";
import { effectOf } from "./statement-effects.ts";

export const resolveImport: Language["resolveImport"] = (importer, { module }, textOf) => {
  const file = new ImportFinder(textOf).find(importer.replaceAll("\\", "/"), module);
  if (typeof file !== "string" || file.endsWith(".json")) return undefined;
  return { file, text: textOf(file) ?? "", isSubmodule: false };
};

export const placeForImport: Language["placeForImport"] = (importer, { module }, file) => {
  const path = posix.normalize(posix.join(posix.dirname(importer), module));
  const extension = posix.extname(file);
  return path.endsWith(extension) ? path : path + extension;
};

/** Whether a file exports a name, as far as can be seen: CommonJS may export anything. */
export function exportsName(program: Program, text: string, name: string): boolean {
  if (name === "*" || name === "require" || /\bexports\b/.test(text)) return true;
  return program.body.some((statement) => {
    switch (statement.type) {
      case "ExportAllDeclaration":
        return true;
      case "ExportDefaultDeclaration":
        return name === "default";
      case "ExportNamedDeclaration":
        return [...exportedNames(statement)].includes(name);
      default:
        return false;
    }
  });
}

function* exportedNames(
  node: Extract<Node, { type: "ExportNamedDeclaration" }>,
): Generator<string> {
  for (const { exported } of node.specifiers) {
    yield exported.type === "Literal" ? exported.value : exported.name;
  }
  const { declaration } = node;
  if (declaration?.type === "VariableDeclaration") {
    for (const { id } of declaration.declarations) yield* namesIn(id);
  } else if (declaration && "id" in declaration && declaration.id) yield* namesIn(declaration.id);
}

function* namesIn(pattern: Node): Generator<string> {
  if (pattern.type === "Identifier") yield pattern.name;
  else for (const child of childrenOf(pattern)) yield* namesIn(child);
}

/** The worst that loading a file, or calling what it exports, does. */
export function effectOfFile(program: Program): Effect {
  const isLibrary = program.body.every(({ type }) => {
    return /^(?:Import|Export|Function|Variable|Class|TS)/.test(type);
  });
  // Its own variables that change would be state that no checkpoint holds.
  const hasState = program.body.some((statement) => {
    const inner = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    return inner?.type === "VariableDeclaration" && inner.kind !== "const";
  });
  return isLibrary && !hasState ? effectOf(program) : "changes";
}
