/**
 * @file Instantiates functions and runs their operations over the heap until nothing changes.
 *
 * The call graph is found on the way: a function value that arrives at a call is entered in a
 * context of its own, the last `depth` calls, so that a helper used on two objects does not mix
 * them up. The objects that it makes are told apart by the same contexts.
 */
import { callHandlers } from "./call-handlers.ts";
import { externalCall, methodCall } from "./external-calls.ts";
import { convert, copyObject, loadField, storeField } from "./object-fields.ts";
import type { Activation, HeapObject } from "./heap.ts";
import { Cell, Heap } from "./heap.ts";
import type { CallOp, FileUnit, HeapKind, Op, LoweredFunction, Var } from "../lowering/ir.ts";

import { iterate, use } from "./iterate-objects.ts";
import { lendReturned } from "./lent-objects.ts";
import type { Linked } from "./link-files.ts";
import type { Edge, ActivationFacts } from "./activation-facts.ts";
import { newActivationFacts, noteFact } from "./activation-facts.ts";
import { GLOBAL_OBJECT, isOwnGlobal, NODE_GLOBAL, ownGlobals } from "./own-globals.ts";

/** Values of a call by position, and those of which the position is not known. */
export interface CallValues {
  readonly positional: readonly (Cell | null)[];
  readonly spread: Cell | null;
}

export interface CallTarget {
  readonly caller: Activation;
  readonly op: Op;
  readonly receiver: Cell | null;
  readonly values: CallValues;
  readonly to: Cell;
  readonly how: CallOp["how"];
  readonly edge: Edge["how"];
  /** Called when this promise is settled. */
  readonly after?: HeapObject;
  /** Called by what is not the program's, perhaps several times. */
  readonly isCallback?: true;
}

/** A call whose function, if it waits for something, may still run when the program is elsewhere. */
export interface Spawn {
  readonly caller: Activation;
  readonly op: Op;
  readonly to: Activation;
  /**
   * `once`: by the call itself. `many`: for each of some items. `unknown`: if whoever is called likes.
   * Whether it waits or not, `then`: when a promise is settled; `later`: when something happens.
   */
  readonly how: "once" | "many" | "unknown" | "then" | "later";
}

export class Solver {
  readonly heap: Heap = new Heap();
  readonly linked: Linked;
  readonly activations: Activation[] = [];
  readonly facts: Map<Activation, ActivationFacts> = new Map();
  readonly modules: Map<LoweredFunction, Activation> = new Map();
  /** What was thrown, or given to something that nobody follows. */
  readonly thrown: Cell = new Cell();
  readonly escaped: Cell = new Cell();
  /** What has the variables that the program declares nowhere. */
  readonly globalObject: HeapObject;
  /** What the program puts on prototypes of the language: whatever it asks for such a name may have it. */
  readonly inherited: HeapObject = this.heap.make("prototype");
  /** What each operation puts something on, wherever it is executed. */
  readonly changedCells: Map<Op, Set<Cell>> = new Map();
  /** Places whose objects the program compares with one another. */
  readonly comparisons: (readonly [Cell, Cell])[] = [];
  /** What nobody waits for, with the place that says so. */
  readonly later: Map<Activation, { readonly file: string; readonly at: number }> = new Map();
  /** Calls that are not waited for at once. */
  readonly spawns: Spawn[] = [];
  /** What runs only once these async functions have ended; empty: it is not known which. */
  readonly after: Map<Activation, ReadonlySet<Activation>> = new Map();
  /** What cannot be followed, by its place (`file\noffset`). */
  readonly unfollowed: Map<string, string> = new Map();
  /** Objects that constructors return instead of the new one to classes that extend theirs. */
  readonly lent: Set<HeapObject> = new Set();
  readonly #ownGlobals: ReadonlySet<string>;
  readonly #depth: number;
  readonly #byContext = new Map<string, Activation>();
  readonly #made = new Map<string, HeapObject>();
  readonly #natives = new Map<string, HeapObject>();
  readonly #opIds = new Map<Op, number>();

