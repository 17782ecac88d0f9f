/** @file Parts of a run that are long: its source with what was executed in it, its output, its replays, its times. */
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { readHits, readTaken, readTimes } from "../../catalog/index.ts";
import type { LineHits, TakenCheckpoint, TimedIterations } from "../../catalog/index.ts";
import type { LoopPath, Manifest } from "../../format/index.ts";
import { AfterlogError, formatPath } from "../../format/index.ts";
import { readManifest, readVersionFiles, runPaths, storePaths } from "../../store/index.ts";
import { withCatalog } from "../lend-catalog.ts";
import type { Ports } from "../ports.ts";
import { requireProject } from "../required-project.ts";
import { resolveRun } from "../run-reference.ts";

/** Of a longer output the end is told. */
const OUTPUT_BYTES_MAX = 1024 * 1024;

/** The source of a run as it was executed. */
export interface CodeReport {
  readonly run: string;
  /** The commit that keeps it; null: none was kept. */
  readonly commit: string | null;
  readonly program: string;
  /** The program first. */
  readonly files: readonly {
    readonly file: string;
    /** Null: its version does not have it. */
    readonly text: string | null;
    /** Lines at which values were logged, and those at which loops stand. */
    readonly lines: readonly Omit<LineHits, "file">[];
  }[];
}

/** What a run wrote to its terminal. */
export interface ConsoleReport {
  readonly run: string;
  readonly stdout: OutputReport;
  readonly stderr: OutputReport;
}

interface OutputReport {
  /** Of all of it; of more than 1 MiB the end is in `text`. */
  readonly bytes: number;
  readonly text: string;
}

/** What replays of a run compared with its record. */
export interface ChecksReport {
  readonly run: string;
  readonly replays: readonly ReplayCheck[];
}

interface ReplayCheck {
  /** `r1`: the replay, of which there is a run directory for each process. */
  readonly replay: string;
  readonly run: string;
  readonly started: string;
  readonly names: readonly string[];
  readonly scan: string;
  readonly from_checkpoint: string | null;
  readonly landing: string | null;
  readonly compared: { readonly equal: number; readonly close: number; readonly different: number };
  /** Where it differed first, and how; null: nowhere. */
  readonly first_difference: {
    readonly path: string;
    readonly name: string;
    readonly recorded: unknown;
    readonly replayed: unknown;
  } | null;
  /** Names of values that are unchecked, with the reasons. */
  readonly doubts: { readonly [name: string]: readonly string[] };
  readonly share: number;
  readonly predicted_s: number;
  readonly actual_s: number;
  readonly incomplete: string | null;
}

/** Where the time of a run went. */
export interface PerformanceReport {
  readonly run: string;
  readonly overhead: Manifest["overhead"];
  /** Iterations of outermost loops, in stretches where they are many. */
  readonly iterations: readonly TimedIterations[];
  readonly checkpoints: readonly TakenCheckpoint[];
  /** How many iterations lay between checkpoints of steps, and the times from which that followed. */
  readonly frequency: readonly FrequencyReport[];
}

interface FrequencyReport {
  readonly block: string;
  readonly interval: number;
  readonly iterationMs: number;
  readonly blockedMs: number;
  readonly persistMs: number;
}

interface RunPlace {
  readonly run: string;
  readonly folder: string;
  readonly manifest: Manifest;
}

/** What a replay's directory says of how it went (docs/format.md, Replays). */
interface ReplayDirective {
  readonly replay: string;
  readonly scan: string;
  readonly names: readonly string[];
  readonly landing?: { readonly verdict: string };
  readonly from_checkpoint: string | null;
  readonly share: number;
  readonly compared: ReplayCheck["compared"];
  readonly first_difference: {
    readonly path: LoopPath;
    readonly name: string;
    readonly recorded?: unknown;
    readonly replayed?: unknown;
  } | null;
  readonly doubts?: ReplayCheck["doubts"];
  readonly predicted_s: number;
  readonly actual_s: number;
  readonly incomplete: string | null;
}

async function placeOf(ports: Ports, reference: string): Promise<RunPlace> {
  const { store } = requireProject(ports);
  const run = await withCatalog(ports, ({ connection }) => resolveRun(connection, reference));
  const folder = storePaths.run(store, run);
  return { run, folder, manifest: readManifest(folder) };
}

/** Throws AL004, and AL045 where the repository is gone. */
export async function runCode(ports: Ports, reference: string): Promise<CodeReport> {
  const project = requireProject(ports);
  const { run, manifest } = await placeOf(ports, reference);
  const hits = await withCatalog(ports, ({ connection }) => readHits(connection, run));
  const { program, sources, version } = manifest;
  const known = new Set([program, ...Object.keys(sources), ...hits.map(({ file }) => file)]);
  const files = [...known].sort((a, b) => rank(a, program) - rank(b, program) || (a < b ? -1 : 1));
  const kept = version
    ? readVersionFiles(
        project,
        files.map((file) => ({ run, version, file })),
      )
    : [];
  return {
    run,
    commit: version?.commit ?? null,
    program,
    files: files.map((file, at) => ({
      file,
      text: kept[at]?.text ?? null,
      lines: hits.flatMap(({ file: own, ...line }) => (own === file ? [line] : [])),
    })),
  };
}

