/**
 * @file How a program is started so that the SDK is in it before anything else runs: Node with a preload,
 * or Python with a launcher.
 */

export interface StartCommand {
  readonly command: string;
  /** Up to the program, with it; the program's own arguments follow. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Whether the SDK in it is to be handed the source that is kept: it keeps less by itself. */
  readonly wantsSource: boolean;
}

export interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The interpreter for Python; absent: that of the active environment, else `python3`. */
  readonly python?: string | undefined;
  /** What the hashes of texts begin with in Python; absent: drawn, unless the environment says. */
  readonly hashSeed?: string | undefined;
}
