/**
 * @file `require` of TypeScript: the same as `import-hooks.ts` for Node's CommonJS loader, which knows no
 * hooks on Node 20. Runs in every thread of the program; the parser is loaded when it is needed.
 */
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { AfterlogError } from "../../../format/index.ts";
import type { ProgramRewriter, RewriterOptions, Rewritten } from "../rewriting/program-rewriter.ts";
import { TYPESCRIPT } from "./find-import.ts";
import { formatOf, goesFirst, onDisk, withoutHeader } from "./source-files.ts";
import type { stripTypes } from "../rewriting/strip-types.ts";

/** What Node's loader has and its types do not tell. */
interface Loader {
  _extensions: { [extension: string]: (module: LoadedModule, file: string) => void };
  _resolveFilename(request: string, parent: LoadedModule | undefined, ...rest: unknown[]): string;
}

interface LoadedModule {
  readonly filename?: string | null;
  _compile(source: string, file: string, format?: "commonjs" | "module"): void;
}

interface StripModule {
  readonly stripTypes: typeof stripTypes;
}

interface RewriterModule {
  readonly ProgramRewriter: new (options: RewriterOptions) => ProgramRewriter;
}

interface RequireOptions {
  /** URL of the SDK that the program shall get. */
  readonly afterlog: string;
  /** Told of each file of the project that is loaded here, and how. */
  readonly loaded: (file: string, bytes: Buffer, how: Omit<Rewritten, "text">) => void;
  /** The program that is recorded or replayed; null: nothing is rewritten. */
  readonly sources: RewriterOptions | null;
}

/** Lets `require` load TypeScript in this thread, by the names that imports have. */
export function installRequire({ afterlog, loaded, sources }: RequireOptions): void {
  const loader = Module as unknown as Loader;
  const resolveFilename = loader._resolveFilename.bind(Module);
  loader._resolveFilename = (request, parent, ...rest) => {
    if (request === "afterlog") return fileURLToPath(afterlog);
    const from = parent?.filename ? pathToFileURL(parent.filename).href : undefined;
    const first = goesFirst(from) ? onDisk(request, from) : undefined;
    if (first !== undefined) return fileURLToPath(first);
    try {
      return resolveFilename(request, parent, ...rest);
    } catch (error) {
      const found = onDisk(request, from);
      if (found === undefined) throw error;
      return fileURLToPath(found);
    }
  };
  const javaScript = loader._extensions[".js"];
  const require = createRequire(import.meta.url);
  let rewriter: ProgramRewriter | undefined;
  const rewriterOf = (options: RewriterOptions): ProgramRewriter => {
    if (rewriter) return rewriter;
    const { ProgramRewriter: Rewriter } =
      require("../rewriting/program-rewriter.js") as RewriterModule;
    return (rewriter = new Rewriter(options));
  };
  const read = (file: string): string => {
    const bytes = readFileSync(file);
    if (!sources) {
      loaded(file, bytes, {});
      return bytes.toString();
    }
    const { text, ...how } = rewriterOf(sources).rewrite(file, bytes.toString());
    loaded(file, bytes, how);
    return text;
  };
  for (const extension of TYPESCRIPT) {
    loader._extensions[extension] = (module, file) => {
      if (file.includes("/node_modules/")) return javaScript?.(module, file);
      const text = read(file);
      const { stripTypes } = require("../rewriting/strip-types.js") as StripModule;
      const source = stripTypes(text, file);
      const format = formatOf(file, withoutHeader(source));
      try {
        module._compile(source, file, format);
      } catch (error) {
        throw format === "module" ? requiredModule(file, error) : error;
      }
    };
  }
  if (!sources) return;
  const own = fileURLToPath(new URL("..", afterlog));
  /** The text of a file of a package that has loops of the run; a failure is none of the program. */
  const ofPackage = (file: string): string | undefined => {
    if (!sources.libraries || !isInPackage(file, sources.libraries)) return undefined;
    return rewriterOf(sources).rewritePackage(file, readFileSync(file, "utf8"))?.text;
  };
  loader._extensions[".js"] = (module, file) => {
    const isProject = !file.includes("/node_modules/") && !file.startsWith(own);
    const isCommonJs = isProject && isRequirable(file);
    const known = isProject ? undefined : ofPackage(file);
    if (known !== undefined) return module._compile(known, file, "commonjs");
    if (!isCommonJs) return javaScript?.(module, file);
    module._compile(read(file).replace(/^\uFEFF/, ""), file, "commonjs");
  };
}

/** By the names of packages alone, before anything is loaded for it. */
function isInPackage(file: string, libraries: readonly string[]): boolean {
  return libraries.some((one) => file.includes(`/node_modules/${one.replace(/ \d+$/, "")}/`));
}

/** Node 20 asks no hooks for what a module imports that was required. */
function requiredModule(file: string, error: unknown): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (!HOOKLESS.test(String(code))) return error;
  return new AfterlogError("AL002", `${file}: a module that imports TypeScript is required`, {
    notes: [String(message).split("\n")[0] ?? ""],
    help: ["write `import` or `await import(…)` in place of this `require`"],
    data: { file },
  });
}

const HOOKLESS = /^ERR_(?:MODULE_NOT_FOUND|UNKNOWN_FILE_EXTENSION|UNSUPPORTED_DIR_IMPORT)$/;

/** Whether Node would run it as CommonJS; all else is left to Node. */
function isRequirable(file: string): boolean {
  if (file.endsWith(".mjs")) return false;
  return file.endsWith(".cjs") || formatOf(file, readFileSync(file, "utf8")) === "commonjs";
}
