/**
 * @file One version of a file, parsed, and what is known of it: facts as data, in words that languages
 * share. A language computes them once for a text, when they are first asked for; what follows from
 * them (how versions are paired, names followed, verdicts given) knows no language.
 */
import type { RunMode } from "../format/index.ts";
import type { Span, TreeDraft } from "../tree/index.ts";
import type { Language } from "./language.ts";
import type { Lines } from "./lines.ts";
import type { Binding, Scope, Scopes } from "./scopes.ts";

/** A node of a language's own syntax tree. Only the language looks into it. */
export interface Syntax extends Span {
  readonly type: string;
}

export interface ParsedFile {
  readonly file: string;
  readonly text: string;
  readonly lines: Lines;
  readonly language: Language;
  readonly program: Syntax;
  readonly tree: SyntaxDraft;
  readonly shape: Shape;
  readonly lists: readonly StatementList[];
  /** Bodies of classes whose members are no statements. */
  readonly members: readonly StatementList[];
  /** Bodies of one statement that could have braces, and have none. */
  readonly bareBodies: readonly BareBody[];
  /** Of all lists, those of outer ones first. */
  readonly statements: readonly Statement[];
  /** What is known of a statement, also if it stands in no list: a body without braces. */
  describe(this: void, node: Syntax): Statement;
  readonly scopes: Scopes;
  /** Names may come from where nobody sees them. */
  readonly isOpen: boolean;
  /** Everything that it imports at top level. */
  readonly imports: readonly ImportedName[];
  /** Modules of which it takes everything, in their order. */
  readonly wildcards: readonly string[];
  /** The most harmful thing that loading it, or calling what it defines, does. */
  readonly loading: Effect;
  /** Functions, classes and named loops by their qualified names (`/A/method f/loop epoch`). */
  readonly named: Named;
  /** Parts of variables of the module that are set alone, by their names. */
  readonly moduleVariables: Named;
  readonly loops: ReadonlyMap<Syntax, LoopHead>;
  readonly uses: Uses;
  readonly mutations: Mutations;
  /** Parts in which a line break belongs to the value. */
  readonly strings: readonly Span[];
  /** Parts that say the names of what they show (`f"{loss=}"`). */
  readonly selfDocumenting: readonly SelfDocumentingText[];
  /** Whether it gives others a name, as far as can be seen. */
  gives(this: void, name: string): boolean;
  logs(this: void, mode: RunMode): LogFacts;
  /** What there is beside names at a place. */
  surroundingsAt(this: void, place: Pick<SyntaxGap, "offset" | "scope">): Surroundings;
  /** Whether a name has a value on every way that leads to a gap of a block, if it has one at all. */
  isSurelySet(this: void, binding: Binding, gap: SyntaxGap): boolean;
}

/** A text that cannot be parsed. */
export interface Unparsed {
  readonly problem: { readonly line: number; readonly message: string };
}

/**
 * The neutral tree. Whatever the language: identifiers are leaves of type `Identifier`, names of
 * properties of type `PropertyName`, and a `Definition` has two children: a name and its value.
 */
export interface SyntaxDraft extends TreeDraft {
  /** The nodes that it stands for; those that mean most come first. */
  readonly syntax: readonly Syntax[];
  readonly children: readonly SyntaxDraft[];
}

/** Everything that a text says, but for comments and layout: two programs are the same if this is. */
export interface Shape extends Span {
  /** What it is to the node around it. */
  readonly field: string;
  readonly label: string;
  readonly parts: readonly Shape[];
  /** Absent: an expression, or a part of one. */
  readonly kind?: "block" | "return" | "statement";
}

export interface StatementList {
  readonly owner: Syntax;
  readonly statements: readonly Statement[];
  /** An expression of the owner, before the statements. */
  readonly head?: Span;
}

/** A body without braces, as it would be with them: what it begins and ends with is the same. */
export interface BareBody {
  readonly list: StatementList;
  readonly block: Shape;
}

/** What executing something does: from harmless to harmful. */
export type Effect = "none" | "clock" | "calls" | "changes";

/** A statement in a list of statements. */
export interface Statement {
  readonly kind: "statement";
  readonly node: Syntax;
  /** The node that holds the list. */
  readonly owner: Syntax;
  /** The statement around that. */
  readonly parent: Statement | null;
  /** Without what makes it one of its module; itself if nothing does. */
  readonly bare: Statement;
  /** One call or one definition. */
  readonly isSimple: boolean;
  /** It logs, by whatever logger, and does nothing else. */
  readonly isLogOnly: boolean;
  /** It logs with the SDK, or prints. */
  readonly isLog: boolean;
  /** It only declares: executing it does nothing. */
  readonly isDeclaration: boolean;
  /** What it defines is there before it. */
  readonly isHoisted: boolean;
  readonly endsWithSemicolon: boolean;
  /** The list that an `if` which has no `else` guards. */
  readonly branch: Syntax | undefined;
  /** What it defines, if it does nothing else. */
  readonly defines: Definition | undefined;
  /** What it makes a member of the class whose body it stands in. */
  readonly member: string | undefined;
  /** Of the function that it defines; null: not all of them are listed. Undefined: it defines none. */
  readonly parameters: readonly Parameter[] | null | undefined;
  /** It gives an empty list or object, or a new one of a class. */
  readonly isEmptyValue: boolean;
  /** The value that it gives to a name, if it can be computed apart. */
  readonly value: Expression | undefined;
  /** The most harmful thing that it does when it is executed. */
  readonly effect: Effect;
  /** It may leave the block that it stands in: by `return`, `break` or `continue`. */
  readonly leaves: boolean;
  /** It is known to change objects that it does not name. */
  readonly changesOthers: boolean;
  /** What it needs of its surroundings beside names. */
  readonly needs: Surroundings;
}

