/**
 * @file Module hooks that let Node 20 run a TypeScript project as it lies there: `.ts` files load
 * without a build, imports find them with or without an extension, and `afterlog` is this very
 * package, installed in the project or not. Runs in Node's own loader thread.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import type { InitializeHook, LoadHook, ResolveHook } from "node:module";
import { dirname, extname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { MessagePort } from "node:worker_threads";
import { stripTypes } from "./strip.ts";

interface HookData {
  readonly port: MessagePort;
  readonly root: string;
  /** URL of the SDK that the program shall get. */
  readonly afterlog: string;
}

let given: HookData | undefined;

export const initialize: InitializeHook<HookData> = (data) => {
  given = data;
};

const TYPESCRIPT = new Set([".ts", ".mts", ".cts", ".tsx"]);
/** What an import may mean on disk, in the order of trying. */
const TRIED = [".ts", ".tsx", ".mts", ".cts", ".js", ".mjs", ".cjs"];
const SOURCE_OF: Readonly<{ [extension: string]: readonly string[] }> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
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

/** A relative import that Node did not find, by the names that TypeScript would try. */
function onDisk(specifier: string, parent: string | undefined): string | undefined {
  if (!/^\.{0,2}\/|^file:/.test(specifier) || !parent?.startsWith("file:")) return undefined;
  const path = fileURLToPath(new URL(specifier, parent));
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const candidates = [
    ...(SOURCE_OF[extension] ?? []).map((source) => stem + source),
    ...TRIED.map((tried) => path + tried),
    ...TRIED.map((tried) => join(path, `index${tried}`)),
  ];
  const found = candidates.find((file) => existsSync(file) && statSync(file).isFile());
  return found && pathToFileURL(found).href;
}

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
  const source = stripTypes(bytes.toString(), path);
  return { format: formatOf(path, source), source, shortCircuit: true };
};

function report(path: string, bytes: Buffer): void {
  // The SDK is no part of the program, wherever it lies.
  if (!given || path.startsWith(fileURLToPath(new URL("..", given.afterlog)))) return;
  const file = relative(given.root, path);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  given.port.postMessage({ file, sha256 });
}

const ESM_SYNTAX =
  /^\s*(?:import|export)\b(?!\s*\()|\bimport\.meta\b|^(?:(?:const|let|var)\s[^\n]*=\s*)?await\s/m;

/** What the source uses decides, then the package: many a package.json says commonjs by default. */
function formatOf(path: string, source: string): "module" | "commonjs" {
  const extension = extname(path);
  if (extension === ".cts") return "commonjs";
  if (extension === ".mts" || ESM_SYNTAX.test(source)) return "module";
  return packageType(dirname(path)) === "module" ? "module" : "commonjs";
}

function packageType(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, "package.json");
    if (existsSync(file)) {
      return (JSON.parse(readFileSync(file, "utf8")) as { type?: string }).type;
    }
    if (at === dirname(at)) return undefined;
  }
}
