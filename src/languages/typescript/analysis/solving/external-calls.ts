/** @file Calls that leave the project: what the tables of `libraries/` say, or anything. */
import {
  builtinMethod,
  isBuiltinName,
  searches,
  textMethod,
} from "../../libraries/builtin-methods.ts";
import type { CallEffect, EffectSource } from "../../libraries/described-effect.ts";
import { isDescribed } from "../../libraries/described-effect.ts";
import { effectOfCall, effectOfMethod, unknownPackage } from "../../libraries/library-effects.ts";
import { convert, copyObject, runGetters } from "./object-fields.ts";
import type { Activation, HeapObject } from "./heap.ts";
import { Cell } from "./heap.ts";
import type { CallOp } from "../lowering/ir.ts";
import { iterate, resume } from "./iterate-objects.ts";
import type { CallTarget, Solver } from "./solver.ts";
import { argumentCells, unknownCall } from "./unknown-call.ts";
import { noteFact } from "./activation-facts.ts";

/** A call of something that is no function of the project. */
export function externalCall(solver: Solver, callee: HeapObject, target: CallTarget): void {
  if (callee.kind === "opaque") return invokeOpaque(solver, callee, target);
  if (callee.kind !== "native") return;
  const { op, how, receiver } = target;
  const isOurs = callee.path.startsWith("afterlog|");
  if (isOurs && op.op === "call" && !op.known && HIDDEN.has(callee.path)) {
    solver.hidden.add(`${target.caller.lowered.file}\n${op.at}`);
  }
  if (how === "super" && receiver) {
    solver.heap.watch(receiver, (object) => {
      solver.heap.add(object.bases, callee);
      for (const cell of argumentCells(target)) solver.heap.flow(cell, object.star);
    });
    solver.heap.flow(receiver, target.to);
  }
  const method = /^global\|\w+\.prototype\.(\w+)$/.exec(callee.path)?.[1];
  const inherited = method === undefined ? undefined : builtinMethod(method);
  if (inherited && receiver) {
    solver.heap.watch(receiver, (object) => applyEffect(solver, inherited, target, object));
    return;
  }
  const effect = effectOfCall(callee.path, how, solver.linked.libraries);
  if (effect) applyEffect(solver, effect, target, null);
  else {
    const { caller } = target;
    const unknown = unknownPackage(callee.path, solver.linked.libraries);
    if (unknown !== undefined) noteFact(solver.factsOf(caller).outside, op, unknown);
    unknownCall(solver, target, null);
  }
}

const HIDDEN = new Set(["afterlog|loop", "afterlog|log", "afterlog|fit", "afterlog|fitCallback"]);

/** A function that a library made around others: `jit(f)` calls `f`. */
function invokeOpaque(solver: Solver, callee: HeapObject, target: CallTarget): void {
  const { heap } = solver;
  const { caller, op, to, values } = target;
  // A method of it is looked up by `methodCall`.
  const isMethod = op.op === "call" && op.receiver !== null && op.method !== null;
  if (callee.path === "" || (isDescribed(callee.path) && !isMethod)) {
    noteFact(solver.factsOf(caller).outside, op, "a package");
    unknownCall(solver, target, callee);
  }
  const made = solver.make(caller, op, "opaque", "", callee.path);
  heap.add(made.star, made);
  heap.add(to, made);
  const positional = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => {
    const cell = new Cell();
    heap.add(cell, made);
    const given = values.positional[index];
    if (given) heap.flow(given, cell);
    if (values.spread) heap.flow(values.spread, cell);
    return cell;
  });
  const inner = { ...target, receiver: null, values: { positional, spread: null }, to: made.star };
  heap.watchReach(callee.any, (held) => {
    if (held.closure || held.bound) solver.call(held, inner);
  });
}

/** A method of an object that is not of the project. Own methods are called by their value. */
export function methodCall(
  solver: Solver,
  activation: Activation,
  op: CallOp,
  target: CallTarget,
): void {
  const { method } = op;
  const onText = method === null ? undefined : textMethod(method);
  if (onText) applyEffect(solver, onText, target, null);
  if (method !== null && searches(method)) moveExpressions(solver, target);
  if (!target.receiver) return;
  solver.heap.watch(target.receiver, (object) => {
    noteFact(solver.factsOf(activation).read, op, object);
    switch (object.kind) {
      case "function":
        return functionMethod(solver, object, method, target);
      case "generator":
      case "iterator":
        if (method === "next" || method === "return" || method === "throw") {
          return stepMethod(solver, object, target);
        }
        // It is its own iterator: whoever has that goes on with the same body.
        if (method === "@@iterator" || method === "@@asyncIterator") {
          return solver.heap.add(target.to, object);
        }
        break;
      case "promise":
        return promiseMethod(solver, object, target);
      case "native":
      case "prototype":
        return;
      case "plain":
      case "instance":
        return inheritedMethod(solver, object, method, target);
      case "opaque":
        return opaqueMethod(solver, object, method, target);
      default:
    }
    const effect = method === null ? undefined : builtinMethod(method);
    // A slice of a Buffer is a view of the same memory.
    if (method === "slice" && object.path === "slices") solver.heap.add(target.to, object);
    if (effect) applyEffect(solver, effect, target, object);
    else if (method === null || isBuiltinName(method)) unknownCall(solver, target, object);
  });
}

/** Regular expressions remember where they were, whoever searches with them. */
function moveExpressions(solver: Solver, target: CallTarget): void {
  for (const cell of argumentCells(target)) {
    solver.heap.watch(cell, (object) => {
      if (object.kind === "date") solver.mutate(target.caller, target.op, object);
    });
  }
}