/** What a statement defines: a name, or null for any of a declaration. */
export interface Definition {
  readonly kind: "function" | "import" | "value";
  readonly name: string | null;
}

export interface Parameter {
  /** Empty for a pattern. */
  readonly name: string;
  readonly isNeeded: boolean;
}

/** An expression that can stand in a function of its own. */
export interface Expression {
  readonly node: Syntax;
  readonly effect: Effect;
  readonly awaits: boolean;
  /** As the body of an arrow function it needs no parentheses. */
  readonly isBare: boolean;
}

/** What is given by what stands around, or needed of it. */
export interface Surroundings {
  readonly awaits: boolean;
  readonly yields: boolean;
  /** `this` is an object, or is used as one. */
  readonly hasThis: boolean;
  readonly privateNames: ReadonlySet<string>;
}

/** What a file logs, by how its program is understood. */
export interface LogFacts {
  /** The name under which a statement logs with the SDK, or all that it logs by printing. */
  keyOf(this: void, statement: Syntax): string | undefined;
  /** Whether a statement is or holds one that logs. */
  holdsLog(this: void, statement: Syntax): boolean;
  /** What is logged by calling something. */
  calledValues(this: void, statement: Syntax): readonly Expression[];
  /** Whether a statement calls anything besides that and what logs. */
  callsBeside(this: void, statement: Syntax): boolean;
}

export interface SyntaxGap {
  readonly block: Syntax;
  readonly offset: number;
  readonly scope: Scope;
}

export type Named = ReadonlyMap<string, readonly Syntax[]>;

/** What a file takes from a module under a name. */
export interface ImportedName {
  readonly module: string;
  /** The name that the module exports, or a word for the whole of it. */
  readonly imported: string;
  readonly local: string;
  readonly isWhole: boolean;
}

/** The head of a loop, as far as the language tells. */
export interface LoopHead {
  /** The one variable that it sets. */
  readonly variable: Syntax | undefined;
  /** Everything that it sets. */
  readonly target?: Span;
  readonly over?: Iterated;
}

/** What a loop goes over. */
export interface Iterated extends Span {
  /** The name that is given to `loop`. */
  readonly name: string | undefined;
  /** Names and properties, without what the language gives. */
  readonly words: readonly string[];
}

/** What the expressions of a file do, in the order of its text. */
export interface Uses {
  readonly calls: readonly Call[];
  readonly members: readonly Member[];
  readonly writes: readonly Write[];
}

/** Names whose values are more than what defines them. */
export interface Mutations {
  /** Of them a part is assigned, counted up, deleted, or changed by a method. */
  readonly mutated: ReadonlySet<Syntax>;
  /** They are arguments: who gets them may change what they hold. */
  readonly passed: ReadonlySet<Syntax>;
}

export interface Call {
  readonly node: Syntax;
  readonly callee: Syntax;
  /** What calling it does, by its name alone; undefined: it is not called by a name. */
  readonly byName: Effect | undefined;
  /** What calling it does, by all that is written of it. */
  readonly effect: Effect;
  /** A method whose name some objects have for what changes them (`set.add`), and others for what does not. */
  readonly fills: boolean;
  /** Number of values that are given by position. */
  readonly given: number;
  /** Names of what is given by name. */
  readonly named: readonly string[];
  /** More may be given than is written. */
  readonly isOpen: boolean;
}

/** `object.name` */
export interface Member {
  readonly node: Syntax;
  readonly name: string;
  /** `state.loss`, `this.model.loss`: undefined if it does not begin with a name. */
  readonly path: string | undefined;
  /** Of `this`. */
  readonly isOwn: boolean;
  /** Whether it exists is known by its declaration, or by what the language or a library gives. */
  readonly isKnown: boolean;
}

export interface Write {
  readonly target: Syntax;
  /** As of a member; a name is its own path. */
  readonly path: string | undefined;
  /** `+=`, `++`: it adds to what was there. */
  readonly accumulates: boolean;
}

/** A part of a text, and what stands there instead. */
export interface Edit extends Span {
  readonly text: string;
}

export interface SelfDocumentingText extends Span {
  /** What spells the name out, so that it stays when the variable is called otherwise. */
  readonly edits: readonly Edit[];
}
