/**
 * @file Where a program puts something on what no object is known for, there is one that was missed: `this` that
 * is a number, the prototype of an iterator.
 */
import type { Op } from "../lowering/ir.ts";
import type { Solver } from "../solving/solver.ts";

/** Whether it changes such an object, wherever it is executed. */
export function changesUnseen({ changedCells }: Solver, op: Op): boolean {
  const changed = [...(changedCells.get(op) ?? [])];
  return changed.length > 0 && changed.every(({ objects }) => objects.size === 0);
}

/** Places where functions are put on one: whoever calls them there is not seen. */
export function unseenFunctions(solver: Solver): { readonly file: string; readonly at: number }[] {
  return solver.activations.flatMap((activation) =>
    activation.lowered.ops.flatMap((op) => {
      if (op.op !== "store" || !op.from || !changesUnseen(solver, op)) return [];
      const given = [...solver.cell(activation, op.from).objects];
      return given.some(({ closure }) => closure)
        ? [{ file: activation.lowered.file, at: op.at }]
        : [];
    }),
  );
}
