/**
 * @file The one door by which runs from elsewhere enter a store: every field of every line is held
 * against its row in `format/run-shapes.ts`, and what stands in several places must agree. What
 * leaves goes through the same door, so that nothing is sent that nobody would take.
 *
 * It says what is wrong by our names of files and fields, with the number of the line, never in the
 * words of whoever sent it.
 */
import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import type { Manifest, SealRecord, Shape } from "../../format/index.ts";
import {
  DIRECTIVE_SHAPES,
  hex32,
  isAfterlogError,
  LOG_LINE_SHAPE,
  MANIFEST_SHAPE,
  manifestFromJson,
  problemOf,
  PROFILE_LINE_SHAPE,
} from "../../format/index.ts";

/** A run as it came: its files by name. */
export type ReceivedFiles = ReadonlyMap<string, Buffer>;

export type Validated =
  | { readonly kind: "sound"; readonly manifest: Manifest }
  /** Its log has no end: there may be more of it one day. */
  | { readonly kind: "unsealed" }
  | { readonly kind: "refused"; readonly why: string };

/** The index and the pages of names stay usable up to here. */
const NAMES_MAX = 100_000;
const LOOPS_MAX = 10_000;
/** In all. A plan numbers those that are asked for, each by itself. */
const ITERATIONS_MAX = 50_000_000;
/** The longest line that the index reads. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const NEWLINE = 10;

/** Checks a run that is said to have this id. */
export function validateRun(run: string, files: ReceivedFiles): Validated {
  const [text, log] = [files.get("run.json"), files.get("log.jsonl")];
  if (!text || !log) return refused("it has no run.json or no log.jsonl");
  const seal = sealOf(log);
  if (seal === "none") return { kind: "unsealed" };
  if (seal !== "sound") return refused(seal);
  const read = readSoundManifest(text);
  if (typeof read === "string") return refused(read);
  const why =
    whyNotThis(read, run) ??
    problemOfLog(log, run) ??
    problemOfLines("profile.jsonl", files.get("profile.jsonl"), PROFILE_LINE_SHAPE);
  return why === undefined ? { kind: "sound", manifest: read } : refused(why);
}

function refused(why: string): Validated {
  return { kind: "refused", why };
}

/** The manifest, or what is wrong with it. */
function readSoundManifest(bytes: Buffer): Manifest | string {
  if (!isUtf8(bytes)) return "run.json: it is no UTF-8";
  const manifest = parseManifest(bytes.toString("utf8"));
  if (typeof manifest === "string") return manifest;
  const problem =
    problemOf(MANIFEST_SHAPE, manifest) ??
    problemOf(DIRECTIVE_SHAPES[manifest.kind], manifest.directive)?.replace(/^/, "directive.");
  return problem === undefined ? manifest : `run.json: ${problem}`;
}

function parseManifest(text: string): Manifest | string {
  try {
    return manifestFromJson(text, "run.json");
  } catch (error) {
    const code = isAfterlogError(error) ? error.code : undefined;
    if (code === "AL040") return "run.json: its checksum does not match";
    return code === "AL041" ? "run.json: it is of another format" : "run.json: it is no JSON";
  }
}

/** What in a manifest does not agree with itself, or with the name under which it came. */
function whyNotThis({ run: named, kind, parent, version }: Manifest, run: string) {
  if (named !== run) return "it is not the run that it is said to be";
  if (parent === run) return "it is its own parent";
  if ((kind === "record") !== (parent === null)) return `run.json: a ${kind} with such a parent`;
  const isOwn =
    version === null || kind === "replay" || version.ref === `refs/afterlog/runs/${run}`;
  return isOwn ? undefined : "its version is kept under another name";
}

function problemOfLog(log: Buffer, run: string): string | undefined {
  const names = new Set<unknown>();
  const loops = new Set<unknown>();
  let iterations = 0;
  const check = (line: { readonly [field: string]: unknown }, at: number): string | undefined => {
    if ((line["k"] === "header") !== (at === 1)) return "the header is not the first line";
    if (at === 1 && line["run"] !== run) return "it is the log of another run";
    if (line["k"] === "log" || line["k"] === "arg") names.add(line["name"]);
    if (line["k"] === "enter") loops.add(line["loop"]);
    if (line["k"] === "exit") iterations += Number(line["iterations"]);
    if (iterations > ITERATIONS_MAX) return `it has more than ${ITERATIONS_MAX} iterations`;
    if (names.size > NAMES_MAX) return `it logs more than ${NAMES_MAX} names`;
    return loops.size > LOOPS_MAX ? `it has more than ${LOOPS_MAX} loops` : undefined;
  };
  return problemOfLines("log.jsonl", log, LOG_LINE_SHAPE, check);
}

/** The first line of a file that is not as it must be. A last line without newline is none. */
function problemOfLines(
  file: string,
  bytes: Buffer | undefined,
  shape: Shape,
  check: (line: { readonly [field: string]: unknown }, at: number) => string | undefined = () =>
    undefined,
): string | undefined {
  if (bytes === undefined) return undefined;
  if (!isUtf8(bytes)) return `${file}: it is no UTF-8`;
  let at = 0;
  for (let start = 0, end = 0; (end = bytes.indexOf(NEWLINE, start)) >= 0; start = end + 1) {
    at++;
    if (end - start > LINE_BYTES_MAX) return `${file}:${at}: more than ${LINE_BYTES_MAX} bytes`;
    const line = parseJson(bytes.toString("utf8", start, end));
    const problem =
      line === undefined
        ? "it is no JSON"
        : (problemOf(shape, line) ?? check(line as { readonly [field: string]: unknown }, at));
    if (problem !== undefined) return `${file}:${at}: ${problem.trimStart()}`;
  }
  return undefined;
}

/** `sound`, `none`, or what is wrong with the seal that ends a log. */
function sealOf(log: Buffer): string {
  if (log.length === 0 || log.at(-1) !== NEWLINE) return "none";
  const start = log.lastIndexOf("\n", -2) + 1;
  const last = parseJson(log.toString("utf8", start)) as Partial<SealRecord> | null | undefined;
  if (last?.k !== "seal") return "none";
  const before = log.subarray(0, start);
  if (last.crc32 !== hex32(crc32(before))) return "log.jsonl: its checksum does not match";
  let lines = 0;
  for (let at = before.indexOf(NEWLINE); at >= 0; at = before.indexOf(NEWLINE, at + 1)) lines++;
  return last.count === lines ? "sound" : "log.jsonl: lines are missing";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
