/**
 * @file A text against another one that log statements, and what came along with them, were put into:
 * what every language answers.
 */
import type { RunMode, SourcePlace } from "../format/index.ts";

export interface AddedLog {
  /** Of the call. */
  readonly place: SourcePlace;
  /** Null when it is computed. */
  readonly name: string | null;
  readonly text: string;
}

export type SourceDifference =
  | { readonly kind: "same" }
  | { readonly kind: "logs"; readonly added: readonly AddedLog[] }
  /** By more than that; the line is one of the newer text. */
  | { readonly kind: "differs"; readonly line: number; readonly why: string };

/** A text with statements put into it, against the one that it was. */
export interface InsertedSource {
  readonly difference: SourceDifference;
  /**
   * The newer text with a mark before everything that was added besides log statements: what is
   * analyzed and executed then has the numbers of the older one. Lines stay.
   */
  readonly text: string;
  /** Where a piece of `text` stood in the older one, by where it begins; undefined: it is new. */
  readonly before: (
    place: Pick<SourcePlace, "line" | "column">,
  ) => { readonly line: number; readonly column: number } | undefined;
}

/** What may be new in a text; `also`: texts of statements besides log statements. */
export type Allowed = RunMode & {
  readonly also: readonly string[];
  /** Files of the version: a package.json says how others are loaded. Absent: there are none. */
  readonly textOf?: (file: string) => string | undefined;
};
