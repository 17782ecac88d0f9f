/**
 * @file Which state is declared, when it is checkpointed, and the request for it.
 *
 * The choice is made at the start of an iteration (semantics, "What is taken"): a loop end for each
 * loop run directly in its body, then its iteration end. Flor's joint invariant decides, and of an
 * iteration inside another loop CheckFreq's interval (`step-policy.ts`) whether its own end is taken;
 * that of an outermost loop is taken apart from the budget (`outermost-ends.ts`).
 */
import { createHash } from "node:crypto";
import type { Capture, EntryIds } from "../../adapters/index.ts";
import { capture, identify, WalkTooLong } from "../../adapters/index.ts";
import type { CheckpointKind, CheckpointRecord, LoopPath } from "../../format/index.ts";
import { checkpointFileName, describeError, formatPath } from "../../format/index.ts";
import type { CheckpointCost, StateFacts, StepTimes } from "../../materialize/index.ts";
import type { Audit } from "./audit.ts";
import { bytesOf, placesOf } from "./captured-state.ts";
import type { Director } from "../replay/director.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";
import type { LoopObserver } from "../loops/loop-observer.ts";
import type { LoopStatistics } from "./loop-checkpoints.ts";
import { newStatistics, NO_COST, sumCosts } from "./loop-checkpoints.ts";
import { roundMs } from "../log/loop-profile.ts";
import { stopPretenuring } from "./no-pretenuring.ts";
import { OutermostEnds } from "./outermost-ends.ts";
import { framePath, loopEndPath } from "../log/recorder.ts";
import type { RunParts } from "../run-parts.ts";
import { canBeginInside, isReachable, neededBefore, StepPolicy } from "./step-policy.ts";

/** A loop whose checkpoint was refused is considered again after it has run for so long, ms. */
const RECONSIDERED_MS = 0.1;

/** What walks may cost together that are done because nothing is known yet, in any run, ms. */
const UNSURE_WALKS_MS = 20;

export interface CheckpointerOptions {
  /** Of a run that is continued: the next declaration's number, and files there at each path. */
  readonly before: {
    readonly declaration: number;
    readonly files: ReadonlyMap<string, number>;
    readonly frequencies: ReadonlyMap<string, StepTimes>;
    readonly neededEnds: readonly string[];
  };
  /** Nobody has named the loops: their ends are taken where they are worth it. */
  readonly handsFree: boolean;
  readonly director: Pick<Director, "declarationOrdinal" | "isOnTheWay" | "skipsWhole"> | undefined;
  readonly audit: Pick<Audit, "entered" | "compare">;
  readonly turnedOff: (why: string) => void;
}

export class Checkpointer implements LoopObserver {
  readonly #parts: RunParts;
  readonly #options: CheckpointerOptions;
  readonly #steps: StepPolicy;
  readonly #outermostEnds: OutermostEnds;
  readonly #statistics = new Map<string, LoopStatistics>();
  readonly #attempts: Map<string, number>;
  #declared: number;
  #stateBytes = 0;
  /** Time of the last walk over the state. */
  #walkMs = 0;
  /** Of all walks that were done only because nothing was known of a loop yet. */
  #unsureMs = 0;
  #outermostEnded = 0;
  #off = false;
  /** Checkpoints that have become durable, their bytes, and the last. */
  count = 0;
  bytes = 0;
  newest: CheckpointRecord | undefined = undefined;
  /** An outermost loop end was asked for, and nothing was declared. */
  missedDeclaration = false;

