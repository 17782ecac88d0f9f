/** @file Going over an object: what it yields, and what runs for it to do so. */
import { isDescribed } from "../../libraries/described-effect.ts";
import { loadField } from "./object-fields.ts";
import type { Activation, HeapObject } from "./heap.ts";
import { Cell } from "./heap.ts";
import type { Op } from "../lowering/ir.ts";
import type { Solver } from "./solver.ts";
import { noteFact } from "./activation-facts.ts";
import { unknownCall } from "./unknown-call.ts";

/** Puts the items of all that `source` holds into `to`. `index`: only that position is taken. */
export function iterate(
  solver: Solver,
  activation: Activation,
  op: Op,
  source: Cell,
  to: Cell,
  index: number | null,
): void {
  const { heap } = solver;
  const seen = new Set<HeapObject>();
  const visit = (object: HeapObject): void => {
    if (seen.has(object)) return;
    seen.add(object);
    noteFact(solver.factsOf(activation).read, op, object);
    switch (object.kind) {
      case "array":
        if (index === null) heap.flow(object.any, to);
        else {
          heap.flow(heap.field(object, String(index)), to);
          heap.flow(object.star, to);
        }
        return;
      case "map": {
        const entry = solver.make(activation, op, "array", `entry${object.id}`);
        heap.flow(object.star, entry.star);
        return heap.add(to, entry);
      }
      case "set":
        return heap.flow(object.star, to);
      case "generator":
      case "iterator":
        return resume(solver, activation, op, object, to);
      case "opaque":
      case "native":
        if (object.path === "dataset") return prepareItems(solver, activation, op, object, to);
        // What is read from outside moves on; an array, a tree or a tensor does not.
        if (object.path === "" || object.path === "handle" || isDescribed(object.path)) {
          solver.mutate(activation, op, object);
        }
        // Of a library that nobody knows: it may call what it was given, item by item.
        if (object.kind === "opaque" && object.path === "") use(solver, activation, op, object, to);
        if (object.kind === "native") heap.add(to, object);
        return heap.flow(object.any, to);
      case "plain":
      case "instance":
        heap.watch(object.bases, () => heap.flow(object.star, to));
        return byProtocol(solver, activation, op, object, to, visit);
      default:
    }
  };
  heap.watch(source, visit);
}

/** Whatever an object from outside does when it is gone over or awaited. */
export function use(
  solver: Solver,
  caller: Activation,
  op: Op,
  object: HeapObject,
  to: Cell,
): void {
  const values = { positional: [], spread: null };
  const target = { caller, op, receiver: null, values, to, how: "call", edge: "call" } as const;
  noteFact(solver.factsOf(caller).outside, op, "a package");
  unknownCall(solver, target, object);
}

/** One step of a generator, or of an iterator over something. */
export function resume(
  solver: Solver,
  activation: Activation,
  op: Op,
  object: HeapObject,
  to: Cell,
): void {
  solver.mutate(activation, op, object);
  solver.settle(object.star, to);
  if (object.resumes) solver.addEdge(activation, op, object.resumes, "resume");
}

/** Kinds that a dataset can be made of; what is from outside is read by it, never changed. */
const ITEMS = new Set(["array", "typed", "generator", "iterator", "plain", "instance"]);

/** A dataset gives what it was made of, one by one or in lists, as the functions of its maps do. */
function prepareItems(
  solver: Solver,
  caller: Activation,
  op: Op,
  dataset: HeapObject,
  to: Cell,
): void {
  const { heap } = solver;
  const batch = solver.make(caller, op, "array", `batch${dataset.id}`);
  const context = solver.make(caller, op, "opaque", `context${dataset.id}`, "range");
  heap.add(context.star, context);
  const items = new Cell();
  heap.flow(items, batch.star);
  heap.add(items, batch);
  heap.flow(items, to);
  const contexts = new Cell();
  heap.add(contexts, context);
  const results = new Cell();
  solver.settle(results, dataset.star);
  const values = { positional: [items, contexts], spread: null };
  const call = {
    caller,
    op,
    receiver: null,
    values,
    to: results,
    how: "call",
    edge: "call",
  } as const;
  heap.watch(dataset.any, (held) => {
    if (held.closure || held.bound) return solver.call(held, call);
    heap.add(items, held);
    const source = new Cell();
    heap.add(source, held);
    if (ITEMS.has(held.kind)) iterate(solver, caller, op, source, dataset.star, null);
  });
}

/** `[Symbol.iterator]()`, then `next()` and `return()` of what it gives. */
function byProtocol(
  solver: Solver,
  activation: Activation,
  op: Op,
  object: HeapObject,
  to: Cell,
  visit: (object: HeapObject) => void,
): void {
  const { heap } = solver;
  const self = new Cell();
  heap.add(self, object);
  const iterators = new Cell();
  for (const name of ["@@iterator", "@@asyncIterator"]) {
    callMethod(solver, activation, op, self, name, iterators);
  }
  const results = new Cell();
  heap.watch(iterators, (iterator) => {
    const isOwn = iterator.kind === "plain" || iterator.kind === "instance";
    if (!isOwn) return visit(iterator);
    const holder = new Cell();
    heap.add(holder, iterator);
    for (const name of ["next", "return"]) {
      callMethod(solver, activation, op, holder, name, results);
    }
  });
  const settled = new Cell();
  solver.settle(results, settled);
  const values = new Cell();
  loadField(solver, { activation, op }, settled, "value", values);
  solver.settle(values, to);
}

function callMethod(
  solver: Solver,
  caller: Activation,
  op: Op,
  receiver: Cell,
  name: string,
  to: Cell,
): void {
  const functions = new Cell();
  loadField(solver, { activation: caller, op }, receiver, name, functions);
  const values = { positional: [], spread: null };
  const target = { caller, op, receiver, values, to, how: "call", edge: "call" } as const;
  solver.heap.watch(functions, (callee) => solver.call(callee, target));
}
