/**
 * @file Functions and classes of the newer version that a question is to use in place of the older one's:
 * the newer text gets each once more, beside itself and under a name of its own, and the question says that
 * name. That is an addition, and lands as every addition does: the program keeps calling what it has.
 */
import type {
  Binding,
  Edit,
  ImportedName,
  ParsedFile,
  Reference,
  Statement,
  Syntax,
} from "../../languages/index.ts";
import { indentAt, isSource, languageOf } from "../../languages/index.ts";
import type { Span } from "../../tree/index.ts";
import { isInside } from "../../tree/index.ts";
import { importOf } from "../adapting/import-fate.ts";
import { writtenStatement } from "../writing/statement-text.ts";

export interface BringRequest {
  /** What is to be brought, by the names of its definitions. */
  readonly names: readonly string[];
  /** Sources of the newer program. */
  readonly files: readonly string[];
  readonly textOf: (file: string) => string | undefined;
  /** By file, the parts of the newer texts that are the question. */
  readonly question: ReadonlyMap<string, readonly Span[]>;
  /** Files of older versions that are asked, the newest first. */
  readonly older: readonly Pick<ParsedFile, "file" | "text">[];
}

/** A function or class of the newer program. */
interface Definition {
  readonly source: ParsedFile;
  readonly binding: Binding;
  readonly statement: Statement;
}

export interface Brought {
  /** By file, what is changed in the newer texts. */
  readonly edits: ReadonlyMap<string, readonly Edit[]>;
  /** What is brought, and what it is called. */
  readonly names: ReadonlyMap<string, string>;
  /** What of it each of them mentions. */
  readonly mentions: ReadonlyMap<string, readonly string[]>;
  /** What was asked to be brought and is not, with what it is instead. */
  readonly left: ReadonlyMap<string, WhyNot>;
}

export type WhyNot =
  | { readonly kind: "missing" }
  /** A value, at this place. */
  | { readonly kind: "value"; readonly file: string; readonly line: number }
  | { readonly kind: "method"; readonly owner: string }
  /** What is asked does not mention it; these functions, which it calls, do. */
  | { readonly kind: "unused"; readonly by: readonly string[] }
  /** It cannot stand beside itself. */
  | { readonly kind: "unfit"; readonly why: string };

export function bringBeside(request: BringRequest): Brought {
  return new Bringing(request).result();
}

/** A part of a text that gets the names of what is brought. */
interface Region {
  readonly source: ParsedFile;
  readonly span: Span;
}

/** A use of what is brought, and what is written there. */
interface Use {
  readonly reference: Pick<Reference, "node" | "name" | "isShorthand">;
  readonly definition: Definition;
  /** The import by which it is known there. */
  readonly wanted?: ImportedName;
}

class Bringing {
  readonly #request: BringRequest;
  readonly #sources: ReadonlyMap<string, ParsedFile>;
  readonly #definitions = new Map<Binding, Definition>();
  readonly #unfit = new Map<string, string>();
  /** What other files import. */
  readonly #taken = new Set<Binding>();

  constructor(request: BringRequest) {
    this.#request = request;
    const read = request.files.filter(isSource).flatMap((file) => {
      const source = languageOf(file).read(file, request.textOf(file) ?? "");
      return "problem" in source ? [] : [[file, source] as const];
    });
    this.#sources = new Map(read);
  }

