/**
 * @file `run.json`: what a run is. Written when it begins, again when it ends.
 *
 * It ends with its own SHA-256, taken over the file with the 64 digits set to `0`: any language
 * can check it without agreeing on a canonical JSON.
 */
import { createHash } from "node:crypto";
import type { SourcePlace } from "./directive.ts";
import { AfterlogError } from "./errors.ts";

export type RunStatus = "recording" | "done" | "failed" | "interrupted";

export interface TurnedOff {
  readonly feature: string;
  readonly why: string;
}

/** A variable that changed in a loop although no checkpoint of it holds the variable. */
export interface AuditFinding {
  /** Where the loop stands. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly loop: string;
  /** `file:scope:name`, as a captured place has it. */
  readonly key: string;
  readonly name: string;
  /** The earlier run that found it; absent: this one. */
  readonly run?: string;
}

/** What recording cost. Times in milliseconds of the training thread. */
export interface Overhead {
  /** Largest share of training time that recording may cost; null: no limit. */
  readonly budget: number | null;
  /**
   * What it did cost, as a share of the run less this cost: processor time of all threads, but for the
   * start (`setupMs`).
   */
  readonly share: number;
  readonly checkpoints: number;
  readonly bytes: number;
  readonly captureMs: number;
  readonly snapshotMs: number;
  readonly waitMs: number;
  readonly slowdownMs: number;
  readonly logMs: number;
  /**
   * Hashing the files that the program reads and writes, and the audit of changesets; of a Python
   * program also what is done where loops begin, iterate and end.
   */
  readonly otherMs: number;
  /**
   * Whatever the budget says, because it is always done: walking what is declared, the ends of
   * outermost loops, and (`endMs`) waiting at exit until all is durable.
   */
  readonly outermostMs: number;
  readonly endMs: number;
  /**
   * Before the program ran: version, manifest, thread; at its first loop: which sources it has. Of a Python program
   * what that took the processor, with the loading of the SDK and the command that started it.
   */
  readonly setupMs: number;
  readonly runMs: number;
  /** Processor time of what is done beside the program's thread, and of the whole process; absent in older runs. */
  readonly besideMs?: number;
  readonly processorMs?: number;
  /** What rewritten code took longer by itself until loops were given up; null: not measured; absent: none was. */
  readonly rewrittenMs?: number | null;
}

/** A loop that is in the source and not in the record. */
export interface LoopLeftAlone extends SourcePlace {
  readonly why: string;
}

export interface VersionReference {
  /** The commit that keeps the source tree. */
  readonly commit: string;
  readonly ref: string;
  /** HEAD at the time, or null in a repository without commits. */
  readonly head: string | null;
  readonly branch: string | null;
  /** Files that differ from HEAD. */
  readonly dirty: number;
  /** The project inside the repository: `.`, or the sub-folder. */
  readonly folder: string;
  /** Kept in `.afterlog/git`, because the project is in no repository. */
  readonly private: boolean;
  /** Files known by hash only, named from the repository's top. */
  readonly large: readonly {
    readonly file: string;
    readonly bytes: number;
    readonly sha256: string;
  }[];
  /** Untracked files that look like secrets, and what they look like; absent: none. */
  readonly leftOut?: readonly { readonly file: string; readonly what: string }[];
  readonly warnings: readonly string[];
}

/**
 * What the name of a loop means in a question about a run that is recorded now. 0: the index of the
 * iteration. 1: the loop's own value, where an iteration has a number or a text, else the index;
 * `epoch#` is the index. 2: besides, loops that share a name are told apart by their functions
 * (`train.i`), and may be asked for by the name that they share. 3: in Python a loop whose variable is an
 * attribute is called what that is (`for self.epoch in …`: `epoch`), not what its object is (`self`). 4: in
 * JavaScript a loop in which its function calls itself is none of its own.
 */
export const LOOP_RULES = 4;

/** Since these rules a loop in which its function calls itself is left as it is. */
export const LOOPS_NOT_INSIDE_THEMSELVES = 4;

/** Since these rules a hands-free loop that shares its name is named with its function; before, by a number. */
export const LOOPS_BY_FUNCTION = 2;

/** Since these rules the name of a loop is its own value. */
const LOOPS_BY_VALUE = 1;

/** The machine and the process that recorded. */
export interface RecordedHost {
  readonly name: string;
  readonly platform: string;
  readonly arch: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly bootId: string | null;
  readonly pid: number;
  /** Start time of the process, so that a reused pid is not taken for it. */
  readonly pidStart: string | null;
  /** Name of the GPU that the program has used; absent: none, or nobody knows. */
  readonly gpu?: string;
}

/** A machine as costs are learned for it: the same without its GPU is another one. */
export function machineOf({ name, gpu }: Pick<RecordedHost, "name" | "gpu">): string {
  return gpu === undefined ? name : `${name} ${gpu}`;
}

