/**
 * @file Adapted statements and what they bring along, written into the old text, all at once; and
 * the check that nothing else was changed.
 */
import type { Carried } from "../../format/index.ts";
import type {
  FileStyle,
  ImportedName,
  Insertion,
  Statement,
  Syntax,
  StatementText,
} from "../../languages/index.ts";
import { insertAll, laidOutStatement } from "../../languages/index.ts";
import type { Guard } from "./guard-calls.ts";
import { guardCalls } from "./guard-calls.ts";
import type { VersionPair } from "../pairing/version-pair.ts";
import type { CarriedDefinition, AdaptedStatement } from "../adapting/adapt-statement.ts";
import { writtenStatement } from "./statement-text.ts";
import { statementAt } from "../placing/statement-at.ts";
import { isSameApartFrom } from "./verify-insertion.ts";

export interface WrittenStatement {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly carried: readonly Carried[];
}

export interface WrittenFile {
  readonly text: string;
  /** By the statements of the newer version. */
  readonly written: ReadonlyMap<Syntax, WrittenStatement>;
}

function begins(start: number): (statement: Statement) => boolean {
  return ({ node }) => node.start === start;
}

/** One text at one place, and where it is found again in the insertion. */
interface InsertedText {
  readonly item: AdaptedStatement;
  readonly text: string;
  readonly insertion: number;
  readonly at: number;
}

/** Writes everything; undefined if the result would not be the old program with it in. */
export function writeStatements(
  pair: VersionPair,
  placed: readonly AdaptedStatement[],
): WrittenFile | undefined {
  for (const style of pair.language.layout.stylesOf(pair.then.source.text)) {
    const result = new StatementWriter(pair, placed, style).result();
    if (result) return result;
  }
  return undefined;
}

class StatementWriter {
  readonly #pair: VersionPair;
  readonly #placed: readonly AdaptedStatement[];
  readonly #style: FileStyle;
  readonly #guard: Guard;
  readonly #insertions: Insertion[] = [];
  readonly #inserted: InsertedText[] = [];
  readonly #imports = new Map<
    string,
    { readonly wanted: ImportedName; insertion: number; shown: string }
  >();

  constructor(pair: VersionPair, placed: readonly AdaptedStatement[], style: FileStyle) {
    this.#pair = pair;
    this.#placed = placed;
    this.#style = style;
    this.#guard = guardCalls(pair, placed);
  }

  result(): WrittenFile | undefined {
    this.#addImports();
    for (const group of this.#groups()) this.#addGroup(group);
    const { source } = this.#pair.then;
    const { text, spans } = insertAll(source.text, this.#insertions);
    const result = source.language.read(source.file, text);
    if ("problem" in result || !isSameApartFrom(source.shape, result.shape, spans)) {
      return undefined;
    }
    // In a comment or a string it would change nothing, and do nothing.
    const isThere = this.#inserted.every(({ insertion, at }) => {
      const start = (spans[insertion]?.start ?? 0) + at;
      const isMember = result.members.some((list) => list.statements.some(begins(start)));
      return isMember || statementAt(result, result.lines.at(start))?.node.start === start;
    });
    if (!isThere) return undefined;
    const placeOf = (insertion: number, at: number): { line: number; column: number } => {
      return result.lines.at((spans[insertion]?.start ?? 0) + at);
    };
    const found = new Map<Syntax, WrittenStatement>();
    for (const { item, text: own, insertion, at } of this.#inserted) {
      const carried = this.#carriedFor(item, placeOf);
      found.set(item.statement.node, { ...placeOf(insertion, at), text: own, carried });
    }
    return { text, written: found };
  }

  #addImports(): void {
    const { needs } = this.#guard;
    const all = this.#placed.flatMap(({ imports }) => imports);
    for (const wanted of needs ? [...all, needs] : all) {
      if (this.#imports.has(wanted.local)) continue;
      const { language, then, files } = this.#pair;
      const { importInsertion } = language.layout;
      const { shown, ...insertion } = importInsertion(then.source, wanted, this.#style, (file) =>
        files.then.text(file),
      );
      this.#imports.set(wanted.local, { wanted, shown, insertion: this.#insertions.length });
      this.#insertions.push(insertion);
    }
  }

  /** Everything that goes into the same gap, in the order of the newer text. */
  #groups(): AdaptedStatement[][] {
    const items = new Map<unknown, AdaptedStatement>();
    for (const statement of this.#placed) {
      for (const item of [...statement.definitions, statement]) {
        if (!items.has(item.statement.node)) items.set(item.statement.node, item);
      }
    }
    const ordered = [...items.values()].sort(
      (a, b) => a.statement.node.start - b.statement.node.start,
    );
    const groups = new Map<string, AdaptedStatement[]>();
    for (const item of ordered) {
      const { block, index } = item.target.place;
      const key = `${block.id}:${index}`;
      groups.set(key, [...(groups.get(key) ?? []), item]);
    }
    return [...groups.values()];
  }

  #addGroup(items: readonly AdaptedStatement[]): void {
    const [first] = items;
    if (!first) return;
    const style = this.#style;
    const { place } = first.target;
    const { source, tree } = this.#pair.then;
    const { lines } = first.target;
    const syntax = tree.syntaxOf.get(place.block);
    const slot = source.language.layout.slotFor({ source, style, ...place, lines, syntax });
    const texts = items.map((item) => laidOutStatement(this.#statement(item), style, slot.indent));
    const between = slot.between ?? style.eol + slot.indent;
    const { all, own, at } = slot.insertions(texts.join(between));
    let offset = at;
    for (const [index, item] of items.entries()) {
      const text = texts[index] ?? "";
      this.#inserted.push({ item, text, insertion: this.#insertions.length + own, at: offset });
      offset += text.length + between.length;
    }
    this.#insertions.push(...all);
  }

  #statement(item: AdaptedStatement): StatementText {
    if (item.fixed) return item.fixed;
    const wraps = this.#guard.wraps.get(item.statement.node);
    return writtenStatement(this.#pair.now.source, item.statement, item.renaming, wraps);
  }

  /** What one statement brought along, with the lines that it has now. */
  #carriedFor(
    { statement, imports: own, definitions }: AdaptedStatement,
    placeOf: (insertion: number, at: number) => { readonly line: number },
  ): Carried[] {
    const eol = this.#style.eol.length;
    const { wraps, needs } = this.#guard;
    const isGuarded = [statement, ...definitions.map((one) => one.statement)].some((one) =>
      wraps.has(one.node),
    );
    const imports = needs && isGuarded ? [...own, needs] : own;
    return [
      ...imports.flatMap(({ local }): Carried[] => {
        const found = this.#imports.get(local);
        if (!found) return [];
        const { line } = placeOf(found.insertion, eol);
        return [{ kind: "import", name: local, text: found.shown, line }];
      }),
      ...definitions.flatMap((definition: CarriedDefinition): Carried[] => {
        const piece = this.#inserted.find(
          ({ item }) => item.statement.node === definition.statement.node,
        );
        if (!piece) return [];
        const { line } = placeOf(piece.insertion, piece.at);
        return [{ kind: "helper", name: definition.name, text: piece.text, line }];
      }),
    ];
  }
}
