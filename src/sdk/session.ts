/**
 * @file A run while it records: puts its parts together, keeps our failures from the training, and
 * ends the run. What happens in loops is reported to observers (`loop-observer.ts`).
 */
import type { Overhead, ReplayOutcome, RunStatus, TurnedOff } from "../format/index.ts";
import { describeError, isAfterlogError, logNameProblem } from "../format/index.ts";
import { Ledger } from "../materialize/index.ts";
import type { Feature, Materializer, MaterializerEvents, Retention } from "../materialize/index.ts";
import { replaceFile, runPaths } from "../store/index.ts";
import type { Aside } from "./aside.ts";
import { ProgramArguments } from "./arguments.ts";
import { Audit } from "./checkpoints/audit.ts";
import { CapturedState } from "./checkpoints/captured-state.ts";
import { Checkpointer } from "./checkpoints/checkpointer.ts";
import type { CheckpointerOptions } from "./checkpoints/checkpointer.ts";
import type { RestoreRates } from "./checkpoints/restore-rates.ts";
import { Director } from "./replay/director.ts";
import type { DirectorOptions } from "./replay/director.ts";
import { LoopSelector } from "./loops/loop-selector.ts";
import { UnseenCalls } from "./log/unseen-calls.ts";
import { Instrument } from "./loops/instrument.ts";
import { Iterators } from "./loops/iterators.ts";
import type { LoopFrame, LoopStatement } from "./loops/loop-frame.ts";
import type { LoopObserver, LoopSource } from "./loops/loop-observer.ts";
import { CallResults } from "./log/call-results.ts";
import { LoopProfile } from "./log/loop-profile.ts";
import { LoopRecords } from "./log/loop-records.ts";
import { LoopStack } from "./loops/loop-stack.ts";
import { ValueLog } from "./log/value-log.ts";
import type { SeededRandom } from "./random.ts";
import { framePath, Recorder } from "./log/recorder.ts";
import { RewrittenCost } from "./loops/rewritten-cost.ts";
import { givenUpHint, overheadOf, overheadText, RECORDING, stoppedHint } from "./overhead.ts";
import { RunTime } from "./run-time.ts";
import type { ResumeFacts } from "./replay/resume-facts.ts";
import { RunManifest } from "./run-manifest.ts";
import type { RunManifestOptions } from "./run-manifest.ts";
import type { RunParts } from "./run-parts.ts";
import { Sites } from "./log/sites.ts";
import { Status } from "./live-status.ts";

export interface SessionOptions extends RunManifestOptions {
  readonly root: string;
  readonly argv: readonly string[];
  readonly overheadMax: number;
  readonly live: boolean;
  readonly random: SeededRandom;
  readonly setupMs: number;
  /** What a run that is continued has: checkpoint files by path, frequencies by block, ends. */
  readonly before: Omit<CheckpointerOptions["before"], "declaration">;
  readonly retention: Retention;
  /** What restoring costs beside materializing. */
  readonly rates: RestoreRates;
  readonly makeMaterializer: (events: MaterializerEvents) => Materializer;
  readonly resources: () => readonly string[];
  /** Prints a line of ours on stderr. */
  readonly notice: (text: string) => void;
  /** The orders of a replay or a fork; undefined for a run of its own. */
  readonly orders: Pick<DirectorOptions, "orders" | "mode" | "program"> | undefined;
  /** Where a run that is continued left off. */
  readonly resumes: ResumeFacts | undefined;
  /** Called when the run ends, before its log is sealed. */
  readonly beforeEnd: () => void;
}