  constructor(parts: RunParts, options: CheckpointerOptions) {
    this.#parts = parts;
    this.#options = options;
    const { before, handsFree } = options;
    this.#declared = before.declaration;
    this.#outermostEnds = new OutermostEnds({ share: parts.ledger.budget, handsFree });
    this.#attempts = new Map(before.files);
    const expectedMs = (): number => parts.ledger.expectedMs(this.#stateFacts());
    this.#steps = new StepPolicy({ parts, expectedMs, before });
  }

  /** A checkpoint has become durable: others may go. `top`: the innermost loop now. */
  committed(record: CheckpointRecord, top: LoopFrame | undefined): void {
    const { path, bytes, stateBytes, times } = record;
    this.count++;
    this.newest = record;
    this.bytes += bytes;
    this.#steps.persisted(times.persist);
    const { recorder, retention, materializer, ledger } = this.#parts;
    recorder.profile({ k: "snapshot", path, ms: roundMs(times.snapshot), bytes: stateBytes });
    recorder.profile({ k: "wait", path, ms: roundMs(times.wait), bytes: stateBytes });
    recorder.profile({ k: "persist", path, ms: roundMs(times.persist), bytes });
    const started = performance.now();
    const files = retention.committed(record, () => neededBefore(top));
    if (files.length > 0) materializer.remove(files, recorder.now());
    ledger.otherMs += performance.now() - started;
  }

  /** The run ends: writes what it has found out about its steps. */
  finish(): void {
    this.#steps.finish();
  }

  /** Declares a record; throws AL070 now, not in an hour, if something in it cannot be captured. */
  declare(
    record: { [field: string]: unknown },
    scope: LoopFrame | undefined,
    site: number | null,
  ): number {
    const { captured, recorder, ledger, time } = this.#parts;
    const path = framePath(scope);
    const started = time.exactMs;
    const after = this.#outermostEnded;
    const ordinal = this.#options.director?.declarationOrdinal(path) ?? this.#declared;
    const declaration = { ordinal, record, scope, site, after };
    // A function that is there now will be there when a loop is entered: it is known by identity.
    const places = placesOf([declaration]);
    const { classes } = captured;
    const own = capture(places, identify(places, { classes }), classes);
    captured.declare(declaration);
    this.#declared++;
    this.#prepare(own, scope);
    this.#walkMs = time.exactMs - started;
    ledger.outermostMs += this.#walkMs;
    recorder.emit({ k: "declare", ordinal, path, site, fields: Object.keys(record) });
    return ordinal;
  }

  /** Announces the state to the materializer; `own` is that of the only record, if there is one. */
  #prepare(own: Capture, frame: LoopFrame | undefined): void {
    if (this.#off) return;
    const { captured } = this.#parts;
    // What an earlier record has come to hold meanwhile is not the fault of the one just declared.
    const alone = captured.declarations.length === 1;
    const state = alone ? own : this.#capture(frame, this.#identify(frame));
    if (!state) return;
    this.#stateBytes = bytesOf(state);
    this.#parts.materializer.prepare(state);
  }

  #isActive(frame: LoopFrame): boolean {
    return !this.#off && !this.#parts.captured.isEmpty(frame);
  }

  /** No checkpoint is taken any more; the training continues. */
  turnOff(): void {
    this.#off = true;
  }

