/**
 * @file Takes a program to the points that a plan asks for (semantics, "How a point is reached"):
 * at each loop entry it does what the orders say, restores checkpoints, and compares the loops that
 * the program enters with those that were recorded.
 *
 * Nothing here guesses: what does not fit ends the process with an outcome that says so, and the
 * engine then executes more, or tells the user.
 */
import { isDeepStrictEqual } from "node:util";
import type { StatePlace } from "../../adapters/index.ts";
import { identify, moduleResolver, restore } from "../../adapters/index.ts";
import type {
  CheckpointRecord,
  Course,
  IteratorPosition,
  LoopExit,
  LoopPath,
  Orders,
  ReplayOutcome,
  Varying,
} from "../../format/index.ts";
import { describeError, formatPath, pathElement, valueFromJson } from "../../format/index.ts";
import { asInTree } from "../../format/index.ts";
import type { CheckpointReader } from "../../store/index.ts";
import { listCheckpoints, openCheckpoint } from "../../store/index.ts";
import { iterationEnds, placesByEntry } from "./checkpoints-by-entry.ts";
import type { ComparableState } from "./compare-state.ts";
import { comparedKey, compareState, differingAround, readState } from "./compare-state.ts";
import type { EntryProgress, Move } from "./entry-progress.ts";
import type { LoopFrame, TrackedIterator } from "../loops/loop-frame.ts";
import type { LoopObserver } from "../loops/loop-observer.ts";
import { roundMs } from "../log/loop-profile.ts";
import { PassedCounters } from "./passed-counters.ts";
import { QuestionChanges } from "./question-changes.ts";
import type { RecordedEntry } from "./recorded-run.ts";
import { RecordedRun } from "./recorded-run.ts";
import { framePath, iterationPath, loopEndPath } from "../log/recorder.ts";
import type { RunParts } from "../run-parts.ts";

/** Failures of a question that are kept: more say nothing new. */
const FAILURES_MAX = 3;

const SKIPPED_APART =
  "loops were skipped inside of one that changes what cannot be captured, and the state differs";

export interface DirectorOptions {
  readonly orders: Orders;
  /** A fork and a resumed run continue where the record ends; a replay must not. */
  readonly mode: "fork" | "resume" | "replay";
  readonly program: string;
  /** Ends the process with this outcome. */
  readonly finish: (outcome: ReplayOutcome) => never;
  /** A checkpoint was put back. */
  readonly restored: (record: CheckpointRecord, ms: number) => void;
}

/** The loop continues after this iteration; `restored`: with the state of this checkpoint. */
interface Arrival {
  readonly index: number;
  readonly restored: CheckpointRecord | undefined;
}

export class Director implements LoopObserver {
  readonly recorded: RecordedRun;
  readonly #parts: RunParts;
  readonly #options: DirectorOptions;
  readonly #courses: ReadonlyMap<string, Course>;
  readonly #checkpoints: ReadonlyMap<string, CheckpointRecord>;
  readonly #byPath: ReadonlyMap<string, CheckpointRecord>;
  /** Loop entries with checkpoints of theirs, by the path of their end. */
  readonly #checkpointed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Iterations with a checkpoint at their end, in the same way. */
  readonly #iterationEnds: ReadonlyMap<string, readonly number[]>;
  readonly #progress = new WeakMap<LoopFrame, EntryProgress>();
  readonly #modules: ReturnType<typeof moduleResolver>;
  /** Declarations so far in each iteration. */
  readonly #declarations = new Map<string, number>();
  /** Where iterators stood at the last restore, until a loop takes them up again. */
  #positions = new Map<number, IteratorPosition>();
  /** A fork, or a resumed run, is where it continues by itself: from here on nothing is compared. */
  isReleased = false;
  #suspected: ReplayOutcome | undefined;
  /** Something was restored that lacks a part of what the loops around it change. */
  #wentAlong = false;
  /** What is not compared. */
  #varying: Varying | undefined;
  /** What is not as it was in the run, and need not matter. */
  readonly hints: string[] = [];
  /** Where what is asked threw, and what; and how often. */
  readonly failures: string[] = [];
  readonly questionChanges: QuestionChanges;
  readonly counters: PassedCounters = new PassedCounters();
  failureCount = 0;