export interface Manifest {
  readonly format: 1;
  readonly run: string;
  readonly name: string | null;
  readonly kind: "record" | "replay" | "fork";
  readonly parent: string | null;
  readonly directive: unknown;
  readonly project: string;
  readonly program: string;
  readonly language: string;
  readonly argv: readonly string[];
  /** Folder in which the program was started, relative to the project's root. */
  readonly cwd?: string;
  /** The interpreter that executed the program; absent for Node. */
  readonly interpreter?: string;
  /** The module as which Python was told to run it (`python -m`); absent: a file. */
  readonly module?: string;
  /** What the hashes of texts began with (`PYTHONHASHSEED`); null or absent: not known. */
  readonly hashSeed?: string | null;
  /** How many processes trained together, this being the first; absent: one, without `RANK`. */
  readonly ranks?: number;
  /** ISO time of the wall clock. */
  readonly started: string;
  readonly ended: string | null;
  /** When it was continued after an interruption; absent: never. */
  readonly resumed?: readonly string[];
  /** Runs are ordered by this: the wall clock in ms, but always above every run before. */
  readonly order: number;
  readonly status: RunStatus;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly host: RecordedHost;
  readonly versions: Readonly<{ [name: string]: string }>;
  readonly version: VersionReference | null;
  /** By which rules loops are asked for ({@link LOOP_RULES}); absent: 0. */
  readonly loopRules?: number;
  /** Recorded hands-free: plain loops are loops, `console.log` logs. Absent: false. */
  readonly handsFree?: boolean;
  /** The user's own rule for what is printed, a regular expression; absent: none. */
  readonly consoleRule?: string;
  /** Libraries whose own loops are loops of the run, each with a version; absent: none. */
  readonly libraries?: readonly string[];
  readonly rewriter: {
    readonly version: number | null;
    readonly rewritten: boolean;
    readonly captureMap: string | null;
    /** Loops of a hands-free program that could not be recorded, and why; absent: none. */
    readonly leftAlone?: readonly LoopLeftAlone[];
  };
  readonly seed: string;
  readonly generator: string;
  /** SHA-256 of each project source that the run loaded. */
  readonly sources: Readonly<{ [file: string]: string }>;
  /** Hashes of the environment variables that the sources name; absent in older runs. */
  readonly environment?: Readonly<{ [name: string]: string }>;
  /** What the audit found, in this run or an earlier one; absent: nothing. */
  readonly audit?: readonly AuditFinding[];
  readonly off: readonly TurnedOff[];
  readonly warnings: readonly string[];
  readonly overhead: Overhead | null;
}

/** How the program of a run is to be understood. */
export interface RunMode {
  /** It knows nothing of Afterlog: plain loops are loops, and `console.log` logs. */
  readonly handsFree: boolean;
  /** The user's own rule for what is printed. */
  readonly consoleRule?: string;
  /** Libraries whose own loops are loops of the run. */
  readonly libraries?: readonly string[];
  /** The module as which it was started: `python -m pkg.train`. */
  readonly module?: string;
  /** By which rules its loops are named ({@link LOOP_RULES}); absent: 0. */
  readonly loopRules?: number;
}

/** The mode of a run; those of before hands-free were not. */
export function modeOf(
  manifest: Pick<Manifest, "handsFree" | "consoleRule" | "libraries" | "module" | "loopRules">,
): RunMode {
  const { handsFree = false, consoleRule, libraries, module, loopRules } = manifest;
  return {
    handsFree,
    ...(consoleRule === undefined ? {} : { consoleRule }),
    ...(libraries === undefined ? {} : { libraries }),
    ...(module === undefined ? {} : { module }),
    ...(handsFree && loopRules !== undefined ? { loopRules } : {}),
  };
}

/**
 * The rules of a new run. Its program may repeat an older run to fork it: then its loops have the names
 * that they had there.
 */
export function loopRulesOf(directive: Partial<RunMode> | undefined): number {
  if (directive?.handsFree !== true) return LOOP_RULES;
  return Math.max(LOOPS_BY_VALUE, directive.loopRules ?? 0);
}

/** Why no single process can do again what a run did; undefined if one can. */
export function whyNotAlone({ ranks = 1 }: Pick<Manifest, "ranks">): string | undefined {
  return ranks > 1 ? `it was one of ${ranks} processes that trained together` : undefined;
}

const DIGEST_FIELD = '"sha256": "';
const ZEROS = "0".repeat(64);

/** The text of `run.json`. */
export function manifestToJson(manifest: Manifest): string {
  const text = `${JSON.stringify({ ...manifest, sha256: ZEROS }, undefined, 2)}\n`;
  return text.replace(`${DIGEST_FIELD}${ZEROS}"`, `${DIGEST_FIELD}${sha256(text)}"`);
}

/** Reads `run.json`; throws AL040 if it is damaged and AL041 if it is of a later format. */
export function manifestFromJson(text: string, file: string): Manifest {
  const at = text.lastIndexOf(DIGEST_FIELD);
  const from = at + DIGEST_FIELD.length;
  const digest = text.slice(from, from + 64);
  const zeroed = text.slice(0, from) + ZEROS + text.slice(from + 64);
  if (at < 0 || sha256(zeroed) !== digest) {
    throw new AfterlogError("AL040", `${file} is damaged: its checksum does not match`, {
      help: ["the run's log can still be read: the run is listed as damaged"],
      data: { file },
    });
  }
  const manifest = JSON.parse(text) as Manifest & { format: number };
  if (manifest.format !== 1) throw newerFormat(file, manifest.format);
  return manifest;
}

/** The error for a file of a later format. */
export function newerFormat(file: string, version: unknown): AfterlogError {
  return new AfterlogError("AL041", `${file} has format version ${String(version)}; this is 1`, {
    help: ["install a newer afterlog:  npm install afterlog@latest"],
    data: { file, version },
  });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
