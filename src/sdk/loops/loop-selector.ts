/**
 * @file Which loops of a program that never heard of Afterlog are recorded (Flor §2.2.1), and when
 * one of them is left unrecorded. Nothing is decided by time: a run, a replay of it and the same
 * program with more log statements must have the same loops.
 */
import { LOOP_OFF } from "../../format/index.ts";
import type { Accessor, LentName, LoopPlace, LoopSiteTuple } from "./instrument.ts";
import { isTrivial } from "./instrument.ts";
import type { LoopFrame } from "./loop-frame.ts";
import type { LoopStack } from "./loop-stack.ts";
import { PlainLoop } from "./plain-loop.ts";
import { framePath } from "../log/recorder.ts";
import type { Session } from "../session.ts";
import { noteForPart } from "../set-back.ts";
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
  readonly #entries = new Map<LoopSiteTuple, number>();
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
    if (this.#isRecorded(place) && this.#isFew(place)) {
      return new PlainLoop(this.#session, place, accessors).lend(reads);
    }
    // Shared by all unrecorded loops: it keeps nothing of them.
    return (this.#unrecordedLoop ??= new PlainLoop(undefined, place, () => []));
  }

  /**
   * It runs at the same time as another: from now on both are left unrecorded. False: the program
   * calls us itself, and made an error of use.
   */
  leaveUnrecorded(frame: LoopFrame): boolean {
    const owner = ownerOf(frame);
    if (!owner.context?.isHandsFree) return false;
    frame.isUnrecorded = true;
    owner.isUnrecorded = true;
    for (const loop of [owner, frame.closedBy ?? frame]) {
      const { context } = ownerOf(loop);
      if (context) this.#noteUnrecorded(context, "it runs at the same time as another loop");
    }
    return true;
  }

  /** Nothing is skipped in a run that has stopped recording a loop in its middle. */
  #noteUnrecorded({ file, site }: LoopPlace, why: string): void {
    if (this.#unrecordedSites.has(site)) return;
    this.#unrecordedSites.add(site);
    this.#session.callResults.turnOff();
    this.#session.noteOff(`${LOOP_OFF}${site[5] ?? "loop"} (${file}:${site[0]})`, why);
  }

  /** A probe is evaluated until `endProbe` gets what this returns: its loops are not of the run. */
  beginProbe(isPart: boolean, start: PartStart): ProbeStart {
    const { director } = this.#session;
    if (director) director.questionChanges.isAsked = true;
    const { random } = this.#session.parts;
    const { state } = random;
    const generator = (): void => {
      random.state = state;
    };
    // One log call may run in every step: it draws numbers at most.
    const { back, flags } = isPart
      ? noteForPart(this.#session)
      : { back: generator, flags: [] as const };
    const probing = this.#probing++;
    // One that another one has called finds what that has.
    const isInner = probing > 0;
    if (!isInner) this.#switched.begin(start);
    const setBack = (): void => {
      if (isInner) setBackFlags(flags);
      else this.#switched.end(start, flags);
      back();
    };
    return { setBack, probing };
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

  #isRecorded({ site }: LoopPlace): boolean {
    // What is asked most often comes first: arithmetic inside a training.
    const around = this.#stack.lastKnown;
    if (around && around.depth >= TRIVIAL_AROUND_MAX && isTrivial(site)) return false;
    if (this.isAside || this.#unrecordedSites.has(site)) return false;
    return timesInside(around, site) < INSIDE_ITSELF_MAX;
  }

  #isFew(place: LoopPlace): boolean {
    const entries = (this.#entries.get(place.site) ?? 0) + 1;
    this.#entries.set(place.site, entries);
    if (entries <= ENTRIES_MAX) return true;
    this.#noteUnrecorded(place, `it is entered more than ${ENTRIES_MAX} times`);
    return false;
  }
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
