/**
 * @file Module hooks that let Node 20 run a TypeScript project as it lies there: `.ts` files load
 * without a build, imports find them with or without an extension, and `afterlog` is this very
 * package, installed in the project or not. Runs in Node's own loader thread; `require-hook.ts`
 * does the same for CommonJS.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { InitializeHook, LoadFnOutput, LoadHook, ResolveHook } from "node:module";
import { dirname, extname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { MessagePort } from "node:worker_threads";
import type { ProgramRewriter, RewriterOptions, Rewritten } from "../rewriting/program-rewriter.ts";
import { COMMONJS_NAMES, commonJsNames, jsonModule, MENTIONED } from "./made-modules.ts";
import { TYPESCRIPT } from "./find-import.ts";
import { formatOf, goesFirst, onDisk, packageType, withoutHeader } from "./source-files.ts";

interface HookData {
  /** URL of the SDK that the program shall get. */
  readonly afterlog: string;
  /** The program that is recorded or replayed, and where to tell which files of it are loaded. */
  readonly sources: (RewriterOptions & { readonly port: MessagePort }) | null;
}

let given: HookData | undefined;
let rewriter: ProgramRewriter | undefined;

export const initialize: InitializeHook<HookData> = (data) => {
  given = data;
};

export const resolve: ResolveHook = async (specifier, context, next) => {
  if (specifier === "afterlog" && given) return { url: given.afterlog, shortCircuit: true };
  if (specifier.startsWith(COMMONJS_NAMES)) return { url: specifier, shortCircuit: true };
  const first = goesFirst(context.parentURL) ? onDisk(specifier, context.parentURL) : undefined;
  if (first !== undefined) return { url: first, shortCircuit: true };
  try {
    return await next(specifier, context);
  } catch (error) {
    const url = onDisk(specifier, context.parentURL);
    if (url === undefined) throw error;
    return { url, shortCircuit: true };
  }
};

export const load: LoadHook = async (url, context, next) => {
  if (url.startsWith(COMMONJS_NAMES)) {
    return { format: "module", source: commonJsNames(url), shortCircuit: true };
  }
  if (!url.startsWith("file:")) return next(url, context);
  const path = fileURLToPath(url);
  if (path.includes("/node_modules/")) return next(url, context);
  // With an attribute or without one: Node 20 takes both of one file for the same import.
  if (path.endsWith(".json")) {
    const bytes = readFileSync(path);
    report(path, bytes);
    return { format: "module", source: jsonModule(bytes.toString()), shortCircuit: true };
  }
  if (!TYPESCRIPT.has(extname(path))) return loadJavaScript(path, () => next(url, context));
  const bytes = readFileSync(path);
  if (formatOf(path, bytes.toString()) === "commonjs") {
    // It is rewritten where it is compiled, in the program's thread, and not here as well.
    report(path, bytes);
    return { format: "commonjs", shortCircuit: true };
  }
  const text = await asLoaded(path, bytes);
  // Loaded with the first file that needs it: the parser is large, and many threads have none.
  const { stripTypes } = await import("../rewriting/strip-types.ts");
  const source = stripTypes(text, path);
  const format = formatOf(path, withoutHeader(source));
  // Without a source Node asks the CommonJS loader, where `require` is the program's own.
  return format === "commonjs"
    ? { format, shortCircuit: true }
    : { format, source: await withCommonJs(source, path), shortCircuit: true };
};

/** The text of a module that uses names of CommonJS, where its package is none of modules. */
async function withCommonJs(source: string, path: string): Promise<string> {
  const isMeant = /\.tsx?$/.test(path) && MENTIONED.test(source);
  if (!isMeant || packageType(dirname(path)) === "module") return source;
  const { importCommonJs } = await import("../rewriting/commonjs-names.ts");
  return importCommonJs(source, path);
}

async function loadJavaScript(
  path: string,
  next: () => LoadFnOutput | Promise<LoadFnOutput>,
): Promise<LoadFnOutput> {
  if (!/\.(?:[cm]?js|json)$/.test(path)) return next();
  const loaded = await next();
  const bytes = readFileSync(path);
  if (loaded.format !== "module") {
    // What is CommonJS is rewritten where it is compiled, in the program's thread.
    report(path, bytes);
    return loaded;
  }
  return { ...loaded, source: await asLoaded(path, bytes) };
}

/** The text to load for a file, and word of it to whoever asks. */
async function asLoaded(path: string, bytes: Buffer): Promise<string> {
  const text = bytes.toString();
  if (!given?.sources || isOwn(path)) return text;
  if (!rewriter) {
    const { ProgramRewriter: Rewriter } = await import("../rewriting/program-rewriter.ts");
    rewriter = new Rewriter(given.sources);
  }
  const { text: rewritten, ...how } = rewriter.rewrite(path, text);
  report(path, bytes, how);
  return rewritten;
}

/** The SDK is no part of the program, wherever it lies. */
function isOwn(path: string): boolean {
  return given !== undefined && path.startsWith(fileURLToPath(new URL("..", given.afterlog)));
}

function report(path: string, bytes: Buffer, how: Omit<Rewritten, "text"> = {}): void {
  if (!given?.sources || isOwn(path)) return;
  const file = relative(given.sources.root, path);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  given.sources.port.postMessage({ file, sha256, ...how });
}
