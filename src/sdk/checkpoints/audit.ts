/**
 * @file The audit of changesets at record time: variables that a loop only reads, as far as the
 * analysis can tell, are looked at when the loop is entered and again where it is checkpointed. One
 * that has changed meanwhile is in no checkpoint, so its loop is never skipped (Flor §3.3 leaves such
 * changes to the deferred check of the replay, which stays as the second net).
 */
import { Fingerprints } from "../../adapters/index.ts";
import type { AuditFinding } from "../../format/index.ts";
import { listRunIds, readManifest, storePaths } from "../../store/index.ts";
import type { LentName, LoopContext } from "../loops/instrument.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { RunParts } from "../run-parts.ts";

/** A variable that takes longer than this to look at, each of the first times, is left out then. */
const NAME_MS_MAX = 0.2;
const LOOKS_FREE = 3;
/** One that takes this long once is left out at once. */
const LOOK_MS_MAX = 20;

/** What stands for the generator, if the program, or a package, put another one in its place. */
const GENERATOR: LentName = ["Math.random", "Math.random", () => undefined];

/** Earlier runs that are looked at; the ids of runs begin with the program and the time. */
const RUNS_MAX = 8;

export interface AuditOptions {
  /** What earlier runs of the program found. */
  readonly known: readonly AuditFinding[];
  /** There is one more. */
  readonly found: () => void;
}

/** A variable and what it was at entry of the loop. */
export interface Seen {
  readonly lent: LentName;
  readonly at: number;
}

/** How long it took to look at a variable. */
interface Looks {
  count: number;
  bestMs: number;
  over: boolean;
}

export class Audit {
  readonly #parts: RunParts;
  readonly #options: AuditOptions;
  readonly #fingerprints: Fingerprints;
  readonly #found = new Set<string>();
  readonly #findings: AuditFinding[];
  /** Keys of what the loops that were entered only read, by loop. */
  readonly #read = new Map<string, ReadonlySet<string>>();
  readonly #looks = new Map<string, Looks>();
  #lookMs = 0;

  constructor(parts: RunParts, options: AuditOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#fingerprints = new Fingerprints(parts.captured.classes);
    this.#findings = [...options.known];
    for (const finding of options.known) this.#found.add(lentVariableId(finding));
  }

  /** All that earlier runs and this one found; what the checkpoints hold by now is left out. */
  get findings(): readonly AuditFinding[] {
    return this.#findings.filter(({ file, loop, key }) => {
      return this.#read.get(`${file}\n${loop}`)?.has(key) ?? true;
    });
  }

  /** The same in words for the user. */
  get warnings(): string[] {
    return this.findings.map(({ file, line, name, run }) => {
      const when =
        run === undefined ? "changes inside the loop" : `changed inside the loop in ${run}`;
      return `${file}:${line} \`${name}\` ${when} but was not captured: replays execute the loop`;
    });
  }

  /** A loop that may be checkpointed is entered. */
  entered(frame: LoopFrame): void {
    const { context } = frame;
    if (!context) return;
    const { reads } = context;
    const replaced = !frame.parent && this.#parts.random.isReplaced ? [GENERATOR] : [];
    const looked = [...reads, ...replaced].map(([key]) => key);
    this.#read.set(loopOf(context, frame), new Set(looked));
    for (const lent of replaced) this.#report(context, frame, lent);
    if (reads.length === 0 || (frame.parent && !this.#affords())) return;
    const started = performance.now();
    frame.seen = reads.flatMap((lent): Seen[] => {
      const at = this.#look(lent);
      return at === undefined ? [] : [{ lent, at }];
    });
    this.#book(started);
  }

  /** The loop is being checkpointed. `always`: whatever the budget says. */
  compare(frame: LoopFrame, always: boolean): void {
    const { seen, context } = frame;
    if (!seen || !context || !(always || this.#affords())) return;
    const started = performance.now();
    const same = seen.filter(({ lent, at }) => {
      const now = this.#look(lent);
      if (now === undefined) return false;
      if (now !== at) this.#report(context, frame, lent);
      return now === at;
    });
    if (same.length < seen.length) frame.seen = same;
    this.#book(started);
  }

  #report({ file, site }: LoopContext, { name: loop }: LoopFrame, [key, name]: LentName): void {
    const [line, column] = site;
    const finding = { file, line, column, loop, key, name };
    if (this.#found.has(lentVariableId(finding))) return;
    this.#found.add(lentVariableId(finding));
    this.#findings.push(finding);
    this.#options.found();
  }

  /** Undefined: it cannot be found out, or not in time. */
  #look([key, , get]: LentName): number | undefined {
    const looks = this.#looks.get(key) ?? { count: 0, bestMs: Infinity, over: false };
    if (looks.over) return undefined;
    this.#looks.set(key, looks);
    const started = performance.now();
    try {
      return this.#fingerprints.of(get());
    } catch {
      // Not initialized yet, or a value that cannot be looked at.
      return undefined;
    } finally {
      // A look that somebody else's process interrupted says nothing: the quickest one does.
      const ms = performance.now() - started;
      looks.bestMs = Math.min(looks.bestMs, ms);
      looks.over = ms > LOOK_MS_MAX || (++looks.count >= LOOKS_FREE && looks.bestMs > NAME_MS_MAX);
    }
  }

  #affords(): boolean {
    return this.#parts.leftMs() > 2 * this.#lookMs;
  }

  #book(started: number): void {
    this.#lookMs = performance.now() - started;
    this.#parts.ledger.otherMs += this.#lookMs;
  }
}

function lentVariableId({ file, loop, key }: AuditFinding): string {
  return `${file}\n${loop}\n${key}`;
}

function loopOf({ file }: LoopContext, { name }: LoopFrame): string {
  return `${file}\n${name}`;
}

/** What the newest earlier run of the program has found; empty if no such run can be read. */
export function previousFindings(
  store: string,
  { program, run }: { readonly program: string; readonly run: string },
): AuditFinding[] {
  const stem = stemOf(run);
  const before = listRunIds(store).filter((id) => stemOf(id) === stem && id !== run);
  for (const id of before.toSorted().toReversed().slice(0, RUNS_MAX)) {
    const findings = findingsOf(storePaths.run(store, id), program);
    if (findings) return findings;
  }
  return [];
}

/** `train-20261115-093000-x7q2` without what differs between runs of a program. */
function stemOf(run: string): string {
  return run.replace(/-\d{8}-\d{6}-\w{4}$/, "");
}

/** Undefined: it is not a run of this program. */
export function findingsOf(runFolder: string, program: string): AuditFinding[] | undefined {
  try {
    const manifest = readManifest(runFolder);
    if (manifest.program !== program || manifest.kind === "replay") return undefined;
    return (manifest.audit ?? []).map((finding) => ({ run: manifest.run, ...finding }));
  } catch {
    return undefined;
  }
}
