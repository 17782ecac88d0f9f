/**
 * @file What a loop leaves as it is, as far as the analysis can tell: variables that are there when
 * it is entered, could change, and are not among its changes. A run looks at them (the audit).
 */
import type { ChangedName, ReadName } from "../../../source-model.ts";
import { visibleName } from "./loop-changes.ts";
import type { HeapObject } from "../solving/heap.ts";
import type { LoopSite } from "../lowering/ir.ts";
import type { VariablePlace } from "./variables-at-loop.ts";
import { variablesAtLoop } from "./variables-at-loop.ts";
import type { SolvedProgram } from "./solved-program.ts";

/** Names of one loop that are looked at; objects come first, for they change unseen. */
const NAMES_MAX = 32;

/** What of an object can change without being seen in the source of the program. */
const FIXED = new Set<HeapObject["kind"]>(["function", "native", "prototype", "promise"]);

export function unchangedNames(
  solved: SolvedProgram,
  site: LoopSite,
  changes: readonly ChangedName[],
): ReadName[] {
  const changed = new Set(changes.map(({ key }) => key));
  const found = new Map<string, ReadName & { readonly holds: boolean }>();
  for (const activation of solved.activationsOf(site.lowered)) {
    for (const place of variablesAtLoop(solved, site, activation)) {
      const { key, settable } = place.binding;
      const holds = isMutable(place) || (found.get(key)?.holds ?? false);
      if (changed.has(key) || !(holds || settable)) continue;
      const name = lentName(solved, site, place);
      if (name !== null) found.set(key, { key, name, holds });
    }
  }
  return [...found.values()]
    .toSorted((a, b) => Number(b.holds) - Number(a.holds) || (a.key < b.key ? -1 : 1))
    .slice(0, NAMES_MAX)
    .map(({ key, name }) => ({ key, name }));
}

/** Null: it is not seen where the loop stands, or the name is another's there. */
function lentName(
  solved: SolvedProgram,
  site: LoopSite,
  { binding, isElsewhere }: VariablePlace,
): string | null {
  if (isElsewhere && binding.owner.kind !== "module") return null;
  return visibleName(solved, site, binding);
}

function isMutable({ cell }: VariablePlace): boolean {
  for (const { kind } of cell.objects) if (!FIXED.has(kind)) return true;
  return false;
}
