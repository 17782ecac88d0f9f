/**
 * @file A run while it records: ties the parts together, and keeps our failures from the training.
 */
import type { Place } from "../adapters/index.ts";
import { asTensor } from "../adapters/index.ts";
import type {
  CheckpointRecord,
  Libraries,
  LoopExit,
  LoopPath,
  Overhead,
  ReplayOutcome,
  RunStatus,
  TurnedOff,
} from "../format/index.ts";
import { describeError, formatPath, isAfterlogError } from "../format/index.ts";
import { Ledger, JOINT_INVARIANT_DEFAULTS } from "../materialize/index.ts";
import type { Feature, Materializer, MaterializerEvents, Retention } from "../materialize/index.ts";
import { replaceFile, runPaths } from "../store/index.ts";
import type { Aside } from "./aside.ts";
import { ProgramArguments } from "./arguments.ts";
import { Audit } from "./audit.ts";
import { CapturedState } from "./captured-state.ts";
import { Checkpointer } from "./checkpointer.ts";
import type { CheckpointerOptions } from "./checkpointer.ts";
import { Director } from "./director.ts";
import type { DirectorOptions, Move } from "./director.ts";
import { HandsFree } from "./hands-free.ts";
import { Instrument } from "./instrument.ts";
import type { Iterators } from "./iterators.ts";
import type { LoopFrame, LoopStatement } from "./loop-frame.ts";
import type { LoopSource } from "./loop-stack.ts";
import { LoopStack, round } from "./loop-stack.ts";
import { LogTimes } from "./log-times.ts";
import { encodeTensor } from "./logged-tensor.ts";
import type { SeededRandom } from "./random.ts";
import { framePath, Recorder } from "./recorder.ts";
import { overheadOf, overheadText } from "./overhead.ts";
import type { ResumeFacts } from "./resume-facts.ts";
import { RunManifest } from "./run-manifest.ts";
import type { RunManifestOptions } from "./run-manifest.ts";
import { Sites } from "./sites.ts";
import { Status } from "./status.ts";

export interface SessionOptions extends RunManifestOptions {
  readonly root: string;
  readonly argv: readonly string[];
  readonly overheadMax: number;
  readonly live: boolean;
  readonly random: SeededRandom;
  readonly setupMs: number;
  /** What a run that is continued has: checkpoint files by path, frequencies by block. */
  readonly before: Omit<CheckpointerOptions["before"], "declaration">;
  readonly retention: Retention;
  readonly makeMaterializer: (events: MaterializerEvents) => Materializer;
  readonly resources: () => readonly string[];
  /** Prints a line of ours on stderr. */
  readonly notice: (text: string) => void;
  /** What a replay or a fork is told; undefined for a run of its own. */
  readonly orders: Pick<DirectorOptions, "orders" | "mode" | "program"> | undefined;
  /** Where a run that is continued left off. */
  readonly resumes: ResumeFacts | undefined;
  /** Called when the run ends, before its log is sealed. */
  readonly beforeEnd: () => void;
}

