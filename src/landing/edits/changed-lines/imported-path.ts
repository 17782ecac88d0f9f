/** @file What names that were imported mean. */
import type { ParsedFile, Shape } from "../../../languages/index.ts";

/** What a chain of names means, from its module on; undefined: it begins with no import. */
export function importedPath(file: ParsedFile, names: Shape): string | undefined {
  const anatomy = file.language.anatomyOf(names);
  if (anatomy?.kind === "member") {
    const object = importedPath(file, anatomy.object);
    return object && `${object}.${anatomy.name}`;
  }
  if (anatomy?.kind !== "name") return undefined;
  const use = file.scopes.references.find(({ node }) => node.start === names.start);
  const taken = file.imports.find(({ local }) => local === anatomy.name);
  if (use?.binding?.kind !== "import" || !taken) return undefined;
  return taken.isWhole ? taken.module : `${taken.module}.${taken.imported}`;
}
