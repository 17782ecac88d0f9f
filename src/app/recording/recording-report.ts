/**
 * @file A recording as whoever started it sees it: events while the program runs, and what is
 * known when it has ended.
 */
import type { Directive, Overhead, RunStatus, StatusLine } from "../../format/index.ts";
import type { Environment } from "../../host/index.ts";

/** How a program ended, and the run that recorded it. */
export interface RecordedProgram {
  /** Its exit code; of a program that a signal ended, what a shell says. */
  readonly code: number;
  /** Undefined if no run could be begun. */
  readonly run: string | undefined;
  /** Its file, from the folder in which it ran. */
  readonly program: string;
  readonly signal: NodeJS.Signals | null;
  /** What the program said itself; undefined if it was killed before it could. */
  readonly end: Extract<StatusLine, { kind: "end" }> | undefined;
  readonly report: RecordingReport;
}

/** The end of a recording, as JSON. */
export interface RecordingReport {
  /** Null if nothing could be recorded. */
  readonly run: string | null;
  readonly status: RunStatus | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Iterations of each outermost loop. */
  readonly loops: Readonly<{ [loop: string]: number }> | null;
  readonly checkpoints: number | null;
  /** Last values. */
  readonly metrics: Readonly<{ [name: string]: number | string }> | null;
  readonly overhead: Overhead | null;
  readonly hints: readonly string[];
}

/** What happens, in this order; all but `ended` may be missing. */
export type RecordingEvent =
  /** No run of the program was interrupted: a new one begins. */
  | { readonly kind: "nothing-to-resume" }
  /** A run is resumed: after a path, or for some reason from its start. */
  | {
      readonly kind: "resumes";
      readonly run: string;
      readonly after: string | null;
      readonly why: string | null;
      /** Recorded iterations that are done once more. */
      readonly again: number;
      /** It was killed: what it did in its last moments is in no log, and done once more as well. */
      readonly atLeast: boolean;
    }
  /** A run that came by `pull` is gone on from: not apart, as a replay of it would be. */
  | { readonly kind: "foreign"; readonly run: string; readonly remote: string }
  /** The interpreter of the run is gone, and another one is used. */
  | { readonly kind: "interpreter"; readonly gone: string; readonly used: string }
  /** Files hold something else than when the run that is forked read them. */
  | { readonly kind: "other-data"; readonly run: string; readonly files: readonly string[] }
  /** What the program says: `begin`, `notice`, `live`, `end`. */
  | StatusLine
  | { readonly kind: "ended"; readonly recorded: RecordedProgram }
  /** It crashed, and is resumed after a while. */
  | {
      readonly kind: "restarts";
      readonly code: number;
      readonly delayMs: number;
      readonly attempt: number;
      readonly tries: number;
    }
  /** It crashed as often as it may. */
  | { readonly kind: "gives-up"; readonly code: number; readonly tries: number };

/** A program under way, for whoever ends it. */
export interface RunningProgram {
  kill(signal: NodeJS.Signals): void;
  /** Asks for a last checkpoint and an end; false if it cannot be asked, and must be killed. */
  askToStop(): boolean;
}

/** What a recording is given, and where its events go. */
export interface RecordingSession {
  readonly emit: (event: RecordingEvent) => void;
  /** Takes what the program writes; no more is read from it until a promise is settled. */
  readonly output: (stream: "stdout" | "stderr", bytes: Buffer) => void | Promise<void>;
  /** Whether the program reads what this process would. */
  readonly stdin: "inherit" | "ignore";
  /** The terminal that the program's streams reach in the end. */
  readonly terminal: Directive["terminal"];
  /** Variables for the program, besides its environment. */
  readonly variables?: Environment | undefined;
  /** Told of the program when it starts; what it answers is called when that has ended. */
  readonly watch?: ((program: RunningProgram) => () => void) | undefined;
  /** The program is asked to stop, or ended if it cannot be asked. */
  readonly signal?: AbortSignal | undefined;
}

export function recordingReport(
  facts: Pick<RecordedProgram, "run" | "end" | "signal"> & { readonly exitCode: number | null },
): RecordingReport {
  const { run, end, exitCode, signal } = facts;
  return {
    run: run ?? null,
    status: run === undefined ? null : (end?.status ?? "interrupted"),
    exitCode,
    signal,
    loops: end?.loops ?? null,
    checkpoints: end?.overhead.checkpoints ?? null,
    metrics: end ? Object.fromEntries(end.metrics.map(({ name, last }) => [name, last])) : null,
    overhead: end?.overhead ?? null,
    hints: end?.hints ?? [],
  };
}
