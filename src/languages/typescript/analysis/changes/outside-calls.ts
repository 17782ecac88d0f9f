/**
 * @file Calls of what is not the program's: whatever loops a package has in it, nobody sees them, so a
 * recording times these calls. What JavaScript brings along is left out: it is called everywhere.
 */
import type { HeapObject } from "../solving/heap.ts";
import type { CallOp, TimedSpan } from "../lowering/ir.ts";
import type { Activation } from "../solving/heap.ts";
import type { Solver } from "../solving/solver.ts";

/** By file, in the order of the text. */
export function outsideCalls(solver: Solver): Map<string, TimedSpan[]> {
  const found = new Map<string, Map<number, TimedSpan>>();
  for (const activation of solver.activations) {
    const { file, ops } = activation.lowered;
    for (const op of ops) {
      if (op.op !== "call" || !op.timed || !isOutside(solver, activation, op)) continue;
      let own = found.get(file);
      if (!own) found.set(file, (own = new Map()));
      own.set(op.timed.end, op.timed);
    }
  }
  const ordered = (spans: Iterable<TimedSpan>): TimedSpan[] =>
    [...spans].toSorted((a, b) => a.start - b.start || b.end - a.end);
  return new Map([...found].map(([file, spans]) => [file, ordered(spans.values())]));
}

function isOutside(solver: Solver, activation: Activation, { callee, receiver }: CallOp): boolean {
  const called = callee ? solver.cell(activation, callee).objects : new Set<HeapObject>();
  const on = receiver ? solver.cell(activation, receiver).objects : new Set<HeapObject>();
  for (const { closure } of called) if (closure) return false;
  for (const { kind, path } of called) {
    if (kind === "native" && !path.startsWith("global|")) return true;
    if (kind === "opaque" && on.size === 0) return true;
  }
  for (const { kind } of on) if (kind === "opaque") return true;
  return false;
}
