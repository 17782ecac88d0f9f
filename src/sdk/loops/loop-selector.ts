/**
 * @file Which loops of a program that never heard of Afterlog are recorded (Flor §3.3), and when
 * one of them is left unrecorded. A recording gives up loops that cost more than they may; a replay
 * of it, with more log statements or without, enters those loops that the recording did.
 */
import type { AfterlogError } from "../../format/index.ts";
import { formatPath, LOOP_OFF } from "../../format/index.ts";
import { testSeams } from "../../host/index.ts";
import type { Accessor, LentName, LoopPlace, LoopSiteTuple } from "./instrument.ts";
import { isTrivial } from "./instrument.ts";
import type { LoopCost } from "./loop-costs.ts";
import { LoopCosts } from "./loop-costs.ts";
import type { LoopFrame, LoopStatement } from "./loop-frame.ts";
import type { LoopStack } from "./loop-stack.ts";
import { PlainLoop } from "./plain-loop.ts";
import { framePath, presentIndex } from "../log/recorder.ts";
import type { RecordedRun } from "../replay/recorded-run.ts";
import type { Session } from "../session.ts";
import { noteFlags, noteGenerators } from "../set-back.ts";
import type { PartStart } from "../switched-flags.ts";
import { SwitchedFlags } from "../switched-flags.ts";
import { setBackFlags } from "../training-flags.ts";

/** Loops around a trivial one that is still recorded: it is arithmetic, as quick as it is frequent. */
const TRIVIAL_AROUND_MAX = 1;
/** A loop inside itself, by recursion, so many times. */
const INSIDE_ITSELF_MAX = 4;

/**
 * Entering and leaving a loop takes microseconds and two lines of the log. One that is entered more
 * often than this is not what anybody asks about.
 */
const ENTRIES_MAX = 1_000_000;

/** An iteration in which the record has no further entry of a loop. */
interface LackingAt {
  readonly frame: LoopFrame | undefined;
  readonly index: number;
}

const AT_ONCE = "it runs at the same time as another loop";
const COUNTED_INSIDE = "a part of the question that counts was called by another one";

/** What a probe is: one log call, statements that may do anything, some that switch nothing, some that change nothing. */
export const PROBES = { log: 0, part: 1, light: 2, quiet: 3 } as const;
export type ProbeKind = (typeof PROBES)[keyof typeof PROBES];

/** The state when a probe began. */
interface ProbeStart {
  readonly setBack: () => void;
  readonly probing: number;
}

export class LoopSelector {
  readonly #session: Session;
  readonly #switched: SwitchedFlags;
  readonly #stack: LoopStack;
  readonly #unrecordedSites = new Set<LoopSiteTuple>();
  /** Loops that the program names itself, and that ran at the same time as another. */
  readonly #unrecordedNames = new Set<string>();
  readonly costs: LoopCosts = new LoopCosts();
  readonly #entriesMax = testSeams(process.env).entriesMax ?? ENTRIES_MAX;
  readonly #processorMsBefore = processorMs();
  /** Where the record lacks entries of loops that were given up: not before that iteration is over. */
  readonly #lacking = new Map<LoopSiteTuple, LackingAt>();
  #unrecordedLoop: PlainLoop | undefined;
  /** Probes that are being evaluated. */
  #probing = 0;

  constructor(session: Session, stack: LoopStack) {
    this.#session = session;
    this.#switched = new SwitchedFlags(() => framePath(session.frame));
    this.#stack = stack;
  }

