/**
 * @file The file of the project that an import means, as TypeScript has it and `tsx` runs it: names
 * without an extension, `.js` for what is `.ts`, folders, `paths` of tsconfig.json, packages of the
 * workspace. One answer for who runs a program and who analyses it, on disk or in a version of old;
 * packages from elsewhere are Node's.
 */
import { readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { mappedPaths, TsConfigs } from "./tsconfig.ts";
import { entryOf, packageOver, workspaceFolder } from "./workspaces.ts";

/** Texts by path, with slashes; undefined for one that is not there. */
export type ReadText = (file: string) => string | undefined;

export const TYPESCRIPT: ReadonlySet<string> = new Set([".ts", ".mts", ".cts", ".tsx"]);
const JAVASCRIPT = [".js", ".mjs", ".cjs", ".json"];
/** What an import may mean on disk, in the order of trying: by who imports. */
const TRIED = {
  typeScript: [...TYPESCRIPT, ...JAVASCRIPT],
  javaScript: [...JAVASCRIPT, ...TYPESCRIPT],
} as const;
const SOURCE_OF: Readonly<{ [extension: string]: readonly string[] }> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};

export function isTypeScript(file: string): boolean {
  return TYPESCRIPT.has(posix.extname(file)) && !/\.d\.[cm]?ts$/.test(file);
}

/** The files that a path may mean to a file, in the order of trying. */
export function candidates(path: string, importer: string): string[] {
  const isOurs = isTypeScript(importer);
  const tried = isOurs ? TRIED.typeScript : TRIED.javaScript;
  const extension = posix.extname(path);
  const stem = path.slice(0, path.length - extension.length);
  // Beside its source a build may lie that is older.
  const sources = (SOURCE_OF[extension] ?? []).map((source) => stem + source);
  return [
    ...(isOurs ? [...sources, path] : [path, ...sources]),
    ...tried.map((ending) => path + ending),
    ...tried.map((ending) => posix.join(path, `index${ending}`)),
  ];
}

export class ImportFinder {
  readonly #read: ReadText;
  readonly configs: TsConfigs;

  constructor(read: ReadText) {
    this.#read = read;
    this.configs = new TsConfigs(read);
  }

  /** Undefined: not of the project. Null: it should be there and is not. */
  find(importer: string, specifier: string): string | null | undefined {
    const bare = specifier.replace(/[?#].*$/s, "") || specifier;
    if (/^\.{1,2}$|^\.{0,2}\//.test(bare)) {
      const path = bare.startsWith("/") ? bare : posix.join(posix.dirname(importer), bare);
      return this.#fileOf(path, importer) ?? null;
    }
    // Afterlog is no part of a program, wherever it lies.
    if (bare === "afterlog" || isBuiltin(bare) || /^[a-z]{2,}:/i.test(bare)) return undefined;
    return this.#mapped(importer, bare) ?? this.#ofWorkspace(importer, bare);
  }

  /** The file that an import means by tsconfig.json alone. */
  #mapped(importer: string, specifier: string): string | undefined {
    if (!isTypeScript(importer)) return undefined;
    for (const path of mappedPaths(this.configs.over(importer), specifier)) {
      const found = this.#fileOf(path, importer);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #ofWorkspace(importer: string, specifier: string): string | undefined {
    if (specifier.startsWith("#")) {
      const own = packageOver(importer, this.#read);
      return own && this.#target(own.folder, entryOf(own.json["imports"], specifier), importer);
    }
    const [name = "", rest = ""] = /^(@[^/]+\/[^/]+|[^/]+)(.*)$/s.exec(specifier)?.slice(1) ?? [];
    const found = workspaceFolder(importer, name, this.#read);
    if (!found) return undefined;
    const { folder, json } = found;
    const { exports, main } = json;
    if (exports !== undefined) return this.#target(folder, entryOf(exports, `.${rest}`), importer);
    const inside = rest === "" ? (typeof main === "string" ? main : "index") : `.${rest}`;
    return this.#fileOf(posix.join(folder, inside), importer);
  }

  #target(folder: string, inside: string | undefined, importer: string): string | undefined {
    if (inside === undefined) return undefined;
    return this.#fileOf(posix.join(folder, inside), importer);
  }

  #fileOf(path: string, importer: string): string | undefined {
    return candidates(path, importer).find((file) => this.#read(file) !== undefined);
  }
}

/** The same for files on disk, by absolute paths. */
export const ON_DISK: ImportFinder = new ImportFinder((file) => {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  return readFileSync(file, "utf8");
});
