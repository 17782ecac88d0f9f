/**
 * @file Which state is declared, when it is checkpointed, and the request for it.
 *
 * The choice is made at the start of an iteration (semantics, "What is taken"): a loop end for each
 * loop run directly in its body, then its iteration end. Flor's joint invariant decides; the end of
 * an outermost loop is taken apart from the budget (`outermost-ends.ts`).
 */
import { createHash } from "node:crypto";
import type { Capture, EntryIds } from "../adapters/index.ts";
import { capture, identify } from "../adapters/index.ts";
import type {
  CheckpointKind,
  CheckpointRecord,
  IteratorPosition,
  LoopPath,
  ProfileRecord,
} from "../format/index.ts";
import { checkpointFileName, describeError, formatPath } from "../format/index.ts";
import type { Ledger, Materializer, Retention, StepTimes } from "../materialize/index.ts";
import type { Audit } from "./audit.ts";
import type { CapturedState } from "./captured-state.ts";
import { placesOf } from "./captured-state.ts";
import type { LoopFrame } from "./loop-frame.ts";
import { NO_COST } from "./loop-frame.ts";
import { round } from "./loop-stack.ts";
import type { SeededRandom } from "./random.ts";
import { OutermostEnds } from "./outermost-ends.ts";
import { framePath, loopEndPath } from "./recorder.ts";
import { isReachable, neededBefore, StepPolicy } from "./step-policy.ts";

/** Who was refused is refused again until the block has run for so long, ms. */
const ASKED_AGAIN_MS = 0.1;

interface BlockStatistics {
  executions: number;
  checkpoints: number;
  computeMs: number;
  /** What `computeMs` was when a checkpoint was last refused. */
  refusedAtMs: number;
}

export interface CheckpointerOptions {
  /** Of a run that is continued: the next declaration's number, and files there at each path. */
  readonly before: {
    readonly declaration: number;
    readonly files: ReadonlyMap<string, number>;
    readonly frequencies: ReadonlyMap<string, StepTimes>;
  };
  readonly retention: Retention;
  readonly profile: (record: ProfileRecord) => void;
  readonly captured: CapturedState;
  /** Nobody has named the loops: their ends are taken where they are worth it. */
  readonly handsFree: boolean;
  readonly materializer: Materializer;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly originMs: number;
  /** Number of the last record. */
  readonly lastSeq: () => number;
  readonly now: () => number;
  readonly turnedOff: (why: string) => void;
  readonly positions: (frame: LoopFrame) => IteratorPosition[];
  /** A run that is continued is on its way to where it left off: what it took there it has. */
  readonly onTheWay: () => boolean;
  /** A last checkpoint is durable: the process is to end. */
  readonly stopped: () => void;
  readonly audit: Pick<Audit, "entered" | "compare">;
  /** An iteration, or a loop, has run to its end. */
  readonly reached: (frame: LoopFrame, path: () => LoopPath) => void;
}

export class Checkpointer {
  readonly #options: CheckpointerOptions;
  readonly #steps: StepPolicy;
  readonly #outermostEnds: OutermostEnds;
  readonly #blocks = new Map<string, BlockStatistics>();
  readonly #attempts: Map<string, number>;
  #declared: number;
  #stateBytes = 0;
  /** Time of the last walk over the state. */
  #walkMs = 0;
  #outermostEnded = 0;
  #off = false;
  /** An outermost loop end was asked for, and nothing was declared. */
  missedDeclaration = false;

