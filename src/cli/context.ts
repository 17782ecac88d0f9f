/**
 * @file What a command may know of the world: given to it by `main.ts`, which alone reads
 * `process`, so that a command can be called from a test.
 */

/** Names of runs: what they are called in texts, and what the index says they are. */
export interface Labels {
  inText(text: string): string;
  learn(named: Iterable<readonly [run: string, name: string]>): void;
}

export interface CliContext {
  /** Where the command was called, or what `-C` names. */
  readonly cwd: string;
  /** `--json`: data as JSON. */
  readonly json: boolean;
  /** Colours on standard output, and on standard error. */
  readonly color: boolean;
  readonly errColor: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Standard output is a terminal: a person reads it. */
  readonly isTTY: boolean;
  /** The pager of a terminal, and from how many lines on a text goes through it. */
  readonly page?: { readonly rows: number; show(text: string): Promise<void> };
  readonly verbose: boolean;
  readonly env: Readonly<{ [name: string]: string | undefined }>;
  /** Runs by their names in the place of their ids, in what is laid out for a person. */
  readonly named: (text: string) => string;
  /** What runs are called from now on, if it is not known yet; undefined: by their ids, it was asked for. */
  readonly useLabels: (make: () => Labels) => Labels | undefined;
  /** Asks the person at the terminal and answers the line that was typed; absent: nobody is there. */
  readonly prompt?: (question: string) => Promise<string>;
  /** Data, to standard output. No text of these three reaches a terminal but through `edgeText`. */
  out(text: string): void;
  /** Everything else, to standard error. */
  err(text: string): void;
  /** To standard error, with the ids of runs as they are: of what is to be typed later. */
  errExact(text: string): void;
  /** The bytes of a file, to standard output: in a pipe as they are. */
  data(text: string): void;
}
