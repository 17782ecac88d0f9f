/**
 * @file Real projects, real processes, and what they left on disk.
 *
 * A program runs against the compiled package, as a user's does; what it wrote is read back with
 * the store's own readers, and with a reader of the log that shares nothing with the writer.
 * Needs `npm run build`.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { restore } from "../../src/adapters/index.ts";
import type { CheckpointRecord, Manifest, Record } from "../../src/format/index.ts";
import { hex32 } from "../../src/format/index.ts";
import {
  listRunIds,
  openCheckpoint,
  readManifest,
  runPaths,
  storePaths,
} from "../../src/store/index.ts";
import type { CheckpointReader } from "../../src/store/index.ts";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
/** Memory where there is some to be had as files: the disk's speed is not what is tested. */
const FAST_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export interface Ended {
  readonly code: number | null;
  /** Name of the signal that ended it. */
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What the program wrote to descriptor 3: the side channel that recording knows nothing of. */
  readonly side: string;
}

export interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Flags for Node, before the program. */
  readonly flags?: readonly string[];
  readonly program?: string;
  /** Through `afterlog run`; descriptor 3 is then its own. */
  readonly cli?: boolean;
}

/** A project of one test. */
export class TestProject implements Disposable {
  readonly root: string;
  readonly store: string;

  constructor(options: { readonly git?: boolean; readonly fast?: boolean } = {}) {
    if (!existsSync(join(PACKAGE, "dist", "sdk", "index.js"))) {
      throw new Error("the package is not built: npm run build");
    }
    const parent = options.fast === true ? FAST_FOLDER : tmpdir();
    this.root = realpathSync(mkdtempSync(join(parent, "afterlog-faults-")));
    this.store = join(this.root, ".afterlog");
    mkdirSync(join(this.root, "node_modules"));
    symlinkSync(PACKAGE, join(this.root, "node_modules", "afterlog"), "dir");
    this.write(".gitignore", "node_modules\n");
    this.write("package.json", '{ "private": true, "type": "module" }\n');
    if (options.git === true) execFileSync("git", ["init", "-q", this.root], { stdio: "ignore" });
  }

  write(file: string, text: string): string {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  start(options: StartOptions = {}): Started {
    const { flags = [], program = "train.mjs", env = {}, cli = false } = options;
    const through = cli ? [join(PACKAGE, "dist", "cli", "main.js"), "run"] : [];
    const child = spawn(process.execPath, [...flags, ...through, program], {
      cwd: this.root,
      env: { ...CLEAN_ENVIRONMENT, ...env },
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    return new Started(child);
  }

  run(options?: StartOptions): Promise<Ended> {
    return this.start(options).ended;
  }

  /** Folders of all runs. */
  get runs(): string[] {
    return listRunIds(this.store).map((id) => storePaths.run(this.store, id));
  }

  /** The folder of the only run. */
  get onlyRun(): string {
    const { runs } = this;
    const [run] = runs;
    if (run === undefined || runs.length > 1) throw new Error(`there are ${runs.length} runs`);
    return run;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Apart from the machine's and the user's configuration. */
export const CLEAN_ENVIRONMENT: NodeJS.ProcessEnv = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  LC_ALL: "C",
};

/** Without git the start of a program takes half the time; no version is kept then. */
export const WITHOUT_GIT: NodeJS.ProcessEnv = { PATH: "/nonexistent" };

/** A process under way. */
export class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #side = "";
  readonly #waiting = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => (output[name] += text));
    }
    (child.stdio[3] as NodeJS.ReadableStream).setEncoding("utf8").on("data", (text: string) => {
      this.#side += text;
      for (const wake of this.#waiting) wake();
    });
    this.ended = once(child, "close").then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as string | null,
      ...output,
      side: this.#side,
    }));
  }

  /** Resolves when the side channel holds the text, or the program has ended. */
  async said(text: string): Promise<void> {
    let wake = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      wake = () => {
        if (this.#side.includes(text)) resolve();
      };
      this.#waiting.add(wake);
      wake();
    });
    await Promise.race([told, this.ended]);
    this.#waiting.delete(wake);
  }
}

export interface ReadLog {
  readonly records: readonly Record[];
  /** Bytes after the last complete line. */
  readonly tornBytes: number;
  /** `done` or `failed` if the seal is there and right. */
  readonly sealed: string | undefined;
  /** Complete lines that are not JSON, and seals that do not fit. */
  readonly damage: readonly string[];
}

/** Reads `log.jsonl` by `docs/format.md`: complete lines only, checked against the seal. */
export function readLog(runFolder: string, upTo: number = Infinity): ReadLog {
  const file = runPaths.log(runFolder);
  const bytes = existsSync(file) ? readFileSync(file).subarray(0, upTo) : Buffer.alloc(0);
  const end = bytes.lastIndexOf(10) + 1;
  const records: Record[] = [];
  const damage: string[] = [];
  let sealed: string | undefined;
  for (let from = 0; from < end;) {
    const to = bytes.indexOf(10, from);
    const line = bytes.subarray(from, to).toString();
    const record = parseRecord(line);
    if (!record) damage.push(line.slice(0, 200));
    else records.push(record);
    if (record?.k === "seal") {
      const fits = record.crc32 === hex32(crc32(bytes.subarray(0, from)));
      const known = record.status === "done" || record.status === "failed";
      const last = to + 1 === bytes.byteLength;
      if (fits && known && last && record.count === records.length - 1) sealed = record.status;
      else damage.push(line);
    }
    from = to + 1;
  }
  return { records, tornBytes: bytes.byteLength - end, sealed, damage };
}

function parseRecord(line: string): Record | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "k" in value
      ? (value as Record)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The records of one kind. */
export function ofKind<K extends Record["k"]>(
  records: readonly Record[],
  kind: K,
): Extract<Record, { k: K }>[] {
  return records.filter((record): record is Extract<Record, { k: K }> => record.k === kind);
}

/** Numbers of the numbered records, in the order of the file. */
export function sequence(records: readonly Record[]): number[] {
  return records.flatMap((record) =>
    "seq" in record && record.k !== "rewind" ? [record.seq] : [],
  );
}

/** What a checkpoint restores, as the declared record. */
export function restoreRecord(runFolder: string, record: CheckpointRecord): RestoredState {
  using reader = openCheckpoint(runFolder, record);
  reader.verify();
  return restoreFrom(reader);
}

export type RestoredState = { [field: string]: unknown };

/** What an open checkpoint restores. */
export function restoreFrom(reader: CheckpointReader): RestoredState {
  const state: RestoredState = {};
  const structure = reader.structure();
  const places = structure.places.map(({ key, source }) => ({
    key,
    source,
    get: (): unknown => undefined,
    set: (value: unknown): void => {
      state[key.slice(key.indexOf(".") + 1)] = value;
    },
  }));
  restore(places, structure, (name) => reader.tensor(name));
  return state;
}

/** Lines of ours on stderr that warn. */
export function warnings(stderr: string): string[] {
  return stderr.split("\n").filter((line) => line.startsWith("afterlog: warning:"));
}

/** The manifest, or undefined when the program died before it could write one. */
export function manifestOf(runFolder: string): Manifest | undefined {
  return existsSync(runPaths.manifest(runFolder)) ? readManifest(runFolder) : undefined;
}

/** Names of files in the folder of checkpoints. */
export function checkpointFiles(runFolder: string): string[] {
  const folder = runPaths.checkpoints(runFolder);
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** A seeded generator (mulberry32): what failed once can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
