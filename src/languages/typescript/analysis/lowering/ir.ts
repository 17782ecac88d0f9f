/**
 * @file What the analysis makes of a source file: functions as lists of simple operations over
 * variables. Order does not count (the analysis is flow-insensitive), except that each operation
 * knows the recorded loops around it.
 */
import type { RunMode } from "../../../../format/index.ts";

/** Something that holds values: a variable of the program, or a value on the way. */
export class Var {
  readonly owner: LoweredFunction;

  constructor(owner: LoweredFunction) {
    this.owner = owner;
  }
}

export type BindingKind =
  | "const"
  | "let"
  | "var"
  | "param"
  | "function"
  | "class"
  | "import"
  | "this";

/**
 * Where the rewriting can register a variable: after a statement, at the start of a body, or
 * around the expression of an arrow.
 */
export interface BindPoint {
  readonly form: "statement" | "body" | "expression";
  readonly start: number;
  readonly end: number;
}

/** A variable that the program declares, or the `this` of a function. */
export class Binding extends Var {
  readonly name: string;
  readonly kind: BindingKind;
  readonly scope: Scope;
  /** Null where nothing can be inserted after it has its value. */
  readonly bindPoint: BindPoint | null;
  /** What it stands for outside of the project: `afterlog.loop`. */
  alias: string | null = null;
  /** Uses of its name. */
  references = 0;
  /** A function inside the one that declares it uses it. */
  captured = false;
  #key: string | undefined;

  constructor(name: string, kind: BindingKind, scope: Scope, bindPoint: BindPoint | null) {
    super(scope.lowered);
    this.name = name;
    this.kind = kind;
    this.scope = scope;
    this.bindPoint = bindPoint;
  }

