/**
 * @file Variables that outlive the iteration in which they were made, because a function that
 * outlives it holds them. They are registered for as long as that iteration lasts, and their name
 * is that of the next iteration's variable: no checkpoint can be trusted to hold them.
 */
import { reachable, runningIn } from "./loop-effects.ts";
import type { Cell } from "../solving/heap.ts";
import type { LoopSite } from "../lowering/ir.ts";
import { isInHead, isInside, surroundingsOf } from "./variables-at-loop.ts";
import type { World } from "./solved-program.ts";

const KNOWN = new WeakMap<World, ReadonlySet<Cell>>();

export function lostCells(world: World): ReadonlySet<Cell> {
  const known = KNOWN.get(world);
  if (known) return known;
  const lost = new Set<Cell>();
  for (const unit of world.linked.units.values()) {
    for (const site of unit.loops) addLost(world, site, lost);
  }
  KNOWN.set(world, lost);
  return lost;
}

function addLost(world: World, site: LoopSite, lost: Set<Cell>): void {
  const { solver } = world;
  for (const activation of world.activationsOf(site.template)) {
    const { called } = runningIn(solver, activation, site, "body");
    const made = reachable(solver, [...called]);
    for (const [binding, owner] of surroundingsOf(world, site, activation).held) {
      const isOwn = owner.template.kind !== "module" && made.has(owner);
      // A function that uses a variable of the head has that of the iteration which made it.
      const isCopied = isInside(binding, site) || isInHead(binding, site);
      if (isOwn || isCopied) lost.add(solver.cell(owner, binding));
    }
  }
}