function rank(file: string, program: string): number {
  return file === program ? 0 : 1;
}

/** Throws AL004. */
export async function runConsole(ports: Ports, reference: string): Promise<ConsoleReport> {
  const { run, folder } = await placeOf(ports, reference);
  const [stdout, stderr] = [runPaths.stdout(folder), runPaths.stderr(folder)].map(endOf);
  const none = { bytes: 0, text: "" };
  return { run, stdout: stdout ?? none, stderr: stderr ?? none };
}

/** The end of a file, from the beginning of a line. */
function endOf(file: string): OutputReport {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const length = Math.min(bytes, OUTPUT_BYTES_MAX);
  if (length === 0) return { bytes, text: "" };
  const buffer = Buffer.alloc(length);
  const descriptor = openSync(file, "r");
  try {
    readSync(descriptor, buffer, 0, length, bytes - length);
  } finally {
    closeSync(descriptor);
  }
  const text = buffer.toString("utf8");
  return { bytes, text: length < bytes ? text.slice(text.indexOf("\n") + 1) : text };
}

/** Throws AL004. */
export async function runChecks(ports: Ports, reference: string): Promise<ChecksReport> {
  const { store } = requireProject(ports);
  const { run } = await placeOf(ports, reference);
  const replays = await withCatalog(ports, ({ connection }) =>
    connection.rows(
      "SELECT run FROM runs WHERE parent = $run AND kind = 'replay' ORDER BY ordinal DESC",
      { run },
    ),
  );
  return {
    run,
    replays: replays.flatMap((row) => checkOf(storePaths.run(store, String(row["run"])))),
  };
}

function checkOf(folder: string): ReplayCheck[] {
  let manifest: Manifest;
  try {
    manifest = readManifest(folder);
  } catch {
    // A damaged replay is listed as such, and has nothing to tell.
    return [];
  }
  const told = manifest.directive as ReplayDirective | null;
  if (manifest.kind !== "replay" || told === null) return [];
  const first = told.first_difference;
  return [
    {
      replay: told.replay,
      run: manifest.run,
      started: manifest.started,
      names: told.names,
      scan: told.scan,
      from_checkpoint: told.from_checkpoint,
      landing: told.landing?.verdict ?? null,
      compared: told.compared,
      first_difference: first && {
        path: formatPath(first.path),
        name: first.name,
        recorded: first.recorded ?? null,
        replayed: first.replayed ?? null,
      },
      doubts: told.doubts ?? {},
      share: told.share,
      predicted_s: told.predicted_s,
      actual_s: told.actual_s,
      incomplete: told.incomplete,
    },
  ];
}

/** Throws AL004. */
export async function runPerformance(ports: Ports, reference: string): Promise<PerformanceReport> {
  const { run, folder, manifest } = await placeOf(ports, reference);
  const times = await withCatalog(ports, async ({ connection }) => ({
    iterations: await readTimes(connection, run),
    checkpoints: await readTaken(connection, run),
  }));
  return { run, overhead: manifest.overhead, ...times, frequency: frequencyOf(folder) };
}

/** The newest of each block; the index does not have them. */
function frequencyOf(folder: string): FrequencyReport[] {
  const found = new Map<string, FrequencyReport>();
  const file = runPaths.profile(folder);
  if (!statSync(file, { throwIfNoEntry: false })) return [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (!line.startsWith('{"k":"frequency"')) continue;
    try {
      const { block, interval, iterationMs, blockedMs, persistMs } = JSON.parse(
        line,
      ) as FrequencyReport;
      found.set(block, { block, interval, iterationMs, blockedMs, persistMs });
    } catch {
      // The last line of a run that is recorded may be half a line.
    }
  }
  return [...found.values()];
}

/** Parts that can be asked for by their names. */
export const RUN_PARTS: {
  readonly code: typeof runCode;
  readonly console: typeof runConsole;
  readonly checks: typeof runChecks;
  readonly performance: typeof runPerformance;
} = { code: runCode, console: runConsole, checks: runChecks, performance: runPerformance };

export type RunPart = keyof typeof RUN_PARTS;

/** Throws AL001 for a word that names no part. */
export function runPart(word: string): RunPart {
  if (Object.hasOwn(RUN_PARTS, word)) return word as RunPart;
  throw new AfterlogError("AL001", `a run has no part ${JSON.stringify(word)}`, {
    help: [`parts: ${Object.keys(RUN_PARTS).join(", ")}`],
  });
}
