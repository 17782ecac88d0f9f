/**
 * @file What an edit of the hunt is. A part stands in a place of the program (`bases.ts` has the
 * places), or instead of a marked statement; `A` and `B` are numbers of the run, `$` is the edit's
 * number, `@net`, `@loss`, `@epoch`, `@step` and `@ask_acc` are what the version calls them. Names that
 * begin with `ask_` are asked.
 */
import type { Language } from "../ingredients.ts";

/** Where statements can stand: at the top, in the model, before, in and behind the loops. */
export const PLACES = [
  "imports",
  "functions",
  "methods",
  "forward",
  "init",
  "epochStart",
  "step",
  "epoch",
  "epochEnd",
  "end",
] as const;

export type Place = (typeof PLACES)[number];

export type Parts = { readonly [place in Place]?: string };

export interface Text {
  readonly added?: Parts;
  /** Instead of the statement with this mark (`<<mark: statement>>`), or where there was none. */
  readonly changed?: { readonly [mark: string]: string };
  /** More files of the working tree. */
  readonly files?: { readonly [name: string]: string };
}

type In<T> = { readonly [language in Language]?: T };

export interface Edit extends In<Text> {
  readonly kind: string;
  /** What the run must have for it, in every version; may have marks of its own. */
  readonly run?: In<Parts>;
  /** What an older version has instead of that. */
  readonly older?: In<Parts>;
  /** An older version need not answer it: a warning stands beside it. */
  readonly warned?: true;
  /** It came when the programs of `npm test` were known, and is drawn by numbers of its own. */
  readonly later?: true;
  /** It draws random numbers or calls the model: in the truth each part is set back. */
  readonly aside?: true;
  /** The truth has this instead of what was added: what leaves the run's code ends the question. */
  readonly truth?: In<Text>;
  /** What is asked, where names that begin with `ask_` in its text are not. */
  readonly asks?: readonly string[];
  /** The whole working tree is laid out anew, as a formatter does when a file is saved. */
  readonly tidied?: true;
  /** What it would leave is left out of other questions beside it: it is drawn alone. */
  readonly alone?: true;
  /** It keeps something from one iteration to the next: all before it must be executed. */
  readonly gathers?: true;
  /** Only for this form of the step loop (`bases.ts`). */
  readonly form?: number;
  /** It asks a clock or the like itself: nobody knows its value, and it is never promised. */
  readonly fresh?: true;
  /** Only in programs that use PyTorch. */
  readonly torch?: true;
  /** What is wrong with its answers as yet: it is not drawn. */
  readonly shortfall?: string;
  /** It is asked of older versions too. */
  readonly lands?: true;
  /** How it is refused; absent: it is answered. */
  readonly refused?: RegExp;
}
