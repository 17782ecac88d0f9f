/** @file What runs in a loop, and what it changes and reads: sums over the solved program. */
import type { Activation, Cell, HeapObject } from "../solving/heap.ts";
import type { LoopSite, Op, Region } from "../lowering/ir.ts";
import type { Solver } from "../solving/solver.ts";
import { changesUnseen } from "./unseen-objects.ts";
import type { Edge } from "../solving/activation-facts.ts";

/** What a part of the program may change. */
export interface Effects {
  readonly mutated: ReadonlySet<HeapObject>;
  /** Variables that get another value, in their activation. */
  readonly assigned: ReadonlySet<Cell>;
  /** Names outside of the project: globals, properties of built-in objects. */
  readonly globals: ReadonlySet<string>;
}

/** The same while it is summed up. */
interface Growing extends Effects {
  readonly mutated: Set<HeapObject>;
  readonly assigned: Set<Cell>;
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

/** Sums of a solved program that are asked for again and again. */
interface Sums {
  readonly running: Map<LoopSite, Map<string, Running>>;
  readonly effects: Map<Running, Effects>;
  readonly whole: Map<Activation, Effects>;
}

const SUMS = new WeakMap<Solver, Sums>();

function sumsOf(solver: Solver): Sums {
  const known = SUMS.get(solver);
  if (known) return known;
  const sums: Sums = { running: new Map(), effects: new Map(), whole: new Map() };
  SUMS.set(solver, sums);
  return sums;
}

/** What runs in a loop in one activation of its function. */
export function runningIn(
  solver: Solver,
  own: Activation,
  site: LoopSite,
  part: Region["part"],
): Running {
  const { running } = sumsOf(solver);
  const parts = running.get(site) ?? new Map<string, Running>();
  running.set(site, parts);
  const key = `${part} ${own.id}`;
  const known = parts.get(key);
  if (known) return known;
  const ops = own.lowered.ops.filter(({ region }) => isIn(region, site, part));
  const found = runningFrom(solver, own, ops);
  parts.set(key, found);
  return found;
}

/** What runs while some operations of an activation do. */
export function runningFrom(solver: Solver, own: Activation, ops: readonly Op[]): Running {
  const { edges } = solver.factsOf(own);
  const starts = ops.flatMap((op) => [...(edges.get(op)?.keys() ?? [])]);
  return { own, ops, called: reachable(solver, starts) };
}

/** These activations and all that they may call. */
export function reachable(solver: Solver, starts: readonly Activation[]): Set<Activation> {
  const found = new Set(starts);
  for (const activation of found) {
    for (const edges of solver.factsOf(activation).edges.values()) {
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
    for (const [op, edges] of solver.factsOf(caller).edges) {
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

/** Those of them that certainly wait: whatever runs does so during an operation of theirs. */
export function waitingFor(
  solver: Solver,
  callers: Callers,
  activation: Activation,
): Set<Activation> {
  const certain = new Set<Activation>();
  const doubtful = new Set<Activation>();
  const pending = [{ callee: activation, isDoubtful: false }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { callee } = next;
    for (const [caller, ops] of callers.get(callee) ?? []) {
      const { edges } = solver.factsOf(caller);
      const waits = [...ops].every((op) => WAITS.has(edges.get(op)?.get(callee) ?? "later"));
      const isDoubtful = next.isDoubtful || !waits;
      const found = isDoubtful ? doubtful : certain;
      if (found.has(caller)) continue;
      found.add(caller);
      pending.push({ callee: caller, isDoubtful });
    }
  }
  for (const caller of doubtful) certain.delete(caller);
  return certain;
}

const WAITS: ReadonlySet<Edge["how"]> = new Set<Edge["how"]>(["call", "resume"]);

export function effectsOf(solver: Solver, running: Running): Effects {
  const { effects: sums } = sumsOf(solver);
  const known = sums.get(running);
  if (known) return known;
  const effects: Growing = { mutated: new Set(), assigned: new Set(), globals: new Set() };
  for (const op of running.ops) addEffects(solver, running.own, op, effects);
  for (const activation of running.called) {
    const { mutated, assigned, globals } = wholeEffects(solver, activation);
    for (const object of mutated) effects.mutated.add(object);
    for (const cell of assigned) effects.assigned.add(cell);
    for (const name of globals) effects.globals.add(name);
  }
  sums.set(running, effects);
  return effects;
}

/** All that an activation does by itself. */
function wholeEffects(solver: Solver, activation: Activation): Effects {
  const { whole } = sumsOf(solver);
  const known = whole.get(activation);
  if (known) return known;
  const effects: Growing = { mutated: new Set(), assigned: new Set(), globals: new Set() };
  for (const op of activation.lowered.ops) addEffects(solver, activation, op, effects);
  whole.set(activation, effects);
  return effects;
}

function addEffects(solver: Solver, activation: Activation, op: Op, effects: Growing): void {
  const facts = solver.factsOf(activation);
  if (op.op === "assign") effects.assigned.add(solver.cell(activation, op.binding));
  if (op.op === "global") effects.globals.add(op.name);
  if (changesUnseen(solver, op)) effects.globals.add("an object that is not followed");
  for (const object of facts.mutated.get(op) ?? []) addMutated(object, effects, op);
  for (const name of facts.outside.get(op) ?? []) effects.globals.add(`the state of ${name}`);
  const deep = facts.deep.get(op);
  if (deep) for (const object of reachOf(deep)) addMutated(object, effects, op);
  if (!facts.trains.has(op)) return;
  for (const object of solver.heap.objects) {
    if (object.kind === "opaque" && object.path === "owner") effects.mutated.add(object);
  }
}

function addMutated(object: HeapObject, effects: Growing, op: Op): void {
  if (object.kind === "native") {
    // Only a program's own assignment changes what every program has.
    if (op.op === "store") effects.globals.add(globalName(object.path, op.field));
    return;
  }
  // What instances inherit is in none of them, and of a function a checkpoint holds the identity.
  if (op.op === "store" && object.kind === "prototype") effects.globals.add("a prototype");
  const isFunction = object.kind === "function" || isMadeFromFunctions(object);
  if (op.op === "store" && isFunction) effects.globals.add(fieldOfFunction(op.field));
  effects.mutated.add(object);
}

/** `class Rule extends Function {}` */
function isMadeFromFunctions({ bases }: HeapObject): boolean {
  return [...bases.objects].some(({ path }) => path === "global|Function");
}

/** What is said of a change that no checkpoint holds. */
export function fieldOfFunction(field: string | null | undefined): string {
  return `${field ?? "a field"} of a class or function`;
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
 * position (semantics, "Iterators").
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
    for (const object of solver.factsOf(activation).read.get(op) ?? []) objects.add(object);
    if (op.op === "load") {
      for (const object of solver.cell(activation, op.object).objects) objects.add(object);
    }
  };
  for (const op of running.ops) visit(running.own, op);
  for (const activation of running.called) {
    for (const op of activation.lowered.ops) visit(activation, op);
    for (const variable of activation.lowered.free) cells.add(solver.cell(activation, variable));
  }
  for (const object of objects) for (const source of object.over) objects.add(source);
  return { objects, cells };
}