  get key(): string {
    return (this.#key ??= `${this.scope.lowered.file}:${this.scope.path}:${this.name}`);
  }

  /** Whether it can be set to another value. */
  get settable(): boolean {
    return this.kind === "let" || this.kind === "var" || this.kind === "param";
  }
}

export interface Scope {
  readonly path: string;
  readonly parent: Scope | null;
  readonly lowered: LoweredFunction;
  readonly start: number;
  readonly end: number;
  readonly bindings: Map<string, Binding>;
  /** Scopes inside so far; those in arguments of `log` are counted apart, to keep the others. */
  children: number;
  loggedChildren: number;
  /** Of a `switch`: what one case declares need not have a value in another. */
  isSwitch?: true;
}

/** A function as it is written; it is instantiated for each closure and context. */
export interface LoweredFunction {
  readonly id: number;
  readonly file: string;
  readonly name: string;
  readonly kind: "module" | "function" | "arrow" | "constructor";
  readonly parent: LoweredFunction | null;
  readonly isAsync: boolean;
  /** It has an `await` in it. */
  waits: boolean;
  readonly isGenerator: boolean;
  readonly ops: Op[];
  readonly params: Var[];
  rest: Var | null;
  /** Own `this`; an arrow has that of the function around it. */
  thisBinding: Binding | null;
  argumentsVar: Var | null;
  usesArguments: boolean;
  readonly returned: Var;
  readonly yielded: Var;
  readonly sent: Var;
  /** Variables of functions around it that it, or a function inside it, uses. */
  readonly free: Set<Var>;
  /** Where loops stand that are not recorded: in them, order in the text is not order in time. */
  readonly repeated: Span[];
  /** Where its statements stand, those in blocks too. */
  readonly statements: Span[];
  /** Between its braces, behind directives, if that can stand in a block instead; null for others. */
  body: Span | null;
  /** Functions of the class that it belongs to look here for `super`. */
  superClass: Var | null;
  isStatic: boolean;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A class that the program declares, so that its instances can be made again. */
export interface ClassSite {
  readonly key: string;
  /** Before the brace that closes its body. */
  readonly at: number;
  readonly privateFields: readonly string[];
}

/** A loop of a program that knows nothing of Afterlog, as far as its rewriting and name need it. */
export interface WrittenLoop {
  readonly kind: "of" | "for" | "while" | "do";
  readonly labels: readonly string[];
  /** The name that a comment gives to it. */
  readonly given: string | null;
  /** The first variable of its head. */
  readonly variable: string | null;
  /** What stands before the first semicolon of a `for`. */
  readonly init: (Span & { readonly isDeclaration: boolean }) | null;
  /** Between the parentheses of a `while`, the semicolons of a `for`; null for `of`. */
  readonly test: (Span & { readonly isEmpty: boolean }) | null;
}

/** A recorded loop as it stands in the source. */
export interface LoopSite {
  readonly file: string;
  readonly form: "for" | "plain" | "fit" | "other";
  /** Of a program that knows nothing of Afterlog it is known once all files are. */
  name: string | null;
  /** Null for a loop that `loop` of Afterlog makes. */
  readonly written: WrittenLoop | null;
  /** All that it does is arithmetic (`trivial-loops.ts`): inside two other loops it is none of its own. */
  trivial: boolean;
  /** Start of the call, or of the statement. */
  readonly at: number;
  /** The whole statement, and the body inside; for other forms: the call. */
  readonly start: number;
  readonly end: number;
  readonly bodyStart: number;
  /** Start of the labels before it, if it has any. */
  readonly labelled: number;
  /** The call with what types need around it. */
  readonly head: Span;
  /** Statements that leave this loop by `break`. */
  readonly breaks: Span[];
  readonly lowered: LoweredFunction;
  readonly scope: Scope;
  readonly region: Region | null;
  literal: "index" | null;
  /** A `for await…of`. */
  readonly awaits?: boolean;
  /** Of a `fit` that the program calls itself: where its model stands. */
  readonly model?: Span;
  /** Of such a `fit` it is the loop of batches, not that of epochs. */
  readonly isInner?: true;
  /** What is iterated; null: nothing that is an object. */
  iterable: Var | null;
}

/** Operations that run in an iteration of a loop. */
export interface Region {
  readonly parent: Region | null;
  site: LoopSite | null;
  /** `next`: what the iterator does to deliver an item. */
  readonly part: "body" | "next";
}

export interface LogSite {
  readonly file: string;
  readonly at: number;
  readonly end: number;
  /** With a pattern: as its value is written, for the call shows no name. */
  readonly name: string | null;
  readonly pattern: string | null;
  /** Names that its text shows, if it may log others when it runs. */
  readonly shown?: readonly string[];
  readonly text: string;
  /** Of a call that shows no name: how its arguments are written, and where the last one stands. */
  readonly written?: { readonly texts: readonly string[]; readonly last: Span };
  /** The statement that it is, if it is all of one. */
  readonly statement: Span | null;
  readonly lowered: LoweredFunction;
  readonly region: Region | null;
}

/** A call of `checkpointing` that certainly runs when its function does. */
export interface Declaration {
  readonly at: number;
  readonly lowered: LoweredFunction;
  readonly record: Var;
  /** Fields of a literal whose value is a variable. */
  readonly fields: readonly { readonly field: string; readonly binding: Binding }[];
}

export interface Argument {
  readonly value: Var | null;
  readonly spread: boolean;
}

export type HeapKind =
  | "plain"
  | "array"
  | "typed"
  | "buffer"
  | "map"
  | "set"
  | "instance"
  | "prototype"
  | "function"
  | "promise"
  | "generator"
  | "iterator"
  | "date"
  | "native"
  | "opaque";

interface OpBase {
  readonly at: number;
  readonly region: Region | null;
  /** It is part of what a statement logs. */
  readonly logged: boolean;
}

/** A loop that is left as it is, and why. */
export interface LoopLeft {
  readonly at: number;
  readonly why: string;
}

export type Op = OpBase &
  (
    | { readonly op: "move"; readonly from: Var; readonly to: Var }
    | { readonly op: "new"; readonly kind: HeapKind; readonly to: Var }
    | { readonly op: "closure"; readonly lowered: LoweredFunction; readonly to: Var }
    | {
        readonly op: "class";
        readonly lowered: LoweredFunction;
        readonly superClass: Var | null;
        readonly prototype: Var;
        readonly to: Var;
      }
    | { readonly op: "native"; readonly path: string; readonly to: Var }
    | {
        readonly op: "load";
        readonly object: Var;
        readonly field: string | null;
        /** A method that is called on the spot. */
        readonly called?: true;
        readonly to: Var;
      }
    | StoreOp
    /** `{...from}`: all fields of one object go into another, which is being made. */
    | { readonly op: "copy"; readonly from: Var; readonly to: Var; readonly mutates: boolean }
    | { readonly op: "assign"; readonly binding: Binding }
    | { readonly op: "global"; readonly name: string; readonly from: Var | null }
    | CallOp
    | IterateOp
    | { readonly op: "await"; readonly from: Var; readonly to: Var }
    | { readonly op: "yield"; readonly from: Var | null; readonly to: Var }
    | { readonly op: "coerce"; readonly from: Var }
    /** A framework calls the functions of this name, or all, of whatever it can reach from what it was given. */
    | {
        readonly op: "handle";
        readonly source: Var;
        readonly name: string | null;
        readonly given: Var;
      }
    /** Something changes that no checkpoint holds. */
    | { readonly op: "secret"; readonly keeper: string }
    /** Whether two values are the same object. */
    | { readonly op: "compare"; readonly left: Var; readonly right: Var }
    | { readonly op: "throw"; readonly from: Var }
    | { readonly op: "catch"; readonly to: Var }
    /** A file of the project: its namespace. The text may be computed as far as is known. */
    | ImportOp
  );

export type StoreOp = OpBase & {
  readonly op: "store";
  readonly object: Var;
  readonly field: string | null;
  readonly from: Var | null;
  /** False while a literal is being made. */
  readonly mutates: boolean;
};

export type CallOp = OpBase & {
  readonly op: "call";
  readonly callee: Var | null;
  /** Called as a method of it. */
  readonly receiver: Var | null;
  readonly method: string | null;
  readonly args: readonly Argument[];
  readonly to: Var;
  readonly how: "call" | "new" | "super";
  /** An async function called so is waited for before anything else happens. */
  readonly awaited: boolean;
  /** It is what is waited for, or returned: not only a part of it (`Promise.all([f()])`). */
  readonly alone: boolean;
  /** `loop`, `fit` or `log` of afterlog, seen as such in the source. */
  readonly known: boolean;
  /** The argument whose functions the framework calls by `handle`, and not by this call. */
  readonly handled?: number;
  /** The call as it is written, with an `await` before it, where it can be timed. */
  readonly timed?: TimedSpan;
};

export interface TimedSpan extends Span {
  /** What is called, as it is written. */
  readonly name: string;
}

export type IterateOp = OpBase & {
  readonly op: "iterate";
  readonly source: Var;
  readonly to: Var;
  /** Position of the element in a pattern. */
  readonly index: number | null;
};

export type ImportOp = OpBase & {
  readonly op: "import";
  readonly specifier: string;
  readonly how: "static" | "require" | "dynamic";
  readonly to: Var | null;
  /** What it declares. */
  readonly names?: readonly Binding[];
  /** Nothing but types uses that: TypeScript loads no file for it, unless it is told to. */
  isForTypes?: boolean;
};

export interface ImportedName {
  readonly specifier: string;
  /** `*` for the namespace. */
  readonly name: string;
}

/** One file, ready to be linked with others. */
export interface FileUnit {
  readonly mode: RunMode;
  readonly file: string;
  readonly module: LoweredFunction;
  /** Start of the first statement that is no directive; the end if there is none. */
  readonly start: number;
  readonly isCommonJs: boolean;
  readonly loweredFunctions: LoweredFunction[];
  readonly bindings: Binding[];
  readonly loops: LoopSite[];
  /** The regions of all of them. */
  readonly regions: Region[];
  /** Loops that could be recorded if they were written otherwise. */
  readonly leftAlone: LoopLeft[];
  /** Plain loops that are none of their own: nothing of the SDK happens while one runs. */
  readonly untouched: LoopSite[];
  readonly logs: LogSite[];
  readonly classes: ClassSite[];
  readonly declarations: Declaration[];
  /** Import bindings of this file that stand for something of another. */
  readonly imports: Map<Binding, ImportedName>;
  /** What it exports: a variable of its own, or a name of another file. */
  readonly exports: Map<string, Binding | ImportedName>;
  readonly exportAll: string[];
  /** `module` of a CommonJS file. */
  readonly moduleObject: Binding;
  readonly uncertain: string[];
  /** It has an `eval`, which may use any variable. */
  evaluates: boolean;
  /** Where tagged templates begin: each place has one object for its texts, by which others may know it. */
  readonly tagged: number[];
  /** Names for which a getter, setter or conversion is defined anywhere in the file. */
  readonly accessors: Set<string>;
}
