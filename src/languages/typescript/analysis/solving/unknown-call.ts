/** @file A call of which nothing is known. */
import type { HeapObject } from "./heap.ts";
import { Cell } from "./heap.ts";
import type { CallTarget, Solver } from "./solver.ts";
import { noteFact } from "./activation-facts.ts";

/**
 * A call that nobody knows: it may change all that it can reach, keep it, and call any function
 * that it finds there (semantics, "Captured state").
 */
export function unknownCall(solver: Solver, target: CallTarget, receiver: HeapObject | null): void {
  const { heap } = solver;
  const { caller, op, to } = target;
  const made = solver.make(caller, op, "opaque");
  heap.add(made.star, made);
  heap.add(to, made);
  const given = new Cell();
  for (const cell of argumentCells(target)) heap.flow(cell, given);
  if (receiver) heap.add(given, receiver);
  else if (target.receiver) heap.flow(target.receiver, given);
  heap.flow(given, made.star);
  heap.watch(given, (object) => {
    noteFact(solver.factsOf(caller).deep, op, object);
    if (object.kind !== "typed" && object.kind !== "native") heap.add(object.star, made);
  });
  const values = { positional: [given, given, given, given], spread: null };
  const inner = { ...target, receiver: given, values, to: made.star } as const;
  const asked = { ...inner, how: "call", edge: "unknown" } as const;
  const call = (callee: HeapObject): void => {
    if ((callee.closure && !callee.isClass) || callee.bound) solver.call(callee, asked);
    if (callee.resumes) solver.addEdge(caller, op, callee.resumes, "unknown");
  };
  heap.watchReach(given, call);
  heap.watchReach(solver.escaped, call);
}

export function argumentCells({ values }: CallTarget): Cell[] {
  return [...values.positional, values.spread].filter((cell) => cell !== null);
}
