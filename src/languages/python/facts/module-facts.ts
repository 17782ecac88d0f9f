/** @file What the project's own files give to others, and what loading them does. */
import { posix } from "node:path";
import type { Language, ResolvedImport } from "../../language.ts";
import type { Effect, ParsedFile } from "../../parsed-file.ts";
import { effectOf } from "./statement-effects.ts";
import type { PyNode } from "./syntax.ts";
import { assignmentIn, isDocstring, namedChildren } from "./syntax.ts";

export const resolveImport: Language["resolveImport"] = (importer, wanted, textOf) => {
  const folder = posix.dirname(importer.replaceAll("\\", "/"));
  const [, dots = "", path = ""] = /^(\.*)(.*)$/.exec(wanted.module) ?? [];
  const up = "../".repeat(Math.max(0, dots.length - 1));
  const bases = dots === "" ? [folder, "."] : [posix.join(folder, up)];
  const words = path.split(".").filter((word) => word !== "");
  for (const base of bases) {
    const stem = posix.normalize(posix.join(base, ...words));
    const submodule = fileOf(posix.join(stem, wanted.imported), textOf);
    if (submodule && !wanted.isWhole) return { ...submodule, isSubmodule: true };
    const found = words.length === 0 ? undefined : fileOf(stem, textOf);
    if (found) return { ...found, isSubmodule: false };
  }
  return undefined;
};

function fileOf(
  stem: string,
  textOf: (file: string) => string | undefined,
): Omit<ResolvedImport, "isSubmodule"> | undefined {
  for (const file of [`${stem}.py`, `${stem}/__init__.py`]) {
    const text = textOf(file);
    if (text !== undefined) return { file, text };
  }
  return undefined;
}

/** Beside the importer, as it was: from anywhere else it would be called otherwise. */
export const placeForImport: Language["placeForImport"] = (importer, _wanted, file) => {
  return posix.dirname(file) === posix.dirname(importer) ? file : undefined;
};

/** Whether a file has a name of the module, as far as can be seen. */
export function givesName({ isOpen, scopes }: ParsedFile, name: string): boolean {
  return name === "*" || name === "." || isOpen || scopes.root.bindings.has(name);
}

/** The worst that loading a file, or calling what it defines, does. */
export function effectOfFile(program: PyNode): Effect {
  const isLibrary = namedChildren(program).every((statement, at) => {
    if (at === 0 && isDocstring(statement)) return true;
    if (/^(?:import|future_import|decorated|function|class)/.test(statement.type)) return true;
    // Its own variables that change would be state that no checkpoint holds.
    const set = assignmentIn(statement);
    return set !== undefined && isConstant(set.value);
  });
  return isLibrary ? effectOf(program) : "changes";
}

function isConstant(value: PyNode): boolean {
  if (/^(?:integer|float|string|true|false|none)$/.test(value.type)) return true;
  const isMade = /^(?:tuple|unary_operator|binary_operator|concatenated_string)$/.test(value.type);
  return isMade && namedChildren(value).every(isConstant);
}