  constructor(linked: Linked, depth: number) {
    this.linked = linked;
    this.globalObject = this.native(GLOBAL_OBJECT);
    this.#ownGlobals = ownGlobals(linked);
    this.#depth = depth;
  }

  /** Runs the program. False: it was too much work in these contexts. */
  solve(stepsMax: number): boolean {
    for (const unit of this.linked.units.values()) this.module(unit);
    return this.heap.drain(stepsMax);
  }

  module(unit: FileUnit): Activation {
    const known = this.modules.get(unit.module);
    if (known) return known;
    const activation = this.#activation(unit.module, null, []);
    this.modules.set(unit.module, activation);
    this.#install(activation);
    return activation;
  }

  factsOf(activation: Activation): ActivationFacts {
    let facts = this.facts.get(activation);
    if (!facts) this.facts.set(activation, (facts = newActivationFacts()));
    return facts;
  }

  /** The place of a variable as seen from an activation. */
  cell(from: Activation, variable: Var): Cell {
    const resolved = this.linked.resolved.get(variable) ?? variable;
    const { cells } = this.ownerOf(from, resolved);
    let cell = cells.get(resolved);
    if (!cell) cells.set(resolved, (cell = new Cell()));
    return cell;
  }

  /** The activation that a variable belongs to, as seen from one inside of it. */
  ownerOf(from: Activation, variable: Var): Activation {
    let activation: Activation | null = from;
    while (activation && activation.lowered !== variable.owner) activation = activation.parent;
    return activation ?? this.modules.get(variable.owner) ?? this.#moduleOf(variable);
  }

