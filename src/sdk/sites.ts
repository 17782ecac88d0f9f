/**
 * @file Where in the source a call stands, without parsing it.
 *
 * Looking at the stack costs tens of microseconds, so it is done once for each name under each
 * loop. A name logged at two places of one loop is therefore known by the first; the rewriting
 * that "Replay" adds knows every place exactly.
 */
import { findSourceMap } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteRecord } from "../format/index.ts";

type CallPlace = Pick<SiteRecord, "file" | "line" | "column">;

/** The place that called `callee`, or undefined where there is no file. */
function callPlace(callee: (...args: never[]) => unknown): CallPlace | undefined {
  const { stackTraceLimit, prepareStackTrace } = Error;
  const holder: { stack?: NodeJS.CallSite[] } = {};
  Error.stackTraceLimit = 1;
  Error.prepareStackTrace = (_, frames) => frames;
  Error.captureStackTrace(holder, callee);
  const frame = holder.stack?.[0];
  Error.stackTraceLimit = stackTraceLimit;
  Error.prepareStackTrace = prepareStackTrace;
  const file = frame?.getFileName();
  if (!frame || !file) return undefined;
  const line = frame.getLineNumber() ?? 0;
  const column = frame.getColumnNumber() ?? 0;
  const path = file.startsWith("file:") ? fileURLToPath(file) : file;
  const entry = findSourceMap(path)?.findEntry(line - 1, column - 1);
  if (!entry || !("originalLine" in entry)) return { file: path, line, column };
  return { file: path, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/** Numbers the sites of a run, and says each of them once. */
export class Sites {
  readonly #root: string;
  readonly #known = new Map<string, number | null>();
  readonly #emit: (record: SiteRecord) => void;
  #count = 0;

  constructor(root: string, emit: (record: SiteRecord) => void) {
    this.#root = root;
    this.#emit = emit;
  }

  /** The site of the caller of `callee`. */
  find(
    kind: SiteRecord["kind"],
    name: string,
    enclosing: number | null,
    callee: (...args: never[]) => unknown,
  ): number | null {
    const key = `${kind}\n${enclosing}\n${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const place = callPlace(callee);
    const site = place ? this.#count++ : null;
    this.#known.set(key, site);
    if (place && site !== null) {
      const file = relative(this.#root, place.file);
      this.#emit({ k: "site", site, ...place, file, kind, enclosing, places: [] });
    }
    return site;
  }
}
