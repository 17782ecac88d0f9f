/** @file What an expression or a statement consists of, in words that languages share. */
import type { Shape } from "./parsed-file.ts";

export type Anatomy =
  | { readonly kind: "loop"; readonly target: Shape; readonly over: Shape }
  /** What is executed only if a condition holds, or does not: the condition is evaluated first, and once. */
  | { readonly kind: "branch"; readonly condition: Shape; readonly others: readonly Shape[] }
  /** One with a name, that is not executed in steps. */
  | {
      readonly kind: "function";
      readonly name: string;
      readonly parameters: readonly Shape[];
      readonly body: Shape;
    }
  /** `value`: undefined where nothing is returned. */
  | { readonly kind: "return"; readonly value: Shape | undefined }
  | { readonly kind: "assignment"; readonly target: Shape; readonly value: Shape }
  /** Several assignments, each of a name that it declares. */
  | { readonly kind: "declarations"; readonly items: readonly Shape[] }
  /** Names that a module gives to others. */
  | { readonly kind: "exports"; readonly names: readonly Shape[] }
  /** A statement whose names a module gives to others. */
  | { readonly kind: "exported"; readonly statement: Shape }
  /** A statement that evaluates an expression, and does nothing with what it gives. */
  | { readonly kind: "evaluation"; readonly value: Shape }
  | { readonly kind: "call"; readonly callee: Shape; readonly given: readonly Shape[] }
  /** `a.b` */
  | { readonly kind: "member"; readonly object: Shape; readonly name: string }
  /** `a["b"]` */
  | { readonly kind: "item"; readonly object: Shape; readonly key: string }
  /** `a[0]` */
  | { readonly kind: "place"; readonly object: Shape; readonly place: string }
  | { readonly kind: "name"; readonly name: string }
  /** A tuple, a list or a pattern that takes one apart. */
  | { readonly kind: "sequence"; readonly items: readonly Shape[] }
  /** What has keys, or a pattern that takes it apart. */
  | { readonly kind: "mapping"; readonly entries: readonly Shape[] }
  /** Something given by name, or by a key. */
  | { readonly kind: "named"; readonly name: string; readonly value: Shape }
  /** What is written out of a text, and what is put into it. */
  | { readonly kind: "text"; readonly pieces: readonly (string | Shape)[] }
  /** A value that is written out. */
  | { readonly kind: "literal" }
  /** Anything else that evaluates all of its parts, once each and in their order. */
  | { readonly kind: "plain" };

/** An expression that gives the items of another one, in their order. */
export interface Iterating {
  readonly inner: Shape;
  /** Each item comes behind its number. */
  readonly isNumbered: boolean;
  /** What is called for it. */
  readonly callees: readonly Shape[];
}

/** What stands around a block of statements that may do without it: `try`, `with`. */
export interface Wrapper {
  readonly block: Shape;
  /** What is evaluated before the block, and told when it ends. */
  readonly contexts: readonly Shape[];
  /** What is executed behind the block, or if it fails. */
  readonly clauses: readonly Shape[];
  /** Whether whatever fails in the block fails around it, too. */
  readonly passesOn: boolean;
  /** Names that the block declares are its own. */
  readonly isFunction?: true;
}

/** What a program itself executes before a block of `with`, and behind it, whatever happens in it. */
export interface OwnContext {
  /** The function or class that is called for it. */
  readonly name: string;
  /** What makes it one, by its path; undefined: it is one. */
  readonly made?: { readonly maker: Shape; readonly as: string };
  readonly bodies: readonly {
    readonly body: Shape;
    /** What the object is called there. */
    readonly self: string | undefined;
  }[];
  /** The statement in the place of which the block is executed. */
  readonly given?: Shape;
}

/** A function with decorators around it. */
export interface Decorated {
  readonly decorators: readonly {
    readonly name: string;
    /** What it is told before it is given the function; undefined: it is not called for that. */
    readonly given: readonly Shape[] | undefined;
  }[];
  readonly definition: Shape;
}

/** What a function of the program puts around another one. */
export interface OwnDecorator {
  readonly name: string;
  /** Names of what it is told before it is given the other one; undefined: it is not called for that. */
  readonly told: readonly string[] | undefined;
  /** What it calls the other one. */
  readonly function: string;
  /** What says that it stands for the other one, by its path. */
  readonly marked: { readonly by: Shape; readonly as: string };
  /** What is executed instead of it. */
  readonly body: Shape;
  /** Names of what that is given. */
  readonly taken: readonly string[];
  /** Whether an expression calls the other one with all that. */
  readonly isCall: (shape: Shape) => boolean;
}

/** What a method of a package can be given so that more is to be seen, and the same is done. */
export interface ShownBy {
  /** The place of an argument that makes it give its result. */
  readonly result?: number;
  /** The key of its options under which functions stand that it calls on the way. */
  readonly option?: string;
}

/** A function that is given options by their names, and gives a value for each. */
export interface OptionParser {
  /** The key of what it is given that holds the options. */
  readonly options: string;
  /** The key of what it gives that holds the values. */
  readonly values: string;
  /** The key that makes it take options of which it was not told. */
  readonly guesses: string;
}
