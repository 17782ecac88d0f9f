/** What the server is asked, and what it answers (docs/http.md). */

/** An error as the command line tells it. */
export interface ShownError {
  readonly code: string | null;
  readonly message: string;
  readonly notes: readonly string[];
  readonly help: readonly string[];
}

/** Thrown for an answer that is an error, and where there is no answer. */
export class RequestError extends Error {
  readonly shown: ShownError;
  readonly status: number | undefined;

  constructor(shown: ShownError, status?: number) {
    super(shown.message);
    this.shown = shown;
    this.status = status;
  }
}

export interface Indexing {
  readonly indexed: number;
  readonly pending: number;
  readonly problem: string | null;
}

export interface ProjectAnswer {
  readonly name: string;
  readonly root: string;
  readonly program: string;
  readonly indexing: Indexing;
}

export interface RunColumn {
  readonly name: string;
  readonly kind: "fact" | "arg" | "metric";
  readonly filled: number;
  readonly differs: boolean;
  readonly hindsight: boolean;
}

export interface RunsAnswer {
  readonly generation: number;
  readonly rows: readonly number[];
  readonly runs: readonly string[];
  readonly columns: readonly RunColumn[];
}

export interface FilterAnswer {
  readonly generation: number;
  readonly rows: readonly number[];
}

/** A run as `afterlog show --json` tells it: what this page reads of it. */
export interface RunReport {
  readonly [column: string]: unknown;
  readonly run: string;
  readonly name: string | null;
  readonly args: { readonly [name: string]: unknown };
  readonly loops: readonly {
    readonly loop: string;
    readonly loops: readonly string[];
    readonly entries: number;
    readonly iterations: number;
    readonly ms: number;
  }[];
  readonly metrics: readonly {
    readonly name: string;
    readonly loops: readonly string[];
    readonly count: number;
    readonly last: unknown;
    readonly origin: "recorded" | "hindsight";
    readonly checks: { readonly [mark: string]: number };
  }[];
  readonly checkpoint_list: readonly { readonly [column: string]: unknown }[];
  readonly replays: readonly string[];
  readonly warnings: readonly string[] | null;
}

/** The first rows of a query. */
export interface RowsAnswer {
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly cut: number;
  readonly missing: readonly { readonly name: string; readonly cells: number }[];
}

type ColumnKind = "number" | "text" | "time" | "boolean" | "json";

/** What a run takes on disk, or what belongs to no run; in bytes. */
export interface DiskUsage {
  readonly run: string | null;
  readonly total: number;
  readonly [kind: string]: number | string | null;
}

/** What a policy would remove. */
export interface GcReport {
  readonly policy: string;
  readonly freed_bytes: number;
  readonly runs: readonly {
    readonly run: string;
    readonly freed_bytes: number;
    readonly removed: readonly object[];
    readonly kept: number;
    readonly seconds: {
      readonly [scan: string]: { readonly before: number | null; readonly after: number | null };
    } | null;
  }[];
  readonly left_out: readonly { readonly run: string; readonly why: string }[];
}

type ComparedFacts = { readonly [name: string]: readonly unknown[] };

/** Runs side by side: what `afterlog diff` tells of the first and each of the others. */
export interface CompareReport {
  readonly runs: readonly string[];
  readonly args: ComparedFacts;
  readonly values: ComparedFacts;
  readonly data: ComparedFacts;
  readonly environment: ComparedFacts;
  readonly sources: readonly (
    | {
        readonly files: readonly { readonly status: string; readonly file: string }[];
        readonly patch: string;
        readonly commits: readonly { readonly commit: string; readonly subject: string }[];
      }
    | { readonly problem: string }
  )[];
}

/** A part of a run, as `afterlog show --part … --json` tells it. */
export interface CodeReport {
  readonly program: string;
  readonly files: readonly {
    readonly file: string;
    readonly text: string | null;
    readonly lines: readonly {
      readonly line: number;
      readonly values: number;
      readonly iterations: number;
    }[];
  }[];
}