  /**
   * A loop is entered: remembers which objects the state consists of, if its end or one of its
   * iterations may be checkpointed. Without that none of them is, so the walk must be affordable.
   */
  entered(frame: LoopFrame): void {
    if (!this.#isActive(frame) || this.#isSkipped(frame)) return;
    stopPretenuring();
    const wanted =
      (frame.depth === 0 && this.#outermostEnds.entered(frame)) ||
      (frame.parent?.checkpoints.choice === "yes" && this.#isWorthSkipping(frame)) ||
      this.#steps.wantsIdentities(frame) ||
      (frame.hasInner && this.#affordsWalk());
    const isUnsure = !wanted && this.#isUnsure(frame);
    if (wanted || isUnsure) {
      frame.checkpoints.entryIds = this.#identities(frame);
      if (isUnsure) this.#unsureMs += this.#walkMs;
      this.#options.audit.entered(frame);
    }
    if (frame.depth === 0) this.#parts.ledger.enterOutermost();
  }

  /** On the way to where a run goes on, by the end that it has: the steps behind it are reached by that. */
  #isSkipped(frame: LoopFrame): boolean {
    const { director } = this.#options;
    if (!frame.parent || !director?.isOnTheWay) return false;
    const end = loopEndPath(frame);
    if (!director.skipsWhole(end)) return false;
    frame.parent.checkpoints.endsTaken.push(formatPath(end));
    return true;
  }

  /** Nobody knows yet whether it holds loops, or what an iteration takes: the first time it is treated as if. */
  #isUnsure(frame: LoopFrame): boolean {
    const isTentative = frame.parent?.checkpoints.choice === "tentative";
    if (!isTentative && !this.#isNew(frame)) return false;
    // A state of very many objects: each walk may take longer than the iterations that it is for.
    return this.#unsureMs < UNSURE_WALKS_MS || this.#affordsWalk();
  }

  #isNew({ loopKey }: LoopFrame): boolean {
    return !this.#statistics.has(loopKey);
  }

  /**
   * Whether the loop took longer, the last time, than restoring its end would: the latency half of the joint
   * invariant. It is executed again for less otherwise.
   */
  #isWorthSkipping(frame: LoopFrame): boolean {
    const { ledger } = this.#parts;
    const loopMs = this.#statistics.get(frame.loopKey)?.loopMs ?? Infinity;
    return ledger.isWorthRestoring(loopMs, this.#stateFacts());
  }

  #stateFacts(): StateFacts {
    const { copyBytesPerMs } = this.#parts.materializer;
    return { stateBytes: this.#stateBytes, copyBytesPerMs, walkMs: this.#walkMs };
  }

  #affordsWalk(): boolean {
    return this.#parts.leftMs() > 2 * this.#walkMs;
  }

  /** An iteration begins: will it be checkpointed? */
  iterationBegan(frame: LoopFrame): void {
    const { checkpoints } = frame;
    if (frame.depth === 0 && frame.length)
      this.#parts.ledger.progress = (frame.index + 1) / frame.length;
    checkpoints.taken = 0;
    if (checkpoints.endsTaken.length > 0) checkpoints.endsTaken = [];
    checkpoints.choice = "no";
    checkpoints.allowanceMs = 0;
    checkpoints.isGoneOn = this.#options.director?.isOnTheWay ?? false;
    if (!this.#isActive(frame) || !checkpoints.entryIds) return;
    if (!this.#isCheckpointable(frame) && !this.#isNew(frame)) return;
    const statistics = this.#statisticsOf(frame);
    const { executions, computeMs, refusedAtMs } = statistics;
    if (executions === 0) checkpoints.choice = "tentative";
    if (executions === 0 || computeMs - refusedAtMs < RECONSIDERED_MS) return;
    if (this.#budgetAllows(frame, computeMs / executions, true)) checkpoints.choice = "yes";
    else statistics.refusedAtMs = computeMs;
  }

  /** An iteration that may be checkpointed has to be reported. */
  batchLimit({ checkpoints }: LoopFrame): number {
    return checkpoints.choice === "no" ? Infinity : 0;
  }

  /** A loop has ended: its end is checkpointed if it is outermost, or its iteration was chosen. */
  loopEnded(frame: LoopFrame): void {
    const { parent, clock } = frame;
    // A loop that is skipped on the way to where a run goes on has none.
    const statistics = this.#statistics.get(frame.loopKey);
    if (statistics) statistics.loopMs = performance.now() - clock.enteredAt;
    if (!parent) this.#outermostLoopEnded(frame);
    else if (this.#isLoopEndWanted(frame, parent))
      this.#take("loop", frame, loopEndPath(frame), parent.checkpoints.taken > 0, parent);
  }

  /** For the sake of those who skip it, or of the steps behind it. */
  #isLoopEndWanted(frame: LoopFrame, parent: LoopFrame): boolean {
    if (!frame.checkpoints.entryIds) return false;
    if (this.#isWorthSkipping(frame) && this.#isChosen(parent)) return true;
    if (!this.#isActive(frame)) return false;
    parent.checkpoints.allowanceMs = this.#steps.loopEndAllowance(frame) ?? 0;
    return parent.checkpoints.allowanceMs > 0;
  }

  #outermostLoopEnded(frame: LoopFrame): void {
    const { clock, checkpoints } = frame;
    this.#outermostEnded++;
    const captures = this.#isActive(frame);
    this.missedDeclaration ||= this.#declared === 0 && !captures && !this.#off;
    if (!captures) return;
    const loopMs = performance.now() - clock.enteredAt;
    const wanted = this.#outermostEnds.wants(frame);
    // Whatever the budget says: no checkpoint of the loop is used if something is found.
    if (wanted || checkpoints.lastEnd >= 0) this.#options.audit.compare(frame, true);
    const { ledger, time } = this.#parts;
    const started = time.exactMs;
    if (wanted) this.#take("loop", frame, loopEndPath(frame), checkpoints.taken > 0);
    const costMs = time.exactMs - started;
    const walkMs = checkpoints.entryIds ? this.#walkMs : 0;
    this.#outermostEnds.ended(frame, { loopMs, costMs: costMs + walkMs });
    ledger.outermostMs += costMs;
  }

  /** The body of an iteration is over. One that was left early has no end to be checkpointed. */
  iterationEnded(frame: LoopFrame, isComplete: boolean): void {
    if (isComplete) {
      if (this.#parts.materializer.stopRequested && this.#stop(frame)) return;
      if (this.#isWanted(frame)) {
        const { taken, allowanceMs } = frame.checkpoints;
        // The step before it may still be on its way to the disk: there are two slots.
        const isPaired = taken > 0 || (allowanceMs > 0 && this.#isCheckpointable(frame));
        this.#take("iteration", frame, framePath(frame), isPaired, frame);
      }
    }
    this.#closeIteration(frame);
  }

  /** A replay has taken the loop to another iteration. */
  arrived({ index, checkpoints }: LoopFrame, restored: unknown): void {
    if (restored) checkpoints.lastEnd = index;
  }

  /** The run is asked to end: takes a last checkpoint here, if it can be resumed from. */
  #stop(frame: LoopFrame): boolean {
    if (!this.#isActive(frame) || !frame.checkpoints.entryIds) return false;
    if (!canBeginInside(frame) || !isReachable(frame.parent)) return false;
    this.#take("iteration", frame, framePath(frame), false);
    this.#parts.materializer.drain();
    // As if the signal had come to the program itself: a handler of its own is called.
    process.kill(process.pid, "SIGTERM");
    return true;
  }

  /** Whether its end is checkpointed: for its own sake, or for that of the steps of the next iteration. */
  #isWanted(frame: LoopFrame): boolean {
    if (!this.#isActive(frame)) return false;
    const { checkpoints } = frame;
    const isKnown = checkpoints.entryIds !== undefined;
    const isChosen = this.#isChosen(frame, frame.clock.bodyMs);
    const isAsked = frame.every !== undefined;
    const holdsLoops = this.#isCheckpointable(frame);
    const mayBeWanted = isKnown && (holdsLoops || isAsked);
    checkpoints.allowanceMs = mayBeWanted ? (this.#steps.endAllowance(frame) ?? 0) : 0;
    const isStep = frame.depth > 0 && !isAsked && (holdsLoops || canBeginInside(frame));
    const isDue = isStep && this.#steps.due(frame, { isKnown, isPaid: isChosen });
    return isDue || checkpoints.allowanceMs > 0 || (frame.depth === 0 && isChosen);
  }

  /** The iteration is over, complete or not: books its cost. */
  #closeIteration(frame: LoopFrame): void {
    const { clock, checkpoints } = frame;
    const statistics = this.#statisticsOf(frame);
    statistics.executions++;
    statistics.computeMs += clock.bodyMs * clock.count;
    if (checkpoints.taken > 0) statistics.checkpoints++;
    if (checkpoints.cost === NO_COST) return;
    this.#parts.ledger.charge(checkpoints.cost);
    checkpoints.cost = NO_COST;
  }

  /** All without a checkpoint. */
  batchEnded(frame: LoopFrame, count: number): void {
    this.#statisticsOf(frame).executions += count;
  }

  /** Iterations of outermost loops and of loops that hold loops; steps are CheckFreq's matter. */
  #isCheckpointable(frame: LoopFrame): boolean {
    return frame.depth === 0 || frame.hasInner;
  }

  #statisticsOf({ loopKey }: LoopFrame): LoopStatistics {
    let statistics = this.#statistics.get(loopKey);
    if (!statistics) {
      statistics = newStatistics();
      this.#statistics.set(loopKey, statistics);
    }
    return statistics;
  }

  #budgetAllows(frame: LoopFrame, computeMs: number, isComing = false): boolean {
    const { executions, checkpoints } = this.#statisticsOf(frame);
    const { ledger, leftMs } = this.#parts;
    const costMs = ledger.inAllMs(ledger.expectedMs(this.#stateFacts()) * ledger.runningShare);
    // The ends of the loop and of the iterations around it come first.
    if (frame.depth > 0 && leftMs() < (1 + 2 * frame.depth) * costMs) return false;
    const block = { computeMs, executions: executions + 1, checkpoints, leftMs };
    const pays = { isComing: isComing && frame.depth === 0 };
    return ledger.allows({ ...block, ...pays, ...this.#stateFacts() });
  }

  /** The first iteration has no measured time at its start: it is decided at its first boundary. */
  #isChosen(frame: LoopFrame, bodyMs: number = performance.now() - frame.clock.bodyAt): boolean {
    if (!this.#isActive(frame)) return false;
    const { checkpoints } = frame;
    if (checkpoints.choice === "tentative") {
      checkpoints.choice =
        this.#isCheckpointable(frame) && this.#budgetAllows(frame, bodyMs) ? "yes" : "no";
    }
    return checkpoints.choice === "yes";
  }

  #take(
    kind: CheckpointKind,
    frame: LoopFrame,
    path: LoopPath,
    paired: boolean,
    charged?: LoopFrame,
  ): void {
    const { materializer, random, recorder, retention, iterators } = this.#parts;
    // A resumed run that has not yet come to where it left off has this checkpoint already.
    if (this.#options.director?.isOnTheWay) return;
    if (kind === "iteration" || frame.depth > 0) this.#options.audit.compare(frame, false);
    const started = performance.now();
    const ending = kind === "iteration" ? frame : undefined;
    const { ledger, leftMs } = this.#parts;
    const allowedMs = charged ? Math.max(leftMs(), charged.checkpoints.allowanceMs) : Infinity;
    const endsAtMs = started + ledger.walkMsMax(allowedMs);
    const state = this.#capture(frame, frame.checkpoints.entryIds, { ending, endsAtMs });
    if (!state) {
      const captureMs = performance.now() - started;
      this.#book(frame, ending, { charged, cost: { ...NO_COST, captureMs }, blockedMs: captureMs });
      return;
    }
    this.#stateBytes = bytesOf(state);
    const file = this.#fileName(path);
    const step = kind === "iteration" && !this.#isCheckpointable(frame);
    const enteredMs = recorder.now() / 1000 - (started - frame.clock.enteredAt);
    retention.taken(file, { step, enteredMs });
    const cost = materializer.take({
      kind,
      path,
      paired,
      state,
      needs: kind === "iteration" ? neededBefore(frame.parent) : [],
      seq: recorder.seq - 1,
      file,
      generators: [random.state],
      iterators: iterators.positions(frame),
      draws: ending?.draws.untilNow,
      captureMs: performance.now() - started,
      waitMsMax: charged ? this.#waitMsMax(charged) : Infinity,
      t: recorder.now(),
    });
    if (!cost.taken) retention.refused(file);
    if (cost.taken && kind === "iteration") frame.checkpoints.lastEnd = frame.index;
    if (cost.taken && kind === "loop") frame.parent?.checkpoints.endsTaken.push(formatPath(path));
    if (cost.taken && charged) charged.checkpoints.taken++;
    this.#book(frame, ending, { charged, cost, blockedMs: performance.now() - started });
  }

  #book(
    frame: LoopFrame,
    ending: LoopFrame | undefined,
    spent: { charged: LoopFrame | undefined; cost: CheckpointCost; blockedMs: number },
  ): void {
    const { charged, cost, blockedMs } = spent;
    if (!charged) return;
    if (ending) this.#steps.taken(frame, blockedMs);
    charged.checkpoints.cost = sumCosts(charged.checkpoints.cost, cost);
    chargeBlockedTime(charged, blockedMs);
  }

  /** What is left of the budget for waiting, once the copy itself is paid for. */
  #waitMsMax({ checkpoints: { cost, allowanceMs } }: LoopFrame): number {
    const { leftMs, materializer } = this.#parts;
    const pendingMs = cost.captureMs + cost.snapshotMs + cost.waitMs;
    const copyMs = this.#stateBytes / materializer.copyBytesPerMs;
    return Math.max(0, Math.max(leftMs(), allowanceMs) - pendingMs - copyMs);
  }

  #capture(
    frame: LoopFrame | undefined,
    entryIds: EntryIds | undefined,
    { ending, endsAtMs }: { ending?: LoopFrame | undefined; endsAtMs?: number } = {},
  ): Capture | undefined {
    try {
      const { captured } = this.#parts;
      return capture(captured.places(frame, ending), entryIds, captured.classes, endsAtMs);
    } catch (error) {
      // What was known of it is from when the loop was entered, and it has grown since: what this took is what the
      // next is expected to take at least.
      if (error instanceof WalkTooLong) return undefined;
      // A value that was capturable when it was declared is not any more: training continues.
      this.#off = true;
      this.#options.turnedOff(describeError(error));
      return undefined;
    }
  }

  #identify(frame: LoopFrame | undefined): EntryIds {
    const { captured } = this.#parts;
    return identify(captured.places(frame), { classes: captured.classes });
  }

  #identities(frame: LoopFrame): EntryIds | undefined {
    const started = performance.now();
    const { ledger, time } = this.#parts;
    const exact = frame.parent ? 0 : time.exactMs;
    try {
      return this.#identify(frame);
    } catch (error) {
      this.#off = true;
      this.#options.turnedOff(describeError(error));
      return undefined;
    } finally {
      this.#walkMs = performance.now() - started;
      // What an outermost loop needs for its end is done whatever the budget says.
      if (frame.parent) ledger.captureMs += this.#walkMs;
      else ledger.outermostMs += time.exactMs - exact;
      chargeBlockedTime(frame.parent, this.#walkMs);
    }
  }

  #fileName(path: LoopPath): string {
    const text = formatPath(path);
    const attempt = this.#attempts.get(text) ?? 0;
    this.#attempts.set(text, attempt + 1);
    return checkpointFileName(path, attempt, (long) =>
      createHash("sha256").update(long).digest("hex"),
    );
  }
}

/** Time that recording took inside the bodies of a loop and of all loops around it. */
function chargeBlockedTime(innermost: LoopFrame | undefined, ms: number): void {
  for (let frame = innermost; frame; frame = frame.parent) frame.clock.blockedMs += ms;
}
