/**
 * @file Imports of the project's own files that a statement needs: whether the old version has the
 * file and the name, or whether the file can be brought along whole.
 */
import { posix } from "node:path";
import type { Effect, ImportedName, ImportFate, ImportPlace } from "../../landing/grammar.ts";
import { effectOf } from "./effects.ts";
import { importedNames, isOpen, isWhole } from "./imports.ts";
import { walkScopes } from "./scope-walk.ts";
import type { Parsed } from "./source.ts";
import { parseFile } from "./source.ts";
import type { PyNode } from "./syntax.ts";
import { assignmentIn, isDocstring, named } from "./syntax.ts";

type TextOf = (file: string) => string | undefined;

/** What becomes of an import in the old version. */
export function fateOf(wanted: ImportedName, place: ImportPlace): ImportFate {
  const { now, then, importer } = place;
  const own = resolve(now.file, wanted, (file) => now.text(file));
  const old = resolve(importer, wanted, (file) => then.text(file));
  if (old) {
    if (old.isSubmodule || givesName(old.source, wanted.imported)) return { kind: "works" };
    const reason = `${wanted.local} does not exist in ${old.source.file} of that version`;
    return { kind: "missing", reason };
  }
  if (own) return bring(own.source, wanted, place);
  // A relative one is of the project, wherever its file may be; any other is a package.
  return { kind: wanted.module.startsWith(".") ? "unchecked" : "works" };
}

/** A file that only the newer version has. */
function bring(
  source: Parsed,
  { local }: ImportedName,
  { importer, then }: ImportPlace,
): ImportFate {
  const effect = effectOfFile(source);
  const isBeside = posix.dirname(source.file) === posix.dirname(importer);
  const isComplete = importedNames(source).every((inner) => {
    const found = resolve(source.file, inner, (file) => then.text(file));
    if (!found) return !inner.module.startsWith(".");
    return found.isSubmodule || givesName(found.source, inner.imported);
  });
  if (effect === "changes" || !isComplete || !isBeside) {
    const reason = `${local} comes from ${source.file}, which that version does not have`;
    return { kind: "missing", reason };
  }
  return { kind: "file", overlay: { file: source.file, text: source.text }, effect };
}

/** Whether an import means a file of the project. */
export function isOfProject(from: string, wanted: ImportedName, textOf: TextOf): boolean {
  return wanted.module.startsWith(".") || resolve(from, wanted, textOf) !== undefined;
}

interface Found {
  readonly source: Parsed;
  /** The name is not one of the file but the file itself. */
  readonly isSubmodule: boolean;
}

/** The file that an import means, parsed; undefined if the project has none for it. */
function resolve(from: string, wanted: ImportedName, textOf: TextOf): Found | undefined {
  const folder = posix.dirname(from.replaceAll("\\", "/"));
  const [, dots = "", path = ""] = /^(\.*)(.*)$/.exec(wanted.module) ?? [];
  const up = "../".repeat(Math.max(0, dots.length - 1));
  const bases = dots === "" ? [folder, "."] : [posix.join(folder, up)];
  const words = path.split(".").filter((word) => word !== "");
  for (const base of bases) {
    const stem = posix.normalize(posix.join(base, ...words));
    const submodule = fileOf(posix.join(stem, wanted.imported), textOf);
    if (submodule && !isWhole(wanted.imported)) return { source: submodule, isSubmodule: true };
    const source = words.length === 0 ? undefined : fileOf(stem, textOf);
    if (source) return { source, isSubmodule: false };
  }
  return undefined;
}

function fileOf(stem: string, textOf: TextOf): Parsed | undefined {
  for (const file of [`${stem}.py`, `${stem}/__init__.py`]) {
    const text = textOf(file);
    if (text !== undefined) return parseFile(file, text);
  }
  return undefined;
}

/** Whether a file has a name of the module, as far as can be seen. */
function givesName({ program }: Parsed, name: string): boolean {
  if (isWhole(name) || name === "." || isOpen(program)) return true;
  return walkScopes(program).root.bindings.has(name);
}

/** The worst that loading a file, or calling what it defines, does. */
function effectOfFile({ program }: Parsed): Effect {
  const isLibrary = named(program).every((statement, at) => {
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
  return isMade && named(value).every(isConstant);
}