  result(): Brought {
    const regions = this.#questionRegions();
    const open = [...regions];
    for (const region of open) {
      for (const { definition } of this.#usesIn(region)) {
        const { source, binding, statement } = definition;
        if (this.#definitions.has(binding) || this.#unfit.has(binding.name)) continue;
        const isTwice = [...this.#definitions.keys()].some(({ name }) => name === binding.name);
        const question = this.#request.question.get(source.file) ?? [];
        const why = isTwice
          ? "what is asked calls two of that name"
          : whyUnfit(definition, question);
        if (why !== undefined) this.#unfit.set(binding.name, why);
        else {
          this.#definitions.set(binding, definition);
          open.push({ source, span: statement.node });
        }
      }
    }
    const names = new Map<string, string>();
    for (const { name } of this.#definitions.keys()) {
      if (!this.#unfit.has(name)) names.set(name, this.#freeName(name));
    }
    const edits = this.#edits(regions, names);
    for (const { source, binding } of this.#definitions.values()) {
      const to = names.get(binding.name) ?? "";
      const text = withEdits(source.text, edits.get(source.file) ?? []);
      const taken = this.#taken.has(binding) ? to : undefined;
      if (to === "" || isGiven(source, text, taken)) continue;
      this.#unfit.set(binding.name, `${source.file} gives it to others apart from its definition`);
      names.delete(binding.name);
    }
    const mentions = [...this.#definitions.values()].map((one) => {
      const uses = this.#usesIn({ source: one.source, span: one.statement.node });
      return [one.binding.name, uses.map(({ definition }) => definition.binding.name)] as const;
    });
    return { edits, names, mentions: new Map(mentions), left: this.#left(names) };
  }

  #questionRegions(): Region[] {
    return [...this.#request.question].flatMap(([file, spans]) => {
      const source = this.#sources.get(file);
      return source ? spans.map((span) => ({ source, span })) : [];
    });
  }

  /** What of a part of a text means one of the names that are to be brought. */
  #usesIn({ source, span }: Region): Use[] {
    const { scopes, uses } = source;
    const named = scopes.references.flatMap((reference): Use[] => {
      const { node, binding } = reference;
      if (!binding || !isInside(node, span)) return [];
      return this.#meaningOf(source, binding).map((one) => ({ reference, ...one }));
    });
    const members = uses.members.flatMap(({ node, name, path }): Use[] => {
      if (!isInside(node, span)) return [];
      const property = { ...node, start: node.end - name.length };
      const reference = { node: property, name, isShorthand: false };
      return this.#memberOf(source, node, path).map((definition) => ({ reference, definition }));
    });
    return [...named, ...members];
  }

  /** The wanted definition that a name of a file means, here or in the file that it is imported from. */
  #meaningOf(source: ParsedFile, binding: Binding): Omit<Use, "reference">[] {
    const wanted = binding.kind === "import" ? importOf(source, binding) : undefined;
    if (!wanted) {
      if (!this.#request.names.includes(binding.name)) return [];
      const definition = definitionOf(source, binding);
      return definition ? [{ definition }] : [];
    }
    if (wanted.isWhole) return [];
    const [definition] = this.#exported(source, wanted, wanted.imported);
    return definition ? [{ definition, wanted }] : [];
  }

  /** The wanted definition of a module that is imported whole: `metrics.evaluate`. */
  #memberOf(source: ParsedFile, node: Syntax, path: string | undefined): Definition[] {
    const [object = "", name = "", ...more] = path?.split(".") ?? [];
    if (more.length > 0 || !this.#request.names.includes(name)) return [];
    const reference = source.scopes.references.find((one) => {
      return one.name === object && one.node.start === node.start;
    });
    const wanted = reference?.binding ? importOf(source, reference.binding) : undefined;
    return wanted ? this.#exported(source, wanted, name) : [];
  }

