/** @file What an entry of `libraries/` says of a call, done to the heap. */
import type { CallEffect, EffectSource } from "../../libraries/described-effect.ts";
import { isDescribed, onlyLooks, VALUES_KIND } from "../../libraries/described-effect.ts";
import { effectOfCall } from "../../libraries/library-effects.ts";
import { convert, copyObject, givePrototype, runGetters } from "./object-fields.ts";
import type { HeapObject } from "./heap.ts";
import { Cell } from "./heap.ts";
import { iterate } from "./iterate-objects.ts";
import type { CallTarget, Solver } from "./solver.ts";
import { argumentCells } from "./unknown-call.ts";
import { noteFact } from "./activation-facts.ts";

/** Calls the functions that can be got from a place. */
export function callHeld(solver: Solver, place: Cell, target: () => CallTarget): void {
  solver.heap.watchReach(place, (held) => {
    if (held.closure || held.bound) solver.call(held, target());
  });
}

/** The same; functions of packages are among them, and such as keep what nobody knows. */
export function callForeign(solver: Solver, place: Cell, target: () => CallTarget): void {
  callHeld(solver, place, target);
  solver.heap.watchReach(place, (held) => {
    if (held.kind === "opaque" && held.path === "") noteSecret(solver, target());
    if (held.kind === "native" && !onlyLooksAt(solver, held)) solver.call(held, target());
  });
}

function onlyLooksAt({ linked }: Solver, { path }: HeapObject): boolean {
  const effect = effectOfCall(path, "call", linked.libraries);
  return effect !== undefined && onlyLooks(effect);
}

export function isSecret(path: string): boolean {
  return path === "" || isDescribed(path);
}

/** Methods of the project's objects may be called if these are given, whatever they are named. */
export function callMethods(solver: Solver, target: CallTarget): void {
  for (const cell of argumentCells(target)) {
    solver.heap.watch(cell, (object) => {
      if (object.kind === "instance") noteSecret(solver, target);
    });
  }
}

/** That a call may change what no checkpoint holds. */
export function noteSecret(solver: Solver, { caller, op }: CallTarget, keeper = "a package"): void {
  noteFact(solver.factsOf(caller).outside, op, keeper);
}

/** Does what a table says. */
export function applyEffect(
  solver: Solver,
  effect: CallEffect,
  target: CallTarget,
  receiver: HeapObject | null,
): void {
  const { heap } = solver;
  const { caller, op, to } = target;
  const results = new Cell();
  const made = makeObject(solver, effect, target, receiver);
  const cells = new Map<EffectSource, Cell>();
  const source = (name: EffectSource): Cell => {
    let cell = cells.get(name);
    if (!cell)
      cells.set(name, (cell = sourceCell(solver, name, target, { receiver, made, results })));
    return cell;
  };
  const all = (names: readonly EffectSource[] | undefined, run: (cell: Cell) => void): void => {
    for (const name of names ?? []) run(source(name));
  };
  all(effect.mutates, (cell) => heap.watch(cell, (object) => solver.mutate(caller, op, object)));
  all(effect.deep, (cell) =>
    heap.watch(cell, (object) => noteFact(solver.factsOf(caller).deep, op, object)),
  );
  if (effect.trains) solver.factsOf(caller).trains.add(op);
  all(effect.converts, (cell) => convert(solver, { activation: caller, op }, cell));
  if (effect.compares && receiver) solver.comparisons.push([source("first"), receiver.any]);
  if (effect.puts) putInto(solver, effect, target, receiver, source);
  if (effect.calls) callArguments(solver, effect, target, source);
  if (effect.dispatches) callMethods(solver, target);
  all(effect.returns, (cell) => heap.flow(cell, to));
  if (made) fill(solver, effect, target, made, receiver, source);
}

function makeObject(
  solver: Solver,
  effect: CallEffect,
  { caller, op }: CallTarget,
  receiver: HeapObject | null,
): HeapObject | null {
  const { makes, path = "" } = effect;
  if (!makes) return null;
  if (makes !== "same") return solver.make(caller, op, makes, "", path);
  const kind = receiver?.kind ?? "array";
  // Subclasses and helpers of iterators give what can be gone over.
  const known = kind === "array" || kind === "typed" || kind === "buffer" || kind === "opaque";
  return solver.make(
    caller,
    op,
    known ? kind : kind === "iterator" ? "iterator" : "array",
    "",
    receiver?.path,
  );
}

function fill(
  solver: Solver,
  effect: CallEffect,
  { caller, op, to }: CallTarget,
  made: HeapObject,
  receiver: HeapObject | null,
  source: (name: EffectSource) => Cell,
): void {
  const { heap } = solver;
  let holder = made;
  if (receiver && made.kind === "iterator") made.over.add(receiver);
  if (effect.pairs) {
    holder = solver.make(caller, op, "array", "pair");
    heap.add(made.star, holder);
  }
  for (const name of effect.holds ?? []) {
    const cell = source(name);
    if (made.kind !== "typed") heap.flow(cell, holder.star);
    else {
      // A view of a buffer shares it with the other views.
      heap.watch(cell, (object) => {
        if (object.kind !== "buffer") return;
        heap.add(object.star, made);
        heap.flow(object.star, to);
        heap.add(heap.field(made, "buffer"), object);
      });
    }
  }
  heap.add(to, made);
}

