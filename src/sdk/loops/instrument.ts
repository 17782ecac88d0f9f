/**
 * @file What rewritten sources call (semantics, "Captured state" b): accessors to the names that a
 * loop changes, and marks of how a loop was left. The rewriting is in `languages/typescript`.
 *
 * Rewritten code finds this through one symbol of the global object, so that it needs no import
 * and works in modules and in CommonJS alike. Where nobody listens it gets `undefined`, and does
 * nothing.
 */
import { createHash } from "node:crypto";
import type { LoopLeftAlone, Manifest } from "../../format/index.ts";
import { withoutInserted } from "../../format/index.ts";
import type { CapturedState } from "../checkpoints/captured-state.ts";
import type { CallResults, CallSiteTuple } from "../log/call-results.ts";
import type { TimedCall, TimedSiteTuple, UnseenCalls } from "../log/unseen-calls.ts";
import { WrittenTexts } from "../log/written-texts.ts";
import type { LoopCost } from "./loop-costs.ts";
import type { LoopFrame } from "./loop-frame.ts";
import type { RewrittenCost } from "./rewritten-cost.ts";
import type { LoopSelector, ProbeKind } from "./loop-selector.ts";
import type { Session } from "../session.ts";

/** A name that a loop changes: its key, how it is read, and how it is set unless it is constant. */
export type Accessor = readonly [key: string, get: () => unknown, set?: (value: unknown) => void];

/** A name that a loop only reads, for the audit: its key, the name, and how it is read. */
export type LentName = readonly [key: string, name: string, get: () => unknown];

/**
 * Where a loop statement stands, and the keys of the names that it captures. Of a program that does
 * not call us also its name and what it is: `of` goes through something, `plain` has a test, `fit`
 * is a training of TensorFlow.js; and the function that it stands in, unless somebody has named it.
 */
export type LoopSiteTuple = readonly [
  line: number,
  column: number,
  endLine: number,
  endColumn: number,
  keys: readonly string[],
  name?: string | null,
  kind?: "api" | "of" | "plain" | "fit",
  flags?: number,
  functionName?: string | null,
];

/**
 * What must be over before something runs as it was written: loops, by number, and keys of variables; and the
 * loops that alone may still be recorded then, if it matters.
 */
type PlainBodyTuple = readonly [
  loops: readonly number[],
  keys: readonly string[],
  around?: readonly number[],
];

export interface LoopPlace {
  readonly file: string;
  readonly site: LoopSiteTuple;
  /** Told what stands for it once it is not recorded any more. */
  readonly giveUp?: (unrecorded: LoopContext) => void;
}

/** Of a statement that is not in the table of its file. */
const NOWHERE: LoopSiteTuple = [0, 0, 0, 0, []];

/** Flag of a site. */
const TRIVIAL = 1;

/** A loop statement of rewritten source, each time it is about to be entered. */
export class LoopContext {
  readonly file: string;
  readonly site: LoopSiteTuple;
  readonly #accessors: () => readonly Accessor[];
  #reads: (() => readonly LentName[]) | undefined;
  #known: readonly Accessor[] | undefined;
  /** A `break` of this loop is about to be executed. */
  broke = false;

  /** What its statement has cost; undefined: the program asked for it. */
  readonly cost: LoopCost | undefined;

  constructor(place: LoopPlace, accessors: () => readonly Accessor[], cost?: LoopCost) {
    this.file = place.file;
    this.site = place.site;
    this.#accessors = accessors;
    this.cost = cost;
  }

  /** The name of a loop of a program that does not call us. */
  get name(): string {
    return this.site[5] ?? "loop";
  }

  get isTrivial(): boolean {
    return isTrivial(this.site);
  }

  /** The program does not know of us: nothing of ours may reach it. */
  get isHandsFree(): boolean {
    return isHandsFree(this.site);
  }

  get accessors(): readonly Accessor[] {
    return (this.#known ??= this.#accessors());
  }

  /** What the loop only reads, as far as the analysis can tell. */
  get reads(): readonly LentName[] {
    return this.#reads?.() ?? [];
  }

  /** Where `reads` come from. */
  lend(reads: (() => readonly LentName[]) | undefined): this {
    this.#reads = reads;
    return this;
  }

  /** Called before a `break` that leaves this loop. */
  brk(): void {
    this.broke = true;
  }
}

/** Its body calls no package, no unknown function, and awaits nothing. */
export function isTrivial(site: LoopSiteTuple): boolean {
  // By index: taking an array apart goes through its iterator, and this is asked at every entry.
  return ((site[7] ?? 0) & TRIVIAL) !== 0;
}

function isHandsFree(site: LoopSiteTuple): boolean {
  return (site[6] ?? "api") !== "api";
}

/** A loop statement that goes through what `al.loop` returns. */
class ApiLoop extends LoopContext {
  readonly #instrument: Instrument;

