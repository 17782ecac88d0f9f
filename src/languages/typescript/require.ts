/**
 * @file `require` of TypeScript: the same as `hooks.ts` for Node's CommonJS loader, which knows no
 * hooks on Node 20. Runs in every thread of the program; the parser is loaded when it is needed.
 */
import { readFileSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { formatOf, onDisk, TYPESCRIPT } from "./source-files.ts";
import type { stripTypes } from "./strip.ts";

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

interface RequireOptions {
  /** URL of the SDK that the program shall get. */
  readonly afterlog: string;
  /** Told of each TypeScript file that is loaded. */
  readonly loaded: (file: string, bytes: Buffer) => void;
}

/** Lets `require` load TypeScript in this thread, by the names that imports have. */
export function installRequire({ afterlog, loaded }: RequireOptions): void {
  const loader = Module as unknown as Loader;
  const resolveFilename = loader._resolveFilename.bind(Module);
  loader._resolveFilename = (request, parent, ...rest) => {
    if (request === "afterlog") return fileURLToPath(afterlog);
    try {
      return resolveFilename(request, parent, ...rest);
    } catch (error) {
      const from = parent?.filename;
      const found = from ? onDisk(request, pathToFileURL(from).href) : undefined;
      if (found === undefined) throw error;
      return fileURLToPath(found);
    }
  };
  const javaScript = loader._extensions[".js"];
  const require = createRequire(import.meta.url);
  for (const extension of TYPESCRIPT) {
    loader._extensions[extension] = (module, file) => {
      if (file.includes("/node_modules/")) return javaScript?.(module, file);
      const bytes = readFileSync(file);
      loaded(file, bytes);
      const { stripTypes } = require("./strip.js") as StripModule;
      const source = stripTypes(bytes.toString(), file);
      module._compile(source, file, formatOf(file, source));
    };
  }
}
