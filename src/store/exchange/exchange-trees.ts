/** @file Sealed logs as trees of git: made of run directories, and read back. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../durable.ts";
import type { ExchangePlace } from "./exchange-git.ts";
import { exchangeGit, readObjects, sizesOf } from "./exchange-git.ts";
import type { Sendable } from "./exchange-log.ts";
import type { ReceivedFiles } from "./validate-run.ts";
import { EXCHANGED, FILE_BYTES_MAX, readSendable } from "./exchange-log.ts";
import { storePaths } from "../store-paths.ts";
import { joinNul } from "../versions/version-git.ts";

const MODE = "100644";
/** Four entries; a tree larger than this is not ours. */
const TREE_BYTES_MAX = 10_000;
/** Bytes of logs in memory at a time, and of one answer of git, where a file is not larger. */
const BATCH_BYTES = 64_000_000;

export interface LogTrees {
  /** Trees of the runs that can be sent. */
  readonly trees: ReadonlyMap<string, string>;
  readonly unsealed: ReadonlyMap<string, string>;
  readonly refused: ReadonlyMap<string, string>;
}

interface Remembered {
  readonly stamp: string;
  readonly tree: string;
}

/** The trees of these runs. A sealed run never changes: what was read once is remembered. */
export function makeLogTrees(
  place: ExchangePlace,
  store: string,
  runs: readonly string[],
): LogTrees {
  const file = join(storePaths.exchange(store), "trees.json");
  const known = readRemembered(file);
  const found = new Map<string, Remembered>();
  const unsealed = new Map<string, string>();
  const refused = new Map<string, string>();
  const fresh = new Map<string, Extract<Sendable, { kind: "sealed" }>>();
  for (const run of runs) {
    const folder = storePaths.run(store, run);
    const before = known.get(run);
    if (before && before.stamp === stampOf(folder)) {
      found.set(run, before);
      continue;
    }
    const sendable = readSendable(folder);
    if (sendable.kind === "sealed") fresh.set(run, sendable);
    else (sendable.kind === "refused" ? refused : unsealed).set(run, sendable.why);
  }
  for (const [run, tree] of writeTrees(place, store, fresh)) {
    found.set(run, { stamp: stampOf(storePaths.run(store, run)), tree });
  }
  if (fresh.size > 0) replaceFile(file, JSON.stringify(Object.fromEntries(found)));
  const trees = new Map([...found].map(([run, { tree }]) => [run, tree]));
  return { trees, unsealed, refused };
}

/** Sizes and times of the files that travel. */
function stampOf(folder: string): string {
  return EXCHANGED.map((file) => {
    const stat = statSync(join(folder, file), { throwIfNoEntry: false });
    return stat === undefined ? "-" : `${stat.size}:${stat.mtimeMs}`;
  }).join(" ");
}

function readRemembered(file: string): Map<string, Remembered> {
  try {
    const parsed = JSON.parse(readFileSync(file, "utf8")) as { [run: string]: Remembered };
    return new Map(Object.entries(parsed));
  } catch {
    // There is none yet, or it is damaged: it is made again.
    return new Map();
  }
}

/** Writes the objects with two processes, however many runs there are. */
function writeTrees(
  place: ExchangePlace,
  store: string,
  runs: ReadonlyMap<string, { readonly files: readonly string[] }>,
): Map<string, string> {
  if (runs.size === 0) return new Map();
  const all = [...runs].flatMap(([run, { files }]) => files.map((file) => ({ run, file })));
  const paths = all.map(({ run, file }) => join(storePaths.run(store, run), file));
  const command = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
  const input = Buffer.from(`${paths.join("\n")}\n`).toString("latin1");
  const ids = exchangeGit(place, command, input).split("\n");
  const lines = new Map<string, string[]>();
  all.forEach(({ run, file }, at) => {
    const line = `${MODE} blob ${ids[at]}\t${file}`;
    lines.set(run, [...(lines.get(run) ?? []), line]);
  });
  // An empty entry ends a tree.
  const trees = [...lines.values()].map((entries) => joinNul(entries)).join("\0");
  const made = exchangeGit(place, ["mktree", "-z", "--batch"], trees).split("\n");
  return new Map([...lines.keys()].map((run, at) => [run, made[at] ?? ""]));
}

/** The files of trees that came from elsewhere, a batch of runs at a time; other names are left. */
export function* readLogTrees(
  place: ExchangePlace,
  trees: ReadonlyMap<string, string>,
): Iterable<{ readonly run: string; readonly files: ReceivedFiles | string }> {
  const small = [...sizesOf(place, [...new Set(trees.values())])]
    .filter(([, size]) => size <= TREE_BYTES_MAX)
    .map(([id]) => id);
  const objects = readObjects(place, small);
  const entries = [...trees].map(([run, tree]) => {
    const object = objects.get(tree);
    return {
      run,
      entries: object?.type === "tree" ? parseTree(object.bytes, tree.length / 2) : undefined,
    };
  });
  const ids = entries.flatMap(({ entries: own }) => [...(own?.values() ?? [])]);
  const sizes = sizesOf(place, [...new Set(ids)]);
  let batch: { run: string; entries: Map<string, string> }[] = [];
  let bytes = 0;
  for (const { run, entries: own } of entries) {
    const all = [...(own?.values() ?? [])].map((id) => sizes.get(id) ?? Infinity);
    if (!own || all.some((size) => size > FILE_BYTES_MAX)) {
      yield { run, files: own ? "a file of it is missing or too large" : "it is no log of a run" };
      continue;
    }
    batch.push({ run, entries: own });
    bytes += all.reduce((sum, size) => sum + size, 0);
    if (bytes < BATCH_BYTES) continue;
    yield* readBatch(place, batch, sizes);
    [batch, bytes] = [[], 0];
  }
  yield* readBatch(place, batch, sizes);
}

function* readBatch(
  place: ExchangePlace,
  batch: readonly { readonly run: string; readonly entries: ReadonlyMap<string, string> }[],
  sizes: ReadonlyMap<string, number>,
): Iterable<{ readonly run: string; readonly files: ReceivedFiles }> {
  const ids = batch.flatMap(({ entries }) => [...entries.values()]);
  const parts = partsOf([...new Set(ids)], (id) => sizes.get(id) ?? 0, BATCH_BYTES);
  const objects = new Map(parts.flatMap((part) => [...readObjects(place, part)]));
  for (const { run, entries } of batch) {
    const files = new Map<string, Buffer>();
    for (const [name, id] of entries) {
      const object = objects.get(id);
      if (object?.type === "blob") files.set(name, object.bytes);
    }
    yield { run, files };
  }
}

/** Cuts a list where a part would become larger than `max`; one item may be larger by itself. */
export function partsOf<T>(items: readonly T[], sizeOf: (item: T) => number, max: number): T[][] {
  const parts: T[][] = [];
  let left = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (parts.length === 0 || size > left) {
      parts.push([]);
      left = max;
    }
    parts.at(-1)?.push(item);
    left -= size;
  }
  return parts;
}

/** Of a tree object, the files that a log has: mode, a space, the name, NUL, the id's bytes. */
function parseTree(bytes: Buffer, idBytes: number): Map<string, string> {
  const entries = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    if (end < 0) break;
    const [mode = "", name = ""] = bytes.toString("latin1", at, end).split(" ");
    const id = bytes.toString("hex", end + 1, end + 1 + idBytes);
    // Anything else, a link or a folder or another name, is not looked at.
    if (mode === MODE && (EXCHANGED as readonly string[]).includes(name)) entries.set(name, id);
    at = end + 1 + idBytes;
  }
  return entries;
}
