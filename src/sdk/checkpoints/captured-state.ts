/**
 * @file The places that a checkpoint holds now: what the program declared, the names that the
 * active loops change, and variables that were registered where they are declared (semantics,
 * captured state a and b).
 */
import type { Capture, StatePlace } from "../../adapters/index.ts";
import { ClassRegistry } from "../../adapters/index.ts";
import type { Accessor } from "../loops/instrument.ts";
import type { LoopFrame } from "../loops/loop-frame.ts";

export interface StateDeclaration {
  readonly ordinal: number;
  readonly record: { [field: string]: unknown };
  /** The loop in whose iteration it was made: it ends with that iteration. */
  readonly scope: LoopFrame | undefined;
  /** Where in the source, and how many outermost loops had ended before. */
  readonly site: number | null;
  readonly after: number;
}

/** A registered variable: its key has the number of those alive that were registered before. */
interface LentVariable {
  readonly place: StatePlace;
  readonly key: string;
  readonly scope: LoopFrame | undefined;
}

/**
 * A variable of a function that is called more often in one iteration, by recursion or by many calls,
 * is not held any more there: one accessor for each call would cost more than the call.
 */
const ALIVE_MAX = 2000;
const TOO_MANY = `there are more than ${ALIVE_MAX} of it`;
const ALONE = "a loop that is not recorded any more has it for itself";
const NO_LOOP_LEFT = "the loops that change it are not recorded any more";

export class CapturedState {
  readonly classes: ClassRegistry = new ClassRegistry();
  #declarations: StateDeclaration[] = [];
  #bindings: LentVariable[] = [];
  /** How many of each key are among them. */
  #alive = new Map<string, number>();
  /** Told when some of them are over. */
  #whenOver: (() => void)[] = [];
  /** Keys of all variables that were ever registered, and files that register theirs. */
  readonly #born = new Set<string>();
  readonly #files = new Set<string>();
  /** Keys that loops need which are still recorded (undefined: all), and those met that none needs. */
  #held: ReadonlySet<string> | undefined;
  readonly #retired = new Set<string>();
  /** Told when an iteration of an outermost loop is over. */
  whenOutermostIterates: ((frame: LoopFrame) => void) | undefined;
  /** Loops under way that run as they were written, with variables that no accessor reaches. */
  alone = 0;

  get declarations(): readonly StateDeclaration[] {
    return this.#declarations;
  }

  declare(declaration: StateDeclaration): void {
    this.#forgetBefore(declaration);
    this.#declarations.push(declaration);
  }

  /** The record is of no interest any more. */
  undeclare(ordinal: number): void {
    this.#declarations = this.#declarations.filter((known) => known.ordinal !== ordinal);
  }