  constructor(parts: RunParts, options: DirectorOptions) {
    this.#parts = parts;
    this.#options = options;
    const { orders, program } = options;
    this.recorded = new RecordedRun(orders.parent);
    this.questionChanges = new QuestionChanges(parts.captured, orders.mayChange);
    this.#varying = orders.varying;
    this.#courses = new Map(orders.courses.map((course) => [course.entry, course]));
    const checkpoints = listCheckpoints(orders.parent);
    this.#checkpoints = new Map(checkpoints.map((record) => [record.file, record]));
    this.#byPath = new Map(checkpoints.map((record) => [formatPath(record.path), record]));
    this.#checkpointed = placesByEntry(checkpoints);
    this.#iterationEnds = iterationEnds(checkpoints);
    this.#modules = moduleResolver(program);
    this.isReleased = options.mode !== "replay" && orders.arrive === null;
    this.#recordAgain();
  }

  /** A call of the run had none: from here on what depends on it is another. */
  tookFreshResult(): void {
    this.#varying = this.#options.orders.varyingFresh ?? this.#options.orders.varying;
  }

  /** Called when iterations of a loop are not executed, with a path in it. */
  onSkip: (path: LoopPath) => void = () => undefined;

  /** The program left a loop where the run did not, and has not failed since. */
  get suspected(): ReplayOutcome | undefined {
    return this.#suspected;
  }

  /** What is asked threw, at a line that stderr shows: the run, which lacks it, continues as it did. */
  questionFailed(error: unknown, path: LoopPath): void {
    const where = path.length === 0 ? "outside of all loops" : `at ${formatPath(path)}`;
    this.failureCount += 1;
    if (this.failures.length >= FAILURES_MAX) return;
    if (error instanceof Error) process.stderr.write(`${error.stack ?? ""}\n`);
    this.failures.push(`what is asked failed ${where}: ${describeError(error)}`);
  }

  /** The number that a declaration made now had in the run. */
  declarationOrdinal(path: LoopPath): number | undefined {
    const text = formatPath(path);
    const n = this.#declarations.get(text) ?? 0;
    this.#declarations.set(text, n + 1);
    return this.recorded.declaration(path, n);
  }

  /** The run, as far as it is repeated, made no further declaration here. */
  lacksDeclaration(path: LoopPath): boolean {
    const n = this.#declarations.get(formatPath(path)) ?? 0;
    return !this.isReleased && this.recorded.declaration(path, n) === undefined;
  }

