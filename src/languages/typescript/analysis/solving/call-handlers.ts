/**
 * @file Callbacks of a training that a framework drives: functions of a name that it knows, in the objects
 * and lists that it was given. It calls them in a loop of its own, and waits for each.
 */
import { YIELD_HANDLER } from "../lowering/fit-calls.ts";
import type { Op } from "../lowering/ir.ts";
import type { Activation } from "./heap.ts";
import { Cell } from "./heap.ts";
import { loadField } from "./object-fields.ts";
import type { Solver } from "./solver.ts";

export function callHandlers(
  solver: Solver,
  activation: Activation,
  op: Extract<Op, { op: "handle" }>,
): void {
  const { heap } = solver;
  const given = solver.cell(activation, op.given);
  const values = { positional: [given, given, given], spread: null };
  const { name } = op;
  const edge = name === null || name === YIELD_HANDLER ? "unknown" : "call";
  const call = { caller: activation, op, values, to: new Cell(), how: "call", edge } as const;
  heap.watchReach(solver.cell(activation, op.source), (object) => {
    if (name === null && (object.closure || object.bound)) {
      solver.call(object, { ...call, receiver: null });
    }
    if (name === null) return;
    if (object.closure) return;
    const receiver = new Cell();
    heap.add(receiver, object);
    const handlers = new Cell();
    loadField(solver, { activation, op }, receiver, name, handlers);
    heap.watch(handlers, (handler) => {
      if (handler.closure || handler.bound) solver.call(handler, { ...call, receiver });
    });
  });
}
