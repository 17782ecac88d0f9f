/** @file What the engine asks of a source language, and the languages that there are. */
import type { ProbePlace, RunMode, SourcePlace } from "../format/index.ts";
import type { CommentSigns, TreeNode } from "../tree/index.ts";
import type {
  Anatomy,
  Decorated,
  Iterating,
  OwnContext,
  OptionParser,
  OwnDecorator,
  ShownBy,
  Wrapper,
} from "./anatomy.ts";
import type { FileStyle, Insertion, Slot, SlotRequest } from "./text-layout.ts";
import type { Lines } from "./lines.ts";
import type { ImportedName, ParsedFile, Shape, Unparsed } from "./parsed-file.ts";
import { PYTHON } from "./python/language.ts";
import type { SourceModel } from "./source-model.ts";
import type { Allowed, InsertedSource } from "./inserted-source.ts";
import { TYPESCRIPT } from "./typescript/language.ts";

/** How a program is analysed. */
export interface AnalysisOptions extends RunMode {
  /** What was added to ask: which statements are loops of the run does not depend on it. */
  readonly probes?: readonly ProbePlace[];
}

export interface Language {
  /** Whether a file is of this language, by its name. */
  isOwn(this: void, file: string): boolean;
  /** Of programs that can be recorded. */
  readonly extensions: readonly string[];
  /** Loads what its files are parsed with. To be awaited before anything of them is landed. */
  prepare(this: void): Promise<void>;
  /** Whether a program uses Afterlog by itself; one that does not is recorded hands-free. */
  knowsAfterlog(this: void, program: string): boolean;
  /** Packages that it imports whose own loops are loops of a run. */
  loopLibraries(this: void, program: string): readonly string[];
  /** The command that starts the program at this path. */
  start(this: void, program: string, options: StartOptions): StartCommand;
  /** What its programs print with. */
  readonly printing: string;
  /** The model of a program; never throws on what a source file says. */
  analyze(
    this: void,
    entry: string,
    read: (file: string) => string | undefined,
    options?: AnalysisOptions,
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
  /** One expression, as an argument of a call. */
  readExpression(
    this: void,
    file: string,
    text: string,
  ): { readonly text: string } | LogpointProblem;
  /** What a file calls to log a value by a name, and how that ends; `needs`: an import that it lacks. */
  loggerIn(
    this: void,
    source: ParsedFile,
    name: string,
    mode: RunMode,
  ): { readonly call: string; readonly end: string; readonly needs?: ImportedName };
  /** A log call of one value, as a mapping with this key is logged; undefined: nothing would log it. */
  logOfKey(
    this: void,
    source: ParsedFile,
    key: string,
    value: string,
    mode: RunMode,
  ): string | undefined;
  /** Where the lines of a text begin. */
  linesOf(this: void, text: string): Lines;
  /** A text, parsed, with what is known of it. The same text is parsed once, as long as it is asked for. */
  read(this: void, file: string, text: string): ParsedFile | Unparsed;
  /** What a part of a text consists of; undefined: it may evaluate parts of it not once, or nobody knows. */
  anatomyOf(this: void, shape: Shape): Anatomy | undefined;
  /** What an argument or item spreads: `...xs`. */
  spreadBy(this: void, shape: Shape): Shape | undefined;
  /** What the items come from that an expression gives, if it gives those of another one. */
  iteratedBy(this: void, over: Shape): Iterating | undefined;
  /** What a statement has around a block that would be executed without it, too. */
  wrapperOf(this: void, statement: Shape): Wrapper | undefined;
  /** Whether what stands in a `with` of something, by its path from a module, is left as it is. */
  onlyWatches(this: void, path: string): boolean;
  /** What a method, of whatever object that these modules may give, can be given to show more. */
  shownBy(this: void, modules: readonly string[], method: string): ShownBy | undefined;
  /** What a statement defines for `with`. */
  contextMadeBy(this: void, statement: Shape): OwnContext | undefined;
  /** The decorators of a function. */
  decoratedBy(this: void, statement: Shape): Decorated | undefined;
  /** What a statement defines for them. */
  decoratorMadeBy(this: void, statement: Shape): OwnDecorator | undefined;
  /** Whether the keys of a mapping are its members, as those of an object are. */
  readonly hasKeysAsMembers: boolean;
  /** Whether `x *= 2` may change the object that `x` is, for all that have it. */
  readonly changesInPlace: boolean;
  /** Whether the default of a parameter is made once, and is there in the next call. */
  readonly keepsDefaults: boolean;
  /** The attribute that a statement makes an option of the program have; undefined: it makes none. */
  optionOf(this: void, statement: Shape): string | undefined;
  /** How a function, by its path from a module, is told what may stand on the command line. */
  optionParser(this: void, path: string): OptionParser | undefined;
  /** The file of the project that an import means; undefined if the project has none for it. */
  resolveImport(
    this: void,
    importer: string,
    wanted: ImportedName,
    textOf: (file: string) => string | undefined,
  ): ResolvedImport | undefined;
  /** Where a file has to stand for an import to mean it; undefined: nowhere. */
  placeForImport(
    this: void,
    importer: string,
    wanted: ImportedName,
    file: string,
  ): string | undefined;
  /**
   * A text that was made from another by adding to it, written so that the file is loaded as before;
   * `problem`: why it cannot be. `textOf`: files of the version.
   */
  keepModuleKind(
    this: void,
    before: ParsedFile,
    after: string,
    textOf: (file: string) => string | undefined,
  ): { readonly text: string } | { readonly problem: string };
  /** Names that the language or its platform gives. */
  isPlatformName(this: void, name: string): boolean;
  /** Whether a name that nobody declares is an object of the platform or of a library. */
  isKnownObject(this: void, name: string): boolean;
  /**
   * Whether anything may replace what the language gives and what is imported, so that the same word for
   * another thing is no error.
   */
  readonly replacesNames: boolean;
  /** Methods that are called where an object is: of one class, the first that it has. */
  readonly calledMethods: readonly string[];
  /** The SDK's function that keeps the training from noticing a value; null: the SDK does so itself. */
  readonly aside: string | null;
  /**
   * Put before statements that a text did not have, so that what has numbers in it keeps them; empty:
   * the SDK leaves such statements out when it counts.
   */
  readonly addedMark: string;
  /** What stands before the first assignment to a name that nothing declares. */
  readonly declares: string;
  readonly layout: Layout;
}

/** How a program is started so that the SDK is in it before anything else runs. */
export interface StartCommand {
  readonly command: string;
  /** Up to the program, with it; the program's own arguments follow. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Whether the SDK in it is to be handed the source that is kept: it keeps less by itself. */
  readonly wantsSource: boolean;
}

export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The interpreter for Python; absent: that of the active environment, else `python3`. */
  readonly python?: string | undefined;
  /** What the hashes of texts begin with in Python; absent: drawn, unless the environment says. */
  readonly hashSeed?: string | undefined;
}