  /**
   * A program that calls its training function again declares again at the same place: what it
   * declared there before the loops that have ended since belongs to the training before.
   */
  #forgetBefore({ site, after, scope }: StateDeclaration): void {
    if (site === null || scope) return;
    this.#declarations = this.#declarations.filter((known) => {
      return known.site !== site || known.scope !== undefined || known.after >= after;
    });
  }

  /**
   * Registers a variable for as long as the present iteration of `scope` lasts. False: there are too
   * many of it, until `whenOver` is told.
   */
  bind([key, get, set]: Accessor, scope: LoopFrame | undefined): boolean {
    if (this.#held && this.retires(key)) return false;
    const alive = this.#alive.get(key) ?? 0;
    // The last that is held says that others are not.
    if (alive > ALIVE_MAX) return false;
    this.#alive.set(key, alive + 1);
    this.#born.add(key);
    const place =
      alive < ALIVE_MAX ? placeOf(`${key}@${alive}`, get, set) : lostPlace(key, TOO_MANY);
    this.#bindings.push({ key, scope, place });
    return true;
  }

  /** Other variables than these need not be registered any more. */
  hold(keys: ReadonlySet<string>): void {
    this.#held = keys;
  }

  /** Whether it is not registered any more, now and later. */
  retires(key: string): boolean {
    if (!this.#held || this.#held.has(key)) return this.#retired.has(key);
    this.#retired.add(key);
    return true;
  }

  /** `told` is called once, when some of the variables are over. */
  whenOver(told: () => void): void {
    this.#whenOver.push(told);
  }

  /** A file of the program begins to run: from now on its variables are registered. */
  opened(file: string): void {
    this.#files.add(file);
  }

  /** The iteration of `frame` is over: what was declared or registered in it has ended. */
  closed(frame: LoopFrame): void {
    if (this.#declarations.some(({ scope }) => scope === frame)) {
      this.#declarations = this.#declarations.filter(({ scope }) => scope !== frame);
    }
    if (this.#bindings.at(-1)?.scope === frame) {
      this.#bindings = this.#bindings.filter(({ scope }) => scope !== frame);
      this.#alive = countKeys(this.#bindings);
      for (const told of this.#whenOver) told();
      this.#whenOver = [];
    }
    if (!frame.parent) this.whenOutermostIterates?.(frame);
  }

  /**
   * All places, as a loop `innermost` and those around it see them. What was registered in the
   * present iteration of `ending` is left out: it ends with the iteration, and whatever continues from
   * there has not got it.
   */
  places(innermost: LoopFrame | undefined, ending?: LoopFrame): StatePlace[] {
    const lasting = this.#bindings.filter(({ scope }) => !ending || scope !== ending);
    return [
      ...placesOf(this.#declarations),
      ...lasting.map(({ place, key }) => (this.alone > 0 ? lostPlace(key, ALONE) : place)),
      ...loopPlaces(innermost).map((place) => {
        return this.alone > 0 ? lostPlace(place.key, ALONE) : place;
      }),
      ...this.#missing(innermost, lasting).map((key) => {
        if (this.#retired.has(key)) return lostPlace(key, NO_LOOP_LEFT);
        return placeOf(`${key}@${this.#born.has(key) ? "gone" : "none"}`, () => notThere(key));
      }),
    ];
  }

  /**
   * Variables that the active loops may change, as far as the source tells, and that are not there
   * now: not yet declared (`const points = makePoints()`, while the loop in that function runs), or
   * of an iteration that is over. Whoever reads the checkpoint decides whether that is enough.
   */
  #missing(innermost: LoopFrame | undefined, alive: readonly LentVariable[]): string[] {
    const there = new Set(alive.map(({ key }) => key));
    const lost = new Set(alive.flatMap(({ key, place }) => (place.lost ? [key] : [])));
    const keys = new Set<string>();
    for (let frame = innermost; frame; frame = frame.parent) {
      const { context } = frame;
      if (!context) continue;
      const lent = new Set(context.accessors.map(([key]) => key));
      for (const key of context.site[4]) {
        const isThere = there.has(key) && (lost.has(key) || !this.#retired.has(key));
        if (!lent.has(key) && !isThere && this.#files.has(fileOf(key))) keys.add(key);
      }
    }
    return [...keys];
  }

  isEmpty(innermost: LoopFrame | undefined): boolean {
    if (this.#declarations.length > 0 || this.#bindings.length > 0) return false;
    for (let frame = innermost; frame; frame = frame.parent) {
      if ((frame.context?.accessors.length ?? 0) > 0) return false;
    }
    return true;
  }
}

/** Names that the active loops change; those of the outermost loop first. */
function loopPlaces(frame: LoopFrame | undefined): StatePlace[] {
  if (!frame) return [];
  const own = frame.context?.accessors ?? [];
  return [
    ...loopPlaces(frame.parent),
    ...own.map(([key, get, set]) => placeOf(`${key}#${frame.depth}`, get, set)),
  ];
}

function countKeys(bindings: readonly LentVariable[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of bindings) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** As the variable itself would say. */
function notThere(key: string): never {
  throw new ReferenceError(`${key} is not there`);
}

/** A key is `file:scope:name`. */
function fileOf(key: string): string {
  return key.slice(0, key.lastIndexOf(":", key.lastIndexOf(":") - 1));
}

function placeOf(key: string, get: () => unknown, set?: (value: unknown) => void): StatePlace {
  return { key, source: "b", get, ...(set ? { set } : {}) };
}

function lostPlace(key: string, lost: string): StatePlace {
  return { ...placeOf(`${key}@lost`, () => notThere(key)), lost };
}

/** The places of all declared records: what each field holds now. */
export function placesOf(
  declarations: readonly Pick<StateDeclaration, "ordinal" | "record">[],
): StatePlace[] {
  return declarations.flatMap(({ ordinal, record }) =>
    Object.keys(record).map((field) => ({
      key: `d${ordinal}.${field}`,
      source: "a" as const,
      get: () => record[field],
      set: (value: unknown) => {
        record[field] = value;
      },
    })),
  );
}

export function bytesOf({ leaves }: Pick<Capture, "leaves">): number {
  return leaves.reduce((sum, { bytes }) => sum + bytes, 0);
}
