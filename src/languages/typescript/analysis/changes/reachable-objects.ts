/** @file What the program can still get at: from variables, through objects and functions. */
import { callersOf, effectsOf, runningFrom } from "./loop-effects.ts";
import type { Activation, Cell, HeapObject } from "../solving/heap.ts";
import type { Binding, LogSite } from "../lowering/ir.ts";
import type { World } from "./solved-program.ts";

/**
 * All objects that can be got from some places, but not from what is `known`; `found` is told of
 * variables that functions hold.
 */
export function followFrom(
  world: World,
  roots: readonly Cell[],
  found: (binding: Binding, owner: Activation) => void,
  known: ReadonlySet<HeapObject> = NONE,
): Set<HeapObject> {
  const { solver } = world;
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
    const { template, parent } = object.closure;
    for (const variable of template.free) {
      visit(solver.cell(parent, variable));
      const binding = world.bindingOf(variable);
      if (binding) found(binding, solver.ownerOf(parent, binding));
    }
  }
  return seen;
}

const NONE: ReadonlySet<HeapObject> = new Set();

/** Whether evaluating what a statement logs may change anything that outlives it. */
export function changesBy(world: World, { template, at, end }: LogSite): boolean {
  const { solver } = world;
  const ops = template.ops.filter((op) => op.at >= at && op.at < end);
  return world.activationsOf(template).some((activation) => {
    const running = runningFrom(solver, activation, ops);
    const { assigned, globals, mutated } = effectsOf(solver, running);
    const inside = new Set([...running.called].flatMap(({ cells }) => [...cells.values()]));
    if (globals.size > 0 || [...assigned].some((cell) => !inside.has(cell))) return true;
    if (mutated.size === 0) return false;
    const live = followFrom(world, liveCells(world, activation), () => undefined);
    return [...mutated].some((object) => live.has(object));
  });
}

/** Variables of an activation, of those around it and waiting for it, and of all files. */
function liveCells(world: World, activation: Activation): Cell[] {
  const alive = new Set<Activation>(world.solver.modules.values());
  for (let at: Activation | null = activation; at; at = at.parent) alive.add(at);
  for (const caller of callersOf(world.callers, activation).keys()) alive.add(caller);
  return [...alive].flatMap((one) =>
    world.bindingsOf(one.template).map((binding) => world.solver.cell(one, binding)),
  );
}
