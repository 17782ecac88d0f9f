/**
 * @file One process of a replay: the user's program, started in a tree of its own with orders for
 * the SDK in it (the replayer never imports the sdk). What it writes lies in the unit's
 * folder and is judged when it has ended, however it ended.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, sep } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Directive, Manifest, Orders, ReplayOutcome, StatusLine } from "../../format/index.ts";
import { DIRECTIVE_VARIABLE, modeOf, STATUS_FD } from "../../format/index.ts";
import { ownEnvironment, sendSignal } from "../../host/index.ts";
import { interpreterOfRun, languageOf } from "../../languages/index.ts";
import { processStart, runPaths } from "../../store/index.ts";
import type { Tree } from "../trees/replay-tree.ts";
import { sandboxed } from "./sandbox.ts";

/** Where the parts of a unit's folder are. */
export const unitPaths = {
  orders: (unit: string): string => join(unit, "orders.json"),
  /** What the SDK writes: a run directory without checkpoints. */
  out: (unit: string): string => join(unit, "out"),
  /** Copies of what the program wrote outside its project. */
  outside: (unit: string): string => join(unit, "outside"),
  stdout: (unit: string): string => join(unit, "stdout.log"),
  stderr: (unit: string): string => join(unit, "stderr.log"),
  /** The process that works on it, so that another replayer can end it. */
  process: (unit: string): string => join(unit, "process.json"),
} as const;

export interface UnitOptions {
  readonly tree: Pick<Tree, "root"> & Partial<Pick<Tree, "mirror" | "cwd">>;
  /** Without `out`: that is a folder of the unit. */
  readonly orders: Omit<Orders, "out">;
  /** Of the run that is asked. */
  readonly manifest: Manifest;
  readonly store: string;
  /** Holds all that the process gets and leaves. */
  readonly folder: string;
  readonly signal?: AbortSignal;
  readonly onStatus?: (line: StatusLine) => void;
  /** The caller's environment, if it is not that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** It is executed apart: without network, and writes only into its tree and the unit's folders. */
  readonly apart?: boolean;
}

export interface UnitResult {
  /** What the process said; null if it could not say anything. */
  readonly outcome: ReplayOutcome | null;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was told to stop. */
  readonly stopped: boolean;
  readonly seconds: number;
  /** The last lines that the program wrote to standard error. */
  readonly stderr: string;
  /** Copies of files outside the project that it wrote to; undefined: there are none. */
  readonly outside: { readonly files: number; readonly bytes: number } | undefined;
}

/** How long a process may take to write down what it has, after it was told to stop. */
const GRACE_MS = 5000;
const TAIL_BYTES = 4096;

/** Runs one unit to its end. Throws only if the process cannot be started at all. */
export async function runUnit(options: UnitOptions): Promise<UnitResult> {
  const { folder, signal } = options;
  prepareUnitFolder(options);
  const temporary = shortName(join(folder, "tmp"));
  const started = performance.now();
  const child = startProgram(options, temporary);
  const stop = groupStopper(child);
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  // First of all: a child that could not be started says so by an event.
  const finished = processEnded(child);
  try {
    noteProcess(folder, child);
    listenToStatus(child, options.onStatus);
    const exit = await finished;
    return {
      outcome: readOutcome(folder),
      ...exit,
      stopped: signal?.aborted ?? false,
      seconds: (performance.now() - started) / 1000,
      outside: countOutside(folder),
      stderr: withShortNames(readTail(unitPaths.stderr(folder)), options.tree),
    };
  } finally {
    signal?.removeEventListener("abort", stop);
    stop.done();
    rmSync(unitPaths.process(folder), { force: true });
    rmSync(temporary, { recursive: true, force: true });
    rmSync(join(folder, "tmp"), { recursive: true, force: true });
  }
}

/**
 * A link to a folder, where a name of a socket in it is not too long (108 bytes): processes of a loader
 * talk by such sockets, and would wait for ever. Whoever is killed leaves no more than the link.
 */
function shortName(folder: string): string {
  const link = join(tmpdir(), `afterlog-${randomBytes(4).toString("hex")}`);
  try {
    symlinkSync(folder, link);
    return link;
  } catch {
    return folder;
  }
}

/** What its process writes. Orders, and who works on it, are not its own to change. */
function writableParts(folder: string): string[] {
  return [unitPaths.out(folder), unitPaths.outside(folder), join(folder, "tmp")];
}

function prepareUnitFolder({ folder, orders, tree: { mirror, root } }: UnitOptions): void {
  // A unit may be executed a second time.
  for (const part of writableParts(folder)) {
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
  }
  const tree = mirror === undefined ? {} : { tree: { mirror, root } };
  const whole: Orders = { ...orders, ...tree, out: unitPaths.out(folder) };
  writeFileSync(unitPaths.orders(folder), JSON.stringify(whole));
}

function startProgram(options: UnitOptions, temporary: string): ChildProcess {
  const { tree, manifest, folder } = options;
  const program = join(tree.root, manifest.program);
  const directive: Directive = {
    v: 1,
    mode: "replay",
    root: tree.root,
    store: options.store,
    program,
    name: null,
    seed: manifest.seed,
    overhead: null,
    persist: null,
    ...modeOf(manifest),
    live: true,
    terminal: { stdout: null, stderr: null },
    orders: unitPaths.orders(folder),
  };
  const env = withoutOurVariables(options.env ?? ownEnvironment);
  const started = languageOf(program).start(program, {
    env,
    python: interpreterOfRun(manifest.interpreter, env).command,
    hashSeed: manifest.hashSeed ?? undefined,
  });
  const streams = [unitPaths.stdout(folder), unitPaths.stderr(folder)].map((file) =>
    openSync(file, "w"),
  );
  const cwd = workingFolder(options);
  const plain = {
    command: started.command,
    args: [...started.args, ...manifest.argv],
    env: {
      ...started.env,
      TMPDIR: temporary,
      [DIRECTIVE_VARIABLE]: JSON.stringify(directive),
    },
  };
  const writable = [tree.mirror ?? tree.root, ...writableParts(folder)];
  const chosen = options.apart === true ? sandboxed(plain, { cwd, writable }) : plain;
  try {
    return spawn(chosen.command, chosen.args, {
      cwd,
      env: chosen.env,
      stdio: ["ignore", ...streams, "pipe"],
      // A group of its own: a signal reaches what it started too, and Ctrl-C not before us.
      detached: true,
    });
  } finally {
    for (const fd of streams) closeSync(fd);
  }
}

