/**
 * @file Imports of the project's own files that a statement needs: whether the old version has the
 * file and the name, or whether the file can be brought along whole.
 */
import { posix } from "node:path";
import type { Node } from "oxc-parser";
import { candidates } from "../source-files.ts";
import type { Effect, ImportedName, ImportFate, ImportPlace } from "../../landing/grammar.ts";
import { effectOf } from "./effects.ts";
import { importedNames } from "./imports.ts";
import type { Parsed } from "./source.ts";
import { parseFile } from "./source.ts";
import { childrenOf } from "../syntax.ts";

/** What becomes of an import in the old version. */
export function fateOf(wanted: ImportedName, place: ImportPlace): ImportFate {
  if (!wanted.module.startsWith(".")) return { kind: "works" };
  const { now, then, importer } = place;
  const own = resolve(now.file, wanted.module, (file) => now.text(file));
  const old = resolve(importer, wanted.module, (file) => then.text(file));
  if (old) {
    if (exportsName(old, wanted.imported)) return { kind: "works" };
    const reason = `${wanted.local} does not exist in ${old.file} of that version`;
    return { kind: "missing", reason };
  }
  return own ? bring(own, wanted, place) : { kind: "unchecked" };
}

/** A file that only the newer version has. */
function bring(
  source: Parsed,
  { module, local }: ImportedName,
  { importer, then }: ImportPlace,
): ImportFate {
  const file = posix.normalize(posix.join(posix.dirname(importer), module));
  const target = file.endsWith(posix.extname(source.file))
    ? file
    : file + posix.extname(source.file);
  const effect = effectOfFile(source);
  const isComplete = importedNames(source).every((inner) => {
    if (!inner.module.startsWith(".")) return true;
    const found = resolve(target, inner.module, (one) => then.text(one));
    return found !== undefined && exportsName(found, inner.imported);
  });
  if (effect === "changes" || !isComplete) {
    const reason = `${local} comes from ${source.file}, which that version does not have`;
    return { kind: "missing", reason };
  }
  return { kind: "file", overlay: { file: target, text: source.text }, effect };
}

/** The file that an import means, parsed. */
function resolve(
  from: string,
  module: string,
  textOf: (file: string) => string | undefined,
): Parsed | undefined {
  const path = posix.normalize(posix.join(posix.dirname(from.replaceAll("\\", "/")), module));
  for (const file of [path, ...candidates(path)]) {
    const text = textOf(file);
    if (text !== undefined) return parseFile(file, text);
  }
  return undefined;
}

/** Whether a file exports a name, as far as can be seen: CommonJS may export anything. */
function exportsName({ program, text }: Parsed, name: string): boolean {
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
function effectOfFile({ program }: Parsed): Effect {
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
