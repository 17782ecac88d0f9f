/**
 * @file Where a log statement goes in another version of the source: what is asked of a language,
 * and what it answers (FlorDB §5.3, semantics, "Landing").
 */
import type { RunMode } from "./manifest.ts";
import type { Overlay } from "./plan.ts";

/**
 * `exact`: between the same statements, as it is written. `moved`: as certain, but renamed, moved, or
 * with something that it needs. `review`: a person should look. `cannot`: something that it needs
 * does not exist there. `present`: that version has it.
 */
export type Verdict = "exact" | "moved" | "review" | "cannot" | "present";

/** Something of the newer version that the statement needs and the older one did not have. */
export interface Carried {
  /** `statement`: any other that belongs to the same question. */
  readonly kind: "import" | "helper" | "file" | "statement";
  readonly name: string;
  readonly text: string;
  /** Its line in the changed file, from 1. */
  readonly line: number;
  /** That file; absent: the one of the statement. */
  readonly file?: string;
  /** Why it belongs to the question; absent: the statement needs it. */
  readonly why?: string;
}

export interface Landing {
  readonly verdict: Verdict;
  /** File of the old version in which it lands, or would; null if none fits. */
  readonly file: string | null;
  /**
   * The line that the statement has in the changed file, from 1; null for `cannot`. For `present`
   * the line of the statement that is there.
   */
  readonly line: number | null;
  readonly column: number | null;
  /** The statement as it is written there; null for `cannot`. */
  readonly text: string | null;
  /** How sure the place is, from 0 to 1. */
  readonly confidence: number;
  /** A sentence for the user. */
  readonly reason: string;
  readonly warnings: readonly { readonly code: string; readonly text: string }[];
  readonly carried: readonly Carried[];
  readonly renames: readonly { readonly from: string; readonly to: string }[];
  /** Statements that were added beside it, log nothing, and stay behind; absent: none. */
  readonly leftOut?: readonly string[];
  /** Why it cannot land, for machines: `missing_variable`, `missing_block`, …; null otherwise. */
  readonly refusal: string | null;
}

/** The mode is how both versions are understood. */
export interface LandingRequest extends Partial<RunMode> {
  readonly now: { readonly file: string; readonly text: (file: string) => string | undefined };
  /** The log statements of `now.file`, by line and column from 1. */
  readonly statements: readonly { readonly line: number; readonly column: number }[];
  readonly then: {
    readonly files: readonly string[];
    readonly text: (file: string) => string | undefined;
  };
  /** What the user decided: put it before this line of the old file; write this text. */
  readonly decided?: { readonly line?: number; readonly file?: string; readonly text?: string };
}

export interface Landings {
  /** One for each statement, in the order of the request. */
  readonly landings: readonly Landing[];
  /** Files of the old version that change, and new ones that are carried, with all statements in. */
  readonly overlays: readonly Overlay[];
}
