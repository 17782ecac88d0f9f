/** The descriptions of libraries that come with Afterlog: each is whole, and says what is documented. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describedLibrary } from "../../../src/format/index.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = ["libraries", "python/afterlog/libraries"];
const documented = new Set(
  [...readFileSync(join(ROOT, "docs/libraries.md"), "utf8").matchAll(/`([\w-]+)`/g)].map(
    ([, word]) => word,
  ),
);

interface Given {
  readonly [field: string]: unknown;
}

const TABLES = ["functions", "methods", "attributes", "nondeterministic", "classes"];

/** All tables of a description. */
function tablesOf(library: Given): Given[] {
  const kinds = Object.values((library["objects"] ?? {}) as { readonly [kind: string]: Given });
  return [...TABLES.map((field) => (library[field] ?? {}) as Given), ...kinds];
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => file.endsWith(".json"))
    .map((file) => join(folder, file)),
);

describe.each(files)("%s", (file) => {
  const content = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as Given | Given[];
  const libraries = Array.isArray(content) ? content : [content];

  test("can be read", () => {
    for (const library of libraries) expect(describedLibrary(library)).not.toBeTypeOf("string");
  });

  test("no name stands twice in a table", () => {
    for (const table of libraries.flatMap(tablesOf)) {
      const names = Object.keys(table).flatMap((key) => key.split(" "));
      expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
    }
  });

  test("every word and every field is documented", () => {
    const used = libraries.flatMap((library) => {
      const entries = tablesOf(library).flatMap((table) => Object.values(table));
      const effects = (library["effects"] ?? {}) as Given;
      const words = [...entries, ...Object.values(effects)].flatMap(wordsOf);
      return [...Object.keys(library), ...words.filter((word) => !(word in effects))];
    });
    expect(used.filter((word) => !documented.has(word))).toEqual([]);
  });
});

function wordsOf(entry: unknown): string[] {
  if (typeof entry === "string") return entry.split(" ");
  const { is = "", ...detail } = entry as Given;
  return [...wordsOf(is), ...Object.keys(detail)].filter(Boolean);
}
