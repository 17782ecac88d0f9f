/**
 * @file Names of a question that an older version takes from elsewhere: `f` of one file here, and `f` of another
 * one there. A function that was moved from file to file says the same in both; any other one is not it.
 */
import type { Binding, ImportedName, ParsedFile, Syntax } from "../../languages/index.ts";
import { isInside } from "../../tree/index.ts";
import { importOf } from "../adapting/import-fate.ts";
import { statementAround } from "../placing/statement-at.ts";
import type { FileEdit } from "./align.ts";

export interface OtherSource {
  readonly name: string;
  /** The files or packages that the two versions have it from. */
  readonly then: string;
  readonly now: string;
}

/** The question, and the texts of both versions. */
export interface AskedSources {
  readonly edits: ReadonlyMap<string, FileEdit>;
  /** By file, where its statements begin in the newer text. */
  readonly starts: ReadonlyMap<string, ReadonlySet<number>>;
  readonly now: TextOf;
  readonly then: TextOf;
  readonly renames: readonly { readonly from: string; readonly to: string }[];
}

type TextOf = (file: string) => string | undefined;

export function otherSources(asked: AskedSources): OtherSource[] {
  const found = [...asked.edits].flatMap(([file, edit]) => {
    const own = edit.now.statements.filter(({ node }) => asked.starts.get(file)?.has(node.start));
    const isIn = (part: Syntax): boolean => own.some(({ node }) => isInside(part, node));
    return usesIn(edit.now, isIn).flatMap(({ name, member }): OtherSource[] => {
      const called = asked.renames.find(({ from }) => from === name)?.to ?? name;
      const ours = originOf(edit.now, { name, member }, asked.now);
      const theirs = originOf(edit.then, { name: called, member }, asked.then);
      if (!ours || !theirs || isSame(ours, theirs, asked)) return [];
      const shown = member === undefined ? name : `${name}.${member}`;
      return [{ name: shown, then: theirs.from, now: ours.from }];
    });
  });
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

/** A name, and what is taken of it if it is a module. */
interface Use {
  readonly name: string;
  readonly member: string | undefined;
}

function usesIn({ scopes, uses }: ParsedFile, isIn: (part: Syntax) => boolean): Use[] {
  const found = scopes.references.filter(({ node, binding }) => {
    return isIn(node) && binding?.scope.parent === null && !binding.declarations.some(isIn);
  });
  return [...new Set(found.map(({ name }) => name))].flatMap((name): Use[] => {
    const paths = uses.members.filter(({ node }) => isIn(node)).flatMap(({ path }) => path ?? []);
    const members = paths.map((path) => path.split(".")).filter(([first]) => first === name);
    const taken = [...new Set(members.map(([, second]) => second))];
    return taken.length === 0
      ? [{ name, member: undefined }]
      : taken.map((member) => ({ name, member }));
  });
}

/** Where a name of a file comes from. */
interface Origin {
  /** The file, or what a package gives. */
  readonly from: string;
  /** What is said there; undefined: it is of a package. */
  readonly said: { readonly source: ParsedFile; readonly parts: readonly Syntax[] } | undefined;
}

/** Undefined: nobody knows. */
function originOf(source: ParsedFile, { name, member }: Use, textOf: TextOf): Origin | undefined {
  const binding = source.scopes.root.bindings.get(name);
  if (!binding) return undefined;
  if (source.imports.every(({ local }) => local !== name)) {
    return { from: source.file, said: { source, parts: definitionsOf(source, binding) } };
  }
  const wanted = importOf(source, binding);
  return wanted && importedFrom(source, { wanted, member }, textOf);
}

function importedFrom(
  { language, file }: ParsedFile,
  { wanted, member }: { readonly wanted: ImportedName; readonly member: string | undefined },
  textOf: TextOf,
): Origin | undefined {
  const found = language.resolveImport(file, wanted, textOf);
  if (!found) return { from: pathOf(wanted), said: undefined };
  const source = language.read(found.file, found.text);
  if ("problem" in source) return undefined;
  const isModule = found.isSubmodule || wanted.isWhole;
  const name = isModule ? member : wanted.imported;
  if (name !== undefined && source.scopes.root.bindings.has(name)) {
    // A file may give away what it has from another one.
    return originOf(source, { name, member: isModule ? undefined : member }, textOf);
  }
  return { from: found.file, said: { source, parts: source.statements.map(({ node }) => node) } };
}

/** `torch.nn.functional`, whichever way it is imported. */
function pathOf({ module, imported, isWhole }: ImportedName): string {
  const own = module.replace(/^node:/, "");
  if (imported === ".") return own.split(".")[0] ?? own;
  return isWhole ? own : `${own}.${imported}`;
}

function definitionsOf(source: ParsedFile, { declarations }: Binding): Syntax[] {
  return declarations.flatMap((one) => statementAround(source, one)?.node ?? []);
}

/** Whether it is one file's, or says the same with the same words; `seen`: what is being compared. */
function isSame(
  ours: Origin,
  theirs: Origin,
  texts: Pick<AskedSources, "now" | "then">,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  if (ours.from === theirs.from) return true;
  if (!ours.said || !theirs.said) return false;
  const [own, old] = [ours.said, theirs.said];
  const words = wordsOf(own);
  if (words.join(" ") !== wordsOf(old).join(" ")) return false;
  const isIn = (part: Syntax): boolean => own.parts.some((one) => isInside(part, one));
  return usesIn(own.source, isIn).every((use) => {
    const key = `${own.source.file} ${old.source.file} ${use.name} ${use.member ?? ""}`;
    if (seen.has(key)) return true;
    const [now, then] = [
      originOf(own.source, use, texts.now),
      originOf(old.source, use, texts.then),
    ];
    return !now || !then || isSame(now, then, texts, new Set([...seen, key]));
  });
}

/** What parts of a file say, word by word, without comments. */
function wordsOf({ source, parts }: NonNullable<Origin["said"]>): string[] {
  return parts.flatMap(({ start, end }) => {
    const own = source.text.slice(start, end).replaceAll(/(?:^|\s)(?:#|\/\/).*$/gmu, "");
    return own.match(/[\p{L}\p{N}_$]+|\S/gu) ?? [];
  });
}