  #exported(source: ParsedFile, wanted: ImportedName, name: string): Definition[] {
    if (!this.#request.names.includes(name)) return [];
    const { resolveImport } = source.language;
    const found = resolveImport(source.file, wanted, this.#request.textOf);
    const own = found && this.#sources.get(found.file);
    const binding = own?.scopes.root.bindings.get(name);
    const definition = own && binding && definitionOf(own, binding);
    if (!definition) return [];
    this.#taken.add(definition.binding);
    return [definition];
  }

  #edits(regions: readonly Region[], names: ReadonlyMap<string, string>): Map<string, Edit[]> {
    const edits = new Map<string, Edit[]>();
    const add = ({ file }: ParsedFile, ...more: readonly Edit[]): void => {
      edits.set(file, [...(edits.get(file) ?? []), ...more]);
    };
    const imported = new Map<ParsedFile, Map<string, ImportedName>>();
    const known = (region: Region): Use[] => {
      const uses = this.#usesIn(region).filter(({ definition }) => {
        return this.#definitions.has(definition.binding);
      });
      for (const { wanted, definition } of uses) {
        const to = names.get(definition.binding.name) ?? "";
        const own = wanted && { ...wanted, imported: to, local: to };
        if (!own) continue;
        const all = imported.get(region.source) ?? new Map<string, ImportedName>();
        imported.set(region.source, all.set(to, own));
      }
      return uses;
    };
    for (const region of regions) {
      const { source } = region;
      const uses = known(region);
      add(source, ...uses.map((use) => renamed(use, names)), ...spelledOut(source, uses));
    }
    for (const { source, binding, statement } of this.#definitions.values()) {
      const uses = known({ source, span: statement.node });
      const own = { source, binding, statement };
      add(source, copyOf(own, uses, names), ...this.#setBack(own));
    }
    for (const [source, all] of imported) {
      for (const wanted of all.values()) add(source, importEdit(source, wanted, this.#request));
    }
    return edits;
  }

  /**
   * Beside what is brought stands what the newest version has that has another one: what only the newer one mentions is
   * then mentioned by the question alone.
   */
  #setBack({ source: { file, text: now }, binding, statement: { node } }: Definition): Edit[] {
    for (const older of this.#request.older.filter((one) => one.file === file)) {
      const source = languageOf(file).read(file, older.text);
      if ("problem" in source) continue;
      const own = [...new Set(source.scopes.bindingOf.values())]
        .filter(({ name }) => name === binding.name)
        .flatMap((one) => definitionOf(source, one) ?? []);
      const [found, ...others] = own;
      if (!found || others.length > 0) continue;
      const { start, end } = found.statement.node;
      const isNested = binding.scope.parent !== null || found.binding.scope.parent !== null;
      // In another block it would be laid out otherwise.
      if (isNested) return [];
      const text = source.text.slice(start, end);
      if (text !== now.slice(node.start, node.end)) return [{ ...spanOf(node), text }];
    }
    return [];
  }

  /** One that no version of the program says. */
  #freeName(name: string): string {
    const all = [...this.#sources.values(), ...this.#request.older];
    const isTaken = (word: string): boolean => all.some(({ text }) => text.includes(word));
    let free = `${name}_yours`;
    for (let number = 2; isTaken(free); number += 1) free = `${name}_yours_${number}`;
    return free;
  }

  #left(names: ReadonlyMap<string, string>): Map<string, WhyNot> {
    const left = this.#request.names.filter((name) => !names.has(name));
    return new Map(left.map((name) => [name, this.#whyNot(name)]));
  }

  #whyNot(name: string): WhyNot {
    const why = this.#unfit.get(name);
    if (why !== undefined) return { kind: "unfit", why };
    const sources = [...this.#sources.values()];
    const all = sources.flatMap((source) => {
      const own = new Set(source.scopes.bindingOf.values());
      return [...own]
        .filter((one) => one.name === name && one.kind !== "import")
        .map((binding) => {
          return { source, binding };
        });
    });
    const definition = all.find(({ source, binding }) => definitionOf(source, binding));
    if (definition) return { kind: "unused", by: this.#callersOf(name) };
    const last = name.split(".").at(-1) ?? name;
    const owner = sources.flatMap((source) => ownerOf(source, last)).at(0);
    if (owner !== undefined) return { kind: "method", owner };
    const [value] = all;
    if (!value) return { kind: "missing" };
    const at = value.binding.declarations[0]?.start ?? 0;
    return { kind: "value", file: value.source.file, line: value.source.lines.at(at).line };
  }

  /** Functions and classes that mention a name, and that the question mentions. */
  #callersOf(name: string): string[] {
    const asked = new Set(
      this.#questionRegions().flatMap(({ source, span }) => wordsIn(source, span)),
    );
    const all = [...this.#sources.values()].flatMap((source) => {
      const own = new Set(source.scopes.bindingOf.values());
      return [...own].flatMap((binding) => definitionOf(source, binding) ?? []);
    });
    const callers = all.filter(({ source, binding, statement }) => {
      const isAsked = asked.has(binding.name) && binding.name !== name;
      return isAsked && wordsIn(source, statement.node).includes(name);
    });
    return [...new Set(callers.map(({ binding }) => binding.name))];
  }
}

function spanOf({ start, end }: Span): Span {
  return { start, end };
}

function wordsIn({ text }: ParsedFile, { start, end }: Span): readonly string[] {
  return text.slice(start, end).match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [];
}

/** The function or class that a name of a file is; undefined: it is another value, or a method. */
function definitionOf(source: ParsedFile, binding: Binding): Definition | undefined {
  const [declared] = binding.declarations;
  const around = source.statements.filter(({ node }) => declared && isInside(declared, node));
  const statement = around.at(-1);
  if (!statement || binding.scope.kind === "hidden") return undefined;
  const isFunction = binding.kind === "function" || binding.kind === "class";
  const isValue = /^(?:const|let|var)$/.test(binding.kind) && statement.parameters !== undefined;
  return isFunction || isValue ? { source, binding, statement } : undefined;
}

/** Why a definition cannot stand beside itself. */
function whyUnfit(
  { source, binding, statement: { node } }: Definition,
  question: readonly Span[],
): string | undefined {
  const { scopes, text } = source;
  const { scope, declarations } = binding;
  const declared = [...scopes.bindingOf].filter(([at, one]) => {
    return one.scope === scope && isInside(at, node);
  });
  if (question.some((span) => isInside(span, node))) return "what is asked stands in it";
  const isSetAgain = scopes.references.some((one) => {
    return one.binding === binding && one.isWrite && !declarations.includes(one.node);
  });
  if (declarations.length > 1 || isSetAgain) return "it is defined more than once";
  if (declared.length > 1) return "its statement defines more than it";
  if (/^export\s+default\b/.test(text.slice(node.start))) {
    return `${source.file} gives it to others without a name`;
  }
  // `@register export class Net`: the statement begins behind what is put around it.
  const isDecorated = /@[\w$.]+(?:\([^)]*\))?\s*$/.test(text.slice(0, node.start));
  return isDecorated ? "a decorator stands before it" : undefined;
}

