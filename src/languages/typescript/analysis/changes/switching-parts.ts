/**
 * @file Whether a part of a question may switch a flag of the run that its own text does not show: in functions that it
 * calls, by a key that is computed, or in code that is not followed. Of what cannot, no object need be looked at.
 */
import { flagKind } from "../../../../format/index.ts";
import type { FileUnit, HeapKind, Op, Span } from "../lowering/ir.ts";
import type { ActivationFacts } from "../solving/activation-facts.ts";
import type { Solver } from "../solving/solver.ts";
import { reachable } from "./loop-effects.ts";
import { changesUnseen } from "./unseen-objects.ts";

/** What has no fields that are called like a flag. */
const KEYLESS: ReadonlySet<HeapKind> = new Set<HeapKind>([
  "array",
  "typed",
  "buffer",
  "set",
  "date",
  "promise",
  "generator",
  "iterator",
]);

/** `span`: where it stands in the file. */
export function maySwitch(solver: Solver, unit: FileUnit, { start, end }: Span): boolean {
  const isIn = ({ at }: Op): boolean => start <= at && at < end;
  const own = new Set(unit.loweredFunctions.filter(({ ops }) => ops.some(isIn)));
  const around = solver.activations.filter(({ lowered }) => own.has(lowered));
  // Nobody is known to come there: nothing is known of what it calls.
  if (around.length === 0) return true;
  return around.some((activation) => {
    const facts = solver.factsOf(activation);
    const ops = activation.lowered.ops.filter(isIn);
    const called = ops.flatMap((op) => [...(facts.edges.get(op)?.keys() ?? [])]);
    return (
      ops.some((op) => switches(solver, facts, op)) ||
      [...reachable(solver, called)].some((one) => {
        return one.lowered.ops.some((op) => switches(solver, solver.factsOf(one), op));
      })
    );
  });
}

function switches(solver: Solver, facts: ActivationFacts, op: Op): boolean {
  const { deep, outside, trains, mutated } = facts;
  if (deep.has(op) || outside.has(op) || trains.has(op) || changesUnseen(solver, op)) return true;
  if (op.op === "global" || op.op === "secret" || op.op === "import" || op.op === "handle")
    return true;
  if (op.op === "store" && !op.mutates) return false;
  if (op.op === "store" && op.field !== null) return flagKind(op.field) !== undefined;
  return [...(mutated.get(op) ?? [])].some(({ kind }) => !KEYLESS.has(kind));
}