export class Session {
  readonly random: SeededRandom;
  readonly sites: Sites;
  readonly recorder: Recorder;
  readonly instrument: Instrument;
  readonly director: Director | undefined;
  readonly #options: SessionOptions;
  readonly #materializer: Materializer;
  readonly #manifest: RunManifest;
  readonly #ledger: Ledger;
  readonly #logTimes: LogTimes;
  readonly #captured = new CapturedState();
  readonly #checkpointer: Checkpointer;
  readonly #audit: Audit;
  readonly #stack: LoopStack;
  readonly #handsFree: HandsFree;
  readonly #status: Status;
  readonly #arguments: ProgramArguments;
  readonly #originMs = performance.now();
  readonly #off: TurnedOff[];
  readonly #warnings: string[] = [];
  #checkpoints = 0;
  #checkpointBytes = 0;
  #argumentsChecked = false;
  #dead = false;
  /** How a replay ended, where that is known before the process ends. */
  #outcome: ReplayOutcome | undefined;
  /** Calls of `aside` under way, in the order in which they began: what they do is not of the run. */
  readonly asides: Aside[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.random = options.random;
    this.#manifest = new RunManifest(options);
    this.#off = [...options.manifest.off];
    const { run } = options.manifest;
    this.#materializer = options.makeMaterializer({
      committed: (record) => this.#committed(record),
      failed: (feature, why) => this.#failed(feature, why),
    });
    this.#ledger = new Ledger({ ...JOINT_INVARIANT_DEFAULTS, overheadMax: options.overheadMax });
    this.#logTimes = new LogTimes(this.#ledger);
    const { resumes } = options;
    const log = { run, continues: resumes?.lines };
    this.recorder = new Recorder(this.#materializer, this.#originMs, log);
    this.#status = new Status(run, options.live);
    const { version } = options.manifest;
    this.#status.begin(version?.commit ?? null, version?.dirty ?? 0);
    this.#arguments = new ProgramArguments(options.argv);
    this.sites = new Sites(options.root, (record) => this.recorder.site(record), resumes?.site);
    const parts = { materializer: this.#materializer, ledger: this.#ledger, random: this.random };
    this.#audit = new Audit({
      classes: this.#captured.classes,
      known: options.manifest.audit ?? [],
      ledger: this.#ledger,
      originMs: this.#originMs,
      found: () => this.#manifest.keepAudit(this.#audit.findings),
    });
    this.#checkpointer = new Checkpointer({
      ...parts,
      audit: this.#audit,
      captured: this.#captured,
      handsFree: options.manifest.handsFree === true,
      before: { declaration: resumes?.declaration ?? 0, ...options.before },
      retention: options.retention,
      profile: (record) => this.recorder.profile(record),
      originMs: this.#originMs,
      lastSeq: () => this.recorder.seq - 1,
      now: () => this.recorder.now(),
      turnedOff: (why) => this.turnOff("checkpoints", why),
      positions: (frame) => this.#stack.positions(frame),
      onTheWay: () => options.resumes !== undefined && this.director?.arrived === undefined,
      // As if the signal had come to the program itself: a handler of its own is called.
      stopped: () => process.kill(process.pid, "SIGTERM"),
      reached: (frame, path) => this.director?.reached(frame, path()),
    });
    const { recorder } = this;
    const checkpointer = this.#checkpointer;
    this.#stack = new LoopStack({
      ...parts,
      recorder,
      checkpointer,
      resources: options.resources,
      firstIterator: resumes?.iterator ?? 0,
      recordedIterator: (end) => this.#recordedIterator(end),
      moved: (frame, now) => this.#moved(frame, now),
    });
    this.#handsFree = new HandsFree(this, this.#stack);
    this.instrument = new Instrument({
      plain: (...loop) => this.#handsFree.at(...loop),
      classes: this.#captured.classes,
      opened: (file) => this.#captured.opened(file),
      bind: (accessor) => this.#captured.bind(accessor, this.#stack.top),
      save: () => this.#handsFree.save(),
      back: (saved) => this.#handsFree.back(saved),
    });
    this.director = options.orders && this.#makeDirector(options.orders);
    if (this.replaying) this.#checkpointer.turnOff();
    this.#resume();
  }

  /** A run that is continued gives what it did before the numbers that it had. */
  #recordedIterator(end: LoopPath): number | undefined {
    if (!this.#options.resumes || this.director?.arrived !== undefined) return undefined;
    return this.director?.recorded.entries.get(formatPath(end))?.iterator;
  }

  /** It repeats a run: it keeps nothing but its log, and a failure of ours is not hidden. */
  get replaying(): boolean {
    return this.#options.orders?.mode === "replay";
  }

  #makeDirector(given: NonNullable<SessionOptions["orders"]>): Director {
    return new Director({
      ...given,
      captured: this.#captured,
      dataset: (position, frame) => this.iterators.find(position, frame),
      generators: () => [this.random.state],
      compared: (path, differs) => {
        this.recorder.emit({ k: "state", path, equal: differs.length === 0, differs });
      },
      setGenerators: ([state]) => {
        if (state) this.random.state = state;
      },
      restored: (path, { file, stateBytes: bytes }, ms) => {
        this.recorder.emit({ k: "restore", path, file });
        this.recorder.profile({ k: "load", path, ms: round(ms), bytes });
      },
      finish: (outcome) => this.finish(outcome),
    });
  }

  /** Ends the process: a replay has done what it was told, or cannot do it. */
  finish(outcome: ReplayOutcome): never {
    this.#outcome ??= outcome;
    if (!this.replaying) this.#options.notice(`error: the run cannot be resumed: ${outcome.why}`);
    process.exit(outcome.kind === "done" ? 0 : 1);
  }

  get frame(): LoopFrame | undefined {
    return this.#stack.top;
  }

  get iterators(): Iterators {
    return this.#stack.iterators;
  }

  /** What a checkpoint at this point would hold. */
  get places(): Place[] {
    return this.#captured.places(this.#stack.top);
  }

  arg(name: string, fallback: unknown): unknown {
    const given = this.#arguments.take(name, fallback);
    const recorded = this.director?.recorded.args;
    const known = given === undefined && recorded?.has(name);
    const value = known ? recorded?.get(name) : given === undefined ? fallback : given;
    const from = known ? "recorded" : given === undefined ? "default" : "argv";
    this.#safely(() => this.recorder.arg(name, value, fallback, from));
    return value;
  }

  log(name: string, value: unknown, callee: (...args: never[]) => unknown): void {
    if (this.#dead) return;
    const isNumber = typeof value === "number";
    const startedAt = this.#logTimes.begin(isNumber);
    const frame = this.#stack.top;
    try {
      const { isProbing } = this.#handsFree;
      // A name that old and new statements log is known by a place of each.
      const known = isProbing ? `${name}\nprobe` : name;
      const site = this.sites.find("log", known, frame?.site ?? null, callee);
      this.recorder.log(frame, { name, site, value, isProbing }, this.#encodeOther);
    } catch (error) {
      this.#die(error);
    }
    if (isNumber) this.#status.metric(name, value);
    const { retention } = this.#options;
    if (isNumber && name === retention.watched) retention.observe(value, () => framePath(frame));
    if (this.#logTimes.end(startedAt) && this.frame) this.#moved(this.frame);
  }

  /** Books time of the training thread that went into recording. */
  spend(ms: number): void {
    this.#ledger.otherMs += ms;
  }

  readonly #encodeOther = (value: object): string | undefined => {
    const tensor = asTensor(value);
    return tensor && encodeTensor(tensor, (bytes) => this.#materializer.value(bytes));
  };

  /** Declares a record; answers its ordinal. */
  declare(record: { [field: string]: unknown }, site: number | null): number | undefined {
    return this.#safely(() => {
      const path = framePath(this.#stack.top);
      const known = this.director?.declarationOrdinal(path);
      const ordinal = this.#checkpointer.declare(record, this.#stack.top, site, known);
      this.recorder.emit({ k: "declare", ordinal, path, site, fields: Object.keys(record) });
      return ordinal;
    });
  }

  /** What the project says of the packages that it uses. */
  describe({ libraries, problems }: Libraries): void {
    const { saving } = this.#captured.classes;
    for (const { classes } of libraries) for (const [name, how] of classes) saving.set(name, how);
    if (!this.replaying) for (const problem of problems) this.warn(problem);
  }

  undeclare(ordinal: number): void {
    this.#captured.undeclare(ordinal);
  }

  /** The frame of the loop; undefined once recording has failed: the loop then runs unrecorded. */
  enter(statement: LoopStatement, source: LoopSource): LoopFrame | undefined {
    return this.#safely(() => {
      if (!this.#argumentsChecked) this.#begin();
      const frame = this.#stack.enter(statement, source);
      this.director?.entered(frame);
      return frame;
    });
  }

  /** What a replayed loop does before it asks its iterator for an item. */
  before(frame: LoopFrame): Move | undefined {
    if (frame.outOfUse) return undefined;
    return this.director && this.#safely(() => this.director?.before(frame));
  }

  /** The loop has been taken to another iteration: what it drew on the way is not its own. */
  arrived(frame: LoopFrame): void {
    frame.drawsSeen = this.random.draws;
    this.#resume();
  }

  /** A run that is continued has come to where it goes on: from here on it records again. */
  #resume(): void {
    const from = this.#options.resumes && this.director?.arrived;
    if (from === undefined) return;
    this.recorder.resume(from ?? { path: [], seq: -1, t: 0 });
  }

  /** The iterator of a replayed loop has fewer items than it had. */
  tooShort(frame: LoopFrame, items: number): never {
    const why = `the iterator of loop "${frame.name}" ended after ${items} items`;
    return this.finish({ kind: "diverged", why, path: framePath(frame) });
  }

  endBody(frame: LoopFrame): void {
    this.#inTurn(frame, () => this.#stack.endBody(frame));
  }

  beginBody(frame: LoopFrame, item: unknown, nextStartedAt: number): void {
    this.#inTurn(frame, () => this.#stack.beginBody(frame, item, nextStartedAt));
  }

  /** How many iterations of the loop may go by before it asks again. */
  mayPass(frame: LoopFrame): number {
    return Math.min(this.#stack.mayPass(frame), this.director?.mayPass(frame) ?? Infinity);
  }

  leave(frame: LoopFrame): void {
    this.#inTurn(frame, () => this.#stack.leave(frame));
  }

  exit(frame: LoopFrame, how: LoopExit): void {
    this.#inTurn(frame, () => {
      this.#stack.exit(frame, how);
      this.director?.exited(frame, how);
      this.#resume();
    });
  }

  /** Puts a feature of ours out of action: said once, and written into the manifest. */
  turnOff(feature: string, why: string): void {
    if (this.noteOff(feature, why)) this.warn(`${feature} turned off: ${why}`);
  }

  /** Writes it into the log and the manifest, and says nothing. False if it was off already. */
  noteOff(feature: string, why: string): boolean {
    if (this.#off.some((known) => known.feature === feature)) return false;
    this.#off.push({ feature, why });
    this.recorder.emit({ k: "off", feature, why });
    return true;
  }

  warn(text: string): void {
    this.#warnings.push(text);
    this.#options.notice(`warning: ${text}`);
  }

  /** Ends the run: waits for what is being written, seals the log, completes the manifest. */
  end(exitCode: number): void {
    const status: RunStatus = exitCode === 0 ? "done" : "failed";
    const runMs = performance.now() - this.#originMs;
    if (!this.#argumentsChecked) this.#checkArguments();
    this.#safely(() => this.#options.beforeEnd());
    this.#stack.flushTimes();
    this.#checkpointer.finish();
    const { outermostEndedAt } = this.#stack;
    if (outermostEndedAt !== undefined) {
      this.recorder.profile({ k: "suffix", ms: round(performance.now() - outermostEndedAt) });
    }
    const { watched, isBlind } = this.#options.retention;
    if (isBlind && !this.replaying)
      this.warn(`nothing logged ${watched}: every checkpoint is kept`);
    if (!this.replaying) for (const text of this.#audit.warnings) this.warn(text);
    const waitFrom = performance.now();
    this.#materializer.settle();
    // Other listeners for the exit may still log: too late, the log is sealed.
    this.#dead = true;
    this.#materializer.finish(status, () => this.recorder.lines);
    const overhead = overheadOf(this.#ledger, {
      checkpoints: this.#checkpoints,
      bytes: this.#checkpointBytes,
      endMs: performance.now() - waitFrom,
      setupMs: this.#options.setupMs + this.#manifest.keptMs,
      runMs,
    });
    this.#writeManifest(status, exitCode, overhead);
    if (this.replaying) this.#writeOutcome(exitCode);
    const loops = Object.fromEntries(this.#stack.iterations);
    this.#status.end({ status, overhead, hints: this.#hints(), loops });
    const { live, manifest, notice } = this.#options;
    if (!live && !this.replaying) notice(overheadText(manifest.run, overhead));
  }

  #writeOutcome(exitCode: number): void {
    const done = { kind: "done", why: "the program ended", path: [] } as const;
    const failed = { kind: "failed", why: `exit code ${exitCode}`, path: [] } as const;
    const ended = exitCode === 0 ? (this.director?.suspected ?? done) : failed;
    const hints = this.director?.hints ?? [];
    const outcome = { ...(this.#outcome ?? ended), ...(hints.length > 0 ? { hints } : {}) };
    replaceFile(runPaths.outcome(this.#options.runFolder), `${JSON.stringify(outcome)}\n`);
  }

  #writeManifest(status: RunStatus, exitCode: number, overhead: Overhead): void {
    const warnings = [...this.#options.manifest.warnings, ...this.#warnings];
    const rewriter = this.instrument.facts();
    const { runMs } = overhead;
    try {
      const off = this.#off;
      const audit = this.#audit.findings;
      const end = { status, exitCode, rewriter, audit, off, warnings, overhead, runMs };
      this.#manifest.complete(end);
    } catch (error) {
      this.#options.notice(`warning: run.json could not be completed: ${describeError(error)}`);
    }
  }

  #hints(): string[] {
    const { handsFree } = this.#options.manifest;
    if (!this.#checkpointer.missedDeclaration || handsFree === true) return [];
    return ["no checkpoints: declare what the loops change with al.checkpointing({ … })"];
  }

  #moved(frame: LoopFrame, now = performance.now()): void {
    if (!this.#status.due(now)) return;
    const loops = [];
    for (let at: LoopFrame | undefined = frame; at; at = at.parent) {
      const { name, index, length = null, enteredAt } = at;
      loops.unshift({ loop: name, index, length, ms: round(now - enteredAt) });
    }
    this.#status.live(loops);
    if (this.replaying && this.#status.alone) {
      // The replayer was killed: it keeps what is here when it goes on.
      this.finish({ kind: "failed", why: "nobody waits for it any more", path: framePath(frame) });
    }
  }

  /** The first loop is entered: what the program consists of has been loaded. */
  #begin(): void {
    this.#checkArguments();
    if (!this.replaying) this.#manifest.keepSources();
  }

  #checkArguments(): void {
    this.#argumentsChecked = true;
    // A program that does not ask us for them takes them itself.
    if (this.#options.manifest.handsFree === true) return;
    for (const warning of this.#arguments.warnings()) this.warn(warning);
  }

  #committed(record: CheckpointRecord): void {
    this.#checkpoints++;
    this.#checkpointBytes += record.bytes;
    this.#checkpointer.committed(record, this.#stack.top);
  }

  #failed(feature: Feature, why: string): void {
    if (feature === "checkpoints" || feature === "log") this.#checkpointer.turnOff();
    this.turnOff(feature, why);
    // Its consequence, not another failure: kept, but not said again.
    if (feature === "log") this.noteOff("checkpoints", "the log cannot be written");
  }

  /** Errors of use (a code, a help line) reach the program; errors of ours must not. */
  #safely<T>(work: () => T): T | undefined {
    if (this.#dead) return undefined;
    try {
      return work();
    } catch (error) {
      if (isAfterlogError(error)) throw error;
      this.#die(error);
      return undefined;
    }
  }

  /** A loop that runs at the same time as another is an error of use, if its program knows us. */
  #inTurn(frame: LoopFrame, work: () => void): void {
    if (frame.outOfUse) return;
    this.#handsFree.wentOn();
    try {
      this.#safely(work);
    } catch (error) {
      if (!this.#handsFree.retire(frame)) throw error;
    }
  }

  /** Something of ours is broken: nothing more is recorded, and the training goes on. */
  #die(error: unknown): void {
    if (this.replaying) {
      this.finish({ kind: "insufficient", why: describeError(error), path: framePath(this.frame) });
    }
    this.#dead = true;
    this.turnOff("recording", describeError(error));
  }
}