export class Session {
  readonly sites: Sites;
  readonly instrument: Instrument;
  readonly director: Director | undefined;
  readonly loops: LoopStack;
  readonly callResults: CallResults;
  readonly #options: SessionOptions;
  readonly parts: RunParts;
  readonly #manifest: RunManifest;
  readonly #checkpointer: Checkpointer;
  readonly #audit: Audit;
  readonly #profile: LoopProfile;
  readonly #unseenCalls: UnseenCalls;
  readonly #rewrittenCost: RewrittenCost;
  readonly #values: ValueLog;
  readonly #loopSelector: LoopSelector;
  readonly #status: Status;
  readonly #arguments: ProgramArguments;
  readonly #off: TurnedOff[];
  readonly #warnings: string[] = [];
  /** Those that were looked at. */
  readonly #logNames = new Set<unknown>();
  readonly #givenUp: string[] = [];
  #argumentsChecked = false;
  #dead = false;
  /** How a replay ended, where that is known before the process ends. */
  #outcome: ReplayOutcome | undefined;
  /** Calls of `aside` under way, in the order in which they began: what they do is not of the run. */
  readonly asides: Aside[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    const { manifest, resumes, orders } = options;
    const { run, version, handsFree } = manifest;
    this.#manifest = new RunManifest(options);
    this.#off = [...manifest.off];
    this.parts = this.#makeParts();
    this.#status = new Status({ run, live: options.live, abandoned: (at) => this.#abandoned(at) });
    this.#status.begin(version?.commit ?? null, version?.dirty ?? 0);
    this.#arguments = new ProgramArguments(options.argv);
    this.sites = new Sites(
      options.root,
      (record) => this.parts.recorder.site(record),
      resumes?.site,
    );
    const finish = (outcome: ReplayOutcome): never => this.finish(outcome);
    const restored: DirectorOptions["restored"] = (...what) => options.rates.restored(...what);
    this.director = orders && new Director(this.parts, { ...orders, finish, restored });
    this.#audit = new Audit(this.parts, {
      known: manifest.audit ?? [],
      found: () => this.#manifest.keepAudit(this.#audit.findings),
    });
    this.#checkpointer = new Checkpointer(this.parts, {
      before: { declaration: resumes?.declaration ?? 0, ...options.before },
      handsFree: handsFree === true,
      director: this.director,
      audit: this.#audit,
      turnedOff: (why) => this.turnOff("checkpoints", why),
    });
    if (this.replaying) this.#checkpointer.turnOff();
    this.#profile = new LoopProfile(this.parts);
    const { iterators, captured } = this.parts;
    const { director } = this;
    this.callResults = new CallResults(this.parts, {
      frame: () => this.loops.lastKnown,
      isProbing: () => this.#loopSelector.isProbing,
      director,
      safely: (work) => this.safely(work),
    });
    const { time, ledger } = this.parts;
    this.#rewrittenCost = new RewrittenCost(() => time.processorMs - ledger.processorMs);
    this.#unseenCalls = new UnseenCalls(this.parts, () => this.loops.lastKnown);
    this.loops = new LoopStack({ observers: this.#observers(), iterators, director });
    this.#loopSelector = new LoopSelector(this, this.loops);
    this.#values = new ValueLog(this.parts, {
      sites: this.sites,
      status: this.#status,
      isProbing: () => this.#loopSelector.isProbing,
    });
    this.instrument = new Instrument({
      session: this,
      captured,
      loopSelector: this.#loopSelector,
      callResults: this.callResults,
      unseenCalls: this.#unseenCalls,
      rewrittenCost: this.#rewrittenCost,
    });
  }

  #makeParts(): RunParts {
    const { manifest, resumes, overheadMax, random, retention, rates } = this.#options;
    const time = new RunTime();
    const materializer = this.#options.makeMaterializer({
      committed: (record) => this.#checkpointer.committed(record, this.frame),
      failed: (feature, why) => this.#failed(feature, why),
    });
    const log = { run: manifest.run, continues: resumes?.lines };
    const ledger = new Ledger({ overheadMax, restoreFactor: rates.factor });
    return {
      materializer,
      ledger,
      retention,
      recorder: new Recorder(materializer, time.originMs, log),
      captured: new CapturedState(),
      iterators: new Iterators(resumes?.iterator ?? 0),
      random,
      time,
      leftMs: () => {
        const { elapsedMs, runningShare } = time;
        Object.assign(ledger, { besideMs: materializer.besideMs, runningShare });
        return ledger.leftMs(elapsedMs, time.processorMs);
      },
    };
  }

  /**
   * Who observes the loops, in this order:
   * - the start of the run's first loop is noted before anything of that loop is written;
   * - the profile comes before the checkpointer, whose decisions rest on the times of all bodies,
   *   the one that just ended too;
   * - the log comes before the checkpointer: a checkpoint names the last record before it, and is
   *   durable only when the log is up to there;
   * - results of calls are in the log before the checkpoint behind them, for the same reason;
   * - the director comes after both: objects are known as they were before it sets an iterator, and
   *   a resumed run, which may begin to record again here, has this end in its log already;
   * - what was declared in an iteration is forgotten when all that look at its state have seen it;
   * - the status line comes last: it shows what the others made of it.
   */
  #observers(): LoopObserver[] {
    const { captured } = this.parts;
    return [
      { entered: () => this.#begin() },
      this.#profile,
      this.#unseenCalls,
      this.#rewrittenCost,
      this.callResults,
      new LoopRecords(this.parts, this.#options.resources),
      this.#checkpointer,
      ...(this.director ? [this.director] : []),
      {
        iterationEnded: (frame) => captured.closed(frame),
        batchEnded: (frame, count) => {
          captured.closed(frame);
          this.#loopSelector.passed(frame, count);
        },
      },
      this.#status,
    ];
  }

  /** It repeats a run: it keeps nothing but its log, and a failure of ours is not hidden. */
  get replaying(): boolean {
    return this.#options.orders?.mode === "replay";
  }

  /** Ends the process: a replay has followed its orders, or cannot. */
  finish(outcome: ReplayOutcome): never {
    this.#outcome ??= outcome;
    if (!this.replaying) this.#options.notice(`error: the run cannot be resumed: ${outcome.why}`);
    process.exit(outcome.kind === "done" ? 0 : 1);
  }

  /** The innermost loop. */
  get frame(): LoopFrame | undefined {
    return this.loops.top;
  }

  arg(name: string, fallback: unknown): unknown {
    const given = this.#arguments.take(name, fallback);
    const recorded = this.director?.recorded.args;
    const known = given === undefined && recorded?.has(name);
    const value = known ? recorded?.get(name) : given === undefined ? fallback : given;
    const from = known ? "recorded" : given === undefined ? "default" : "argv";
    this.safely(() => this.parts.recorder.arg(name, value, fallback, from));
    return value;
  }

  /** Whether values can be logged under a name; if not, that is said once for each place. */
  isLogName(name: unknown, callee: (...args: never[]) => unknown): name is string {
    if (this.#logNames.has(name)) return true;
    const problem = logNameProblem(name);
    if (problem === undefined) {
      this.#logNames.add(name);
      return true;
    }
    const place = this.sites.placeOf(callee);
    const text = `AL061: ${problem}${place === undefined ? "" : ` (${place})`}; nothing is logged there`;
    this.warnOnce(text);
    return false;
  }

  /** `isKept`: a run logs it too, and not only the replay that may be asked for it. */
  log(
    name: string,
    value: unknown,
    callee: (...args: never[]) => unknown,
    isKept: boolean = true,
  ): void {
    if (this.#dead) return;
    try {
      this.#values.log(this.frame, name, value, { callee, isKept });
    } catch (error) {
      this.#die(error);
    }
  }

  /** Something was printed that logs nothing, or not all of it: `was` says what. */
  printed(was: string, callee: (...args: never[]) => unknown): void {
    if (this.replaying) this.safely(() => this.#values.reached(this.frame, was, callee));
  }

  /** Declares a record; answers its ordinal. */
  declare(record: { [field: string]: unknown }, site: number | null): number | undefined {
    return this.safely(() => this.#checkpointer.declare(record, this.frame, site));
  }

  /** Puts a feature of ours out of action: said once, and written into the manifest. */
  turnOff(feature: string, why: string): void {
    if (this.noteOff(feature, why)) this.warn(`${feature} turned off: ${why}`);
  }

  /** Writes it into the log and the manifest, and says nothing. False if it was off already. */
  noteOff(feature: string, why: string): boolean {
    if (!this.#listOff({ feature, why })) return false;
    this.parts.recorder.emit({ k: "off", feature, why });
    return true;
  }

  /**
   * A loop was given up for what it costs. The log says so also where the manifest of a run that goes on
   * has it already: the line of before may be superseded.
   */
  noteGivenUp(loop: string, off: TurnedOff, isSaid: boolean): void {
    if (isSaid && this.#listOff(off)) this.#givenUp.push(off.feature);
    this.parts.recorder.emit({ k: "off", ...off, loop });
  }

  #listOff(off: TurnedOff): boolean {
    if (this.#off.some(({ feature }) => feature === off.feature)) return false;
    this.#off.push(off);
    return true;
  }

  warnOnce(text: string): void {
    if (!this.#warnings.includes(text)) this.warn(text);
  }

  warn(text: string): void {
    this.#warnings.push(text);
    this.#options.notice(`warning: ${text}`);
  }

  /** Ends the run: waits for what is being written, seals the log, completes the manifest. */
  end(exitCode: number): void {
    const status: RunStatus = exitCode === 0 ? "done" : "failed";
    const { ledger, materializer, time } = this.parts;
    const runMs = performance.now() - time.originMs;
    const { elapsedMs, runningShare } = time;
    if (!this.#argumentsChecked) this.#checkArguments();
    this.safely(() => this.#options.beforeEnd());
    this.#profile.finish(this.loops.lastKnown);
    this.callResults.flush();
    this.#checkpointer.finish();
    const { watched, isBlind } = this.#options.retention;
    if (isBlind && !this.replaying)
      this.warn(`nothing logged ${watched}: every checkpoint is kept`);
    if (!this.replaying) for (const text of this.#audit.warnings) this.warn(text);
    const waitFrom = performance.now();
    materializer.drain();
    // Other listeners for the exit may still log: too late, the log is sealed.
    this.#dead = true;
    materializer.finish(status, () => this.parts.recorder.lines);
    this.#options.rates.sample(this.#checkpointer.newest, runMs);
    const { ms: rewrittenMs } = this.#rewrittenCost;
    Object.assign(ledger, { besideMs: materializer.besideMs, runningShare });
    ledger.rewrittenMs = rewrittenMs ?? 0;
    const overhead = overheadOf(ledger, {
      checkpoints: this.#checkpointer.count,
      bytes: this.#checkpointer.bytes,
      endMs: performance.now() - waitFrom,
      setupMs: this.#options.setupMs + this.#manifest.keptMs,
      runMs,
      elapsedMs,
      processorMs: time.processorMs,
      rewrittenMs,
    });
    this.#writeManifest(status, exitCode, overhead);
    if (this.replaying) this.#writeOutcome(exitCode);
    this.#status.end({ status, overhead, hints: this.#hints() });
    const { live, manifest, notice } = this.#options;
    if (!live && !this.replaying) notice(overheadText(manifest.run, overhead));
  }

  #writeOutcome(exitCode: number): void {
    const done = { kind: "done", why: "the program ended", path: [] } as const;
    const failed = { kind: "failed", why: `exit code ${exitCode}`, path: [] } as const;
    const ended = exitCode === 0 ? (this.director?.suspected ?? done) : failed;
    const hints = this.director?.hints ?? [];
    const { failures = [], failureCount = 0 } = this.director ?? {};
    const outcome = {
      ...(this.#outcome ?? ended),
      ...(hints.length > 0 ? { hints } : {}),
      ...(failures.length > 0 ? { failures } : {}),
      ...(failureCount > failures.length ? { failureCount } : {}),
    };
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

  /** The program does not know of us. */
  get isHandsFree(): boolean {
    return this.#options.manifest.handsFree === true;
  }

  #hints(): string[] {
    const { handsFree } = this.#options.manifest;
    const hints = givenUpHint(this.#givenUp, this.#rewrittenCost.ms);
    hints.unshift(...stoppedHint(this.#off));
    if (!this.#checkpointer.missedDeclaration || handsFree === true) return hints;
    return ["no checkpoints: declare what the loops change with al.checkpointing({ … })", ...hints];
  }

  /** The replayer was killed: it keeps what is here when it is continued. */
  #abandoned(frame: LoopFrame): void {
    if (!this.replaying) return;
    this.finish({ kind: "failed", why: "nobody waits for it any more", path: framePath(frame) });
  }

  /** A loop is entered. The first time, what the program consists of has been loaded. */
  #begin(): void {
    if (this.#argumentsChecked) return;
    this.#checkArguments();
    if (!this.replaying) this.#manifest.keepSources();
  }

  #checkArguments(): void {
    this.#argumentsChecked = true;
    // A program that does not ask us for them takes them itself.
    if (this.#options.manifest.handsFree === true) return;
    for (const warning of this.#arguments.warnings()) this.warn(warning);
  }

  #failed(feature: Feature, why: string): void {
    if (feature === "checkpoints" || feature === "log") this.#checkpointer.turnOff();
    this.turnOff(feature, why);
    // Its consequence, not another failure: kept, but not said again.
    if (feature === "log") this.noteOff("checkpoints", "the log cannot be written");
  }

  /** Errors of use (a code, a help line) reach the program; errors of ours must not. */
  safely<T>(work: () => T): T | undefined {
    if (this.#dead) return undefined;
    try {
      return work();
    } catch (error) {
      if (isAfterlogError(error)) throw error;
      this.#die(error);
      return undefined;
    }
  }

  /** A loop that runs at the same time as another goes on, unrecorded. */
  inTurn(
    loops: LoopStack,
    frame: LoopFrame,
    work: (loops: LoopStack, frame: LoopFrame) => void,
  ): void {
    if (frame.isUnrecorded || this.#dead) return;
    this.#loopSelector.dropProbes();
    const startedAt = performance.now();
    const { bookedMs } = this.parts.ledger;
    try {
      work(loops, frame);
    } catch (error) {
      if (!isAfterlogError(error)) this.#die(error);
      else if (!this.#loopSelector.leaveUnrecorded(frame, error)) throw error;
    }
    this.#bookBoundary(frame, startedAt, bookedMs);
  }

  /** Enters a loop among `loops`; undefined if nothing is recorded any more. */
  enterLoop(loops: LoopStack, statement: LoopStatement, source: LoopSource): LoopFrame | undefined {
    if (!this.#loopSelector.isRecorded(statement)) return undefined;
    const startedAt = performance.now();
    const { bookedMs } = this.parts.ledger;
    const frame = this.safely(() => loops.enter(statement, source));
    if (frame) this.#bookBoundary(frame, startedAt, bookedMs);
    return frame;
  }

  /** What a call at the boundary of a loop took, less what was booked in it by itself. */
  #bookBoundary({ context }: LoopFrame, startedAt: number, bookedMs: number): void {
    const { ledger } = this.parts;
    const ms = performance.now() - startedAt - (ledger.bookedMs - bookedMs);
    ledger.boundaryMs += this.#loopSelector.costs.book(context?.cost, ms);
  }

  /** Something of ours is broken: nothing more is recorded, and the training continues. */
  #die(error: unknown): void {
    if (this.replaying) {
      this.finish({ kind: "insufficient", why: describeError(error), path: framePath(this.frame) });
    }
    this.#dead = true;
    this.turnOff(RECORDING, describeError(error));
  }
}