export interface ConsoleReport {
  readonly stdout: { readonly bytes: number; readonly text: string };
  readonly stderr: { readonly bytes: number; readonly text: string };
}

export interface ChecksReport {
  readonly replays: readonly {
    readonly replay: string;
    readonly run: string;
    readonly started: string;
    readonly names: readonly string[];
    readonly scan: string;
    readonly from_checkpoint: string | null;
    readonly landing: string | null;
    readonly compared: {
      readonly equal: number;
      readonly close: number;
      readonly different: number;
    };
    readonly first_difference: {
      readonly path: string;
      readonly name: string;
      readonly recorded: unknown;
      readonly replayed: unknown;
    } | null;
    readonly doubts: { readonly [name: string]: readonly string[] };
    readonly actual_s: number;
    readonly predicted_s: number;
    readonly incomplete: string | null;
  }[];
}

export interface PerformanceReport {
  readonly run: string;
  readonly overhead: {
    readonly budget: number | null;
    readonly share: number;
    readonly runMs: number;
  } | null;
  readonly iterations: readonly {
    readonly loop: string;
    readonly entry: number;
    readonly from: number;
    readonly to: number;
    readonly dataMs: number;
    readonly computeMs: number;
    readonly checkpointMs: number;
  }[];
  readonly checkpoints: readonly {
    readonly path: string;
    readonly kind: string;
    readonly bytes: number;
    readonly atMs: number;
    readonly captureMs: number;
    readonly snapshotMs: number;
    readonly waitMs: number;
    readonly persistMs: number;
  }[];
  readonly frequency: readonly {
    readonly block: string;
    readonly interval: number;
    readonly iterationMs: number;
    readonly blockedMs: number;
    readonly persistMs: number;
  }[];
}

/** A value as `afterlog why --json` tells it: what this page reads of it. */
export interface WhyAnswer {
  readonly count: number;
  readonly value: {
    readonly run: string;
    readonly name: string;
    readonly path: string;
    readonly value: unknown;
    readonly origin: string;
    readonly check: string | null;
    readonly file: string | null;
    readonly line: number | null;
    readonly source: string;
    readonly commit: string | null;
    readonly when: string;
    readonly replay: {
      readonly replay: string;
      readonly statements: readonly {
        readonly name: string;
        readonly file: string;
        readonly line: number;
        readonly text: string;
      }[];
    } | null;
  };
}

const BASE = "/api/v1";

export function askJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return send(path, { signal: signal ?? null }).then((answer) => answer.json() as Promise<T>);
}

export function askBytes(path: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  return send(path, { signal: signal ?? null }).then((answer) => answer.arrayBuffer());
}

export function postJson<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  return sendJson("POST", path, body, signal);
}

export function sendJson<T>(
  method: "POST" | "PUT",
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<T> {
  const headers = { "content-type": "application/json", "x-afterlog": "1" };
  const init = { method, headers, body: JSON.stringify(body), signal: signal ?? null };
  return send(path, init).then((answer) => answer.json() as Promise<T>);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(BASE + path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new RequestError({
      code: null,
      message: "the server does not answer",
      notes: ["it has ended, or the way to it is cut"],
      help: ["start it again:  afterlog ui"],
    });
  }
  if (answer.ok) return answer;
  const body = (await answer.json().catch(() => undefined)) as { error?: ShownError } | undefined;
  const message = `the server answers ${answer.status}`;
  const shown = body?.error ?? { code: null, message, notes: [], help: ["reload the page"] };
  throw new RequestError(shown, answer.status);
}

/** Names for an address: each by itself, as one may hold a comma. */
export function encodeNames(names: readonly string[]): string {
  return names.map(encodeURIComponent).join(",");
}

/** What is shown of anything that was thrown. */
export function shownError(error: unknown): ShownError {
  if (error instanceof RequestError) return error.shown;
  const message = error instanceof Error ? error.message : String(error);
  return { code: null, message, notes: [], help: ["reload the page"] };
}
