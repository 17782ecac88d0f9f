/**
 * @file What landing a statement asks of a language. Everything else about landings is the same for
 * all of them: how versions are paired, names followed, verdicts given.
 *
 * These are methods, and not fields that hold functions, so that a language may declare its own kind of
 * nodes for them.
 */
import type { Landing, LandingRequest, Overlay, RunMode } from "../../format/index.ts";
import type {
  CommentSigns,
  LinesAround,
  Place,
  Span,
  TreeDraft,
  TreeNode,
} from "../../tree/index.ts";
import type { Lines } from "../lines.ts";
import type { FileStyle, Insertion, Slot } from "./layout.ts";
import type { VersionPair } from "./pair.ts";
import type { Binding, BindingKind, Reference, Scope } from "./scope.ts";
import type { Refusal, Settled } from "./settle.ts";
import type { Wrap } from "./statement-text.ts";

/** A node of a language's own syntax tree. Only the language looks into it. */
export interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** One version of a file, parsed. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly program: Syntax;
  readonly lines: Lines;
  readonly grammar: Grammar;
}

export interface Grammar {
  readonly reading: Reading;
  readonly trees: TreeRules;
  readonly names: NameRules;
  readonly views: Views;
  readonly effects: EffectRules;
  readonly statements: StatementRules;
  readonly imports: ImportRules;
  readonly writing: WritingRules;
}

/** Text to syntax tree, and what is where in it. */
export interface Reading {
  /** Whether a file is of this language, by its name. */
  isOwn(this: void, file: string): boolean;
  /** Undefined if it cannot be parsed. */
  read(this: void, file: string, text: string): Source | undefined;
  /** What is wrong with a text that cannot be parsed. */
  problemOf(
    this: void,
    file: string,
    text: string,
  ): { readonly line: number; readonly message: string };
  childrenOf(this: void, node: Syntax): readonly Syntax[];
  /** The statements of a node that holds a list of them; undefined for any other. */
  statementsOf(this: void, node: Syntax): readonly Syntax[] | undefined;
}

/** A syntax tree as a neutral one. */
export interface Drafts {
  readonly draft: TreeDraft;
  /** The syntax nodes that a draft stands for. */
  readonly syntax: ReadonlyMap<TreeDraft, readonly Syntax[]>;
}

export type Named = ReadonlyMap<string, readonly Syntax[]>;

/**
 * The neutral tree. Whatever the language: identifiers are leaves of type `Identifier`, and names of
 * properties of type `PropertyName`.
 */
export interface TreeRules {
  /** Without some statements, and with other names for some identifiers. */
  draftsOf(
    this: void,
    node: Syntax,
    without: ReadonlySet<Syntax>,
    names: ReadonlyMap<Syntax, string>,
  ): Drafts;
  /** Functions, classes and named loops by their qualified names (`/A/method f/loop epoch`). */
  namedNodes(this: void, program: Syntax): Named;
  /** Parts of variables of the module that are set alone, by their names. */
  moduleVariables(this: void, program: Syntax): Named;
  /** The variable that the head of a loop sets. */
  loopVariable(this: void, loop: TreeNode): TreeNode | undefined;
  /** Type of a node whose two children are a name and the value that it is given. */
  readonly definition: string;
}

export interface NameRules {
  walkScopes(
    this: void,
    program: Syntax,
  ): { readonly root: Scope; readonly references: Reference[] };
  /** Kinds of bindings that have their value wherever they are visible. */
  readonly always: ReadonlySet<BindingKind>;
  /** Names that the language or its platform gives. */
  isPlatformName(this: void, name: string): boolean;
  /** Whether names may come from where nobody sees them. */
  isOpen(this: void, program: Syntax): boolean;
  /**
   * Names that may have no value at a place though they have one in the newer version, by the
   * branches around what gives it.
   */
  perhapsUnset(this: void, pair: VersionPair, settled: Settled): readonly string[];
  /** Signs that only this language has of names that mean something else at a place. */
  otherMeanings(
    this: void,
    pair: VersionPair,
    settled: Settled,
  ): readonly Landing["warnings"][number][];
}

export interface Call {
  readonly callee: Syntax;
  /** By position. */
  readonly values: readonly Syntax[];
  /** Names of what is given by name. */
  readonly named?: readonly string[];
  /** More may be given than is written. */
  readonly isOpen?: true;
}

export interface Member {
  readonly object: Syntax;
  readonly name: string;
  /** Whether it exists is known by its declaration. */
  readonly isDeclared?: true;
}

export interface Write {
  readonly target: Syntax;
  /** `+=`, `++`: it adds to what was there. */
  readonly gathers: boolean;
}

export interface Parameter {
  /** Empty for a pattern. */
  readonly name: string;
  readonly isNeeded: boolean;
}

/** What expressions are, in words that languages share. */
export interface Views {
  nameOf(this: void, node: Syntax): string | undefined;
  callOf(this: void, node: Syntax): Call | undefined;
  /** `object.name` */
  memberOf(this: void, node: Syntax): Member | undefined;
  /** `this` */
  isSelf(this: void, node: Syntax): boolean;
  writeOf(this: void, node: Syntax): Write | undefined;
  /** Whether a statement defines a function. */
  isFunction(this: void, statement: Syntax): boolean;
  /** Its parameters, if all of them are listed. */
  parametersOf(this: void, statement: Syntax): readonly Parameter[] | undefined;
}

/** What executing something does: from harmless to harmful. */
export type Effect = "none" | "clock" | "calls" | "changes";

