/**
 * @file Imports of the project's own files that a statement needs: whether the old version has the
 * file and the name, or whether the file can be brought along whole.
 */
import { posix } from "node:path";
import type { Node } from "oxc-parser";
import type { LandingRequest, Overlay } from "../../../format/index.ts";
import { candidates } from "../source-files.ts";
import type { Effect } from "./effects.ts";
import { effectOf } from "./effects.ts";
import type { ImportedName } from "./imports.ts";
import { importedNames } from "./imports.ts";
import type { Source } from "./source.ts";
import { readSource } from "./source.ts";
import { childrenOf } from "../syntax.ts";

/** What becomes of an import in the old version. */
export type ImportFate =
  /** It means the same there. */
  | { readonly kind: "works" }
  /** The file is not known here. */
  | { readonly kind: "unchecked" }
  | { readonly kind: "file"; readonly overlay: Overlay; readonly effect: Effect }
  | { readonly kind: "missing"; readonly reason: string };

type Files = Pick<LandingRequest, "now" | "then">;

export class Modules {
  readonly #files: Files;
  /** The old file that imports. */
  readonly #importer: string;

  constructor(files: Files, importer: string) {
    this.#files = files;
    this.#importer = importer;
  }

  fateOf(wanted: ImportedName): ImportFate {
    if (!wanted.module.startsWith(".")) return { kind: "works" };
    const { now, then } = this.#files;
    const own = resolve(now.file, wanted.module, (file) => now.text(file));
    const old = resolve(this.#importer, wanted.module, (file) => then.text(file));
    if (old) {
      if (exportsName(old, wanted.imported)) return { kind: "works" };
      const reason = `${wanted.local} does not exist in ${old.file} of that version`;
      return { kind: "missing", reason };
    }
    return own ? this.#bring(own, wanted) : { kind: "unchecked" };
  }

  /** A file that only the newer version has. */
  #bring(source: Source, { module, local }: ImportedName): ImportFate {
    const file = posix.normalize(posix.join(posix.dirname(this.#importer), module));
    const target = file.endsWith(posix.extname(source.file))
      ? file
      : file + posix.extname(source.file);
    const effect = effectOfFile(source);
    const isComplete = importedNames(source).every((inner) => {
      if (!inner.module.startsWith(".")) return true;
      const found = resolve(target, inner.module, (one) => this.#files.then.text(one));
      return found !== undefined && exportsName(found, inner.imported);
    });
    if (effect === "changes" || !isComplete) {
      const reason = `${local} comes from ${source.file}, which that version does not have`;
      return { kind: "missing", reason };
    }
    return { kind: "file", overlay: { file: target, text: source.text }, effect };
  }
}

/** The file that an import means, parsed. */
function resolve(
  from: string,
  module: string,
  textOf: (file: string) => string | undefined,
): Source | undefined {
  const path = posix.normalize(posix.join(posix.dirname(from.replaceAll("\\", "/")), module));
  for (const file of [path, ...candidates(path)]) {
    const text = textOf(file);
    if (text !== undefined) return readSource(file, text);
  }
  return undefined;
}

/** Whether a file exports a name, as far as can be seen: CommonJS may export anything. */
function exportsName({ program, text }: Source, name: string): boolean {
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
function effectOfFile({ program }: Source): Effect {
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
