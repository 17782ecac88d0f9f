/**
 * @file Git as the carrier between machines: what a remote has under `refs/afterlog/`, sending to it
 * and fetching from it (semantics, "Versions").
 *
 * Logs of runs are trees under `refs/afterlog/logs/<run>`. Their objects are kept in a folder of the
 * store, not in the user's repository: git is told of both (`GIT_OBJECT_DIRECTORY`, with the
 * repository's own objects as alternates), so that the user's remotes, keys and settings serve, and
 * nothing of theirs is written.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { AfterlogError } from "../../format/index.ts";
import { ownEnvironment } from "../../host/index.ts";
import { STORE_FOLDER, storePaths } from "../store-paths.ts";
import type { GitAnswer, GitInput, GitPlace } from "../versions/version-git.ts";
import { gitMessage, rawToText, runGit, tryGit } from "../versions/version-git.ts";

/** Where runs are sent or come from. */
export interface Remote {
  /** As the user wrote it. */
  readonly name: string;
  /** For git: the name of a remote, a URL, or an absolute path. */
  readonly address: string;
}

export interface Refspec {
  readonly object: string;
  readonly ref: string;
  /** What the remote has there now; null: nothing. It is replaced only if that is still so. */
  readonly before: string | null;
}

export const RUNS = "refs/afterlog/runs/";
export const LOGS = "refs/afterlog/logs/";

/** A slow line and a large repository take long; the user can always stop it. */
const NETWORK_MS = 6 * 3_600_000;
/** Arguments of one process. */
const REFS_AT_ONCE = 200;
const OBJECT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** How the user reaches remotes: `version-git.ts` lets none of this through otherwise. */
const CONNECTION =
  /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|PROXY_COMMAND|ASKPASS|TERMINAL_PROMPT|SSL_.*|HTTP_.*|ALLOW_PROTOCOL|PROTOCOL_FROM_USER)$/;

function connectionEnvironment(): Record<string, string> {
  const own = Object.entries(ownEnvironment).filter(([name]) => CONNECTION.test(name));
  // Empty: git asks at the terminal, if there is one.
  return { GIT_TERMINAL_PROMPT: "1", GIT_ASKPASS: "", ...Object.fromEntries(own) };
}

/** The remote that a word names: one of the repository's, a URL, or a folder. Throws AL046. */
export function findRemote(place: GitPlace | undefined, cwd: string, word: string): Remote {
  const known =
    place && /^[^-\s]\S*$/.test(word)
      ? tryGit(place, ["remote", "get-url", "--", word])
      : undefined;
  if (known?.ok) return { name: word, address: word };
  if (/^[a-z][a-z0-9+.-]*:\/\/\S/i.test(word)) return { name: word, address: word };
  const folder = resolve(cwd, word);
  if (word !== "" && existsSync(folder)) return { name: word, address: folder };
  // `host:path`, as ssh has it.
  if (/^[\w@.-]+:[^-\s]/.test(word) && !word.startsWith("-")) return { name: word, address: word };
  throw new AfterlogError("AL046", `there is no remote ${JSON.stringify(word)}`, {
    help: [
      place ? "see the remotes:  git remote -v" : "the project is in no git repository",
      "or name a repository:  a URL, or the path of a folder made with  git init --bare",
    ],
    data: { remote: word },
  });
}

/** The address for a repository that does not know the user's remotes. */
export function absoluteAddress(place: GitPlace | undefined, { address }: Remote): string {
  const known = place && tryGit(place, ["remote", "get-url", "--", address]);
  const [first = ""] = known?.ok ? rawToText(known.out).split("\n") : [];
  if (first === "") return address;
  // A relative path is one from the working tree's top.
  return place && existsSync(resolve(place.workTree, first))
    ? resolve(place.workTree, first)
    : first;
}

/** The objects of exchanged logs; reads the repository's own as well. */
export function exchangePlace(place: GitPlace, store: string): ExchangePlace {
  return placeApart(place, join(storePaths.exchange(store), "objects"));
}