export interface EffectRules {
  /** The most harmful thing that a part of a program does when it is executed. */
  effectOf(this: void, node: Syntax): Effect;
  /** What calling a function does, by its name alone. */
  effectOfName(this: void, callee: Syntax): Effect;
  /** Whether executing a node is known to change objects that it does not name. */
  changesOthers(this: void, node: Syntax): boolean;
  /** Whether a property is one that many kinds of values have. */
  isKnownMethod(this: void, name: string): boolean;
  /** Whether an object is one of the language or the platform. */
  isKnownObject(this: void, name: string): boolean;
  /** Types of neutral nodes whose first child is what a member is taken of. */
  readonly members: ReadonlySet<string>;
  /** Whether a node changes the part of it with this position. */
  changesPart(this: void, node: Syntax, index: number): boolean;
  /** Whether a node of the neutral tree hands the part with this position to somebody. */
  passesPart(this: void, node: TreeNode, index: number): boolean;
  /** Whether a definition gives an empty list or object, or a new one of a class. */
  isEmptyValue(this: void, definition: Syntax): boolean;
}

export interface StatementRules {
  /** One call or one definition. */
  isSimple(this: void, node: Syntax): boolean;
  /** Whether a statement logs, by whatever logger, and does nothing else. */
  isLogOnly(this: void, node: Syntax): boolean;
  /** Whether a statement logs with the SDK, or prints. */
  isLog(this: void, source: Source, node: Syntax): boolean;
  /** For a statement, the name under which it logs with the SDK, or all that it logs by printing. */
  logKeyIn(this: void, source: Source, mode: RunMode): (node: Syntax) => string | undefined;
  /** What an `if` that has no `else` guards. */
  branchOf(this: void, node: Syntax): Syntax | undefined;
  /** Whether what a statement defines is there before it. */
  isHoisted(this: void, node: Syntax): boolean;
  /** Whether a statement is nothing but the definition of a binding. */
  canBeBrought(this: void, node: Syntax, binding: Binding): boolean;
  /** A definition without what makes it one of its module. */
  bare(this: void, node: Syntax): Syntax;
  /** What a statement needs of its surroundings beside names, and does not have at a place. */
  lacking(this: void, pair: VersionPair, node: Syntax, place: Place): Refusal | undefined;
}

/** What a file takes from a module under a name. */
export interface ImportedName {
  readonly module: string;
  /** The name that the module exports, or a word for the whole of it. */
  readonly imported: string;
  readonly local: string;
}

/** What becomes of an import in the old version. */
export type ImportFate =
  /** It means the same there. */
  | { readonly kind: "works" }
  /** The file is not known here. */
  | { readonly kind: "unchecked" }
  | { readonly kind: "file"; readonly overlay: Overlay; readonly effect: Effect }
  | { readonly kind: "missing"; readonly reason: string };

export interface ImportRules {
  /** Everything that a file imports at top level. */
  importedNames(this: void, source: Source): readonly ImportedName[];
  /** Whether it is the whole module. */
  isWhole(this: void, imported: string): boolean;
  /** The text that imports something, and where it goes. */
  insertion(
    this: void,
    source: Source,
    wanted: ImportedName,
    style: FileStyle,
  ): Insertion & { readonly shown: string };
  fateOf(this: void, wanted: ImportedName, at: ImportPlace): ImportFate;
}

export interface ImportPlace extends Pick<LandingRequest, "now" | "then"> {
  /** The old file that imports. */
  readonly importer: string;
}

export interface SlotRequest extends Pick<Place, "block" | "index" | "near"> {
  readonly source: Source;
  readonly style: FileStyle;
  /** The lines of the old text between which the statement stands by its lines. */
  readonly lines: Pick<LinesAround, "from" | "to">;
  /** The syntax of the block; undefined if the text has none for it. */
  readonly syntax: Syntax | undefined;
}

/** How the training is kept from noticing what some statements call. */
export interface Guard {
  /** By the statements and definitions of the newer version. */
  readonly wraps: ReadonlyMap<Syntax, readonly Wrap[]>;
  /** What the old version has to import for it; undefined: nothing. */
  readonly needs: ImportedName | undefined;
}

/** A part of a text, and what stands there instead. */
export interface Edit extends Span {
  readonly text: string;
}

export interface WritingRules {
  /** How a file is written: the ways to try, the best first. */
  stylesOf(this: void, text: string): readonly [FileStyle, ...FileStyle[]];
  /** Where, and with what around it, statements are put into a gap of a block. */
  slotFor(this: void, request: SlotRequest): Slot;
  /** Parts in which a line break belongs to the value. */
  multilineStrings(this: void, node: Syntax): readonly Syntax[];
  /** Further changes to a statement that says the names of what is renamed in it. */
  keepSaid(this: void, text: string, node: Syntax, renamed: readonly Syntax[]): readonly Edit[];
  endsWithSemicolon(this: void, node: Syntax): boolean;
  /** Whether a program is another one, apart from what lies in the inserted parts. */
  isSameApartFrom(this: void, old: Syntax, now: Syntax, inserted: readonly Span[]): boolean;
  guardOf(this: void, pair: VersionPair, placed: readonly Settled[]): Guard;
  /** Whether a statement calls something that came along where nothing can be put around it. */
  isUnguarded(this: void, pair: VersionPair, item: Settled): boolean;
  /** Whether a line lies in a block, so that a statement before it would belong to the block. */
  holdsLine(this: void, source: Source, block: TreeNode, line: number): boolean;
  readonly comments: CommentSigns;
}