function workingFolder({ tree }: UnitOptions): string {
  const chosen = tree.cwd ?? tree.root;
  // An empty folder is in no version.
  mkdirSync(chosen, { recursive: true });
  return chosen;
}

/** Settings of a recording are not those of a replay. */
function withoutOurVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("AFTERLOG_")));
}

/** Asks the group to end, and ends it if it does not. */
function groupStopper(child: ChildProcess): (() => void) & { done: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    signalGroup(child.pid, "SIGINT");
    timer = setTimeout(() => signalGroup(child.pid, "SIGKILL"), GRACE_MS);
  };
  return Object.assign(stop, { done: () => clearTimeout(timer) });
}

/** Sends a signal to a process and all that it started. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    sendSignal(-pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

function noteProcess(folder: string, { pid }: ChildProcess): void {
  if (pid === undefined) return;
  const pidStart = processStart(pid);
  writeFileSync(unitPaths.process(folder), JSON.stringify({ pid, pidStart }));
}

/** Ends the process that a replayer which is gone left working on a unit. */
export function endLeftover(folder: string): void {
  const left = readJson(unitPaths.process(folder)) as
    | { readonly pid?: unknown; readonly pidStart?: unknown }
    | undefined;
  if (typeof left?.pid !== "number") return;
  // Another process may have the number by now.
  const isSame = left.pidStart !== null && processStart(left.pid) === left.pidStart;
  if (isSame) signalGroup(left.pid, "SIGKILL");
  rmSync(unitPaths.process(folder), { force: true });
}

function listenToStatus(child: ChildProcess, onStatus: UnitOptions["onStatus"]): void {
  const input = statusPipe(child);
  if (!input) return;
  createInterface({ input }).on("line", (line) => {
    try {
      onStatus?.(JSON.parse(line) as StatusLine);
    } catch {
      // Any process of the program can write here: what is none of ours is passed over.
    }
  });
}

/** Undefined where there was not even a descriptor left for it. */
function statusPipe(child: ChildProcess): Readable | undefined {
  const all: readonly unknown[] | undefined = child.stdio;
  return all?.[STATUS_FD] as Readable | undefined;
}

/** Does not wait for the pipe: a process that the program left behind may hold it for hours. */
async function processEnded(
  child: ChildProcess,
): Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }> {
  const exit = await new Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>(
    (done, failed) => {
      child.once("error", failed);
      child.once("exit", (exitCode, signal) => done({ exitCode, signal }));
    },
  );
  // What it left behind would go on writing into a tree that is removed.
  signalGroup(child.pid, "SIGKILL");
  statusPipe(child)?.destroy();
  return exit;
}

const KINDS: ReadonlySet<unknown> = new Set(["done", "failed", "diverged", "insufficient"]);

/** What the process said of itself; null if it said nothing that can be read. */
export function readOutcome(folder: string): ReplayOutcome | null {
  const outcome = readJson(runPaths.outcome(unitPaths.out(folder))) as
    | Partial<ReplayOutcome>
    | undefined;
  if (!KINDS.has(outcome?.kind) || typeof outcome?.why !== "string") return null;
  return outcome as ReplayOutcome;
}

/** Removes what the process wrote, when its values stand elsewhere; its output stays. */
export function clearUnit(folder: string): void {
  for (const part of ["out", "outside", "sealed", "announced"]) {
    rmSync(join(folder, part), { recursive: true, force: true });
  }
}

/** What the process was told; undefined if none was started. */
export function readOrders(folder: string): Orders | undefined {
  return readJson(unitPaths.orders(folder)) as Orders | undefined;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** The end of what may be gigabytes. */
function readTail(file: string): string {
  const fd = openSync(file, "r");
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(fd, bytes, 0, bytes.byteLength, size - bytes.byteLength);
    return bytes.toString();
  } finally {
    closeSync(fd);
  }
}

function countOutside(folder: string): UnitResult["outside"] {
  const outside = unitPaths.outside(folder);
  if (!existsSync(outside)) return undefined;
  const files = readdirSync(outside, { recursive: true, withFileTypes: true }).filter((entry) => {
    return entry.isFile();
  });
  const sizes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return files.length === 0 ? undefined : { files: files.length, bytes };
}

/** The tree lies deep in its mirror: who reads of a file in it wants to know its place in the project. */
function withShortNames(text: string, { root, mirror = root }: UnitOptions["tree"]): string {
  return text.replaceAll(root + sep, mirror + sep);
}

/** Longest error that stands in a sentence. */
const ERROR_MAX = 120;

/** What a program said that it ended with, if it did. */
export function thrownError(stderr: string): string | undefined {
  const lines = stderr.split("\n");
  const thrown = lines.findLast((line) => /^(?:Uncaught )?\w*Error\b.*: /.test(line))?.trim();
  if (thrown === undefined || thrown.length <= ERROR_MAX) return thrown;
  return `${thrown.slice(0, ERROR_MAX - 1)}…`;
}
