/** @file Calls that leave the project: what the tables of `libraries/` say, or anything. */
import {
  builtinMethod,
  isBuiltinName,
  searches,
  textMethod,
} from "../../libraries/builtin-methods.ts";
import { DATA_KIND, isDescribed, VALUES_KIND } from "../../libraries/described-effect.ts";
import { isPlatform } from "../../libraries/javascript-descriptions.ts";
import { effectOfCall, effectOfMethod, secretKeeper } from "../../libraries/library-effects.ts";
import {
  applyEffect,
  callForeign,
  callHeld,
  callMethods,
  isSecret,
  noteSecret,
} from "./apply-effect.ts";
import type { Activation, HeapObject } from "./heap.ts";
import { Cell } from "./heap.ts";
import type { CallOp } from "../lowering/ir.ts";
import { iterate, resume } from "./iterate-objects.ts";
import type { CallTarget, Solver } from "./solver.ts";
import { argumentCells, unknownCall } from "./unknown-call.ts";
import { noteFact } from "./activation-facts.ts";
import { convertAll, loadField, storeBySetter } from "./object-fields.ts";
import type { CallEffect } from "../../libraries/described-effect.ts";

/** A call of something that is no function of the project. */
export function externalCall(solver: Solver, callee: HeapObject, target: CallTarget): void {
  if (callee.kind === "opaque") return invokeOpaque(solver, callee, target);
  if (callee.kind !== "native") return;
  const { op, how, receiver } = target;
  const isOurs = callee.path.startsWith("afterlog|");
  if (isOurs && op.op === "call" && !op.known && HIDDEN.has(callee.path)) {
    solver.leaveOut(target.caller, op, "Afterlog is called in a way that hides it");
  }
  if (how === "super" && receiver) {
    solver.heap.watch(receiver, (object) => {
      solver.heap.add(object.bases, callee);
      for (const cell of argumentCells(target)) solver.heap.flow(cell, object.star);
    });
    solver.heap.flow(receiver, target.to);
    fillByMethod(solver, target, receiver);
  }
  const method = /^global\|\w+\.prototype\.(\w+)$/.exec(callee.path)?.[1];
  const inherited = method === undefined ? undefined : builtinMethod(method);
  if (inherited && receiver) {
    convertAll(solver, { activation: target.caller, op }, [receiver]);
    constructLike(solver, inherited, target);
    solver.heap.watch(receiver, (object) => applyEffect(solver, inherited, target, object));
    return;
  }
  if (MAKES_OWN.test(callee.path)) constructBy(solver, target, receiver);
  if (PUTS_ON_FIRST.test(callee.path)) notePut(solver, target);
  if (INHERITS.test(callee.path)) inherit(solver, target);
  if (SETS_PROTOTYPE.test(callee.path)) setPrototype(solver, target);
  const isTransfer = callee.path === "global|structuredClone" && argumentCells(target).length > 1;
  if (isTransfer) noteSecret(solver, target, "a transferred buffer");
  const { libraries } = solver.linked;
  const effect = effectOfCall(callee.path, how, libraries);
  if (!effect || effect.secret) {
    const keeper = secretKeeper(callee.path, libraries, effect?.secret === true);
    if (keeper !== undefined) noteSecret(solver, target, keeper);
  }
  if (!effect) return unknownCall(solver, target, null);
  const root = callee.path.replace(/\|.*/, "");
  if (isPlatform(root)) convertGiven(solver, target);
  if (isPlatform(root) && root !== "global") callOptions(solver, target, effect.when === "later");
  applyEffect(solver, effect, target, null);
}

/** Functions of Node call those that stand in their options (`{ filter: f }`). */
function callOptions(solver: Solver, target: CallTarget, isLater: boolean): void {
  const values = { positional: [], spread: null };
  const called = { receiver: null, values, to: new Cell(), how: "call", isCallback: true } as const;
  const option = { ...target, ...called, edge: isLater ? "later" : "call" } as const;
  for (const cell of argumentCells(target)) {
    solver.heap.watch(cell, (object) => {
      if (object.kind === "plain") {
        solver.heap.watch(object.any, (held) => {
          if (held.closure && !held.isClass) solver.call(held, option);
        });
      }
    });
  }
}

/** Functions of classes that make an instance of the class on which they are called. */
const MAKES_OWN = /^global\|(?:\w*Array\.(?:from|of)|Promise\.\w+)$/;

/** Constructors of the project that the language calls itself, as for `class Row extends Array`. */
function constructBy(solver: Solver, target: CallTarget, classes: Cell | null): void {
  if (!classes) return;
  const values = { positional: [], spread: null };
  const made = { ...target, receiver: null, values, to: new Cell(), how: "new" } as const;
  solver.heap.watch(classes, (object) => {
    if (object.closure) solver.call(object, made);
  });
}

/** `rows.map(f)` makes another of the receiver's class (`Symbol.species`). */
function constructLike(solver: Solver, { makes }: CallEffect, target: CallTarget): void {
  if (makes === undefined || makes === "iterator" || !target.receiver) return;
  solver.heap.watch(target.receiver, (object) => {
    if (object.kind !== "instance") return;
    solver.heap.watch(object.prototype, (prototype) =>
      constructBy(solver, target, solver.heap.field(prototype, "constructor")),
    );
  });
}

/** `super(entries)` of a Map or Set calls the `set` or `add` of the subclass. */
function fillByMethod(solver: Solver, target: CallTarget, receiver: Cell): void {
  const at = { activation: target.caller, op: target.op };
  const items = new Cell();
  for (const cell of argumentCells(target))
    solver.heap.watchReach(cell, (one) => solver.heap.add(items, one));
  const values = { positional: [items, items], spread: null };
  for (const name of ["set", "add"]) {
    const methods = new Cell();
    loadField(solver, at, receiver, name, methods);
    solver.heap.watch(methods, (method) => {
      if (method.closure) solver.call(method, { ...target, values, to: new Cell(), how: "call" });
    });
  }
}

