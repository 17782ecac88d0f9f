/**
 * @file Whether a part of a question changes anything of the run, and whether it may switch a flag that its own text does
 * not show: in functions that it calls, by a key that is computed, or in code that is not followed. Objects of the run are
 * looked at before it for what it may do, and for nothing else. Where this errs, comparing the state shows it.
 */
import { flagKind } from "../../../../format/index.ts";
import type { Binding, FileUnit, HeapKind, Op, Span } from "../lowering/ir.ts";
import type { ActivationFacts } from "../solving/activation-facts.ts";
import type { Activation } from "../solving/heap.ts";
import type { Solver } from "../solving/solver.ts";
import { reachable } from "./loop-effects.ts";
import { changesUnseen } from "./unseen-objects.ts";

/** What has no fields that are called like a flag. */
const KEYLESS: ReadonlySet<HeapKind> = new Set<HeapKind>([
  "array",
  "typed",
  "buffer",
  "map",
  "set",
  "date",
  "promise",
  "generator",
  "iterator",
]);

/**
 * `nothing`: it changes nothing that was there before it. `no-flag`: something, but no flag. `any`: nobody can tell.
 */
export type PartEffect = "nothing" | "no-flag" | "any";

/** `span`: where it stands in the file. */
export function effectOfPart(solver: Solver, unit: FileUnit, span: Span): PartEffect {
  const isIn = ({ at }: Op): boolean => span.start <= at && at < span.end;
  const own = new Set(unit.loweredFunctions.filter(({ ops }) => ops.some(isIn)));
  const around = solver.activations.filter(({ lowered }) => own.has(lowered));
  // Nobody is known to come there: nothing is known of what it calls.
  if (around.length === 0) return "any";
  let isQuiet = true;
  for (const activation of around) {
    const facts = solver.factsOf(activation);
    const ops = activation.lowered.ops.filter(isIn);
    const called = ops.flatMap((op) => [...(facts.edges.get(op)?.keys() ?? [])]);
    if (ops.some((op) => switches(solver, facts, op))) return "any";
    isQuiet &&= !ops.some((op) => changes(facts, op, ({ scope }) => isWithin(scope, span)));
    for (const one of reachable(solver, called)) {
      const known = solver.factsOf(one);
      if (one.lowered.ops.some((op) => switches(solver, known, op))) return "any";
      isQuiet &&= !one.lowered.ops.some((op) => changes(known, op, (set) => isOfCall(set, one)));
    }
  }
  return isQuiet ? "nothing" : "no-flag";
}

/** A variable that is gone when the call is over. */
function isOfCall({ owner, captured }: Binding, { lowered }: Activation): boolean {
  return owner === lowered && lowered.kind !== "module" && !captured;
}

function isWithin({ start, end }: Span, around: Span): boolean {
  return around.start <= start && end <= around.end;
}

function changes(
  { mutated }: ActivationFacts,
  op: Op,
  isFresh: (binding: Binding) => boolean,
): boolean {
  if (op.op === "assign") return !isFresh(op.binding);
  return (mutated.get(op)?.size ?? 0) > 0;
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
