/**
 * @file Abstract objects and the places that may hold them: Andersen's inclusion-based points-to
 * analysis, with fields told apart by name. Sets only grow; `drain` runs until nothing changes.
 */
import type { HeapKind, LoweredFunction, Var } from "../lowering/ir.ts";

type Watcher = (object: HeapObject) => void;

/** A place that may hold objects. Most hold none, or lead nowhere: sets are made when needed. */
export class Cell {
  #objects: Set<HeapObject> | undefined;
  #targets: Set<Cell> | undefined;
  #watchers: Watcher[] | undefined;
  /** Objects that its watchers have not been told of yet. */
  #fresh: Set<HeapObject> | undefined;

  get objects(): ReadonlySet<HeapObject> {
    return this.#objects ?? NO_OBJECTS;
  }

  get targets(): ReadonlySet<Cell> {
    return this.#targets ?? NO_CELLS;
  }

  get watchers(): readonly Watcher[] {
    return this.#watchers ?? NO_WATCHERS;
  }

  /** False: it was there. */
  hold(object: HeapObject): boolean {
    if (this.#objects?.has(object)) return false;
    (this.#objects ??= new Set()).add(object);
    (this.#fresh ??= new Set()).add(object);
    return true;
  }

  told(object: HeapObject): void {
    this.#fresh?.delete(object);
  }

  /** False: it did so before. */
  leadTo(target: Cell): boolean {
    if (this.#targets?.has(target)) return false;
    (this.#targets ??= new Set()).add(target);
    return true;
  }

  /** Objects that a new watcher has to be told of at once. */
  watch(run: Watcher): readonly HeapObject[] {
    (this.#watchers ??= []).push(run);
    if (!this.#objects) return [];
    return [...this.#objects].filter((object) => !this.#fresh?.has(object));
  }
}

const NO_OBJECTS: ReadonlySet<HeapObject> = new Set();
const NO_CELLS: ReadonlySet<Cell> = new Set();
const NO_WATCHERS: readonly Watcher[] = [];

/** A function in one context: its variables, and what its operations did. */
export interface Activation {
  readonly id: number;
  readonly lowered: LoweredFunction;
  /** The activation that the function was made in. */
  readonly parent: Activation | null;
  /** Calls that led here, the last first. */
  readonly context: readonly number[];
  readonly cells: Map<Var, Cell>;
}

/** Everything that one place in the source makes, in one context. */
export class HeapObject {
  readonly id: number;
  readonly kind: HeapKind;
  /** `opaque`: the library it comes from and what it is there. `native`: its path. */
  readonly path: string;
  readonly fields: Map<string, Cell> = new Map();
  /** Elements, and fields whose names are computed. */
  readonly star: Cell = new Cell();
  /** All of them. */
  readonly any: Cell = new Cell();
  /** Functions that run when a field is read or set (`get x`, `set x`). */
  readonly accessors: Cell = new Cell();
  readonly prototype: Cell = new Cell();
  readonly fieldWatchers: ((name: string, cell: Cell) => void)[] = [];
  /** Classes from outside of the project that it extends. */
  readonly bases: Cell = new Cell();
  /** A function: what it runs, and where it was made. */
  closure: { readonly lowered: LoweredFunction; readonly parent: Activation } | null = null;
  isClass = false;
  /** A generator: the activation that it goes on with. */
  resumes: Activation | null = null;
  /** A promise: async functions that have ended when it is settled. */
  readonly settles: Set<Activation> = new Set();
  /** An iterator: what it goes over. */
  readonly over: Set<HeapObject> = new Set();
  /** A bound function: what it calls. */
  bound: { readonly target: Cell; readonly receiver: Cell; readonly args: Cell } | null = null;

  constructor(id: number, kind: HeapKind, path: string) {
    this.id = id;
    this.kind = kind;
    this.path = path;
    this.star.leadTo(this.any);
  }
}

export class Heap {
  readonly objects: HeapObject[] = [];
  readonly #queue: [Cell, HeapObject][] = [];
  #steps = 0;

  /** How much work it was so far. */
  get steps(): number {
    return this.#steps;
  }

  make(kind: HeapKind, path = ""): HeapObject {
    const object = new HeapObject(this.objects.length, kind, path);
    this.objects.push(object);
    return object;
  }

  add(cell: Cell, object: HeapObject): void {
    if (cell.hold(object)) this.#queue.push([cell, object]);
  }

  flow(from: Cell, to: Cell): void {
    if (from === to || !from.leadTo(to)) return;
    for (const object of from.objects) this.add(to, object);
  }

  /** Calls `run` for each object that the cell holds, now and later. */
  watch(cell: Cell, run: (object: HeapObject) => void): void {
    const known = cell.watch(run);
    this.#steps += known.length;
    for (const object of known) run(object);
  }

  field(object: HeapObject, name: string): Cell {
    let cell = object.fields.get(name);
    if (!cell) {
      cell = new Cell();
      object.fields.set(name, cell);
      const isAccessor = name.startsWith("get ") || name.startsWith("set ");
      // A class is not among the things that its instances hold.
      if (name !== "constructor") cell.leadTo(isAccessor ? object.accessors : object.any);
      for (const run of object.fieldWatchers) run(name, cell);
    }
    return cell;
  }

  /** Everything that can be got from a place: its objects, what they hold, and so on. */
  watchReach(cell: Cell, run: (object: HeapObject) => void): void {
    const seen = new Set<HeapObject>();
    const visit = (object: HeapObject): void => {
      if (seen.has(object)) return;
      seen.add(object);
      run(object);
      this.watch(object.any, visit);
      this.watch(object.accessors, visit);
    };
    this.watch(cell, visit);
  }

  /** Runs until nothing changes, or until it took more than `stepsMax`; then false. */
  drain(stepsMax: number): boolean {
    for (;;) {
      const next = this.#queue.pop();
      if (!next) return true;
      const [cell, object] = next;
      this.#steps += 1 + cell.targets.size + cell.watchers.length;
      if (this.#steps > stepsMax) return false;
      cell.told(object);
      for (const target of cell.targets) this.add(target, object);
      // Grows while it is gone through.
      for (let i = 0; i < cell.watchers.length; i++) cell.watchers[i]?.(object);
    }
  }
}