function convertGiven(solver: Solver, target: CallTarget): void {
  convertAll(solver, { activation: target.caller, op: target.op }, argumentCells(target));
}

const PUTS_ON_FIRST =
  /^global\|(?:Object\.(?:assign|freeze|seal|preventExtensions|define\w+|setPrototypeOf)|Reflect\.(?:set\w*|define\w+|deleteProperty|preventExtensions))$/;

/** What is put on a function, a prototype or what every program has is in no checkpoint, as where it is assigned. */
function notePut(solver: Solver, target: CallTarget): void {
  const { caller, op, values } = target;
  const first = values.positional[0] ?? values.spread;
  noteFact(solver.changedCells, op, first ?? new Cell());
  if (!first) return;
  setBySetters(solver, target, first);
  solver.heap.watch(first, ({ kind, path }) => {
    if (kind === "native") {
      noteFact(solver.factsOf(caller).outside, op, path.replace(/^.*\|/, ""));
    }
    if (kind === "native" && path.endsWith(".prototype")) noteFunctions(solver, target);
    if (kind === "prototype") noteFact(solver.factsOf(caller).outside, op, "a prototype");
    if (kind !== "function") return;
    noteFact(solver.factsOf(caller).outside, op, "a class or function");
  });
}

/** Setters of what is put on, and of what it gets for a prototype. */
function setBySetters(solver: Solver, target: CallTarget, first: Cell): void {
  const { heap, linked } = solver;
  const [, ...given] = argumentCells(target);
  const values = new Cell();
  for (const cell of given) heap.flow(cell, values);
  heap.watch(first, (object) => {
    if (linked.accessors.size === 0 || object.kind === "native") return;
    storeBySetter(solver, { activation: target.caller, op: target.op }, object, null, values);
  });
}

/** Whoever asks for its name gets a function that is put on a prototype of the language. */
function noteFunctions(solver: Solver, target: CallTarget): void {
  for (const given of argumentCells(target)) {
    solver.heap.watchReach(given, ({ closure }) => {
      if (!closure) return;
      solver.leaveOut(target.caller, target.op, "a function for what every program has");
    });
  }
}

const SETS_PROTOTYPE = /^global\|(?:Object|Reflect)\.setPrototypeOf$/;

function setPrototype({ heap }: Solver, { values }: CallTarget): void {
  const [made, prototype] = values.positional;
  if (made && prototype) heap.watch(made, (object) => heap.flow(prototype, object.prototype));
}

const INHERITS = /^(?:node:)?util\|(?:default\.)?inherits$/;

/** `util.inherits(A, B)`. */
function inherit(solver: Solver, target: CallTarget): void {
  const { heap } = solver;
  const [made, base] = target.values.positional;
  notePut(solver, target);
  if (!made || !base) return;
  heap.watch(made, (child) =>
    heap.watch(solver.prototypeOf(child), (prototype) =>
      heap.watch(base, (parent) => heap.flow(solver.prototypeOf(parent), prototype.prototype)),
    ),
  );
}

const HIDDEN = new Set(["afterlog|loop", "afterlog|log", "afterlog|fit", "afterlog|fitCallback"]);

/** A function that a library made around others: `jit(f)` calls `f`. */
function invokeOpaque(solver: Solver, callee: HeapObject, target: CallTarget): void {
  const { heap } = solver;
  const { caller, op, to, values } = target;
  // A method of it is looked up by `methodCall`.
  const isMethod =
    !target.isCallback && op.op === "call" && op.receiver !== null && op.method !== null;
  if (callee.path === "" || (isDescribed(callee.path) && !isMethod)) {
    noteSecret(solver, target);
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
  if (callee.path !== VALUES_KIND) return callHeld(solver, callee.any, () => inner);
  callForeign(solver, callee.any, () => inner);
  callMethods(solver, target);
  // Functions that it holds are called through it, by whoever calls what it gives.
  heap.add(made.star, callee);
  for (const cell of argumentCells(target)) heap.flow(cell, made.star);
  for (const cell of [...argumentCells(target), callee.any]) {
    heap.watchReach(cell, (object) => {
      if (object.closure || object === callee) return;
      heap.add(made.star, object);
      heap.add(to, object);
    });
  }
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
  if (method !== null && (onText || builtinMethod(method))) convertGiven(solver, target);
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
    // What it gives, if that is an object, is taken for a part of it.
    else if (object.kind === "date") {
      convertGiven(solver, target);
      solver.heap.add(target.to, object);
    }
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
  const isData = object.path === VALUES_KIND || object.path === DATA_KIND;
  const effect =
    method === null
      ? undefined
      : isData
        ? builtinMethod(method)
        : effectOfMethod(object.path, method, solver.linked.libraries);
  if (effect) applyEffect(solver, effect, target, object);
  else if (object.path !== "range") {
    if (isSecret(object.path)) noteSecret(solver, target);
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
  const isCommon = method !== null && method in Object.prototype;
  if (effect && isCommon) applyEffect(solver, effect, target, object);
  solver.heap.watch(object.bases, ({ path }) => {
    if (own(object, 0)) return;
    if (effect) constructLike(solver, effect, target);
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
  for (const cell of argumentCells(target)) {
    // `return(x)` gives `x`, `throw(x)` throws it inside.
    heap.flow(cell, items);
    heap.flow(cell, solver.thrown);
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