/** A repository whose new objects go to a folder of ours; it reads its own as well. */
export function placeApart(place: GitPlace, objects: string): ExchangePlace {
  mkdirSync(objects, { recursive: true });
  const own = rawToText(tryGit(place, ["rev-parse", "--git-path", "objects"]).out).trim();
  const alternate = resolve(place.workTree, own).replaceAll(/["\\]/g, String.raw`\$&`);
  const environment = {
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${alternate}"`,
  };
  return { ...place, environment };
}

/** A repository, with the objects that it is to see and write. */
export type ExchangePlace = GitPlace & { readonly environment?: Readonly<Record<string, string>> };

/** Without a repository, where none is needed. */
function askAnywhere(cwd: string, args: readonly string[]): GitAnswer {
  return runGit(cwd, args, { environment: connectionEnvironment(), timeoutMs: NETWORK_MS });
}

function askRemote(
  place: ExchangePlace,
  args: readonly string[],
  options: GitInput = {},
): GitAnswer {
  const environment = {
    ...connectionEnvironment(),
    ...place.environment,
    ...options.environment,
  };
  return tryGit(place, args, { timeoutMs: NETWORK_MS, ...options, environment });
}

/** Runs git on local objects only; throws AL046 if it fails. */
export function exchangeGit(place: ExchangePlace, args: readonly string[], input?: string): string {
  const answer = askRemote(place, args, input === undefined ? {} : { input });
  if (answer.ok) return answer.out;
  const why = answer.stopped ? "it took too long, or said too much" : gitMessage(answer.err);
  throw new AfterlogError("AL046", `git ${args[0]}: ${why}`, {
    help: [
      `make sure that ${STORE_FOLDER} can be written, and that its disk is not full`,
      `or remove ${STORE_FOLDER}/exchange: it is made anew`,
    ],
  });
}

/** What a remote has under `refs/afterlog/`, by ref. Throws AL046 if it cannot be asked. */
export function listRemote(
  place: GitPlace | undefined,
  cwd: string,
  remote: Remote,
): Map<string, string> {
  const command = ["ls-remote", "--refs", "--", remote.address, "refs/afterlog/*"];
  const answer = place ? askRemote(place, command) : askAnywhere(cwd, command);
  if (!answer.ok) throw unreachableRemote(remote, answer);
  const refs = new Map<string, string>();
  for (const line of rawToText(answer.out).split("\n")) {
    const [object = "", ref = ""] = line.split("\t");
    if (OBJECT.test(object) && ref.startsWith("refs/afterlog/")) refs.set(ref, object);
  }
  return refs;
}

/** Sends objects; answers what the remote refused, by ref. Throws AL046 if nothing could be sent. */
export function sendRefs(
  place: ExchangePlace,
  remote: Remote,
  specs: readonly Refspec[],
): Map<string, string> {
  const refused = new Map<string, string>();
  for (let at = 0; at < specs.length; at += REFS_AT_ONCE) {
    const part = specs.slice(at, at + REFS_AT_ONCE);
    const leases = part.map(({ ref, before }) => `--force-with-lease=${ref}:${before ?? ""}`);
    const words = part.map(({ object, ref }) => `${object}:${ref}`);
    const flags = ["--porcelain", "--no-verify", "--no-signed", "--no-follow-tags"];
    const modules = "--recurse-submodules=no";
    const command = ["push", ...flags, modules, ...leases, "--", remote.address, ...words];
    const answer = askRemote(place, command);
    const found = refusedRefs(answer.out);
    // Refusals of single refs fail the command too; without any it is the connection.
    if (!answer.ok && found.size === 0) throw unreachableRemote(remote, answer);
    for (const [ref, why] of found) refused.set(ref, why);
  }
  return refused;
}

/** Of `git push --porcelain`: a flag, `from:to`, a summary. */
function refusedRefs(out: string): Map<string, string> {
  const refused = new Map<string, string>();
  for (const line of rawToText(out).split("\n")) {
    const [flag, names = "", summary = ""] = line.split("\t");
    if (flag !== "!") continue;
    refused.set(
      names.slice(names.lastIndexOf(":") + 1),
      summary.replace(/^\[.*?\] \((.*)\)$/, "$1"),
    );
  }
  return refused;
}

/** Nothing but the objects and refs that are named: no tags, no note of it, no submodules. */
const FETCH = [
  "fetch",
  "--quiet",
  "--no-tags",
  "--no-prune",
  "--no-recurse-submodules",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-write-commit-graph",
  "--refmap=",
];

/** No single object is unpacked in memory beyond this. */
const FETCH_LIMITS = { GIT_ALLOC_LIMIT: "2g" };
/** So many refs that cannot be had, and none that can: it is the remote. */
const FAILURES_MAX = 8;

/**
 * Fetches the objects of refs, and no refs. Answers those that cannot be had, each with the reason:
 * one that is damaged keeps no other from coming. Throws AL046 if none can.
 */
export function fetchObjects(
  place: ExchangePlace,
  remote: Remote,
  refs: readonly string[],
  bytesMax: number,
): Map<string, string> {
  const failed = new Map<string, string>();
  let fetched = 0;
  const fetchPart = (part: readonly string[]): void => {
    const command = [...FETCH, "--", remote.address, ...part];
    const answer = askRemote(place, command, { fileBytesMax: bytesMax, environment: FETCH_LIMITS });
    if (answer.ok) {
      fetched += part.length;
      return;
    }
    if (answer.stopped) throw unreachableRemote(remote, answer);
    const [first = ""] = part;
    if (part.length === 1) {
      failed.set(first, whyNotFetched(answer));
      if (fetched === 0 && failed.size >= FAILURES_MAX) throw unreachableRemote(remote, answer);
      return;
    }
    const half = Math.ceil(part.length / 2);
    fetchPart(part.slice(0, half));
    fetchPart(part.slice(half));
  };
  for (let at = 0; at < refs.length; at += REFS_AT_ONCE) {
    fetchPart(refs.slice(at, at + REFS_AT_ONCE));
  }
  return failed;
}

/** By our words: what a remote says of itself is a stranger's text. */
function whyNotFetched({ err }: GitAnswer): string {
  if (/signal 25|File size limit|file too large/i.test(err)) return "it is larger than may come";
  if (/memory|alloc/i.test(err)) return "an object of it is larger than may come";
  if (/shallow/.test(err)) return "its history is cut off there";
  return "its objects are damaged or missing there";
}

/** An object of git, read whole. */
export interface GitObject {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Objects by name, with one process; those that are not there are left out. */
export function readObjects(place: ExchangePlace, ids: readonly string[]): Map<string, GitObject> {
  const found = new Map<string, GitObject>();
  if (ids.length === 0) return found;
  const out = exchangeGit(place, ["cat-file", "--batch"], `${ids.join("\n")}\n`);
  let at = 0;
  for (const id of ids) {
    // "<id> <type> <size>", a newline, the bytes, a newline; or "<id> missing".
    const end = out.indexOf("\n", at);
    if (end < 0) break;
    const [, type = "", size = ""] = out.slice(at, end).split(" ");
    at = end + 1;
    if (type === "missing" || !/^\d+$/.test(size)) continue;
    const bytes = Buffer.from(out.slice(at, at + Number(size)), "latin1");
    found.set(id, { type, bytes });
    at += Number(size) + 1;
  }
  return found;
}

/** Sizes of those objects that are there. */
export function sizesOf(place: ExchangePlace, ids: readonly string[]): Map<string, number> {
  const sizes = lookUp(place, ids, "%(objectsize)");
  return new Map([...sizes].map(([id, size]) => [id, Number(size)]));
}

/** Which of these are commits that are there. */
export function commitsAmong(place: ExchangePlace, ids: readonly string[]): ReadonlySet<string> {
  const types = lookUp(place, ids, "%(objecttype)");
  return new Set([...types.keys()].filter((id) => types.get(id) === "commit"));
}

/** A field of each object that is there, with one process. */
function lookUp(place: ExchangePlace, ids: readonly string[], field: string): Map<string, string> {
  if (ids.length === 0) return new Map();
  const command = ["cat-file", `--batch-check=%(objectname) ${field}`];
  const lines = exchangeGit(place, command, `${ids.join("\n")}\n`).split("\n");
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const [, id = "", value = ""] = /^([0-9a-f]+) (\w+)$/.exec(line) ?? [];
      // Of one that is not there git says that.
      return id === "" || value === "missing" ? [] : [[id, value]];
    }),
  );
}

function unreachableRemote({ name }: Remote, answer: GitAnswer): AfterlogError {
  const why = answer.stopped ? "it took too long" : gitMessage(answer.err) || "git gave no reason";
  return new AfterlogError("AL046", `${name} cannot be reached: ${why}`, {
    notes: rawToText(answer.err)
      .split("\n")
      .filter((line) => line.startsWith("remote: "))
      .slice(0, 5),
    help: [`try it by hand:  git ls-remote ${name}`],
    data: { remote: name },
  });
}
