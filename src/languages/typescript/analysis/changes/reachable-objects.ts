/** @file What the program can still get at: from variables, through objects and functions. */
import { callersOf, effectsOf, runningFrom } from "./loop-effects.ts";
import type { Activation, Cell, HeapObject } from "../solving/heap.ts";
import type { Binding, LogSite } from "../lowering/ir.ts";
import type { SolvedProgram } from "./solved-program.ts";

/**
 * All objects that can be got from some places, but not from what is `known`; `found` is told of
 * variables that functions hold.
 */
export function reachableObjects(
  solved: SolvedProgram,
  roots: readonly Cell[],
  found: (binding: Binding, owner: Activation) => void,
  known: ReadonlySet<HeapObject> = NONE,
): Set<HeapObject> {
  const { solver } = solved;
  const seen = new Set<HeapObject>();
  const visit = ({ objects }: Cell): void => {
    for (const object of objects) if (!known.has(object)) seen.add(object);
  };
  for (const root of roots) visit(root);
  // Grows while it is gone through.
  for (const object of seen) {
    visit(object.any);
    visit(object.accessors);
    visit(object.prototype);
    for (const cell of object.resumes?.cells.values() ?? []) visit(cell);
    if (!object.closure) continue;
    const { lowered, parent } = object.closure;
    for (const variable of lowered.free) {
      visit(solver.cell(parent, variable));
      const binding = solved.bindingOf(variable);
      if (binding) found(binding, solver.ownerOf(parent, binding));
    }
  }
  return seen;
}

const NONE: ReadonlySet<HeapObject> = new Set();

/** Whether evaluating what a statement logs may change anything that outlives it. */
export function logChangesState(solved: SolvedProgram, { lowered, at, end }: LogSite): boolean {
  const { solver } = solved;
  const ops = lowered.ops.filter((op) => op.at >= at && op.at < end);
  return solved.activationsOf(lowered).some((activation) => {
    const running = runningFrom(solver, activation, ops);
    const { assigned, globals, mutated } = effectsOf(solver, running);
    const inside = new Set([...running.called].flatMap(({ cells }) => [...cells.values()]));
    if (globals.size > 0 || [...assigned].some((cell) => !inside.has(cell))) return true;
    if (mutated.size === 0) return false;
    const live = reachableObjects(solved, liveCells(solved, activation), () => undefined);
    return [...mutated].some((object) => live.has(object));
  });
}

/** Variables of an activation, of those around it and waiting for it, and of all files. */
function liveCells(solved: SolvedProgram, activation: Activation): Cell[] {
  const alive = new Set<Activation>(solved.solver.modules.values());
  for (let at: Activation | null = activation; at; at = at.parent) alive.add(at);
  for (const caller of callersOf(solved.callers, activation).keys()) alive.add(caller);
  const cells = [...alive].flatMap((one) =>
    solved.bindingsOf(one.lowered).map((binding) => solved.solver.cell(one, binding)),
  );
  return [...cells, solved.solver.globalObject.any];
}
