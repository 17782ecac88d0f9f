/**
 * @file Variables that a loop leaves alone, and that must be in its checkpoints all the same: they lead to an object
 * to which a variable leads that it sets. A restored variable holds that very object only if the other one is
 * restored with it, and it matters which it holds where the object is changed later, or compared.
 */
import { once } from "../../../lazy-facts.ts";
import { callersOf, effectsOf, reachOf, runningFrom } from "./loop-effects.ts";
import type { Activation, HeapObject } from "../solving/heap.ts";
import type { LoopSite, Op } from "../lowering/ir.ts";
import type { SolvedProgram } from "./solved-program.ts";
import type { VariablePlace } from "./variables-at-loop.ts";

/** Those of the `others` that share an object with what is `changed`. */
export function sharingIdentity(
  solved: SolvedProgram,
  {
    changed,
    others,
  }: {
    readonly changed: ReadonlySet<VariablePlace>;
    readonly others: readonly VariablePlace[];
  },
  changedLater: () => ReadonlySet<HeapObject>,
): ReadonlySet<VariablePlace> {
  const taken = reachOf([...changed].flatMap(({ cell }) => [...cell.objects]));
  const reached = others.map((place) => {
    const all = [...reachOf(place.cell.objects)];
    return { place, objects: all.filter((object) => taken.has(object) && isOwn(object)) };
  });
  const shared = reached.filter(({ objects }) => objects.length > 0);
  if (shared.length === 0) return new Set();
  const compared = comparedObjects(solved);
  const later = changedLater();
  const isKnownAgain = (object: HeapObject): boolean => compared.has(object) || later.has(object);
  return new Set(
    shared.flatMap(({ place, objects }) => (objects.some(isKnownAgain) ? [place] : [])),
  );
}

/** Functions, and what instances inherit, are the same ones after a restore. */
function isOwn({ kind }: HeapObject): boolean {
  return kind !== "function" && kind !== "prototype" && kind !== "native";
}

/** Objects that stand on both sides of a comparison, or are looked for where they are held. */
const comparedObjects = once((solved: SolvedProgram): ReadonlySet<HeapObject> => {
  const compared = new Set<HeapObject>();
  for (const [left, right] of solved.solver.comparisons) {
    for (const object of left.objects) if (right.objects.has(object)) compared.add(object);
  }
  return compared;
});

/** What is changed from the first loop around a loop on: in its function, and in those that wait for it. */
export function changedAround(
  solved: SolvedProgram,
  site: LoopSite,
  activation: Activation,
): ReadonlySet<HeapObject> {
  const { solver, callers, linked } = solved;
  const changed = new Set<HeapObject>();
  const addFrom = (own: Activation, from: number): void => {
    const ops = own.lowered.ops.filter(({ at }) => at >= from);
    const { mutated } = effectsOf(solver, runningFrom(solver, own, ops));
    for (const object of mutated) changed.add(object);
  };
  const loops = linked.units.get(site.file)?.loops ?? [];
  const around = loops.filter(({ lowered, start, end }) => {
    return lowered === site.lowered && start <= site.start && end >= site.end;
  });
  addFrom(activation, Math.min(...around.map(({ start }) => start), site.start));
  for (const [caller, ops] of callersOf(callers, activation)) {
    addFrom(caller, Math.min(...[...ops].map(startOf)));
  }
  return changed;
}

/** Of the outermost loop around an operation, or of itself. */
function startOf({ at, region }: Op): number {
  let start = at;
  for (let around = region; around; around = around.parent) start = around.site?.start ?? start;
  return start;
}