/** Why what a person wrote cannot be logged, and what to do about it. */
export interface LogpointProblem {
  readonly problem: string;
  readonly help: string;
}

export interface ResolvedImport {
  readonly file: string;
  readonly text: string;
  /** The name is not one of the file but the file itself. */
  readonly isSubmodule: boolean;
}

/** How statements are written into a text. */
export interface Layout {
  /** How a file is written: the ways to try, the best first. */
  stylesOf(this: void, text: string): readonly [FileStyle, ...FileStyle[]];
  /** Where, and with what around it, statements are put into a gap of a block. */
  slotFor(this: void, request: SlotRequest): Slot;
  /** Whether a line lies in a block, so that a statement before it would belong to the block. */
  holdsLine(this: void, source: ParsedFile, block: TreeNode, line: number): boolean;
  /** The text that imports something, and where it goes. `textOf`: files of the version. */
  importInsertion(
    this: void,
    source: ParsedFile,
    wanted: ImportedName,
    style: FileStyle,
    textOf: (file: string) => string | undefined,
  ): Insertion & { readonly shown: string };
  readonly comments: CommentSigns;
}

const LANGUAGES: readonly Language[] = [PYTHON, TYPESCRIPT];

/** The language of a file, by its extension; what has none that is known is a program of Node. */
export function languageOf(file: string): Language {
  return LANGUAGES.find(({ isOwn }) => isOwn(file)) ?? TYPESCRIPT;
}

/** The model of a program; never throws on what a source file says. */
export function analyzeProgram(
  entry: string,
  read: (file: string) => string | undefined,
  options?: AnalysisOptions,
): SourceModel {
  return languageOf(entry).analyze(entry, read, options);
}

/** Files that are source, by their extension. */
export function isSource(file: string): boolean {
  return LANGUAGES.some(({ isOwn }) => isOwn(file));
}

/** Loads what these files are parsed with. To be awaited before statements of them are landed. */
export async function prepareLanguages(files: readonly string[]): Promise<void> {
  await Promise.all(files.map((file) => languageOf(file).prepare()));
}