function opaqueMethod(
  solver: Solver,
  object: HeapObject,
  method: string | null,
  target: CallTarget,
): void {
  const isData = object.path === "data";
  const effect =
    method === null
      ? undefined
      : isData
        ? builtinMethod(method)
        : effectOfMethod(object.path, method, solver.linked.libraries);
  if (effect) applyEffect(solver, effect, target, object);
  else if (object.path !== "range") {
    const isUnknown = object.path === "" || isDescribed(object.path);
    if (isUnknown) noteFact(solver.factsOf(target.caller).outside, target.op, "a package");
    unknownCall(solver, target, object);
  }
}

/** A class of the project that extends one from outside inherits methods nobody has seen. */
function inheritedMethod(
  solver: Solver,
  object: HeapObject,
  method: string | null,
  target: CallTarget,
): void {
  const own = (holder: HeapObject, depth: number): boolean =>
    [...(holder.fields.get(method ?? "")?.objects ?? [])].some(({ closure }) => closure) ||
    (depth < 8 && [...holder.prototype.objects].some((next) => own(next, depth + 1)));
  const effect = method === null ? undefined : builtinMethod(method);
  solver.heap.watch(object.bases, ({ path }) => {
    if (own(object, 0)) return;
    if (effect && path.startsWith("global|")) applyEffect(solver, effect, target, object);
    else unknownCall(solver, target, object);
  });
}

function functionMethod(
  solver: Solver,
  callee: HeapObject,
  method: string | null,
  target: CallTarget,
): void {
  const { heap } = solver;
  const [receiver = null, ...rest] = target.values.positional;
  const { spread } = target.values;
  if (method === "call") {
    solver.call(callee, { ...target, receiver, values: { positional: rest, spread } });
  } else if (method === "apply") {
    const elements = new Cell();
    if (rest[0]) iterate(solver, target.caller, target.op, rest[0], elements, null);
    const values = { positional: [], spread: elements };
    solver.call(callee, { ...target, receiver, values });
  } else if (method === "bind") {
    const bound = solver.make(target.caller, target.op, "function", `bound${callee.id}`);
    bound.bound ??= { target: new Cell(), receiver: new Cell(), args: new Cell() };
    heap.add(bound.bound.target, callee);
    if (receiver) heap.flow(receiver, bound.bound.receiver);
    for (const cell of [...rest, spread]) if (cell) heap.flow(cell, bound.bound.args);
    heap.add(bound.star, callee);
    heap.flow(bound.bound.args, bound.star);
    heap.flow(bound.bound.receiver, bound.star);
    heap.add(target.to, bound);
  }
}

function stepMethod(solver: Solver, object: HeapObject, target: CallTarget): void {
  const { heap } = solver;
  const { caller, op, to, values } = target;
  const items = new Cell();
  resume(solver, caller, op, object, items);
  const { resumes } = object;
  if (resumes) {
    const sent = solver.cell(resumes, resumes.lowered.sent);
    for (const cell of [values.positional[0], values.spread]) if (cell) heap.flow(cell, sent);
    heap.flow(solver.cell(resumes, resumes.lowered.returned), items);
  }
  const result = solver.make(caller, op, "plain", "step");
  heap.flow(items, heap.field(result, "value"));
  heap.add(to, result);
  const promise = solver.make(caller, op, "promise", "step");
  heap.add(promise.star, result);
  heap.add(to, promise);
}

/** `then` and its kin: the functions run later, but while somebody waits for the result. */
function promiseMethod(solver: Solver, object: HeapObject, target: CallTarget): void {
  const { heap } = solver;
  const { caller, op, to } = target;
  const promise = solver.make(caller, op, "promise", "then");
  const settled = new Cell();
  solver.settle(object.star, settled);
  heap.flow(settled, promise.star);
  heap.flow(solver.thrown, settled);
  const edge = op.op === "call" && op.awaited ? "call" : "floating";
  const values = { positional: [settled], spread: null };
  for (const activation of object.settles) promise.settles.add(activation);
  const rest = { values, to: promise.star, edge, after: object } as const;
  const inner = { ...target, receiver: null, ...rest };
  for (const cell of argumentCells(target)) {
    heap.watch(cell, (callee) => solver.call(callee, inner));
  }
  heap.add(to, promise);
}

/** Does what a table says. */
function applyEffect(
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
    case "results":
      return results;
    case "self":
      if (made) heap.add(cell, made);
      return cell;
    case "arguments":
      for (const argument of argumentCells(target)) heap.flow(argument, cell);
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
  const edge = effect.when === "later" ? "later" : settled ? "floating" : "call";
  // `forEach(f, self)`: what is `this` in the function is an argument too.
  const receiver = new Cell();
  for (const cell of argumentCells(target).slice(1)) heap.flow(cell, receiver);
  const called = { receiver, to: source("results"), how: "call", edge } as const;
  const inner = { ...target, ...called, isCallback: true } as const;
  const call = (callee: HeapObject): void => {
    if (callee.closure || callee.bound || callee.kind === "native") {
      solver.call(callee, (given ??= give()));
    } else if (callee.kind === "opaque") invokeHeld(solver, callee, () => (given ??= give()));
  };
  for (const cell of argumentCells(target)) {
    if (effect.deep?.includes("arguments")) heap.watchReach(cell, call);
    else heap.watch(cell, call);
  }
}

function invokeHeld(solver: Solver, callee: HeapObject, target: () => CallTarget): void {
  solver.heap.watchReach(callee.any, (held) => {
    if (held.closure || held.bound) solver.call(held, target());
  });
}
