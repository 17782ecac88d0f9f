/**
 * @file Imports that a statement needs: whether the old version has the file and the name, or whether
 * the file can be brought along whole.
 */
import type { LandingRequest, Overlay } from "../../format/index.ts";
import type { Binding, Effect, ImportedName, Language, ParsedFile } from "../../languages/index.ts";

/** What becomes of an import in the old version. */
export type ImportFate =
  /** It means the same there. */
  | { readonly kind: "works" }
  /** The file is not known here. */
  | { readonly kind: "unchecked" }
  | { readonly kind: "file"; readonly overlay: Overlay; readonly effect: Effect }
  | { readonly kind: "missing"; readonly reason: string };

export interface ImportPlace extends Pick<LandingRequest, "now" | "then"> {
  readonly language: Language;
  /** The old file that imports. */
  readonly importer: string;
}

export function importFate(wanted: ImportedName, place: ImportPlace): ImportFate {
  const { language, now, then, importer } = place;
  const old = resolve(language, importer, wanted, (file) => then.text(file));
  if (old) {
    if (old.isSubmodule || old.source.gives(wanted.imported)) return { kind: "works" };
    const reason = `${wanted.local} does not exist in ${old.source.file} of that version`;
    return { kind: "missing", reason };
  }
  const own = resolve(language, now.file, wanted, (file) => now.text(file));
  if (own) return carryFile(own.source, wanted, place);
  // A relative one is of the project, wherever its file may be; any other is a package.
  return { kind: wanted.module.startsWith(".") ? "unchecked" : "works" };
}

/** A file that only the newer version has. */
function carryFile(
  source: ParsedFile,
  wanted: ImportedName,
  { language, importer, then }: ImportPlace,
): ImportFate {
  const file = language.placeForImport(importer, wanted, source.file);
  const isComplete = source.imports.every((inner) => {
    const found = resolve(language, file ?? source.file, inner, (one) => then.text(one));
    if (!found) return !inner.module.startsWith(".");
    return found.isSubmodule || found.source.gives(inner.imported);
  });
  const { loading: effect } = source;
  if (effect === "changes" || !isComplete || file === undefined) {
    const reason = `${wanted.local} comes from ${source.file}, which that version does not have`;
    return { kind: "missing", reason };
  }
  return { kind: "file", overlay: { file, text: source.text }, effect };
}

/** Whether an import means a file of the project. */
export function isOfProject(
  language: Language,
  importer: string,
  wanted: ImportedName,
  textOf: (file: string) => string | undefined,
): boolean {
  return wanted.module.startsWith(".") || resolve(language, importer, wanted, textOf) !== undefined;
}

/** The file that an import means, parsed. */
function resolve(
  { resolveImport, read }: Language,
  importer: string,
  wanted: ImportedName,
  textOf: (file: string) => string | undefined,
): { readonly source: ParsedFile; readonly isSubmodule: boolean } | undefined {
  const found = resolveImport(importer, wanted, textOf);
  const source = found && read(found.file, found.text);
  if (!source || "problem" in source) return undefined;
  return { source, isSubmodule: found.isSubmodule };
}

/** What a binding of a file imports; undefined if it is no import. */
export function importOf(source: ParsedFile, binding: Binding): ImportedName | undefined {
  if (binding.scope.parent !== null) return undefined;
  const [first, ...others] = source.imports.filter(({ local }) => local === binding.name);
  // Of several, as in `try: … except ImportError: …`, nobody knows which one it is.
  const isOne = others.every(({ module, imported }) => {
    return module === first?.module && imported === first.imported;
  });
  return isOne ? first : undefined;
}

/** A name that the old file has for the same thing. */
export function sameImport(
  { imports }: ParsedFile,
  wanted: ImportedName,
): ImportedName | undefined {
  return imports.find(({ module, imported, isWhole }) => {
    if (module !== wanted.module) return false;
    return imported === wanted.imported || (isWhole && wanted.isWhole);
  });
}
