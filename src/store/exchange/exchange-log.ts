/**
 * @file The sealed log of a run as it travels: `run.json`, `log.jsonl`, `profile.jsonl` and
 * `values.bin`, as one tree of git. Checkpoints, and what the program printed, stay.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Manifest } from "../../format/index.ts";
import { describeError } from "../../format/index.ts";
import { runPaths } from "../store-paths.ts";
import { readManifest } from "../runs.ts";
import { validateRun } from "./validate-run.ts";

/** Files that travel, in the order in which git sorts them. */
export const EXCHANGED = ["log.jsonl", "profile.jsonl", "run.json", "values.bin"] as const;
/** A larger file of a run is neither sent nor read: nobody has trained that long. */
export const FILE_BYTES_MAX = 200_000_000;
/** More than a git host takes: the tensors then stay, and count as not kept. */
export const VALUES_BYTES_MAX = 90_000_000;

export type Sendable =
  | { readonly kind: "sealed"; readonly manifest: Manifest; readonly files: readonly string[] }
  /** It is not over, or it ended without a word: there may be more of it one day. */
  | { readonly kind: "unsealed"; readonly why: string }
  /** It is damaged, or nobody would take it. */
  | { readonly kind: "refused"; readonly why: string };

/** Whether a run directory can be sent, and which of its files. */
export function readSendable(folder: string): Sendable {
  try {
    const manifest = readManifest(folder);
    if (manifest.status === "recording") return { kind: "unsealed", why: "it is still recording" };
    const files = EXCHANGED.filter((file) => isSent(folder, file));
    const large = files.find((file) => statSync(join(folder, file)).size > FILE_BYTES_MAX);
    if (large !== undefined) return { kind: "refused", why: `${large} is too large to be sent` };
    const lines = files.filter((file) => file !== "values.bin");
    const read = new Map(lines.map((file) => [file, readFileSync(join(folder, file))]));
    const validated = validateRun(basename(folder), read);
    if (validated.kind === "unsealed")
      return { kind: "unsealed", why: "it was interrupted: its log is not sealed" };
    if (validated.kind === "refused") return validated;
    return { kind: "sealed", manifest, files };
  } catch (error) {
    return { kind: "refused", why: describeError(error) };
  }
}

function isSent(folder: string, file: string): boolean {
  const size = statSync(join(folder, file), { throwIfNoEntry: false })?.size;
  if (size === undefined) return false;
  return file !== "values.bin" || (size > 0 && size <= VALUES_BYTES_MAX);
}

/** Whether a log is the beginning of another one: a run that was resumed after it had been sent. */
function isBeginning(log: Buffer, of: Buffer): boolean {
  return log.length <= of.length && of.subarray(0, log.length).equals(log);
}

/** The log of a run directory; undefined if it has none. */
export function readLog(folder: string): Buffer | undefined {
  return existsSync(runPaths.log(folder)) ? readFileSync(runPaths.log(folder)) : undefined;
}

/** How a log on the other side compares with ours of the same run. */
export type LogComparison = "older" | "newer" | "other";

export function compareLogs(ours: Buffer | undefined, theirs: Buffer | undefined): LogComparison {
  if (!ours || !theirs) return "other";
  if (isBeginning(theirs, ours)) return "older";
  return isBeginning(ours, theirs) ? "newer" : "other";
}