  constructor(options: CheckpointerOptions) {
    this.#options = options;
    const { ledger, originMs, materializer, before } = options;
    this.#declared = before.declaration;
    const { handsFree } = options;
    this.#outermostEnds = new OutermostEnds({ share: ledger.budget, handsFree });
    this.#attempts = new Map(before.files);
    this.#steps = new StepPolicy({
      share: ledger.budget,
      leftMs: () => ledger.leftMs(performance.now() - originMs),
      isFull: () => options.retention.isFull,
      before: before.frequencies,
      profile: options.profile,
      expectedMs: () => {
        const { copyBytesPerMs } = materializer;
        const state = { stateBytes: this.#stateBytes, copyBytesPerMs, walkMs: this.#walkMs };
        return ledger.expectedMs(state);
      },
    });
  }

  /** A checkpoint has become durable: others may go. `top`: the innermost loop now. */
  committed(record: CheckpointRecord, top: LoopFrame | undefined): void {
    const { path, bytes, stateBytes, times } = record;
    this.#steps.persisted(times.persist);
    const { profile } = this.#options;
    profile({ k: "snapshot", path, ms: round(times.snapshot), bytes: stateBytes });
    profile({ k: "wait", path, ms: round(times.wait), bytes: stateBytes });
    profile({ k: "persist", path, ms: round(times.persist), bytes });
    const started = performance.now();
    const { retention, materializer, ledger, now } = this.#options;
    const files = retention.committed(record, () => neededBefore(top));
    if (files.length > 0) materializer.remove(files, now());
    ledger.otherMs += performance.now() - started;
  }

  /** The run ends: writes what it has found out about its steps. */
  finish(): void {
    this.#steps.finish();
  }

  /**
   * Declares a record; throws AL070 now, not in an hour, if something in it cannot be captured.
   * `known` is the number that it had in the run that is replayed.
   */
  declare(
    record: { [field: string]: unknown },
    scope: LoopFrame | undefined,
    site: number | null,
    known?: number,
  ): number {
    const started = performance.now();
    const after = this.#outermostEnded;
    const declaration = { ordinal: known ?? this.#declared, record, scope, site, after };
    // A function that is there now will be there when a loop is entered: it is known by identity.
    const places = placesOf([declaration]);
    const { classes } = this.#options.captured;
    const own = capture(places, identify(places, { classes }), classes);
    this.#options.captured.declare(declaration);
    this.#declared++;
    this.#prepare(own, scope);
    this.#walkMs = performance.now() - started;
    this.#options.ledger.outermostMs += this.#walkMs;
    return declaration.ordinal;
  }

  /** Announces the state to the materializer; `own` is that of the only record, if there is one. */
  #prepare(own: Capture, frame: LoopFrame | undefined): void {
    if (this.#off) return;
    const { captured } = this.#options;
    // What an earlier record has come to hold meanwhile is no fault of the one just declared.
    const alone = captured.declarations.length === 1;
    const state = alone ? own : this.#capture(frame, this.#identify(frame));
    if (!state) return;
    this.#stateBytes = bytesOf(state);
    this.#options.materializer.prepare(state);
  }

  #isActive(frame: LoopFrame): boolean {
    return !this.#off && !this.#options.captured.isEmpty(frame);
  }

  /** No checkpoint is taken any more; the training goes on. */
  turnOff(): void {
    this.#off = true;
  }

  /**
   * A loop is entered: remembers which objects the state consists of, if its end or one of its
   * iterations may be checkpointed. Without that none of them is, so the walk must be affordable.
   */
  entered(frame: LoopFrame): void {
    if (!this.#isActive(frame)) return;
    const wanted =
      (frame.depth === 0 && this.#outermostEnds.entered(frame)) ||
      isChosen(frame.parent) ||
      this.#isNew(frame) ||
      this.#steps.wantsIdentities(frame) ||
      this.#affords(frame);
    if (!wanted) return;
    frame.entryIds = this.#identities(frame);
    this.#options.audit.entered(frame);
  }

  /** Nobody knows yet whether it holds loops: the first time it is treated as if. */
  #isNew({ block }: LoopFrame): boolean {
    return !this.#blocks.has(block);
  }

  #affords(frame: LoopFrame): boolean {
    const { ledger, originMs } = this.#options;
    return frame.hasInner && ledger.leftMs(performance.now() - originMs) > 2 * this.#walkMs;
  }

  /** An iteration begins: will it be checkpointed? */
  begun(frame: LoopFrame): void {
    frame.taken = 0;
    frame.endsTaken = [];
    frame.choice = "no";
    if (!this.#isActive(frame) || !frame.entryIds) return;
    if (!this.#eligible(frame) && !this.#isNew(frame)) return;
    const block = this.#block(frame);
    const { executions, computeMs, refusedAtMs } = block;
    if (executions === 0) frame.choice = "tentative";
    if (executions === 0 || computeMs - refusedAtMs < ASKED_AGAIN_MS) return;
    if (this.#allows(frame, computeMs / executions)) frame.choice = "yes";
    else block.refusedAtMs = computeMs;
  }

  /** A loop has ended: its end is checkpointed if it is outermost, or its iteration was chosen. */
  ended(frame: LoopFrame): void {
    this.#options.reached(frame, () => loopEndPath(frame));
    if (frame.depth === 0) {
      this.#outermostEnded++;
      const captures = this.#isActive(frame);
      this.missedDeclaration ||= this.#declared === 0 && !captures && !this.#off;
      if (!captures) return;
      const loopMs = performance.now() - frame.enteredAt;
      const wanted = this.#outermostEnds.wants(frame);
      // Whatever the budget says: no checkpoint of the loop is used if something is found.
      if (wanted || frame.lastEnd >= 0) this.#options.audit.compare(frame, true);
      const started = performance.now();
      if (wanted) {
        this.#take("loop", frame, loopEndPath(frame), frame.taken > 0);
      }
      const costMs = performance.now() - started;
      const walkMs = frame.entryIds ? this.#walkMs : 0;
      this.#outermostEnds.ended(frame, { loopMs, costMs: costMs + walkMs });
      this.#options.ledger.outermostMs += costMs;
      return;
    }
    const { parent } = frame;
    if (!parent || !frame.entryIds || !this.#confirm(parent)) return;
    this.#take("loop", frame, loopEndPath(frame), parent.taken > 0, parent);
  }

  /** The body of an iteration has run to its end: `bodyMs` of the program's own time. */
  finished(frame: LoopFrame, bodyMs: number): void {
    this.#options.reached(frame, () => framePath(frame));
    if (this.#options.materializer.stopRequested && this.#stop(frame)) return;
    if (this.#confirm(frame, bodyMs) || this.#isWanted(frame, bodyMs)) {
      this.#take("iteration", frame, framePath(frame), frame.taken > 0, frame);
    }
    this.closed(frame, bodyMs);
  }

  /** The run is asked to end: takes a last checkpoint here, if one can be gone on from. */
  #stop(frame: LoopFrame): boolean {
    if (!this.#isActive(frame) || !frame.entryIds || frame.driven) return false;
    if (!isReachable(frame.parent)) return false;
    this.#take("iteration", frame, framePath(frame), false);
    this.#options.materializer.settle();
    this.#options.stopped();
    return true;
  }

  /** For the sake of steps: this is one that is due, or the next iteration has some. */
  #isWanted(frame: LoopFrame, bodyMs: number): boolean {
    if (!this.#isActive(frame) || !frame.entryIds) return false;
    const wanted = this.#eligible(frame)
      ? this.#steps.wantsEnd(frame)
      : !frame.driven && this.#steps.due(frame, bodyMs);
    if (wanted) frame.choice = "yes";
    return wanted;
  }

  /** The iteration is over, complete or not: books its cost, forgets what was declared in it. */
  closed(frame: LoopFrame, bodyMs: number): void {
    const block = this.#block(frame);
    block.executions++;
    block.computeMs += bodyMs * frame.chunk;
    if (frame.taken > 0) block.checkpoints++;
    if (frame.choice === "yes") {
      this.#options.ledger.charge(frame.cost);
      frame.cost = NO_COST;
    }
    this.#options.captured.closed(frame);
  }

  /** Iterations went by before the present one, all without a checkpoint. */
  passed(frame: LoopFrame, iterations: number): void {
    this.#block(frame).executions += iterations;
    this.#options.captured.closed(frame);
  }

  /** Iterations of outermost loops and of loops that hold loops; steps are CheckFreq's matter. */
  #eligible(frame: LoopFrame): boolean {
    return frame.depth === 0 || frame.hasInner;
  }

  #block({ block }: LoopFrame): BlockStatistics {
    let statistics = this.#blocks.get(block);
    if (!statistics) {
      statistics = { executions: 0, checkpoints: 0, computeMs: 0, refusedAtMs: -Infinity };
      this.#blocks.set(block, statistics);
    }
    return statistics;
  }

  #allows(frame: LoopFrame, computeMs: number): boolean {
    const { executions, checkpoints } = this.#block(frame);
    const elapsedMs = performance.now() - this.#options.originMs;
    return this.#options.ledger.allows({
      computeMs,
      executions: executions + 1,
      checkpoints,
      stateBytes: this.#stateBytes,
      copyBytesPerMs: this.#options.materializer.copyBytesPerMs,
      walkMs: this.#walkMs,
      elapsedMs,
    });
  }

  /** The first iteration has no measured time at its start: it is decided at its first boundary. */
  #confirm(frame: LoopFrame, bodyMs: number = performance.now() - frame.bodyAt): boolean {
    if (!this.#isActive(frame)) return false;
    if (frame.choice === "tentative") {
      frame.choice = this.#eligible(frame) && this.#allows(frame, bodyMs) ? "yes" : "no";
    }
    return frame.choice === "yes";
  }

  #take(
    kind: CheckpointKind,
    frame: LoopFrame,
    path: LoopPath,
    paired: boolean,
    charged?: LoopFrame,
  ): void {
    if (this.#options.onTheWay()) return;
    if (kind === "iteration" || frame.depth > 0) this.#options.audit.compare(frame, false);
    const started = performance.now();
    const ending = kind === "iteration" ? frame : undefined;
    const state = this.#capture(frame, frame.entryIds, ending);
    if (!state) return;
    const { materializer, random, lastSeq, now } = this.#options;
    this.#stateBytes = bytesOf(state);
    const file = this.#fileName(path);
    const step = kind === "iteration" && !this.#eligible(frame);
    const enteredMs = now() / 1000 - (started - frame.enteredAt);
    this.#options.retention.taken(file, { step, enteredMs });
    const cost = materializer.take({
      kind,
      path,
      paired,
      state,
      needs: kind === "iteration" ? neededBefore(frame.parent) : [],
      seq: lastSeq(),
      file,
      generators: [random.state],
      iterators: this.#options.positions(frame),
      captureMs: performance.now() - started,
      waitMsMax: charged ? this.#waitMsMax(charged) : Infinity,
      t: now(),
    });
    if (!cost.taken) this.#options.retention.refused(file);
    if (cost.taken && kind === "iteration") frame.lastEnd = frame.index;
    if (cost.taken && kind === "loop") frame.parent?.endsTaken.push(formatPath(path));
    if (!charged) return;
    if (cost.taken) charged.taken++;
    if (step) this.#steps.taken(frame, performance.now() - started);
    charged.cost = {
      captureMs: charged.cost.captureMs + cost.captureMs,
      snapshotMs: charged.cost.snapshotMs + cost.snapshotMs,
      waitMs: charged.cost.waitMs + cost.waitMs,
    };
    block(charged, performance.now() - started);
  }

  /** What is left of the budget for waiting, once the copy itself is paid for. */
  #waitMsMax({ cost }: LoopFrame): number {
    const { ledger, originMs, materializer } = this.#options;
    const leftMs = ledger.leftMs(performance.now() - originMs);
    const pendingMs = cost.captureMs + cost.snapshotMs + cost.waitMs;
    const copyMs = this.#stateBytes / materializer.copyBytesPerMs;
    return Math.max(0, leftMs - pendingMs - copyMs);
  }

  #capture(
    frame: LoopFrame | undefined,
    entryIds: EntryIds | undefined,
    ending?: LoopFrame,
  ): Capture | undefined {
    try {
      const { captured } = this.#options;
      return capture(captured.places(frame, ending), entryIds, captured.classes);
    } catch (error) {
      // A value that was capturable when it was declared is not any more: training goes on.
      this.#off = true;
      this.#options.turnedOff(describeError(error));
      return undefined;
    }
  }

  #identify(frame: LoopFrame | undefined): EntryIds {
    const { captured } = this.#options;
    return identify(captured.places(frame), { classes: captured.classes });
  }

  #identities(frame: LoopFrame): EntryIds | undefined {
    const started = performance.now();
    try {
      return this.#identify(frame);
    } catch (error) {
      this.#off = true;
      this.#options.turnedOff(describeError(error));
      return undefined;
    } finally {
      this.#walkMs = performance.now() - started;
      // What an outermost loop needs for its end is done whatever the budget says.
      if (frame.parent) this.#options.ledger.captureMs += this.#walkMs;
      else this.#options.ledger.outermostMs += this.#walkMs;
      block(frame.parent, this.#walkMs);
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

function isChosen(frame: LoopFrame | undefined): boolean {
  return frame !== undefined && frame.choice !== "no";
}

/** Time that recording took inside the bodies of a loop and of all loops around it. */
function block(innermost: LoopFrame | undefined, ms: number): void {
  for (let frame = innermost; frame; frame = frame.parent) frame.blockedMs += ms;
}

function bytesOf(state: Capture): number {
  return state.leaves.reduce((sum, { bytes }) => sum + bytes, 0);
}