  /** A loop statement is about to be entered. */
  enter(
    place: LoopPlace,
    accessors: () => readonly Accessor[],
    reads: (() => readonly LentName[]) | undefined,
  ): PlainLoop {
    if (this.isAside || this.#unrecordedSites.has(place.site)) return this.unrecordedLoop;
    if (this.costs.isDue) this.#giveUpCostly();
    const cost = this.costs.of(place);
    cost.calls++;
    if (this.#stack.lastKnown) cost.nested++;
    if (this.#isOwn(place) && this.#isFew(place, cost)) {
      return new PlainLoop(this.#session, place, accessors, cost).lend(reads);
    }
    this.#session.parts.ledger.boundaryMs += this.costs.bookUnrecorded(cost);
    return this.unrecordedLoop;
  }

  /** Iterations of a loop went by without a call. */
  passed({ context, plain }: LoopFrame, count: number): void {
    if (!context?.cost) return;
    const ms = this.costs.bookIterations(context.cost, count, plain ? "plain" : "of");
    this.#session.parts.ledger.boundaryMs += ms;
  }

  /** Shared by all unrecorded loops: it keeps nothing of them. */
  get unrecordedLoop(): PlainLoop {
    const nowhere = { file: "", site: [0, 0, 0, 0, []] } as const;
    return (this.#unrecordedLoop ??= new PlainLoop(undefined, nowhere, () => []));
  }

  /**
   * It runs at the same time as another: from now on both are left unrecorded. False: a loop that
   * the program names has failed otherwise.
   */
  leaveUnrecorded(frame: LoopFrame, { code, help }: AfterlogError): boolean {
    const owner = ownerOf(frame);
    if (!owner.context?.isHandsFree && code !== "AL060") return false;
    frame.isUnrecorded = true;
    owner.isUnrecorded = true;
    for (const loop of [owner, frame.closedBy ?? frame]) {
      const { context, name } = ownerOf(loop);
      if (context?.isHandsFree) this.#noteUnrecorded(context, AT_ONCE);
      else this.#leaveNamed(name, `${AT_ONCE}; ${help[0]}`);
    }
    return true;
  }

  /** One that the program named: it asked for it, and is told. */
  #leaveNamed(name: string, why: string): void {
    if (this.#unrecordedNames.has(name)) return;
    this.#unrecordedNames.add(name);
    this.#session.callResults.turnOff();
    this.#session.turnOff(`${LOOP_OFF}${name}`, why);
  }

  /** Whether a loop that the program names is recorded. */
  isRecorded({ name, context }: LoopStatement): boolean {
    return context?.isHandsFree === true || !this.#unrecordedNames.has(name);
  }

  /** Nothing is skipped in a run that has stopped recording a loop in its middle for such a reason. */
  #noteUnrecorded(place: LoopPlace, why: string): void {
    if (this.#unrecordedSites.has(place.site)) return;
    this.#unrecordedSites.add(place.site);
    this.#session.callResults.turnOff();
    this.#session.noteOff(featureOf(place), why);
  }

  /** A recording stops to record the loop that costs most, if all of them cost too much. */
  #giveUpCostly(): void {
    if (this.#isRepeating) return;
    const { ledger, time } = this.#session.parts;
    // Calls are measured by the clock, of which others may have had a part.
    const computedMs = processorMs() - this.#processorMsBefore;
    const programMs = computedMs / time.runningShare - ledger.spentMs;
    const cost = this.costs.tooCostly(ledger.budget, Math.max(0, programMs));
    if (!cost) return;
    this.costs.giveUp(cost);
    const { place, calls, entries } = cost;
    const why = `recording it costs more than the budget allows: it was entered ${calls} times`;
    this.#giveUp(place, why, entries > 0);
  }

  /**
   * It is not recorded from here on. What is recorded of it tells a replay where that is; nobody need be
   * told if that is nothing.
   */
  #giveUp(place: LoopPlace, why: string, isSaid: boolean): void {
    this.#unrecordedSites.add(place.site);
    place.giveUp?.(this.unrecordedLoop);
    this.#stack.forgetInner();
    this.#session.noteGivenUp(nameOf(place), { feature: featureOf(place), why }, isSaid);
  }

  /** A probe is evaluated until `endProbe` gets what this returns: its loops are not of the run. */
  beginProbe(kind: ProbeKind, start: PartStart): ProbeStart {
    const { director, frame } = this.#session;
    const probing = this.#probing++;
    // One that another one has called finds what that has.
    const isInner = probing > 0;
    const noteLeft = isInner
      ? undefined
      : director?.questionChanges.partBegins(frame, kind === PROBES.quiet);
    // Flags that a part switches are found again by its later parts.
    const flags = kind === PROBES.part ? noteFlags(this.#session) : [];
    // One log call may run in every step: it draws numbers at most.
    const back = kind === PROBES.log ? this.#noteRandom() : noteGenerators(this.#session);
    if (!isInner) this.#switched.begin(start);
    const setBack = (): void => {
      if (isInner) setBackFlags(flags);
      else this.#switched.end(start, flags);
      back();
      noteLeft?.();
    };
    return { setBack, probing };
  }

  #noteRandom(): () => void {
    const { random } = this.#session.parts;
    const { state } = random;
    return () => {
      random.state = state;
    };
  }

  /** What a counter of the question is with what went by without it; undefined: it is about to begin. */
  counted(key: string, value?: number): number | undefined {
    const { director, frame } = this.#session;
    const missing = director?.counters.missing(key) ?? 0;
    if (!director || missing === 0) return value;
    // One that another part has called may be of another call of its function.
    if (this.#probing > 1) director.insufficient(COUNTED_INSIDE, framePath(frame));
    director.counters.settle(key);
    return value === undefined ? undefined : value + missing;
  }

  /** What is asked threw: there is no value at this place, and the run does not notice. */
  probeFailed(error: unknown): void {
    this.#session.director?.questionFailed(error, framePath(this.#session.frame));
  }

  /** Whether a statement is being executed that the run did not have. */
  get isProbing(): boolean {
    return this.#probing > 0;
  }

  /** The same, or what the program itself does aside. */
  get isAside(): boolean {
    return this.#session.asides.length > 0 || this.#probing > 0;
  }

  endProbe(saved: unknown): void {
    const { setBack, probing } = saved as ProbeStart;
    setBack();
    this.#probing = probing;
  }

  /** A loop of the run has continued: a probe that threw never said that it was over. */
  dropProbes(): void {
    this.#probing = 0;
  }

  /** Whether it is a loop of its own where it stands. */
  #isOwn({ site }: LoopPlace): boolean {
    // What is asked most often comes first: arithmetic inside a training.
    const around = this.#stack.lastKnown;
    if (around && around.depth >= TRIVIAL_AROUND_MAX && isTrivial(site)) return false;
    return timesInside(around, site) < INSIDE_ITSELF_MAX;
  }

  #isFew(place: LoopPlace, cost: LoopCost): boolean {
    // It was given up just now.
    if (this.#unrecordedSites.has(place.site) || !this.#isRepeated(place)) return false;
    if (++cost.entries <= this.#entriesMax || this.#isRepeating) return true;
    this.#giveUp(place, `it is entered more than ${this.#entriesMax} times`, true);
    return false;
  }

  /** It does what a run did: nothing is decided here. */
  get #isRepeating(): boolean {
    return this.#session.director?.isReleased === false;
  }

  /** False: the run that is repeated had given it up here. */
  #isRepeated(place: LoopPlace): boolean {
    const { director } = this.#session;
    const why = director?.recorded.givenUp.get(nameOf(place));
    if (!director || why === undefined) return true;
    if (this.#isRepeating) return this.#isInRecord(place, director.recorded);
    // What goes on by itself goes on without it.
    this.#giveUp(place, why, true);
    return false;
  }

  #isInRecord(place: LoopPlace, { entries }: Pick<RecordedRun, "entries">): boolean {
    const frame = this.#stack.lastKnown;
    const index = frame ? presentIndex(frame) : 0;
    const lacking = this.#lacking.get(place.site);
    if (lacking?.frame === frame && lacking?.index === index) return false;
    if (entries.has(formatPath(this.#stack.nextEntry(nameOf(place))))) return true;
    this.#lacking.set(place.site, { frame, index });
    return false;
  }
}

/** Of this process so far: on a busy machine the clock tells nothing of what a program does. */
function processorMs(): number {
  return process.cpuUsage().user / 1000;
}

function nameOf({ site }: LoopPlace): string {
  return site[5] ?? "loop";
}

function featureOf(place: LoopPlace): string {
  return `${LOOP_OFF}${nameOf(place)} (${place.file}:${place.site[0]})`;
}

function timesInside(around: LoopFrame | undefined, site: LoopSiteTuple): number {
  let times = 0;
  for (let frame = around; frame; frame = frame.parent) {
    if (frame.context?.site === site) times++;
  }
  return times;
}

/** The loop to which one that a framework drives inside of it belongs: epochs to their batches. */
function ownerOf(frame: LoopFrame): LoopFrame {
  let owner = frame;
  while (owner.driven && !owner.context && owner.parent) owner = owner.parent;
  return owner;
}