function sourceCell(
  solver: Solver,
  name: EffectSource,
  target: CallTarget,
  known: { receiver: HeapObject | null; made: HeapObject | null; results: Cell },
): Cell {
  const { heap } = solver;
  const { receiver, made, results } = known;
  const cell = new Cell();
  switch (name) {
    case "receiver":
      if (receiver) heap.add(cell, receiver);
      return cell;
    case "content":
      if (receiver && receiver.kind !== "typed") heap.flow(receiver.any, cell);
      return cell;
    case "first":
      return target.values.positional[0] ?? target.values.spread ?? cell;
    case "prototype": {
      const first = target.values.positional[0] ?? target.values.spread;
      if (first) heap.watch(first, (object) => givePrototype(solver, object, cell));
      return cell;
    }
    case "results":
      return results;
    case "self":
      if (made) heap.add(cell, made);
      return cell;
    case "arguments":
      for (const argument of argumentCells(target)) heap.flow(argument, cell);
      return cell;
    case "reach":
      for (const argument of argumentCells(target)) {
        heap.watchReach(argument, (object) => {
          noteFact(solver.factsOf(target.caller).read, target.op, object);
          if (!object.closure) heap.add(cell, object);
        });
      }
      return cell;
    case "elements":
      for (const argument of argumentCells(target)) {
        iterate(solver, target.caller, target.op, argument, cell, null);
      }
      return cell;
    case "fields":
      for (const argument of argumentCells(target)) {
        heap.watch(argument, (object) => {
          noteFact(solver.factsOf(target.caller).read, target.op, object);
          if (object.kind === "typed") return;
          heap.flow(object.any, cell);
          readAccessors(solver, target, object, cell);
          // Arrays in arrays: `concat`, `fromEntries`, trees of anything.
          heap.watch(object.any, (inner) => {
            if (inner.kind === "array") heap.flow(inner.any, cell);
          });
        });
      }
      return cell;
  }
}

/** Getters run when all fields of an object are read. */
function readAccessors(
  solver: Solver,
  { caller, op }: CallTarget,
  object: HeapObject,
  to: Cell,
): void {
  if (solver.linked.accessors.size === 0) return;
  runGetters(solver, { activation: caller, op }, object, object, to);
}

function putInto(
  solver: Solver,
  effect: CallEffect,
  target: CallTarget,
  receiver: HeapObject | null,
  source: (name: EffectSource) => Cell,
): void {
  const { heap } = solver;
  if (effect.into === "changed") {
    for (const changed of effect.deep ?? effect.mutates ?? []) {
      heap.watch(source(changed), (object) => {
        if (object.kind === "typed" || object.kind === "native") return;
        for (const name of effect.puts ?? []) heap.flow(source(name), object.star);
      });
    }
    return;
  }
  if (effect.into === "first") {
    const [first, ...rest] = argumentCells(target);
    if (!first) return;
    for (const cell of rest) {
      copyObject(solver, { activation: target.caller, op: target.op }, cell, first);
    }
    return;
  }
  if (!receiver || receiver.kind === "typed") return;
  for (const name of effect.puts ?? []) heap.flow(source(name), receiver.star);
}

/** Calls the functions among the arguments with what the table says. */
function callArguments(
  solver: Solver,
  effect: CallEffect,
  target: CallTarget,
  source: (name: EffectSource) => Cell,
): void {
  const { heap } = solver;
  // Most calls get no function: what it would be given is gathered when one arrives.
  let given: CallTarget | undefined;
  const give = (): CallTarget => {
    const positional = (effect.calls ?? []).map((names) => {
      const cell = new Cell();
      for (const name of names) heap.flow(source(name), cell);
      return cell;
    });
    return { ...inner, values: { positional, spread: null } };
  };
  const { op } = target;
  const settled = effect.when === "settled" && !(op.op === "call" && op.awaited);
  // What a framework calls besides its callbacks, it calls where it likes.
  const handled = op.op === "call" ? op.handled : undefined;
  const usual = handled === undefined ? "call" : "unknown";
  const edge = effect.when === "later" ? "later" : settled ? "floating" : usual;
  // `forEach(f, self)`: what is `this` in the function is an argument too.
  const receiver = new Cell();
  for (const cell of argumentCells(target).slice(1)) heap.flow(cell, receiver);
  const called = { receiver, to: source("results"), how: "call", edge } as const;
  const inner = { ...target, ...called, isCallback: true } as const;
  const toCallee = (): CallTarget => (given ??= give());
  // What makes objects of its own is given data and such objects, and does not call them.
  const callsAny = effect.makes !== "opaque" || effect.path === VALUES_KIND;
  const call = (callee: HeapObject): void => {
    if (callee.closure || callee.bound || callee.kind === "native") solver.call(callee, toCallee());
    else if (callee.kind !== "opaque") return;
    else if (callee.path === VALUES_KIND || (isSecret(callee.path) && callsAny)) {
      solver.call(callee, toCallee());
    } else callHeld(solver, callee.any, toCallee);
  };
  for (const [index, cell] of argumentCells(target).entries()) {
    if (handled !== undefined && (index === handled || handled === 1)) continue;
    if (effect.calls?.flat().includes("reach")) callForeign(solver, cell, toCallee);
    else if (effect.deep?.includes("arguments")) heap.watchReach(cell, call);
    else heap.watch(cell, call);
  }
}