  constructor(instrument: Instrument, place: LoopPlace, accessors: () => readonly Accessor[]) {
    super(place, accessors);
    this.#instrument = instrument;
  }

  /** Called with what `al.loop` returned: the loop that this statement goes through. */
  over<T>(loop: T): T {
    this.#instrument.enter(this, loop);
    return loop;
  }
}

/** Of what rewritten sources call: a later one may capture other names. */
const REWRITER_VERSION = 1;
/** Loops that a manifest lists. */
const LEFT_ALONE_MAX = 100;

const INSTRUMENT = Symbol.for("afterlog.instrument");

/** The part of it that a file of the program gets. */
interface FileInstrument {
  /** What stands for the loops that are not recorded any more, by number: nobody is asked. */
  readonly off: readonly (LoopContext | undefined)[];
  at(
    site: number,
    accessors: () => readonly Accessor[],
    reads?: () => readonly LentName[],
  ): LoopContext;
  /** Variables of which no more are registered for now, by number. */
  readonly full: readonly (boolean | undefined)[];
  /** Functions and loops that run as they were written, by number: all their loops were given up. */
  readonly plain: readonly boolean[];
  /** One of them begins (1) or ends (-1) that has variables for itself. */
  alone(change: 1 | -1): void;
  bind(number: number, ...accessor: Accessor): void;
  cls(key: string, constructor: Function, fields: readonly LentField[]): void;
  save(kind: ProbeKind, at: number): unknown;
  failed(error: unknown): void;
  back(saved: unknown): void;
  /** A call of a clock or the like gave `value`: what the program shall get. */
  got(site: number, value: unknown): unknown;
  /** A counter of a question, with what went by without it; or it is about to begin. */
  counted(key: string, value?: number): number | undefined;
  /** A call of a package is about to be made, and has given `value`. */
  since(site: number): TimedCall | undefined;
  took<T>(since: TimedCall | undefined, value: T): T;
  /** A call of the console that shows no name is about to be made. */
  says<T>(texts: readonly string[], last: T): T;
}

/** A private field that its class lends. */
type LentField = readonly [
  name: string,
  has: (instance: object) => boolean,
  get: (instance: object) => unknown,
  set: (instance: object, value: unknown) => void,
];

export interface InstrumentOptions {
  readonly session: Pick<Session, "frame">;
  readonly captured: CapturedState;
  readonly loopSelector: LoopSelector;
  readonly callResults: CallResults;
  readonly unseenCalls: UnseenCalls;
  readonly rewrittenCost: RewrittenCost;
}

export class Instrument {
  readonly writtenTexts: WrittenTexts = new WrittenTexts();
  readonly #options: InstrumentOptions;
  /** Statements reached whose loop has not been made yet; innermost last. */
  readonly #waiting: LoopContext[] = [];
  readonly #contexts = new WeakMap<object, LoopContext>();
  readonly #map = new Map<string, readonly LoopSiteTuple[]>();
  readonly #leftAlone: LoopLeftAlone[] = [];
  readonly #givenUp = new Set<LoopSiteTuple>();
  /** Look whether functions of a file can run as they were written. */
  readonly #looks: (() => void)[] = [];

  constructor(options: InstrumentOptions) {
    this.#options = options;
  }

