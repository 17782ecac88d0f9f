/**
 * @file Starting git so that it reads what it is told to, runs nobody else's code and leaves no
 * trace besides objects and our own refs.
 *
 * Paths inside a working tree are bytes for git, not text: here they are "raw" strings with one
 * character per byte (latin1), made readable only for messages.
 */
import { spawnSync } from "node:child_process";
import type { Stats } from "node:fs";
import { closeSync, lstatSync, openSync } from "node:fs";
import { devNull, platform } from "node:os";
import { AfterlogError } from "../../format/index.ts";
import { ownEnvironment } from "../../host/index.ts";

/** A path relative to the working tree, one character per byte. */
export type RawPath = string;

export interface GitPlace {
  readonly gitDir: string;
  readonly workTree: string;
  /** The index that commands read and write; git's own if absent. */
  readonly index?: string;
  /** More `-c` settings, for example filters turned off. */
  readonly settings?: readonly string[];
}

export interface GitAnswer {
  readonly ok: boolean;
  /** Bytes as latin1. */
  readonly out: string;
  readonly err: string;
  /** It was stopped: too slow, or more output than can be held. */
  readonly stopped: boolean;
}

export interface GitInput {
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** A file that is read instead of `input`. */
  readonly inputFile?: string;
  /** It dies where it writes a file larger than this: what a remote sends may have no end. */
  readonly fileBytesMax?: number;
}

/** No git command of ours is worth more: training waits for it. */
const TIMEOUT_MS = 60_000;
const OUTPUT_BYTES_MAX = 2 ** 28;

/** What the caller's environment may still say: where configuration and git itself are. */
const KEPT_VARIABLE =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|EXEC_PATH|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

const SETTINGS = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "core.logAllRefUpdates=false",
  "core.safecrlf=false",
  // A split index would write its shared half into the user's git folder.
  "core.splitIndex=false",
  // A power cut must not leave a run whose source is gone.
  "core.fsync=committed,loose-object",
  "core.fsyncMethod=batch",
  "commit.gpgSign=false",
  "i18n.commitEncoding=UTF-8",
  "gc.auto=0",
  "maintenance.auto=false",
];

/** Runs git anywhere, to ask or to make a repository. Throws AL044 if git cannot be started. */
export function runGit(cwd: string, args: readonly string[], options: GitInput = {}): GitAnswer {
  return startGit(cwd, args, [], options);
}

/** Runs git in a repository. Throws AL044 only if git cannot be started. */
export function tryGit(
  place: GitPlace,
  args: readonly string[],
  options: GitInput = {},
): GitAnswer {
  const environment = {
    GIT_DIR: place.gitDir,
    GIT_WORK_TREE: place.workTree,
    ...(place.index === undefined ? {} : { GIT_INDEX_FILE: place.index }),
    ...options.environment,
  };
  return startGit(place.workTree, args, place.settings ?? [], { ...options, environment });
}

/** Like `tryGit`, for commands that must succeed: the output, or AL044. */
export function git(place: GitPlace, args: readonly string[], options: GitInput = {}): string {
  const answer = tryGit(place, args, options);
  if (!answer.ok) throw gitFailed(args[0] ?? "", answer);
  return answer.out;
}

/** The error for a command that failed. */
export function gitFailed(command: string, answer: GitAnswer): AfterlogError {
  const why = answer.stopped ? "it took too long" : gitMessage(answer.err);
  return new AfterlogError("AL044", `the source version cannot be kept: git ${command}: ${why}`, {
    help: [`try it by hand:  git ${command === "update-ref" ? "fsck" : "status"}`],
    data: { command },
    cause: new Error(rawToText(answer.err.trim())),
  });
}

/** The first thing git said, without its prefix, for a message. */
export function gitMessage(err: string): string {
  const line =
    err.split("\n").find((text) => /^(?:fatal|error): /.test(text)) ?? err.split("\n")[0];
  return rawToText(line ?? "").replace(/^(?:fatal|error): /, "");
}

/** A raw path or message as text. */
export function rawToText(raw: string): string {
  return Buffer.from(raw, "latin1").toString("utf8");
}

/** Text as git's bytes. */
export function rawPath(text: string): RawPath {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** A raw path as a path for the file system. */
export function filePath(workTree: string, raw: RawPath): Buffer {
  return Buffer.concat([Buffer.from(`${workTree}/`, "utf8"), Buffer.from(raw, "latin1")]);
}

/** What is at a raw path, links not followed; undefined if nothing is, or nobody may know. */
export function statRaw(workTree: string, raw: RawPath): Stats | undefined {
  try {
    return lstatSync(filePath(workTree, raw));
  } catch {
    return undefined;
  }
}

/** NUL-separated output as a list. */
export function splitNul(out: string): string[] {
  const parts = out.split("\0");
  parts.pop();
  return parts;
}

/** A list as NUL-terminated input. */
export function joinNul(parts: readonly string[]): string {
  return parts.map((part) => `${part}\0`).join("");
}

function startGit(
  cwd: string,
  args: readonly string[],
  settings: readonly string[],
  options: GitInput,
): GitAnswer {
  const flags = [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
  const words = ["git", "--no-pager", ...flags, ...args];
  const [command = "", ...rest] = bounded(words, options.fileBytesMax);
  const { inputFile } = options;
  const stdin = inputFile === undefined ? undefined : openSync(inputFile, "r");
  const result = spawnSync(command, rest, {
    cwd,
    env: { ...gitEnvironment(ownEnvironment), ...options.environment },
    ...(stdin === undefined ? { input: Buffer.from(options.input ?? "", "latin1") } : {}),
    stdio: [stdin ?? "pipe", "pipe", "pipe"],
    encoding: "latin1",
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    windowsHide: true,
  });
  if (stdin !== undefined) closeSync(stdin);
  const code = errorCode(result.error);
  const stopped = code === "ETIMEDOUT" || code === "ENOBUFS";
  // EPIPE: git left without reading all its input; its own message says why.
  if (result.error !== undefined && !stopped && code !== "EPIPE") throw notStarted(result.error);
  return { ok: result.status === 0 && !stopped, out: result.stdout, err: result.stderr, stopped };
}

/** The same command under a limit of the shell's, which counts in blocks of 512 bytes. */
function bounded(words: readonly string[], bytesMax: number | undefined): readonly string[] {
  if (bytesMax === undefined || platform() === "win32") return words;
  const blocks = Math.max(1, Math.floor(bytesMax / 512));
  return ["/bin/sh", "-c", `ulimit -f ${blocks}; exec "$@"`, "sh", ...words];
}

/**
 * The caller's environment without what would mislead git: a program started from a hook inherits
 * GIT_DIR and GIT_INDEX_FILE. Messages are in English, but the character set stays the caller's,
 * because the user's filters run in it too.
 */
function gitEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { LC_ALL: locale, ...rest } = from;
  const kept = Object.entries(rest).filter(
    ([name]) => !name.startsWith("GIT_") || KEPT_VARIABLE.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    ...(locale === undefined || locale === "" ? {} : { LC_CTYPE: locale }),
    LC_MESSAGES: "C",
    LANGUAGE: "C",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_EDITOR: "true",
    GIT_ASKPASS: "true",
  };
}

function errorCode(error: Error | undefined): unknown {
  return error !== undefined && "code" in error ? error.code : undefined;
}

function notStarted(cause: Error): AfterlogError {
  return new AfterlogError("AL044", "the source version cannot be kept: git cannot be started", {
    help: ["install git, and make sure that it is on the PATH"],
    cause,
  });
}
