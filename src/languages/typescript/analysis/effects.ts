/** @file What runs in a loop, and what it changes and reads: sums over the solved program. */
import type { Activation, Cell, HeapObject } from "./heap.ts";
import type { LoopSite, Op, Region } from "./ir.ts";
import type { Solver } from "./solver.ts";

/** What a part of the program may change. */
export interface Effects {
  readonly mutated: Set<HeapObject>;
  /** Variables that get another value, in their activation. */
  readonly assigned: Set<Cell>;
  /** Names outside of the project: globals, properties of built-in objects. */
  readonly globals: Set<string>;
}

/** A part of an activation, or all of it, and everything that it may call. */
export interface Running {
  readonly own: Activation;
  readonly ops: readonly Op[];
  readonly called: ReadonlySet<Activation>;
}

/** Whether an operation runs in an iteration of the loop, and in which part. */
function isIn(region: Region | null, site: LoopSite, part: Region["part"]): boolean {
  for (let at = region; at; at = at.parent) if (at.site === site) return at.part === part;
  return false;
}

/** What runs in a loop in one activation of its function. */
export function runningIn(
  solver: Solver,
  own: Activation,
  site: LoopSite,
  part: Region["part"],
): Running {
  const ops = own.template.ops.filter(({ region }) => isIn(region, site, part));
  return runningFrom(solver, own, ops);
}

/** What runs while some operations of an activation do. */
export function runningFrom(solver: Solver, own: Activation, ops: readonly Op[]): Running {
  const { edges } = solver.trace(own);
  const starts = ops.flatMap((op) => [...(edges.get(op)?.keys() ?? [])]);
  return { own, ops, called: reachable(solver, starts) };
}

/** These activations and all that they may call. */
export function reachable(solver: Solver, starts: readonly Activation[]): Set<Activation> {
  const found = new Set(starts);
  for (const activation of found) {
    for (const edges of solver.trace(activation).edges.values()) {
      for (const to of edges.keys()) found.add(to);
    }
  }
  return found;
}

/** Who may run an activation, and at which operations. */
export type Callers = ReadonlyMap<Activation, ReadonlyMap<Activation, ReadonlySet<Op>>>;

export function directCallers(solver: Solver): Callers {
  const callers = new Map<Activation, Map<Activation, Set<Op>>>();
  for (const caller of solver.activations) {
    for (const [op, edges] of solver.trace(caller).edges) {
      for (const callee of edges.keys()) {
        const known = callers.get(callee) ?? new Map<Activation, Set<Op>>();
        callers.set(callee, known);
        known.set(caller, (known.get(caller) ?? new Set()).add(op));
      }
    }
  }
  return callers;
}

/** Activations that may be waiting for one while it runs, each with where it waits. */
export function callersOf(callers: Callers, activation: Activation): Map<Activation, Set<Op>> {
  const found = new Map<Activation, Set<Op>>();
  const pending = [activation];
  for (let callee = pending.pop(); callee; callee = pending.pop()) {
    for (const [caller, ops] of callers.get(callee) ?? []) {
      const known = found.get(caller);
      if (!known) pending.push(caller);
      found.set(caller, new Set([...(known ?? []), ...ops]));
    }
  }
  return found;
}

export function effectsOf(solver: Solver, { own, ops, called }: Running): Effects {
  const effects: Effects = { mutated: new Set(), assigned: new Set(), globals: new Set() };
  for (const op of ops) addEffects(solver, own, op, effects);
  for (const activation of called) {
    for (const op of activation.template.ops) addEffects(solver, activation, op, effects);
  }
  return effects;
}

function addEffects(solver: Solver, activation: Activation, op: Op, effects: Effects): void {
  const trace = solver.trace(activation);
  if (op.op === "assign") effects.assigned.add(solver.cell(activation, op.binding));
  if (op.op === "global") effects.globals.add(op.name);
  for (const object of trace.mutated.get(op) ?? []) addMutated(object, effects, op);
  for (const name of trace.outside.get(op) ?? []) effects.globals.add(`the state of ${name}`);
  const deep = trace.deep.get(op);
  if (deep) for (const object of reachOf(deep)) addMutated(object, effects, op);
  if (!trace.trains.has(op)) return;
  for (const object of solver.heap.objects) {
    if (object.kind === "opaque" && object.path === "owner") effects.mutated.add(object);
  }
}

function addMutated(object: HeapObject, effects: Effects, op: Op): void {
  if (object.kind === "native") {
    // Only a program's own assignment changes what every program has.
    if (op.op === "store") effects.globals.add(globalName(object.path, op.field));
    return;
  }
  // What instances inherit is in none of them, and of a function a checkpoint holds the identity.
  if (op.op === "store" && object.kind === "prototype") effects.globals.add("a prototype");
  if (op.op === "store" && object.kind === "function") {
    effects.globals.add(`${op.field ?? "a field"} of a class or function`);
  }
  effects.mutated.add(object);
}

function globalName(path: string, field: string | null): string {
  const [root = "", members = ""] = path.split("|");
  const base = root === "global" ? members : [root, members].filter((part) => part).join(".");
  return `${base}.${field ?? "*"}`.replace(/^globalThis\./, "");
}

/** Objects that can be got from these. */
export function reachOf(objects: Iterable<HeapObject>): Set<HeapObject> {
  const found = new Set(objects);
  for (const object of found) for (const held of heldBy(object)) found.add(held);
  return found;
}

/**
 * What an object holds. An iterator's items are not held by it: where it stands is captured as a
 * position (design §3, Iterators).
 */
export function heldBy(object: HeapObject): Iterable<HeapObject> {
  const isIterator = object.kind === "generator" || object.kind === "iterator";
  return isIterator ? [] : object.any.objects;
}

/** What an iterator looks at to deliver its next item. */
export interface Reads {
  readonly objects: ReadonlySet<HeapObject>;
  readonly cells: ReadonlySet<Cell>;
}

export function readsOf(solver: Solver, running: Running): Reads {
  const objects = new Set<HeapObject>();
  const cells = new Set<Cell>();
  const visit = (activation: Activation, op: Op): void => {
    for (const object of solver.trace(activation).read.get(op) ?? []) objects.add(object);
    if (op.op === "load") {
      for (const object of solver.cell(activation, op.object).objects) objects.add(object);
    }
  };
  for (const op of running.ops) visit(running.own, op);
  for (const activation of running.called) {
    for (const op of activation.template.ops) visit(activation, op);
    for (const variable of activation.template.free) cells.add(solver.cell(activation, variable));
  }
  for (const object of objects) for (const source of object.over) objects.add(source);
  return { objects, cells };
}
