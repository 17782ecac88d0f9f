/**
 * @file The sealed log of a run as it travels: `run.json`, `log.jsonl`, `profile.jsonl` and
 * `values.bin`, as one tree of git. Checkpoints, and what the program printed, stay.
 *
 * What comes from elsewhere is believed only as far as it can be checked: a run is whole and sealed,
 * is the one that it is said to be, and names nothing outside of the project.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { Manifest, SealRecord } from "../../format/index.ts";
import { describeError, hex32, manifestFromJson } from "../../format/index.ts";
import { runPaths } from "../store-paths.ts";
import { readManifest } from "../runs.ts";

/** Files that travel, in the order in which git sorts them. */
export const EXCHANGED = ["log.jsonl", "profile.jsonl", "run.json", "values.bin"] as const;
/** A larger file of a run is neither sent nor read: nobody has trained that long. */
export const FILE_BYTES_MAX = 200_000_000;
/** More than a git host takes: the tensors then stay, and count as not kept. */
export const VALUES_BYTES_MAX = 90_000_000;

const RUN_ID = /^\w[\w.-]{0,59}-\d{8}-\d{6}-[0-9a-z]{4}$/;
const OBJECT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Whether it is the id of a run: a plain name, of a folder and of a ref. */
export function isRunId(text: string): boolean {
  return RUN_ID.test(text) && !text.includes("..");
}

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
    const log = readFileSync(runPaths.log(folder));
    const seal = sealOf(log);
    if (seal === "none")
      return { kind: "unsealed", why: "it was interrupted: its log is not sealed" };
    if (seal !== "sound") return { kind: "refused", why: seal };
    const why = whyNotOurs(manifest, manifest.run);
    if (why !== undefined) return { kind: "refused", why };
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

/** `sound`, `none`, or what is wrong with the seal that ends a log. */
function sealOf(log: Buffer): string {
  if (log.length === 0 || log.at(-1) !== 0x0a) return "none";
  const start = log.lastIndexOf("\n", -2) + 1;
  const last = parseJson(log.toString("utf8", start)) as Partial<SealRecord> | undefined;
  if (last?.k !== "seal") return "none";
  const before = log.subarray(0, start);
  if (last.crc32 !== hex32(crc32(before))) return "log.jsonl: its checksum does not match";
  let lines = 0;
  for (let at = before.indexOf(0x0a); at >= 0; at = before.indexOf(0x0a, at + 1)) lines++;
  return last.count === lines ? "sound" : "log.jsonl: lines are missing";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A run as it came: its files by name. */
export type ReceivedFiles = ReadonlyMap<string, Buffer>;

export type Received =
  | { readonly kind: "sound"; readonly manifest: Manifest }
  | { readonly kind: "refused"; readonly why: string };

/** Checks a run that came from elsewhere under this id. */
export function checkReceived(run: string, files: ReceivedFiles): Received {
  const refused = (why: string): Received => ({ kind: "refused", why });
  const [text, log] = [files.get("run.json"), files.get("log.jsonl")];
  if (!text || !log) return refused("it has no run.json or no log.jsonl");
  const seal = sealOf(log);
  if (seal !== "sound") return refused(seal === "none" ? "its log is not sealed" : seal);
  try {
    const manifest = manifestFromJson(text.toString("utf8"), "run.json");
    const why = whyNotOurs(manifest, run);
    return why === undefined ? { kind: "sound", manifest } : refused(why);
  } catch (error) {
    return refused(describeError(error));
  }
}

/** What in a manifest cannot be, or would reach outside of the project; undefined: nothing. */
function whyNotOurs(manifest: Manifest, run: string): string | undefined {
  const { version, parent, kind, status, order, host, argv } = manifest;
  if (manifest.run !== run || !isRunId(run)) return "it is not the run that it is said to be";
  if (!["record", "replay", "fork"].includes(kind)) return "its kind is unknown";
  if (!["done", "failed", "interrupted"].includes(status)) return `its status is ${status}`;
  if (!Number.isSafeInteger(order)) return "its place in the order is no number";
  if (parent !== null && !isRunId(parent)) return "its parent is no run";
  if (!isInside(manifest.program)) return "its program lies outside of the project";
  if (typeof host?.name !== "string" || !Array.isArray(argv)) return "its host is not named";
  if (kind === "replay" && !isDirective(manifest.directive)) return "it says not what was replayed";
  return version === null ? undefined : whyNotVersion(version, kind === "replay" ? parent : run);
}

function whyNotVersion(
  version: NonNullable<Manifest["version"]>,
  run: string | null,
): string | undefined {
  // They become words of git's command line.
  const names = [version.commit, ...(version.head === null ? [] : [version.head])];
  if (!names.every((name) => OBJECT.test(name))) return "its version is no commit";
  const isOwn = version.ref.startsWith("refs/afterlog/runs/") && isRunId(version.ref.slice(19));
  if (!isOwn || run === null) return "its version is kept under another name";
  if (version.folder !== "." && !isInside(version.folder)) return "its folder lies elsewhere";
  if (!Array.isArray(version.large)) return "its large files are not listed";
  return version.large.every(({ file }) => isInside(file))
    ? undefined
    : "a large file lies outside of the project";
}

function isDirective(value: unknown): boolean {
  const { names, ranges, statements } = (value ?? {}) as { readonly [key: string]: unknown };
  return [names, ranges, statements].every(Array.isArray);
}

/** A path below some folder, whichever separators it is written with. */
function isInside(path: unknown): boolean {
  if (typeof path !== "string" || path === "" || path.includes("\0")) return false;
  return !/^[\\/]|^[a-z]:/i.test(path) && !path.split(/[\\/]/).includes("..");
}

/** Whether a log is the beginning of another one: a run that was resumed after it had been sent. */
export function isBeginning(log: Buffer, of: Buffer): boolean {
  return log.length <= of.length && of.subarray(0, log.length).equals(log);
}

/** The log of a run directory; undefined if it has none. */
export function readLog(folder: string): Buffer | undefined {
  return existsSync(runPaths.log(folder)) ? readFileSync(runPaths.log(folder)) : undefined;
}
