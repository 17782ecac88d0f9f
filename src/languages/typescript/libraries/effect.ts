/**
 * @file What a function from outside of the project does, as far as the analysis must know. The
 * tables beside this file hold one entry for each function that is known; what is in none of them
 * may change everything that it can reach.
 */
import type { HeapKind } from "../analysis/ir.ts";

/** Values of a call: what it is called on, an argument by number, all arguments, what they hold. */
export type Source =
  | "receiver"
  /** Fields and elements of the receiver. */
  | "content"
  | "arguments"
  /** Items of the arguments when they are iterated. */
  | "elements"
  /** Fields and elements of the arguments. */
  | "fields"
  | "first"
  /** What the functions among the arguments return. */
  | "results"
  /** The new object itself: what is in it is of the same kind. */
  | "self";

export interface Effect {
  /** Objects that it changes, without what they hold. */
  readonly mutates?: readonly Source[];
  /** Objects that it may change with all that they reach. */
  readonly deep?: readonly Source[];
  /** Objects that become a text or a number. */
  readonly converts?: readonly Source[];
  /** What it puts into the receiver (`first`: into its first argument). */
  readonly puts?: readonly Source[];
  readonly into?: "receiver" | "first";
  /** What the functions among its arguments are called with, by position. */
  readonly calls?: readonly (readonly Source[])[];
  /** `later`: they run when the program does something else. */
  readonly when?: "now" | "settled" | "later";
  readonly returns?: readonly Source[];
  /** A new object, and what it holds. `same`: of the kind that the receiver is. */
  readonly makes?: HeapKind | "same";
  readonly path?: string;
  readonly holds?: readonly Source[];
  /** Changes every object that holds weights: who trains what is not told apart. */
  readonly trains?: boolean;
  /** Looks for its first argument among what the receiver holds. */
  readonly compares?: boolean;
  /** Several new objects, one in the other: entries of a map. */
  readonly pairs?: boolean;
}

export interface Library {
  /** What a function of the library does, by its path inside. Undefined: anything. */
  call(path: string, how: "call" | "new" | "super"): Effect | undefined;
  /** What a method of an object that the library made does. */
  method?(kind: string, name: string): Effect | undefined;
  /** What an object of the library is when it is called. */
  invoke?(kind: string): Effect | undefined;
}

export const NOTHING: Effect = {};
export const ARRAY_OF_CONTENT: Effect = { makes: "array", holds: ["content"] };
