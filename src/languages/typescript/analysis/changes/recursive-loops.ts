/**
 * @file Loops in which their own function is called again: over the children of a node, over what may come next.
 * Such a loop is entered once for each node of a tree, within itself: nobody asks for one of its iterations by
 * number, and recording it takes many times what it does. It is left as it is.
 */
import type { FileUnit, LoopSite, LoweredFunction } from "../lowering/ir.ts";
import type { Solver } from "../solving/solver.ts";

/** Why it is none of its own. */
export const INSIDE_ITSELF = "its function calls itself in it";

export function recursiveLoops(solver: Solver, units: readonly FileUnit[]): Set<LoopSite> {
  const calls = selfCalls(solver);
  const isLogged = (unit: FileUnit, at: number): boolean =>
    unit.logs.some((log) => log.at <= at && at < log.end);
  const found = units.flatMap((unit) =>
    unit.loops.filter(({ written, lowered, bodyStart, end }) => {
      const own = written ? (calls.get(lowered) ?? []) : [];
      // What is logged decides nothing: the text with a question in it has the same loops.
      return own.some((at) => bodyStart <= at && at < end && !isLogged(unit, at));
    }),
  );
  return new Set(found);
}

/** Where functions call themselves. */
function selfCalls(solver: Solver): Map<LoweredFunction, number[]> {
  const found = new Map<LoweredFunction, number[]>();
  for (const activation of solver.activations) {
    const { lowered } = activation;
    for (const [op, edges] of solver.factsOf(activation).edges) {
      if (op.op !== "call" || ![...edges.keys()].some((to) => to.lowered === lowered)) continue;
      found.set(lowered, [...(found.get(lowered) ?? []), op.at]);
    }
  }
  return found;
}