  /** Lets rewritten sources find it. */
  install(): void {
    const { session, captured, loopSelector, callResults, unseenCalls } = this.#options;
    const forFile = (
      file: string,
      sites: readonly LoopSiteTuple[],
      leftAlone: readonly (readonly [line: number, column: number, why: string])[] = [],
      calls: readonly CallSiteTuple[] = [],
      timed: readonly TimedSiteTuple[] = [],
      bodies: readonly PlainBodyTuple[] = [],
    ): FileInstrument => {
      this.#map.set(file, sites);
      if (this.#givenUp.size > 0) captured.hold(this.#keysToHold());
      captured.opened(file);
      for (const [line, column, why] of leftAlone) {
        this.#leftAlone.push({ file, line, column, why });
      }
      const off: LoopContext[] = [];
      const full: boolean[] = [];
      const plain: boolean[] = bodies.map(() => false);
      this.#looks.push(() => {
        for (const [number, body] of bodies.entries()) {
          plain[number] ||= this.#isOver(body, sites);
        }
      });
      const places = sites.map((site, index) => ({
        file,
        site,
        giveUp: (unrecorded: LoopContext): void => {
          off[index] = unrecorded;
          this.#givenUp.add(site);
          this.#options.rewrittenCost.gaveUp();
          // Entries of it that are under way still need all that they may change.
          captured.whenOutermostIterates = (frame) => this.#settle(frame);
        },
      }));
      return {
        off,
        at: (index, accessors, reads) => {
          const place = places[index] ?? { file, site: NOWHERE };
          if (isHandsFree(place.site)) return loopSelector.enter(place, accessors, reads);
          const context = new ApiLoop(this, place, accessors).lend(reads);
          this.#waiting.push(context);
          return context;
        },
        full,
        plain,
        alone: (change) => (captured.alone += change),
        bind: (number, ...accessor) => {
          // What a function holds that only a question calls is no state of the run.
          if (loopSelector.isAside || captured.bind(accessor, session.frame)) return;
          full[number] = true;
          captured.whenOver(() => (full[number] = false));
        },
        cls: (key, constructor, fields) => {
          const lent = fields.map(([name, has, get, set]) => ({ name, has, get, set }));
          captured.classes.add(constructor, key, lent);
        },
        save: (kind, at) => loopSelector.beginProbe(kind, { file, at }),
        failed: (error) => loopSelector.probeFailed(error),
        back: (saved) => loopSelector.endProbe(saved),
        counted: (key, value) => loopSelector.counted(key, value),
        got: callResults.forFile(file, calls),
        ...unseenCalls.forFile(file, timed),
        says: (texts, last) => this.writtenTexts.tell(texts, last),
      };
    };
    Object.defineProperty(globalThis, INSTRUMENT, { value: forFile, configurable: true });
    showWrittenText();
  }

  /** The statement for which a loop is being made; undefined in source that was not rewritten. */
  get waiting(): LoopContext | undefined {
    return this.#waiting.at(-1);
  }

  enter(context: LoopContext, loop: unknown): void {
    // Statements that were left by an exception before their loop was made are forgotten.
    while (this.#waiting.length > 0 && this.#waiting.pop() !== context);
    if (typeof loop === "object" && loop !== null) this.#contexts.set(loop, context);
  }

  /** The statement that goes through `loop`. */
  contextOf(loop: object): LoopContext | undefined {
    return this.#contexts.get(loop);
  }

  /** No loop runs but an outermost one: what only loops need that were given up is over. */
  #settle(frame: LoopFrame): void {
    const { context } = frame;
    const { captured, rewrittenCost } = this.#options;
    if (context && this.#givenUp.has(context.site)) return;
    captured.whenOutermostIterates = undefined;
    captured.hold(this.#keysToHold());
    for (const look of this.#looks) look();
    rewrittenCost.settled(frame);
  }

  /** Whether something of a file can run as it was written. */
  #isOver([loops, keys, around]: PlainBodyTuple, sites: readonly LoopSiteTuple[]): boolean {
    const isGivenUp = (site: LoopSiteTuple | undefined): boolean =>
      !!site && this.#givenUp.has(site);
    if (!loops.every((at) => isGivenUp(sites[at]))) return false;
    if (around) {
      const others = new Set(around.map((at) => sites[at]));
      const all = [...this.#map.values()].flat();
      if (!all.every((site) => others.has(site) || isGivenUp(site))) return false;
    }
    return keys.every((key) => this.#options.captured.retires(key));
  }

  /** Keys of the names that loops may change which are still recorded. */
  #keysToHold(): Set<string> {
    const sites = [...this.#map.values()].flat().filter((site) => !this.#givenUp.has(site));
    return new Set(sites.flatMap((site) => site[4]));
  }

  /** Whether and how sources were rewritten. */
  facts(): Manifest["rewriter"] {
    const captureMap = this.#captureMap();
    const rewritten = captureMap !== null;
    const listed = this.#leftAlone.slice(0, LEFT_ALONE_MAX);
    const left = listed.length > 0 ? { leftAlone: listed } : {};
    return { version: rewritten ? REWRITER_VERSION : null, rewritten, captureMap, ...left };
  }

  /** Hash of which names are captured where; null if nothing was rewritten. */
  #captureMap(): string | null {
    if (this.#map.size === 0) return null;
    const text = JSON.stringify([...this.#map].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    return createHash("sha256").update(text).digest("hex");
  }
}

const { prototype } = Function;
const native = Reflect.get(prototype, "toString");

/** As the native method, also to whoever looks at it. */
const written = function toString(this: unknown): string {
  return this === written ? native.call(native) : withoutInserted(native.call(this));
};

/** Lets all functions say what their author wrote: nobody can tell which ones a program will ask. */
function showWrittenText(): void {
  const how = { value: written, writable: true, configurable: true };
  Object.defineProperty(prototype, "toString", how);
}