/** The class that has a method of that name. */
function ownerOf({ statements, members, scopes, text }: ParsedFile, name: string): string[] {
  const all = [...statements, ...members.flatMap((list) => list.statements)];
  return all
    .filter(({ member }) => member === name)
    .flatMap(({ node }) => {
      const classes = [...scopes.bindingOf].filter(([at, { kind }]) => {
        const around = all.find((one) => isInside(at, one.node) && isInside(node, one.node));
        return kind === "class" && at.start < node.start && around !== undefined;
      });
      const at = classes.at(-1)?.[0];
      return at ? [text.slice(at.start, at.end)] : [];
    });
}

function renamed(
  { reference: { node, name, isShorthand }, definition }: Use,
  names: ReadonlyMap<string, string>,
): Edit {
  const to = names.get(definition.binding.name) ?? name;
  return { start: node.start, end: node.end, text: isShorthand ? `${name}: ${to}` : to };
}

/** `f"{evaluate(net)=}"` keeps the name that it shows. */
function spelledOut({ selfDocumenting }: ParsedFile, uses: readonly Use[]): Edit[] {
  return selfDocumenting
    .filter((one) => uses.some(({ reference }) => isInside(reference.node, one)))
    .flatMap((one) => one.edits);
}

function copyOf(
  { source, binding, statement }: Definition,
  uses: readonly Use[],
  names: ReadonlyMap<string, string>,
): Edit {
  const { node } = statement;
  const renaming = new Map<Reference, string>();
  const rename = (at: Pick<Reference, "node" | "name" | "isShorthand">, to: string): void => {
    const { scope } = binding;
    renaming.set({ scope, isWrite: false, isRead: true, binding: null, ...at }, to);
  };
  for (const { reference, definition } of uses) {
    rename(reference, names.get(definition.binding.name) ?? reference.name);
  }
  const [declared] = binding.declarations;
  const to = names.get(binding.name) ?? binding.name;
  if (declared) {
    const end = declared.start + binding.name.length;
    rename({ node: { ...declared, end }, name: binding.name, isShorthand: false }, to);
  }
  const { eol } = source.language.layout.stylesOf(source.text)[0];
  const { text } = writtenStatement(source, statement, renaming);
  return { start: node.end, end: node.end, text: eol + indentAt(source, node.start) + text };
}

function importEdit(
  source: ParsedFile,
  wanted: ImportedName,
  { textOf }: Pick<BringRequest, "textOf">,
): Edit {
  const { layout } = source.language;
  const [style] = layout.stylesOf(source.text);
  const { offset, text } = layout.importInsertion(source, wanted, style, textOf);
  return { start: offset, end: offset, text };
}

/** Whether a text can be read, and gives others a name if they take it from there. */
function isGiven({ file, language }: ParsedFile, text: string, name: string | undefined): boolean {
  const source = language.read(file, text);
  if ("problem" in source) return false;
  // What `module.exports` gives is not seen: by that it would be any name.
  const isUnseen = source.wildcards.length === 0 && source.gives(`${name}_`);
  return name === undefined || (source.gives(name) && !isUnseen);
}

/** A text with parts of it written otherwise. */
export function withEdits(text: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((one, other) => other.start - one.start || other.end - one.end)
    .reduce((all, { start, end, text: own }) => all.slice(0, start) + own + all.slice(end), text);
}
