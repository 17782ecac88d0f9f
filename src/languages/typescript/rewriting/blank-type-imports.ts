/**
 * @file Imports that only types need, written like those of values: they are blanked where they stand,
 * as types are. An import of which nothing is left loads no file, as with `tsx` and TypeScript itself;
 * with `verbatimModuleSyntax` all stay.
 *
 * A name is a type if nothing uses it once the types are gone. What is exported again is looked up in
 * the file that it comes from.
 */
import { readFileSync } from "node:fs";
import type { ImportRecord, ModuleRecord } from "../parse.ts";
import { parseSource, readModuleRecord } from "../parse.ts";
import { isTypeScript, ON_DISK } from "../starting/find-import.ts";
import { noteUses } from "../used-names.ts";

/** `code`: the text of the file without its types. */
export function blankTypeImports(code: string, file: string): string {
  if (!/\b(?:import|export)\b/.test(code)) return code;
  const keepsAll = ON_DISK.configs.over(file).verbatim;
  const { staticImports, staticExports, comments } = readModuleRecord(file, code);
  const imports = staticImports.filter(({ entries }) => entries.length > 0);
  const again = staticExports.flatMap(({ entries }) => entries);
  if (imports.length + again.length === 0 || keepsAll) return code;
  const names = imports.flatMap(({ entries }) => entries.map(({ localName }) => localName.value));
  const used = usedNames(file, code, names, { imports, comments });
  const isType = (
    { moduleRequest }: ImportRecord,
    entry: ImportRecord["entries"][number],
  ): boolean =>
    !used.has(entry.localName.value) ||
    exportsType(file, moduleRequest.value, entry.importName.name ?? entry.importName.kind);
  const dropped = new Set<string>();
  const blanks = new Blanks(code);
  for (const record of imports) {
    const gone = record.entries.filter((entry) => isType(record, entry));
    for (const { localName } of gone) dropped.add(localName.value);
    if (gone.length === record.entries.length) blanks.whole(record);
    else for (const entry of gone) blanks.entry(entry);
  }
  for (const { start, end, moduleRequest, importName, localName } of again) {
    // A name that is imported and exported counts as one of the other file.
    const isGone = moduleRequest
      ? exportsType(file, moduleRequest.value, importName.name ?? importName.kind)
      : localName.name !== null && dropped.has(localName.name);
    if (isGone) blanks.item(start, end);
  }
  return blanks.text;
}

/** Takes out parts of a text; all else stays where it is. */
class Blanks {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  #blank(start: number, end: number, instead = ""): void {
    const inside = this.text.slice(start, end);
    const empty = instead + inside.slice(instead.length).replaceAll(/[^\n\r\u2028\u2029]/g, " ");
    this.text = this.text.slice(0, start) + empty + this.text.slice(end);
  }

  /** The file stays a module, though nothing else in it may say so. */
  whole({ start, end }: ImportRecord): void {
    this.#blank(start, end, "export{}");
  }

  entry({ importName: { kind, start }, localName }: ImportRecord["entries"][number]): void {
    if ((kind as string) !== "NamespaceObject")
      return this.item(start ?? localName.start, localName.end);
    // `, * as name`: without it the comma goes, too.
    this.#blank(this.text.lastIndexOf(",", localName.start), localName.end);
  }

  /** One of a list, with the comma behind it. */
  item(start: number, end: number): void {
    const [behind = ""] = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*)*,?/.exec(this.text.slice(end)) ?? [];
    this.#blank(start, behind.endsWith(",") ? end + behind.length : end);
  }
}

/** Which of these names the code uses; one that something else is called counts as used. */
function usedNames(
  file: string,
  code: string,
  names: readonly string[],
  { imports, comments }: { imports: readonly ImportRecord[]; comments: ModuleRecord["comments"] },
): Set<string> {
  const blanks = [...imports, ...comments].toSorted((a, b) => b.start - a.start);
  let rest = code;
  for (const { start, end } of blanks) rest = `${rest.slice(0, start)} ${rest.slice(end)}`;
  // What is in no text, on a line without any, is in the code; only of others the tree is asked.
  const plain = rest.replaceAll(/^.*["'`/\\].*$/gm, "");
  const isIn = (text: string, name: string): boolean => {
    const escaped = name.replaceAll("$", String.raw`\$`);
    return new RegExp(String.raw`(?<![\w$.#])${escaped}(?![\w$]|\s*:)`).test(text);
  };
  const used = new Set(names.filter((name) => isIn(plain, name)));
  const open = new Set(names.filter((name) => !used.has(name) && rest.includes(name)));
  if (open.size > 0) noteUses(parseSource(`${file}.mjs`, code).program, open, used);
  return used;
}

/** Whether a name of another file of the project is nothing but a type. */
function exportsType(
  from: string,
  specifier: string,
  name: string,
  seen: Set<string> = new Set(),
): boolean {
  const file = ON_DISK.find(from, specifier);
  const key = `${file} ${name}`;
  if (typeof file !== "string" || !isTypeScript(file) || seen.has(key)) return false;
  seen.add(key);
  const { staticExports, staticImports, types } = recordOf(file);
  const entries = staticExports.flatMap((one) => one.entries);
  const wanted = name === "default" ? "Default" : name;
  const own = entries.filter(({ exportName }) => (exportName.name ?? exportName.kind) === wanted);
  if (own.length > 0) {
    return own.every(({ isType, moduleRequest, importName, localName }) => {
      if (isType) return true;
      if (moduleRequest) {
        return exportsType(file, moduleRequest.value, importName.name ?? importName.kind, seen);
      }
      const local = localName.name ?? "";
      const imported = staticImports
        .flatMap((one) => one.entries.map((entry) => ({ one, entry })))
        .find(({ entry }) => entry.localName.value === local);
      if (!imported) return types.has(local);
      const { one, entry } = imported;
      const named = entry.importName.name ?? entry.importName.kind;
      return entry.isType || exportsType(file, one.moduleRequest.value, named, seen);
    });
  }
  const all = entries.filter(({ importName }) => (importName.kind as string) === "AllButDefault");
  return all.some(({ moduleRequest }) => {
    return moduleRequest !== null && exportsType(file, moduleRequest.value, name, seen);
  });
}

interface FileRecord extends ModuleRecord {
  /** Names that the file declares as types and as nothing else. */
  readonly types: ReadonlySet<string>;
}

const records = new Map<string, FileRecord>();

function recordOf(file: string): FileRecord {
  const known = records.get(file);
  if (known) return known;
  const text = readFileSync(file, "utf8");
  const words = (pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, name = ""]) => name);
  const declared = new Set(
    words(/\b(?:const|let|var|function\*?|class|enum|namespace)\s+([\w$]+)/g),
  );
  const types = words(
    /^\s*(?:declare\s+)?(?:interface|type)\s+([\w$]+)\s*(?:[=<{]|extends\b)/gm,
  ).filter((name) => !declared.has(name));
  const record = { ...readModuleRecord(file, text), types: new Set(types) };
  records.set(file, record);
  return record;
}
