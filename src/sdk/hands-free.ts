/**
 * @file Which loops of a program that never heard of Afterlog are recorded (Flor §2.2.1), and when
 * one of them is executed untouched. Nothing is decided by time: a run, a replay of it and the same
 * program with more log statements must have the same loops.
 */
import type { GeneratorState } from "../format/index.ts";
import type { Accessor, LentName, LoopPlace, LoopSite } from "./instrument.ts";
import { isLight } from "./instrument.ts";
import type { LoopFrame } from "./loop-frame.ts";
import type { LoopStack } from "./loop-stack.ts";
import { PlainLoop } from "./plain-loop.ts";
import type { Session } from "./session.ts";

/** Loops around a light one that is still recorded: it is arithmetic, as quick as it is frequent. */
const LIGHT_AROUND_MAX = 1;
/** A loop inside itself, by recursion, so many times. */
const INSIDE_ITSELF_MAX = 4;

/**
 * Entering and leaving a loop takes microseconds and two lines of the log. So a loop that is entered
 * again and again is recorded only so often: by the iteration around it, and by its entries in there.
 */
interface Bounds {
  readonly iterations: number;
  readonly entries: number;
}

const LIGHT_BOUNDS: Bounds = { iterations: 10_000, entries: 64 };
const BOUNDS: Bounds = { iterations: 100_000, entries: 1_000 };

/** What was when a probe began. */
interface ProbeStart {
  readonly generator: GeneratorState;
  readonly probing: number;
}

export class HandsFree {
  readonly #session: Session;
  readonly #stack: LoopStack;
  readonly #outOfUse = new Set<LoopSite>();
  #idle: PlainLoop | undefined;
  /** Probes that are being evaluated. */
  #probing = 0;

  constructor(session: Session, stack: LoopStack) {
    this.#session = session;
    this.#stack = stack;
  }

  /** A loop statement is about to be entered. */
  at(
    place: LoopPlace,
    accessors: () => readonly Accessor[],
    reads: (() => readonly LentName[]) | undefined,
  ): PlainLoop {
    const session = this.#session;
    if (this.#isRecorded(place.site)) return new PlainLoop(session, place, accessors).lend(reads);
    // Shared by all that are left as they are: it keeps nothing of them.
    return (this.#idle ??= new PlainLoop(undefined, place, () => []));
  }

  /** It runs at the same time as another: from now on both are executed untouched. */
  retire(frame: LoopFrame): void {
    frame.outOfUse = true;
    for (const { context, name } of [frame, frame.closedBy ?? frame]) {
      if (!context || this.#outOfUse.has(context.site)) continue;
      this.#outOfUse.add(context.site);
      const place = `${context.file}:${context.site[0]}`;
      const why = "it runs at the same time as another loop";
      this.#session.noteOff(`loop ${name} (${place})`, why);
    }
  }

  /** A probe is evaluated until `back` is called with the answer: its loops are not of the run. */
  save(): ProbeStart {
    return { generator: this.#session.random.state, probing: this.#probing++ };
  }

  back(saved: unknown): void {
    const { generator, probing } = saved as ProbeStart;
    this.#session.random.state = generator;
    this.#probing = probing;
  }

  /** A loop of the run went on: a probe that threw never said that it was over. */
  wentOn(): void {
    this.#probing = 0;
  }

  #isRecorded(site: LoopSite): boolean {
    const isOff = this.#session.asides.length > 0 || this.#probing > 0;
    if (isOff || this.#outOfUse.has(site)) return false;
    const stack = this.#stack;
    const around = stack.lastKnown;
    const light = isLight(site);
    const depth = around ? around.depth + 1 : 0;
    if (light && depth > LIGHT_AROUND_MAX) return false;
    if (depth > LIGHT_AROUND_MAX && !isWithin(BOUNDS, site, stack)) return false;
    if (light && !isWithin(LIGHT_BOUNDS, site, stack)) return false;
    return timesInside(around, site) < INSIDE_ITSELF_MAX;
  }
}

function isWithin({ iterations, entries }: Bounds, site: LoopSite, stack: LoopStack): boolean {
  const around = stack.lastKnown;
  const passed = around?.passing?.passed() ?? 0;
  if ((around?.index ?? 0) + passed >= iterations) return false;
  const entered = passed > 0 ? 0 : stack.entriesOf(site[5] ?? "loop");
  return entered < entries;
}

function timesInside(around: LoopFrame | undefined, site: LoopSite): number {
  let times = 0;
  for (let frame = around; frame; frame = frame.parent) {
    if (frame.context?.site === site) times++;
  }
  return times;
}
