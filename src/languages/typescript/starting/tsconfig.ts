/**
 * @file What of tsconfig.json says how a program runs: `paths` and `baseUrl`, and whether imports that
 * only types need are kept. The nearest one over a file counts, with those that it extends by a path.
 */
import { posix } from "node:path";
import type { ReadText } from "./find-import.ts";

export interface TsConfig {
  readonly baseUrl?: string;
  /** What an import may be called, with one `*` at most, and the paths that it may mean. */
  readonly paths: readonly (readonly [pattern: string, targets: readonly string[]])[];
  /** Imports stay as they are written. */
  readonly verbatim: boolean;
}

const NONE: TsConfig = { paths: [], verbatim: false };
/** Chains of `extends` that are longer go in a circle. */
const EXTENDS_MAX = 20;

export class TsConfigs {
  readonly #read: ReadText;
  readonly #byFolder = new Map<string, TsConfig>();

  constructor(read: ReadText) {
    this.#read = read;
  }

  /** The configuration that counts for a file. */
  over(file: string): TsConfig {
    return this.#of(posix.dirname(file));
  }

  #of(folder: string): TsConfig {
    const known = this.#byFolder.get(folder);
    if (known) return known;
    const above = posix.dirname(folder);
    const own = this.#load(posix.join(folder, "tsconfig.json"), EXTENDS_MAX);
    const config = own ?? (above === folder ? NONE : this.#of(above));
    this.#byFolder.set(folder, config);
    return config;
  }

  #load(file: string, deep: number): TsConfig | undefined {
    const json = parseLoosely(this.#read(file));
    if (!json || deep === 0) return undefined;
    const { extends: bases = [], compilerOptions } = json;
    const folder = posix.dirname(file);
    let config = NONE;
    for (const base of Array.isArray(bases) ? (bases as unknown[]) : [bases]) {
      // One of a package says how to check, hardly ever where things are.
      if (typeof base !== "string" || !/^\.{0,2}\//.test(base)) continue;
      const path = base.startsWith("/") ? base : posix.join(folder, base);
      const files = [path, `${path}.json`, posix.join(path, "tsconfig.json")];
      const found = files.find((one) => this.#read(one) !== undefined);
      config = { ...config, ...(found === undefined ? undefined : this.#load(found, deep - 1)) };
    }
    return withOptions(config, asObject(compilerOptions) ?? {}, folder);
  }
}

function withOptions(
  base: TsConfig,
  options: { readonly [key: string]: unknown },
  folder: string,
): TsConfig {
  const { baseUrl: given, paths: written } = options;
  const baseUrl = typeof given === "string" ? posix.join(folder, given) : base.baseUrl;
  const paths = asObject(written);
  const keeps = ["verbatimModuleSyntax", "preserveValueImports"].find((key) => key in options);
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    paths: paths
      ? Object.entries(paths).map(([pattern, targets]) => {
          const texts = (Array.isArray(targets) ? (targets as unknown[]) : []).map(String);
          return [pattern, texts.map((text) => posix.join(baseUrl ?? folder, text))] as const;
        })
      : base.paths,
    verbatim: keeps === undefined ? base.verbatim : options[keeps] === true,
  };
}

/** The paths that an import which is not relative may mean, by the best pattern; then from `baseUrl`. */
export function mappedPaths({ baseUrl, paths }: TsConfig, specifier: string): string[] {
  const matches = paths.flatMap(([pattern, targets]) => {
    const [before = "", after] = pattern.split("*");
    if (after === undefined)
      return pattern === specifier ? [{ rank: Infinity, found: targets }] : [];
    const isFit = specifier.startsWith(before) && specifier.endsWith(after);
    if (!isFit || specifier.length < before.length + after.length) return [];
    const star = specifier.slice(before.length, specifier.length - after.length);
    const found = targets.map((target) => target.replace("*", () => star));
    return [{ rank: before.length, found }];
  });
  const best = matches.toSorted((a, b) => b.rank - a.rank)[0]?.found ?? [];
  return [...best, ...(baseUrl === undefined ? [] : [posix.join(baseUrl, specifier)])];
}

/** JSON with comments, and with commas before what ends a list; undefined: it is none. */
function parseLoosely(text: string | undefined): { readonly [key: string]: unknown } | undefined {
  if (text === undefined) return undefined;
  const plain = text
    .replace(/^\uFEFF/, "")
    .replaceAll(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) => {
      return part.startsWith('"') ? part : " ";
    })
    .replaceAll(/"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g, (part) => (part === "," ? "" : part));
  try {
    return asObject(JSON.parse(plain));
  } catch {
    // TypeScript itself says what is wrong with it.
    return undefined;
  }
}

export function asObject(value: unknown): { readonly [key: string]: unknown } | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as { readonly [key: string]: unknown }) : undefined;
}