  #moduleOf(variable: Var): Activation {
    const unit = this.linked.units.get(variable.owner.file);
    if (!unit) throw new Error(`a variable of ${variable.owner.file} has no file`);
    return this.module(unit);
  }

  /** The object that an operation makes in an activation. */
  make(activation: Activation, op: Op, kind: HeapKind, tag = "", path = ""): HeapObject {
    const key = `${activation.id} ${this.#opId(op)} ${kind} ${tag} ${path}`;
    let object = this.#made.get(key);
    if (!object) {
      object = this.heap.make(kind, path);
      this.#made.set(key, object);
      if (kind === "typed") {
        const buffer = this.heap.make("buffer");
        this.heap.add(this.heap.field(object, "buffer"), buffer);
        this.heap.add(buffer.star, object);
      }
    }
    return object;
  }

  native(given: string): HeapObject {
    const path = given === NODE_GLOBAL ? GLOBAL_OBJECT : given;
    let object = this.#natives.get(path);
    if (!object) this.#natives.set(path, (object = this.heap.make("native", path)));
    return object;
  }

  mutate(activation: Activation, op: Op, object: HeapObject): void {
    noteFact(this.factsOf(activation).mutated, op, object);
  }

  /** Enters a function value: one of the project, bound, or from outside. */
  call(callee: HeapObject, target: CallTarget): void {
    if (callee.closure) this.#callClosure(callee, target);
    else if (callee.bound) {
      const { target: inner, receiver, args } = callee.bound;
      const values = { positional: [], spread: args };
      for (const cell of [...target.values.positional, target.values.spread]) {
        if (cell) this.heap.flow(cell, args);
      }
      this.heap.watch(inner, (object) => this.call(object, { ...target, receiver, values }));
    } else externalCall(this, callee, target);
  }

  #callClosure(callee: HeapObject, target: CallTarget): void {
    const { closure, isClass } = callee;
    if (!closure || (isClass && target.how === "call")) return;
    const { caller, op, to } = target;
    const { lowered, parent } = closure;
    const context = [this.#opId(op), ...caller.context].slice(0, this.#depth);
    const activation = this.enter(lowered, parent, context);
    this.#passArguments(activation, op, target);
    if (target.how === "new") this.#construct(callee, activation, target);
    else {
      const self = lowered.thisBinding;
      if (self && target.receiver) this.heap.flow(target.receiver, this.cell(activation, self));
      if (target.how === "call") this.#passResult(activation, op, to);
      else if (target.receiver) {
        this.heap.flow(target.receiver, to);
        lendReturned(this, activation, target, target.receiver);
      }
    }
    if (!lowered.isGenerator) this.addEdge(caller, op, activation, this.#edgeOf(target, lowered));
    const spawned = howSpawned(target, lowered);
    if (spawned) this.spawns.push({ caller, op, to: activation, how: spawned });
    if (target.after) this.after.set(activation, target.after.settles);
  }

  leaveOut({ lowered: { file } }: Activation, { at }: Op, what: string): void {
    this.unfollowed.set(`${file}\n${at}`, what);
  }

  /** An async function that nobody waits for goes on by itself, once it has waited for something. */
  #edgeOf(target: CallTarget, lowered: LoweredFunction): Edge["how"] {
    if (target.edge !== "call" || !lowered.isAsync || target.op.op !== "call") return target.edge;
    return target.op.awaited || !lowered.waits ? "call" : "floating";
  }

  addEdge(caller: Activation, op: Op, to: Activation, how: Edge["how"]): void {
    const { edges } = this.factsOf(caller);
    const known = edges.get(op) ?? new Map<Activation, Edge["how"]>();
    edges.set(op, known);
    if (known.get(to) === undefined || how !== "call") known.set(to, how);
    if ((how === "later" || how === "floating") && !this.later.has(to)) {
      this.later.set(to, { file: caller.lowered.file, at: op.at });
    }
  }

  enter(lowered: LoweredFunction, parent: Activation, context: readonly number[]): Activation {
    const key = `${lowered.id} ${parent.id} ${context.join(" ")}`;
    const known = this.#byContext.get(key);
    if (known) return known;
    const activation = this.#activation(lowered, parent, context);
    this.#byContext.set(key, activation);
    this.#install(activation);
    return activation;
  }

  #activation(
    lowered: LoweredFunction,
    parent: Activation | null,
    context: readonly number[],
  ): Activation {
    const id = this.activations.length;
    const activation = { id, lowered, parent, context, cells: new Map<Var, Cell>() };
    this.activations.push(activation);
    return activation;
  }

  #passArguments(activation: Activation, op: Op, { values }: CallTarget): void {
    const { lowered } = activation;
    const { positional, spread } = values;
    const give = (cell: Cell | null | undefined, variable: Var): void => {
      if (cell) this.heap.flow(cell, this.cell(activation, variable));
    };
    for (const [index, param] of lowered.params.entries()) {
      give(positional[index], param);
      give(spread, param);
    }
    const rests = lowered.rest ? [{ variable: lowered.rest, from: lowered.params.length }] : [];
    if (lowered.usesArguments && lowered.argumentsVar) {
      rests.push({ variable: lowered.argumentsVar, from: 0 });
    }
    for (const { variable, from } of rests) {
      const array = this.make(activation, op, "array", `rest${from}`);
      for (const cell of [...positional.slice(from), spread]) {
        if (cell) this.heap.flow(cell, array.star);
      }
      this.heap.add(this.cell(activation, variable), array);
    }
  }

  #passResult(activation: Activation, op: Op, to: Cell): void {
    const { lowered } = activation;
    const returned = this.cell(activation, lowered.returned);
    if (lowered.isGenerator) {
      const generator = this.make(activation, op, "generator");
      generator.resumes = activation;
      this.heap.flow(this.cell(activation, lowered.yielded), generator.star);
      this.heap.add(to, generator);
    } else if (lowered.isAsync) {
      const promise = this.make(activation, op, "promise");
      promise.settles.add(activation);
      this.heap.flow(returned, promise.star);
      this.heap.add(to, promise);
    } else this.heap.flow(returned, to);
  }

  #construct(callee: HeapObject, activation: Activation, target: CallTarget): void {
    const { caller, op, to } = target;
    const instance = this.make(caller, op, "instance", String(callee.id));
    const prototype = this.prototypeOf(callee);
    this.heap.flow(prototype, instance.prototype);
    this.heap.add(to, instance);
    const self = activation.lowered.thisBinding;
    if (self) this.heap.add(this.cell(activation, self), instance);
    // A constructor may return another object.
    this.heap.flow(this.cell(activation, activation.lowered.returned), to);
  }

  /** What instances of a class or function inherit from. */
  prototypeOf(callee: HeapObject): Cell {
    const prototype = this.heap.field(callee, "prototype");
    if (callee.closure && !callee.isClass && prototype.objects.size === 0) {
      const made = this.heap.make("prototype");
      this.heap.add(prototype, made);
      this.heap.add(this.heap.field(made, "constructor"), callee);
    }
    return prototype;
  }

  #opId(op: Op): number {
    const id = this.#opIds.get(op) ?? this.#opIds.size;
    this.#opIds.set(op, id);
    return id;
  }

  #install(activation: Activation): void {
    for (const op of activation.lowered.ops) this.#run(activation, op);
  }

  #run(activation: Activation, op: Op): void {
    const cell = (variable: Var): Cell => this.cell(activation, variable);
    switch (op.op) {
      case "move":
        return this.heap.flow(cell(op.from), cell(op.to));
      case "new":
        return this.heap.add(cell(op.to), this.make(activation, op, op.kind));
      case "closure":
      case "class":
        return this.#makeFunction(activation, op);
      case "native":
        return this.#loadNative(op.path, cell(op.to));
      case "load":
        return loadField(this, { activation, op }, cell(op.object), op.field, cell(op.to));
      case "store":
        return storeField(this, activation, op);
      case "copy":
        return copyObject(this, { activation, op }, cell(op.from), cell(op.to));
      case "global":
        if (op.from) this.setGlobal(op.name, cell(op.from));
        return;
      case "call":
        return this.#callOp(activation, op);
      case "iterate":
        return iterate(this, activation, op, cell(op.source), cell(op.to), op.index);
      case "await":
        this.heap.watch(cell(op.from), (object) => {
          const isUnknown = object.kind === "opaque" && object.path === "";
          if (isUnknown) use(this, activation, op, object, cell(op.to));
        });
        return this.settle(cell(op.from), cell(op.to));
      case "yield":
        if (op.from) this.heap.flow(cell(op.from), cell(activation.lowered.yielded));
        return this.heap.flow(cell(activation.lowered.sent), cell(op.to));
      case "coerce":
        return convert(this, { activation, op }, cell(op.from));
      case "handle":
        return callHandlers(this, activation, op);
      case "secret":
        return noteFact(this.factsOf(activation).outside, op, op.keeper);
      case "compare":
        this.comparisons.push([cell(op.left), cell(op.right)]);
        return;
      case "throw":
        return this.heap.flow(cell(op.from), this.thrown);
      case "catch":
        return this.heap.flow(this.thrown, cell(op.to));
      case "import":
        return this.#import(activation, op);
      case "assign":
    }
  }

  #loadNative(path: string, to: Cell): void {
    const [, name] = /^global\|([^.]+)$/.exec(path) ?? [];
    if (name !== undefined) this.heap.flow(this.heap.field(this.globalObject, name), to);
    if (name === undefined || !this.#ownGlobals.has(name)) this.heap.add(to, this.native(path));
  }

  /** `name` null: nobody knows which. */
  setGlobal(name: string | null, value: Cell): void {
    const { heap, globalObject } = this;
    heap.flow(value, name === null ? globalObject.star : heap.field(globalObject, name));
    if (name === null || !isOwnGlobal(name)) heap.flow(value, this.escaped);
  }

  #makeFunction(activation: Activation, op: Extract<Op, { op: "closure" | "class" }>): void {
    // A function expression that names itself makes itself: its parent is where it was made.
    const isSelf = op.op === "closure" && op.lowered === activation.lowered;
    const parent = isSelf ? (activation.parent ?? activation) : activation;
    const made = this.make(parent, op, "function", String(op.lowered.id));
    made.closure = { lowered: op.lowered, parent };
    this.heap.add(this.cell(activation, op.to), made);
    if (op.op !== "class") return;
    made.isClass = true;
    this.heap.flow(this.cell(activation, op.prototype), this.heap.field(made, "prototype"));
    const { superClass } = op;
    this.heap.watch(this.cell(activation, op.prototype), (prototype) => {
      this.heap.add(this.heap.field(prototype, "constructor"), made);
      if (!superClass) return;
      const inherited = this.cell(activation, superClass);
      loadField(this, { activation, op }, inherited, "prototype", prototype.prototype);
      this.heap.flow(inherited, made.prototype);
    });
  }

  #callOp(activation: Activation, op: CallOp): void {
    const values = this.valuesOf(activation, op);
    const receiver = op.receiver && this.cell(activation, op.receiver);
    const to = this.cell(activation, op.to);
    const base = { caller: activation, op, values, to, how: op.how, edge: "call" } as const;
    if (op.callee) {
      this.heap.watch(this.cell(activation, op.callee), (callee) =>
        this.call(callee, { ...base, receiver }),
      );
    }
    const isMethod = op.how === "call" && (op.method !== null || op.receiver !== null);
    if (isMethod) methodCall(this, activation, op, { ...base, receiver });
  }

  valuesOf(activation: Activation, op: CallOp): CallValues {
    const positional: (Cell | null)[] = [];
    let spread: Cell | null = null;
    for (const argument of op.args) {
      const cell = argument.value && this.cell(activation, argument.value);
      if (argument.spread) {
        spread ??= new Cell();
        if (cell) iterate(this, activation, op, cell, spread, null);
      } else if (spread) {
        if (cell) this.heap.flow(cell, spread);
      } else positional.push(cell);
    }
    return { positional, spread };
  }

  /** What is there once a promise is fulfilled. */
  settle(from: Cell, to: Cell): void {
    const seen = new Set<HeapObject>();
    const visit = (object: HeapObject): void => {
      if (object.kind !== "promise") return this.heap.add(to, object);
      if (seen.has(object)) return;
      seen.add(object);
      this.heap.watch(object.star, visit);
    };
    this.heap.watch(from, visit);
  }

  #import(activation: Activation, op: Extract<Op, { op: "import" }>): void {
    const found = this.linked.find(activation.lowered.file, op.specifier);
    if (found) this.addEdge(activation, op, this.module(found), "call");
    if (!op.to) return;
    const to = this.cell(activation, op.to);
    if (!found) {
      const native = this.native(`${op.specifier}|`);
      if (op.how !== "dynamic") return this.heap.add(to, native);
      const promise = this.make(activation, op, "promise");
      this.heap.add(promise.star, native);
      return this.heap.add(to, promise);
    }
    const loaded = new Cell();
    this.heap.add(loaded, this.namespace(found));
    if (found.isCommonJs) this.#loadExports(activation, op, found, loaded);
    if (op.how !== "dynamic") return this.heap.flow(loaded, to);
    const promise = this.make(activation, op, "promise");
    this.heap.flow(loaded, promise.star);
    this.heap.add(to, promise);
  }

  #loadExports(activation: Activation, op: Op, from: FileUnit, to: Cell): void {
    const holder = this.cell(this.module(from), from.moduleObject);
    loadField(this, { activation, op }, holder, "exports", to);
  }

  /** The object that holds what a file exports. */
  namespace(unit: FileUnit): HeapObject {
    const activation = this.module(unit);
    const [first] = unit.module.ops;
    const object = first
      ? this.make(activation, first, "plain", "namespace")
      : this.heap.make("plain");
    for (const [name, binding] of this.linked.exportsOf(unit)) {
      this.heap.flow(this.cell(activation, binding), this.heap.field(object, name));
    }
    // A name that is not there is one of those.
    for (const from of this.linked.unnamedOf(unit)) {
      if (typeof from === "string") this.heap.add(object.prototype, this.native(`${from}|`));
      else if (first) this.#loadExports(activation, first, from, object.prototype);
    }
    return object;
  }
}

/** How a function comes to run beside the program, if it can; undefined: it does not. */
function howSpawned(target: CallTarget, lowered: LoweredFunction): Spawn["how"] | undefined {
  const { op, edge, after, isCallback } = target;
  if (lowered.isGenerator) return undefined;
  const isAlone = op.op !== "call" || op.alone;
  if (after) return isAlone ? undefined : "then";
  if (edge === "later" || edge === "floating") return "later";
  if (edge === "unknown") return "unknown";
  if (isCallback) return "many";
  return isAlone ? undefined : "once";
}
