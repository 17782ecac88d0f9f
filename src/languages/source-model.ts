/**
 * @file What the engine knows of a program's source: its loops and log statements, what each loop
 * may change, and where a statement can run. Every language gives the same model.
 *
 * "May" always errs to the safe side: a loop changes at least what really changes, a statement
 * runs at most where the model says. What the analysis cannot follow makes the model `uncertain`,
 * and the planner then executes rather than restores.
 */
import type { LoopLeftAlone, RecordedCall, SourcePlace, Varying } from "../format/index.ts";

/** A variable that a loop may change: rebound, or an object reached from it changed in place. */
export interface ChangedName {
  /**
   * `file:scope:name`, stable when log statements are added. A captured place has this key and
   * `#` with the number of loops around (`train.ts:0:total#0`).
   */
  readonly key: string;
  readonly name: string;
  /**
   * `name`: the rewriting can read and set it where the loop stands. `bound`: it is registered
   * where it is declared. `declared`: a call of `checkpointing` holds it. `out-of-reach`: neither.
   */
  readonly access: "name" | "bound" | "declared" | "out-of-reach";
  /** A `var` or a function: it may have a value before the place where it is registered. */
  readonly hoisted?: true;
  /** Of what a question may change: no statement names it, only values come from it. */
  readonly indirect?: true;
  /** Declared in the body of a loop of its function, which is no generator: it ends with that. */
  readonly ofIteration?: true;
  /** Nothing reads it behind the loop: at the loop's end it need not be held. */
  readonly inside?: true;
}

/** A variable that a loop does not change, and how it is called where the loop stands. */
export interface ReadName {
  readonly key: string;
  readonly name: string;
}

export interface SourceLoop extends SourcePlace {
  /** Index in the model. */
  readonly id: number;
  /** The n-th loop of its file: the same loop in a text that only has more log statements. */
  readonly ordinal: number;
  /** Null when it is computed. */
  readonly name: string | null;
  /**
   * `for`: a `for…of` or `for await…of`. `plain`: any other loop of a program that knows nothing of
   * Afterlog. `fit`: a call of `al.fit`. `other`: what goes over it cannot be seen; such a loop is
   * always executed.
   */
  readonly form: "for" | "plain" | "fit" | "other";
  readonly changes: readonly ChangedName[];
  /** What the parts of a question may change of all that is there when it is entered; absent: none. */
  readonly changedByParts?: readonly ChangedName[];
  /** What it only reads, as far as the source tells, and can name: the audit of a run looks at it. */
  readonly reads?: readonly ReadName[];
  /**
   * Whether items may be taken and dropped before the state is restored: nothing that the body
   * changes is read by the iterator. `index`: an array or a range, as far as the source tells.
   * `state`: it has no iterator; where it stands is in the variables that it changes.
   */
  readonly iterator: "index" | "independent" | "dependent" | "state";
  /** Something between it and its statement counts its items: it is skipped, or begun at its first. */
  readonly counted?: boolean;
  /** Whether it is a `for await…of`; absent: not known, taken for one. */
  readonly awaits?: boolean;
  /** All that it does is arithmetic: inside two other loops it is none of its own. */
  readonly trivial?: true;
  /** Several calls may be in it at the same time: which entry is which, nobody can tell. */
  readonly concurrent?: true;
}

/** A value of a question that is gathered on the way to where it is logged. */
export interface CarriedValue {
  readonly name: string;
  /** How many loops of the chain begin it anew with each of their iterations; 0: it begins once. */
  readonly depth: number;
}

/**
 * The same where it is a whole number, to which each iteration of a loop adds a constant: how many there were
 * is in the record. Where that does not tell, it is a value like any other.
 */
export interface CountedValue extends CarriedValue {
  /** What orders call it. */
  readonly key: string;
  /** Ids of the loops from where it begins to where it counts, outermost first: no other is between them. */
  readonly loops: readonly number[];
  readonly start: number;
  readonly step: number;
}

/** A place where a name may be logged, by the loops around it when it runs. */
export interface SourceLog extends SourcePlace {
  /**
   * Null when it is computed; `pattern` then matches what it may be (a template), if known. With both
   * the call shows no name: it is asked for as its value is written, and logs what it has when it runs.
   */
  readonly name: string | null;
  readonly pattern?: string;
  /** Names that its text shows, where it may log others when it runs: those of an object behind a label. */
  readonly shown?: readonly string[];
  /** The source text of the statement. */
  readonly text: string;
  /** Ids of the loops around it when it runs, outermost first; calls are followed. */
  readonly chain: readonly number[];
  /** False: it can also run elsewhere (a function whose callers are not all known). */
  readonly certain: boolean;
  /** It stands in a function that nothing of the program is seen to call. */
  readonly uncalled?: true;
  /** Evaluating what it logs may change something that outlives it: asking would change the run. */
  readonly changes?: true;
  /** A statement of its question that may change more than what is set back behind it. */
  readonly mayChange?: string;
  /** A value that other statements of its question set in earlier iterations: it is in no checkpoint. */
  readonly carries?: CarriedValue;
  /** Values of its question that count iterations; absent: none. */
  readonly counts?: readonly CountedValue[];
  /**
   * What may make its value another one when it is executed again, in words: a clock, entropy, an id,
   * a package that may keep a state. Absent: nothing that the source shows.
   */
  readonly causes?: readonly string[];
  /** The same, but their results are recorded, and given again in replays. */
  readonly calls?: readonly RecordedCall[];
  /**
   * Once the outermost loops are skipped and their ends restored, its value follows from that state
   * and from code that can only compute: proved. Absent: it is not.
   */
  readonly computes?: true;
  /**
   * Ids of loops that, in the same iteration of the innermost loop of the chain (at top level: in
   * the run), are entered only after it has run for the last time.
   */
  readonly before: readonly number[];
}

export interface SourceModel {
  /** It was understood as a program that knows nothing of Afterlog; absent: it was not. */
  readonly handsFree?: boolean;
  readonly consoleRule?: string;
  readonly files: readonly string[];
  readonly loops: readonly SourceLoop[];
  /** One entry for each way in which a statement can be reached. */
  readonly logs: readonly SourceLog[];
  /** What the analysis could not follow, in words for the user; empty: it followed everything. */
  readonly uncertain: readonly string[];
  /** What may be another in every execution; absent: nothing that the source shows. */
  readonly varying?: Varying;
  /** The same where recorded results are not given again; absent: nothing more. */
  readonly varyingFresh?: Varying;
  /** Loops that cannot be recorded as they are written; absent: not looked for. */
  readonly leftAlone?: readonly LoopLeftAlone[];
}
