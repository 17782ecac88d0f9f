/** @file What the engine asks of a source language, and the languages that there are. */
import type { RunMode, SourcePlace } from "../format/index.ts";
import type { Grammar } from "./landing/grammar.ts";
import type { InsertedLog } from "./logpoint.ts";
import { PYTHON } from "./python/language.ts";
import type { SourceModel } from "./source-model.ts";
import type { Allowed, InsertedSource } from "./typescript/compare-sources.ts";
import { TYPESCRIPT } from "./typescript/language.ts";

export interface Language {
  /** Whether a file is of this language, by its name. */
  isOwn(this: void, file: string): boolean;
  /** Loads what its files are parsed with. To be awaited before anything of them is landed. */
  prepare(this: void): Promise<void>;
  /** Whether a program uses Afterlog by itself; one that does not is recorded hands-free. */
  knowsAfterlog(this: void, program: string): boolean;
  /** The model of a program; never throws on what a source file says. */
  analyze(
    this: void,
    entry: string,
    read: (file: string) => string | undefined,
    options?: RunMode,
  ): SourceModel;
  /** A text with statements put into it, against the one that it was. */
  compareInserted(
    this: void,
    before: string,
    after: string,
    file: string,
    allowed: Allowed,
  ): InsertedSource;
  /** Whether a text that statements were put into can be executed, if it could before. */
  isStillProgram(this: void, before: string, after: string): boolean;
  /** Where a log statement stands, said so that it stays the same when others are added around it. */
  anchorOf(
    this: void,
    text: string,
    file: string,
    place: Pick<SourcePlace, "line" | "column">,
    model: Pick<SourceModel, "handsFree">,
  ): string;
  /** Puts a log statement before the one at a line, in the innermost block that holds the line. */
  insertLog(
    this: void,
    text: string,
    file: string,
    line: number,
    wanted: RunMode & { readonly assignment: string },
  ): InsertedLog;
  readonly grammar: Grammar;
}

const LANGUAGES: readonly Language[] = [PYTHON, TYPESCRIPT];

/** The language of a file, by its extension; what has none that is known is a program of Node. */
export function languageOf(file: string): Language {
  return LANGUAGES.find(({ isOwn }) => isOwn(file)) ?? TYPESCRIPT;
}

/** Files that are source, by their extension. */
export function isSource(file: string): boolean {
  return LANGUAGES.some(({ isOwn }) => isOwn(file));
}

/** Loads what these files are parsed with. To be awaited before statements of them are landed. */
export async function prepareLanguages(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => languageOf(file).prepare()));
}
