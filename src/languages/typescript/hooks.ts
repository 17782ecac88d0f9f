/**
 * @file Module hooks that let Node 20 run a TypeScript project as it lies there: `.ts` files load
 * without a build, imports find them with or without an extension, and `afterlog` is this very
 * package, installed in the project or not. Runs in Node's own loader thread; `require.ts` does the
 * same for CommonJS.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { InitializeHook, LoadHook, ResolveHook } from "node:module";
import { extname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessagePort } from "node:worker_threads";
import { formatOf, onDisk, TYPESCRIPT } from "./source-files.ts";

interface HookData {
  /** URL of the SDK that the program shall get. */
  readonly afterlog: string;
  /** Where to tell which files of the project are loaded; null: nobody asks. */
  readonly sources: { readonly port: MessagePort; readonly root: string } | null;
}

let given: HookData | undefined;

export const initialize: InitializeHook<HookData> = (data) => {
  given = data;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  if (specifier === "afterlog" && given) return { url: given.afterlog, shortCircuit: true };
  try {
    return await next(specifier, context);
  } catch (error) {
    const url = onDisk(specifier, context.parentURL);
    if (url === undefined) throw error;
    return { url, shortCircuit: true };
  }
};

export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith("file:")) return next(url, context);
  const path = fileURLToPath(url);
  if (path.includes("/node_modules/")) return next(url, context);
  if (!TYPESCRIPT.has(extname(path))) {
    if (/\.(?:[cm]?js|json)$/.test(path)) report(path, readFileSync(path));
    return next(url, context);
  }
  const bytes = readFileSync(path);
  report(path, bytes);
  // Loaded with the first file that needs it: the parser is large, and many threads have none.
  const { stripTypes } = await import("./strip.ts");
  const source = stripTypes(bytes.toString(), path);
  const format = formatOf(path, source);
  // Without a source Node asks the CommonJS loader, where `require` is the program's own.
  return format === "commonjs"
    ? { format, shortCircuit: true }
    : { format, source, shortCircuit: true };
};

function report(path: string, bytes: Buffer): void {
  // The SDK is no part of the program, wherever it lies.
  if (!given?.sources || path.startsWith(fileURLToPath(new URL("..", given.afterlog)))) return;
  const file = relative(given.sources.root, path);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  given.sources.port.postMessage({ file, sha256 });
}
