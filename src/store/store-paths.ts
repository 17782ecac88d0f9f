/** @file Names of the files and folders under `.afterlog/` (docs/format.md). */
import { join } from "node:path";

export const STORE_FOLDER = ".afterlog";

/** Where the parts of a store are. */
export const storePaths = {
  runs: (store: string): string => join(store, "runs"),
  run: (store: string, run: string): string => join(store, "runs", run),
  index: (store: string): string => join(store, "index.duckdb"),
  /** Names that were logged, for completion: written with the index, and as dispensable. */
  names: (store: string): string => join(store, "names.json"),
  privateGit: (store: string): string => join(store, "git"),
  /** Where replays run, each process in a tree of its own. */
  trees: (store: string): string => join(store, "trees"),
  replays: (store: string): string => join(store, "replays"),
  /** Packages of versions, by what they were installed from. */
  modules: (store: string): string => join(store, "modules"),
  /** What the user decided about where statements land. */
  landings: (store: string): string => join(store, "landings.jsonl"),
  /** What people said of runs. */
  annotations: (store: string): string => join(store, "annotations.jsonl"),
  /** Conditions that runs are held to while they train. */
  alerts: (store: string): string => join(store, "alerts.jsonl"),
  /** Runs that were removed, a folder for each with what went along, until `gc --trash`. */
  trash: (store: string): string => join(store, "trash"),
  trashed: (store: string, run: string): string => join(store, "trash", run),
  /** What restoring takes, by program and host: `rates.ts`. */
  rates: (store: string): string => join(store, "rates"),
  /** Objects of git for push and pull. */
  exchange: (store: string): string => join(store, "exchange"),
  clock: (store: string): string => join(store, "clock"),
} as const;

/** Where the parts of a run directory are. */
export const runPaths = {
  manifest: (run: string): string => join(run, "run.json"),
  log: (run: string): string => join(run, "log.jsonl"),
  profile: (run: string): string => join(run, "profile.jsonl"),
  values: (run: string): string => join(run, "values.bin"),
  /** There while someone wants the run to end soon, with a last checkpoint. */
  stop: (run: string): string => join(run, "stop"),
  /** There for a moment, while a process takes the run over to resume it. */
  claim: (run: string): string => join(run, "claim"),
  /** Of a run that came by `pull`: from where, and when. */
  received: (run: string): string => join(run, "received.json"),
  /** How a replaying process ended. */
  outcome: (run: string): string => join(run, "outcome.json"),
  stdout: (run: string): string => join(run, "stdout.log"),
  stderr: (run: string): string => join(run, "stderr.log"),
  checkpoints: (run: string): string => join(run, "checkpoints"),
  checkpointIndex: (run: string): string => join(run, "checkpoints", "index.jsonl"),
} as const;
