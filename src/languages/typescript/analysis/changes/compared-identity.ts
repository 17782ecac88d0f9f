/**
 * @file Objects that the program compares: it matters whether a variable holds the same one as
 * another. A restored variable holds the same object only if the other is restored with it.
 */
import { reachOf } from "./loop-effects.ts";
import type { HeapObject } from "../solving/heap.ts";
import type { VariablePlace } from "./variables-at-loop.ts";
import type { SolvedProgram } from "./solved-program.ts";

const KNOWN = new WeakMap<SolvedProgram, ReadonlySet<HeapObject>>();

/** Objects that stand on both sides of a comparison, or are looked for where they are held. */
function comparedObjects(solved: SolvedProgram): ReadonlySet<HeapObject> {
  const known = KNOWN.get(solved);
  if (known) return known;
  const compared = new Set<HeapObject>();
  for (const [left, right] of solved.solver.comparisons) {
    for (const object of left.objects) if (right.objects.has(object)) compared.add(object);
  }
  KNOWN.set(solved, compared);
  return compared;
}

/** Whether a place leads to a compared object that one of the changed places leads to as well. */
export function sharesIdentity(
  solved: SolvedProgram,
  changed: readonly VariablePlace[],
): (place: VariablePlace) => boolean {
  const compared = comparedObjects(solved);
  if (compared.size === 0) return () => false;
  const reached = reachOf(changed.flatMap(({ cell }) => [...cell.objects]));
  const shared = new Set([...compared].filter((object) => reached.has(object)));
  if (shared.size === 0) return () => false;
  return ({ cell }) => [...reachOf(cell.objects)].some((object) => shared.has(object));
}
