/**
 * @file What a constructor returns becomes `this` of the class that extends its own, and gets that class's private
 * fields, which nobody sees who looks at the object.
 */
import type { Activation, Cell } from "./heap.ts";
import type { CallTarget, Solver } from "./solver.ts";

export function lendReturned(
  solver: Solver,
  base: Activation,
  { caller, op }: CallTarget,
  receiver: Cell,
): void {
  const { heap, lent } = solver;
  const { thisBinding, returned } = base.lowered;
  const self = thisBinding && solver.cell(base, thisBinding);
  const hasPrivate = caller.lowered.ops.some(
    (one) => one.op === "store" && one.field?.startsWith("#"),
  );
  heap.watch(solver.cell(base, returned), (object) => {
    if (self?.objects.has(object) && !lent.has(object)) return;
    lent.add(object);
    heap.add(receiver, object);
    heap.add(solver.cell(caller, caller.lowered.returned), object);
    if (!hasPrivate) return;
    solver.leaveOut(caller, op, "private fields of an object that another constructor returns");
  });
}
