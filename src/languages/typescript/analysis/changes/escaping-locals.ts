/**
 * @file Variables that outlive the iteration in which they were made, because a function that
 * outlives it holds them. They are registered for as long as that iteration lasts, and their name
 * is that of the next iteration's variable: no checkpoint can be trusted to hold them.
 */
import { reachable, runningIn } from "./loop-effects.ts";
import type { Cell } from "../solving/heap.ts";
import type { LoopSite } from "../lowering/ir.ts";
import { isInHead, isInside, loopSurroundings } from "./variables-at-loop.ts";
import type { SolvedProgram } from "./solved-program.ts";

const KNOWN = new WeakMap<SolvedProgram, ReadonlySet<Cell>>();

export function escapingCells(solved: SolvedProgram): ReadonlySet<Cell> {
  const known = KNOWN.get(solved);
  if (known) return known;
  const escaping = new Set<Cell>();
  for (const unit of solved.linked.units.values()) {
    for (const site of unit.loops) addEscaping(solved, site, escaping);
  }
  KNOWN.set(solved, escaping);
  return escaping;
}

function addEscaping(solved: SolvedProgram, site: LoopSite, escaping: Set<Cell>): void {
  const { solver } = solved;
  for (const activation of solved.activationsOf(site.lowered)) {
    const { called } = runningIn(solver, activation, site, "body");
    const made = reachable(solver, [...called]);
    for (const [binding, owner] of loopSurroundings(solved, site, activation).held) {
      const isOwn = owner.lowered.kind !== "module" && made.has(owner);
      // A function that uses a variable of the head has that of the iteration which made it.
      const isCopied = isInside(binding, site) || isInHead(binding, site);
      if (isOwn || isCopied) escaping.add(solver.cell(owner, binding));
    }
  }
}
