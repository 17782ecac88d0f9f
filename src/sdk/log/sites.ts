/**
 * @file Where in the source a call stands, without parsing it.
 *
 * Looking at the stack costs tens of microseconds, so it is done once for each name under each
 * loop. A name logged at two places of one loop is therefore known by the first; in rewritten sources
 * every place is known exactly.
 */
import { findSourceMap } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { SiteRecord } from "../../format/index.ts";
import type { LoopContext } from "../loops/instrument.ts";

type CallPlace = Pick<SiteRecord, "file" | "line" | "column">;

/** The place that called `callee`, or undefined where there is no file. */
function callPlace(callee: (...args: never[]) => unknown): CallPlace | undefined {
  const frame = callFrame(callee);
  const file = frame?.getFileName();
  if (!frame || !file) return undefined;
  const line = frame.getLineNumber() ?? 0;
  const column = frame.getColumnNumber() ?? 0;
  const path = file.startsWith("file:") ? fileURLToPath(file) : file;
  const entry = findSourceMap(path)?.findEntry(line - 1, column - 1);
  if (!entry || !("originalLine" in entry)) return { file: path, line, column };
  return { file: path, line: entry.originalLine + 1, column: entry.originalColumn + 1 };
}

/** Both settings are the program's: they come back as they were, set or not. */
const SETTINGS = ["stackTraceLimit", "prepareStackTrace"] as const;

function callFrame(callee: (...args: never[]) => unknown): NodeJS.CallSite | undefined {
  // Nobody can be asked for a place where the program has frozen it.
  if (!Object.isExtensible(Error)) return undefined;
  const before = SETTINGS.map((name) => Object.getOwnPropertyDescriptor(Error, name));
  const holder: { stack?: NodeJS.CallSite[] } = {};
  try {
    Error.stackTraceLimit = 1;
    Error.prepareStackTrace = (_, frames) => frames;
    Error.captureStackTrace(holder, callee);
    return holder.stack?.[0];
  } finally {
    for (const [at, name] of SETTINGS.entries()) {
      const own = before[at];
      if (own) Object.defineProperty(Error, name, own);
      else delete Error[name];
    }
  }
}

/** Numbers the sites of a run, and says each of them once. */
export class Sites {
  readonly #root: string;
  /** By kind and enclosing site, then by name: no text is put together for a known one. */
  readonly #known = new Map<string, Map<number | null, Map<string, number | null>>>();
  readonly #emit: (record: SiteRecord) => void;
  readonly #statements = new Map<LoopContext["site"], number>();
  #count = 0;

  /** `first`: the first number that has not been given. */
  constructor(root: string, emit: (record: SiteRecord) => void, first = 0) {
    this.#root = root;
    this.#emit = emit;
    this.#count = first;
  }

  /** The site of the caller of `callee`. */
  find(
    kind: SiteRecord["kind"],
    name: string,
    enclosing: number | null,
    callee: (...args: never[]) => unknown,
  ): number | null {
    const known = this.#known.get(kind)?.get(enclosing)?.get(name);
    if (known !== undefined) return known;
    return this.#add(kind, name, enclosing, callPlace(callee));
  }

  /**
   * The same by place alone, looking at the stack each time: for calls that are rare, and of which
   * two at different places must not be taken for one.
   */
  findExactly(
    kind: SiteRecord["kind"],
    enclosing: number | null,
    callee: (...args: never[]) => unknown,
  ): number | null {
    const place = callPlace(callee);
    if (!place) return null;
    const name = `${place.file}:${place.line}:${place.column}`;
    const known = this.#known.get(kind)?.get(enclosing)?.get(name);
    return known === undefined ? this.#add(kind, name, enclosing, place) : known;
  }

  /** Where the program calls `callee`, as the user would say it. */
  placeOf(callee: (...args: never[]) => unknown): string | undefined {
    const place = callPlace(callee);
    return place && `${relative(this.#root, place.file)}:${place.line}`;
  }

  /** The site of a loop statement of rewritten source, which knows all about itself. */
  ofStatement({ file, site }: LoopContext): number | null {
    const known = this.#statements.get(site);
    if (known !== undefined) return known;
    const number = this.#addStatement(file, site);
    this.#statements.set(site, number);
    return number;
  }

  /** By place: a file that is loaded twice has two tables of the same statements. */
  #addStatement(file: string, site: LoopContext["site"]): number {
    const [line, column, endLine, endColumn, places] = site;
    const around = site[8] ?? undefined;
    const name = `${file}:${line}:${column}`;
    const names = this.#names("statement", null);
    const known = names.get(name) ?? undefined;
    if (known !== undefined) return known;
    const number = this.#count++;
    names.set(name, number);
    const range = { line, column, endLine, endColumn };
    const within = around === undefined ? {} : { function: around };
    const of = { kind: "loop", enclosing: null, places, ...within } as const;
    this.#emit({ k: "site", site: number, file, ...range, ...of });
    return number;
  }

  #add(
    kind: SiteRecord["kind"],
    name: string,
    enclosing: number | null,
    place: CallPlace | undefined,
  ): number | null {
    const site = place ? this.#count++ : null;
    this.#names(kind, enclosing).set(name, site);
    if (place && site !== null) {
      const file = relative(this.#root, place.file);
      this.#emit({ k: "site", site, ...place, file, kind, enclosing, places: [] });
    }
    return site;
  }

  #names(kind: string, enclosing: number | null): Map<string, number | null> {
    const before = this.#known.get(kind)?.get(enclosing);
    if (before) return before;
    const sites = this.#known.get(kind) ?? new Map<number | null, Map<string, number | null>>();
    const names = new Map<string, number | null>();
    this.#known.set(kind, sites.set(enclosing, names));
    return names;
  }
}