  /** A loop was entered: decides what becomes of it. */
  entered(frame: LoopFrame): void {
    if (this.isReleased || this.recorded.leftAlone.has(frame.name)) return;
    if (this.#suspected) this.#options.finish(this.#suspected);
    const key = formatPath(loopEndPath(frame));
    const course = this.#courses.get(key);
    const recorded = this.recorded.entries.get(key);
    if (course?.do === "stop") this.#finishDone(frame);
    if (!recorded) this.#unrecorded(frame);
    // Restoring and comparing alike need to know which objects there were at entry.
    const known = this.#checkpointed.has(key);
    const { classes } = this.#parts.captured;
    const ids = known ? identify(this.#places(frame, key), { hold: true, classes }) : undefined;
    const watched = this.#watched(key, course, recorded);
    const begun = { watched, watchedDone: 0, leg: 0, restoredLeg: -1, skipped: false };
    this.#progress.set(frame, { key, course, recorded, ids, ...begun });
    if (recorded) this.#continueIterator(frame, recorded.iterator);
  }

  /** What to do before the next item; undefined: continue as the program does. */
  before(frame: LoopFrame): Move | undefined {
    const progress = this.#progress.get(frame);
    if (!progress || this.isReleased) return undefined;
    if (this.#suspected) this.#options.finish(this.#suspected);
    const next = frame.index + 1;
    const { course } = progress;
    if (course?.do === "skip") return "end";
    const legs = course?.legs ?? [];
    while (next > (legs[progress.leg]?.to ?? Infinity)) progress.leg++;
    const leg = legs[progress.leg];
    if (leg) {
      const arrived =
        next === leg.from && (leg.restore === null || progress.restoredLeg === progress.leg);
      if (next < leg.from || (next === leg.from && !arrived)) {
        if (leg.reposition === "state" || frame.plain || leg.from === next) return ["restore"];
        const drop = { drop: leg.from - next };
        return leg.reposition === "consume" ? [drop, "restore"] : ["restore", drop];
      }
    } else if (course?.after === "stop") {
      this.#confirmEnd(frame, progress);
      this.#finishDone(frame);
    } else if (course?.after === "skip") return "end";
    this.#checkContinues(frame, progress, next);
    return undefined;
  }

  /** Whether the loop that ends there will be skipped as a whole. */
  skipsWhole(end: LoopPath): boolean {
    return !this.isReleased && this.#courses.get(formatPath(end))?.do === "skip";
  }

  /** Iterations that may go unreported: up to one with orders, or to compare. */
  batchLimit(frame: LoopFrame): number {
    const progress = this.#progress.get(frame);
    if (!progress || this.isReleased) return Infinity;
    if (!progress.recorded?.exit) return 0;
    const { watched } = progress;
    while ((watched[progress.watchedDone] ?? Infinity) < frame.index) progress.watchedDone++;
    return (watched[progress.watchedDone] ?? Infinity) - frame.index;
  }

  /** Iterations at whose end something happens, in order. */
  #watched(key: string, course: Course | undefined, recorded: RecordedEntry | undefined): number[] {
    const { exit = null } = recorded ?? {};
    const ends = course?.legs?.flatMap(({ to }) => (to === null ? [] : [to])) ?? [];
    const left = exit && exit.how !== "exhausted" ? [exit.iterations - 1] : [];
    const compared = this.#iterationEnds.get(key) ?? [];
    return [...ends, ...left, ...compared].toSorted((a, b) => a - b);
  }

  /** Restores what the present leg begins with: says where the loop then stands. */
  restore(frame: LoopFrame): Arrival {
    const progress = this.#progress.get(frame);
    const leg = progress?.course?.legs?.[progress.leg];
    if (!progress || !leg) return { index: frame.index, restored: undefined };
    progress.restoredLeg = progress.leg;
    this.counters.pass(leg.passed);
    const index = leg.from - 1;
    if (leg.restore !== null)
      this.#restore(frame, progress, leg.restore, iterationPath(frame, index));
    // Where a plain loop stands came with the state: it has nothing that could be set.
    if (leg.reposition === "state" && !frame.plain) this.#setIterator(frame, progress);
    else if (progress.recorded && frame.iterator.resumable) {
      this.#positions.delete(progress.recorded.iterator);
    }
    this.#release(leg.restore);
    return { index, restored: this.#checkpoints.get(leg.restore ?? "") };
  }

  /** The loop, and its iterator, are where the leg begins. */
  arrived(): void {
    this.#recordAgain();
  }

  /** Whether it continues by itself from here. */
  #release(file: string | null): void {
    if (this.#options.mode !== "replay" && file === this.#options.orders.arrive) {
      this.isReleased = true;
    }
  }

  /** A run that is continued is on its way to where it left off: what it does there it has done. */
  get isOnTheWay(): boolean {
    return this.#options.mode === "resume" && !this.isReleased;
  }

  /** A run that is continued has come to where it left off: from here on it records again. */
  #recordAgain(): void {
    if (this.#options.mode !== "resume" || !this.isReleased) return;
    const from = this.#checkpoints.get(this.#options.orders.arrive ?? "");
    this.#parts.recorder.resume(from ?? { path: [], seq: -1, t: 0 });
  }

  /** A run that is continued gives what it did before the numbers that it had. */
  recordedIterator(around: LoopPath, name: string, entry: number): number | undefined {
    if (!this.isOnTheWay) return undefined;
    const end = [...around, pathElement(name, "end", entry)];
    return this.recorded.entries.get(formatPath(end))?.iterator;
  }

  /** Restores the loop's end, as if all its iterations had run: says after which one, and how. */
  skip(frame: LoopFrame): { readonly index: number; readonly how: LoopExit } {
    const progress = this.#progress.get(frame);
    const file = progress?.course?.restore;
    if (!progress || file === undefined) return { index: frame.index, how: "exhausted" };
    progress.skipped = true;
    this.counters.pass(progress.course?.passed);
    this.#restore(frame, progress, file, loopEndPath(frame));
    this.#release(file);
    const { iterations = 0, how = "exhausted" } = progress.recorded?.exit ?? {};
    return { index: iterations - 1, how };
  }

  iterationEnded(frame: LoopFrame, isComplete: boolean): void {
    if (isComplete) this.#compare(frame, () => framePath(frame));
  }

  loopEnded(frame: LoopFrame, how: LoopExit, isUnwound: boolean): void {
    this.#compare(frame, () => loopEndPath(frame));
    if (isUnwound) return;
    this.#checkExit(frame, how);
    this.#recordAgain();
  }

  /** A loop has been left by the program itself. */
  #checkExit(frame: LoopFrame, how: LoopExit): void {
    const progress = this.#progress.get(frame);
    const exit = progress?.recorded?.exit;
    if (!exit || this.isReleased) return;
    const iterations = frame.index + 1;
    if (iterations === exit.iterations) return;
    const was = `${exit.iterations} iterations (${exit.how})`;
    const why = `loop "${frame.name}" ended after ${iterations} iterations (${how}); recorded: ${was}`;
    this.#suspected = { kind: "diverged", why, path: framePath(frame) };
    // An exception may be under way, and what it says is worth more: it shows at the end.
    if (how === "exhausted" || how === "break") this.#options.finish(this.#suspected);
  }

  /** An iteration, or a loop, has run to its end: compares the state with a checkpoint of it. */
  #compare(frame: LoopFrame, pathOf: () => LoopPath, isEarly = false): void {
    const progress = this.#progress.get(frame);
    if (!progress?.ids || progress.skipped || !this.comparing) return;
    const path = pathOf();
    const record = this.#byPath.get(formatPath(path));
    if (!record) return;
    const { captured, random, recorder } = this.#parts;
    const isIteration = record.kind === "iteration";
    const places = this.#places(frame, progress.key, isIteration ? frame : undefined);
    const { classes } = captured;
    const now = { places, classes, entry: progress.ids, generators: [random.state] };
    const read = (): ComparableState => readState(this.#options.orders.parent, record);
    const how = { varying: this.#varying, read, tree: this.#options.orders.tree };
    const found = this.questionChanges.compare(() => compareState(now, record, how));
    const { compared, differs, left } = found;
    const equal = differs.length === 0;
    if (compared === 0 || (isEarly && !equal)) return;
    recorder.emit({ k: "state", path, equal, differs, ...(left.length > 0 ? { left } : {}) });
    const why = this.questionChanges.whyOver(found);
    if (why !== undefined) this.#options.finish({ kind: "diverged", why, path });
    // What the loops around keep where nobody sees it may hold what was only restored as a copy.
    if (!equal && this.#wentAlong)
      this.insufficient(`${SKIPPED_APART}: ${differs.join(", ")}`, path);
  }

  /** A restore would hide that the loops around have made something else of what this one leaves alone. */
  #checkAround(frame: LoopFrame, { key, ids }: EntryProgress, checkpoint: CheckpointReader): void {
    const { classes } = this.#parts.captured;
    const now = { places: this.#places(frame, key), entry: ids, classes };
    const own = new Set(frame.context?.site[4]);
    const { tree } = this.#options.orders;
    const differs = differingAround(now, own, checkpoint, { varying: this.#varying, tree });
    if (differs.length === 0) return;
    throw new Error(`the loops around have made something else of ${differs.join(", ")}`);
  }

  /**
   * The process stops behind the last iteration of a loop: the state may be that of the loop's end
   * already. If it is not, that says nothing: what asks for the next item may change it.
   */
  #confirmEnd(frame: LoopFrame, { recorded }: EntryProgress): void {
    const exit = recorded?.exit;
    const isLast = exit?.how === "exhausted" && frame.index + 1 === exit.iterations;
    if (isLast) this.#compare(frame, () => loopEndPath(frame), true);
  }

  /** The iterator of a loop has fewer items than it had. */
  tooShort(frame: LoopFrame, items: number): never {
    const why = `the iterator of loop "${frame.name}" ended after ${items} items`;
    return this.#options.finish({ kind: "diverged", why, path: framePath(frame) });
  }

  /** Something that was ordered cannot be done: the engine must execute more. */
  insufficient(why: string, path: LoopPath): never {
    return this.#options.finish({ kind: "insufficient", why, path });
  }

  /** What will be computed is not what was: the process ends at its first loop, or at its end. */
  suspect(why: string): void {
    this.#suspected ??= { kind: "diverged", why, path: [] };
  }

  diverged(why: string, path: LoopPath): void {
    if (!this.isReleased) this.#options.finish({ kind: "diverged", why, path });
  }

  get comparing(): boolean {
    return !this.isReleased && this.#options.mode === "replay";
  }

  /** Items are being dropped: loops inside the iterator are then not where the run had them. */
  dropping = false;

  /**
   * The places that the run captured in this loop entry. A statement that was added, or a run that
   * was not rewritten, may make them differ from those here; objects are numbered by walking them.
   */
  #places(frame: LoopFrame, entry: string, ending?: LoopFrame): StatePlace[] {
    const keys = this.#checkpointed.get(entry);
    const places = this.#parts.captured.places(frame, ending);
    return places.filter(({ key }) => keys?.has(comparedKey(key)) ?? true);
  }

  #finishDone(frame: LoopFrame): never {
    return this.#finish("done", "all that was asked for has run", frame);
  }

  #finish(ordered: ReplayOutcome["kind"], why: string, frame: LoopFrame): never {
    const kind = this.dropping ? "insufficient" : ordered;
    return this.#options.finish({ kind, why, path: framePath(frame) });
  }

  /** No loop yields more iterations than were recorded. */
  #checkContinues(frame: LoopFrame, { recorded }: EntryProgress, next: number): void {
    if (!recorded || this.#options.mode !== "replay") return;
    const { exit } = recorded;
    // An iterator that ended the loop, by being empty or by throwing, was asked once more.
    const isAskedAgain = exit?.how === "exhausted" || exit?.how === "throw";
    if (!exit || next < exit.iterations || isAskedAgain) return;
    const why = `loop "${frame.name}" continued after ${next} iterations, where the run left it (${exit.how})`;
    this.#finish("diverged", why, frame);
  }

  #unrecorded(frame: LoopFrame): void {
    if (this.#options.mode !== "replay") return;
    if (!this.recorded.sealed) this.#finishDone(frame);
    this.#finish("diverged", `the run did not enter loop "${frame.name}" here`, frame);
  }

  #restore(frame: LoopFrame, progress: EntryProgress, file: string, path: LoopPath): void {
    const started = performance.now();
    this.onSkip(path);
    this.questionChanges.checkRestore((why) => this.insufficient(why, path));
    const { captured, random, recorder } = this.#parts;
    try {
      const record = this.#checkpoints.get(file);
      if (!record) throw new Error(`checkpoint ${file} is not in the index`);
      using reader = openCheckpoint(this.#options.orders.parent, record);
      if (progress.course?.along) this.#checkAround(frame, progress, reader);
      this.#wentAlong ||= progress.course?.along === true;
      const { tree } = this.#options.orders;
      const structure = reader.structure((json) => asInTree(json, tree));
      const read = (name: string, into?: Uint8Array): Uint8Array => reader.tensor(name, into);
      const { classes } = captured;
      const known = progress.ids ? { entry: progress.ids } : {};
      const options = { classes, modules: this.#modules, ...known };
      restore(this.#places(frame, progress.key), structure, read, options);
      const [generator] = structure.generators;
      if (generator) random.state = generator;
      this.#positions = new Map(structure.iterators.map((position) => [position.id, position]));
      this.#setDatasets(frame, progress);
      recorder.emit({ k: "restore", path, file });
      const ms = roundMs(performance.now() - started);
      recorder.profile({ k: "load", path, ms, bytes: record.stateBytes });
      this.#options.restored(record, ms);
    } catch (error) {
      this.insufficient(`${file} cannot be restored: ${describeError(error)}`, path);
    }
  }

  /** Datasets are set at once: the program may ask or move one before a loop takes it up. */
  #setDatasets(frame: LoopFrame, progress: EntryProgress): void {
    // Loops around this one are where they were: what they go through has not been left.
    for (let around = frame.parent; around; around = around.parent) {
      const recorded = this.#progress.get(around)?.recorded;
      if (recorded) this.#positions.delete(recorded.iterator);
    }
    for (const position of this.#positions.values()) {
      // What the loop itself goes through is set when it has been taken to its iteration.
      const isOwn = !progress.skipped && position.id === progress.recorded?.iterator;
      if (position.made === undefined || position.state === undefined || isOwn) continue;
      const dataset = this.#parts.iterators.find(position, frame);
      if (dataset) this.#setPosition(dataset, position);
      else if (this.#options.mode !== "replay" && position.made.startsWith("/")) {
        throw new Error("a dataset that the run made at top level is not there");
      }
    }
  }

  /** The loop's own iterator, at the position that the checkpoint has. */
  #setIterator(frame: LoopFrame, { recorded }: EntryProgress): void {
    const position = recorded && this.#positions.get(recorded.iterator);
    const { iterator } = frame;
    // One that has begun may hold a position of its own besides the one that it is given.
    if (position?.state === undefined || !iterator.resumable || frame.index >= 0) {
      const why = `the iterator of loop "${frame.name}" cannot be set to its position`;
      this.insufficient(why, framePath(frame));
    }
    this.#setPosition(iterator, position);
  }

  #setPosition(iterator: TrackedIterator, position: IteratorPosition): void {
    this.#positions.delete(position.id);
    const state = valueFromJson(position.state);
    // One that the program goes through by hand stands there already, and cannot be set.
    const isThere = position.made && isDeepStrictEqual(iterator.resumable?.state(), state);
    if (!isThere) iterator.resumable?.restore(state);
    iterator.delivered = position.delivered;
  }

  /** An iterator that was used before the last restore continues from where it stood then. */
  #continueIterator(frame: LoopFrame, id: number): void {
    const position = this.#positions.get(id);
    const { iterator } = frame;
    if (!position) return;
    if (position.state !== undefined && iterator.resumable) this.#setPosition(iterator, position);
    else if (iterator.delivered !== position.delivered) {
      const why = `loop "${frame.name}" continues with an iterator that cannot be set to its position`;
      this.insufficient(why, framePath(frame));
    }
  }
}
