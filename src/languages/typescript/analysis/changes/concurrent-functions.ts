/**
 * @file Loops that calls may enter at the same time: `Promise.all([load(a), load(b)])`. Which of them
 * comes first is up to the disk or the net, so the entries of such a loop could be told apart only by
 * an order that a replay need not have.
 *
 * What runs by itself is one line of execution: the files of the program, or, where these wait for
 * nothing, the one function that they start (`main()`). All that is started beside it is concurrent.
 */
import type { LoopSite, LoweredFunction } from "../lowering/ir.ts";
import type { Activation } from "../solving/heap.ts";
import type { Solver, Spawn } from "../solving/solver.ts";

/** Functions that may run beside the program; `sites`: its loops. */
export function concurrentFunctions(
  solver: Solver,
  sites: readonly LoopSite[],
): Set<LoweredFunction> {
  const waiting = waitingActivations(solver);
  const spawns = solver.spawns.filter(({ how, to }) => {
    return how === "then" || how === "later" || waiting.has(to);
  });
  const main = new Set(mainSpawns(solver, spawns, sites));
  const beside = spawns.filter((spawn) => !main.has(spawn));
  return reachedFunctions(solver, beside);
}

/** Functions that wait for something, and those that return what such a function promises. */
function waitingActivations(solver: Solver): Set<Activation> {
  const waits = ({ lowered }: Activation): boolean => lowered.isAsync && lowered.waits;
  const found = new Set(solver.activations.filter(waits));
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const activation of solver.activations) {
      if (!activation.lowered.waits && returnsOneOf(solver, activation, found)) {
        found.add(activation);
      }
    }
  }
  return found;
}

/** Where nothing is waited for, a call that stands alone is returned. */
function returnsOneOf(
  solver: Solver,
  activation: Activation,
  promises: ReadonlySet<Activation>,
): boolean {
  return [...solver.factsOf(activation).edges].some(([op, edges]) => {
    return op.op === "call" && op.alone && [...edges.keys()].some((to) => promises.has(to));
  });
}

/** All functions that may run in what these calls start. */
function reachedFunctions(solver: Solver, spawns: readonly Spawn[]): Set<LoweredFunction> {
  const found = new Set<Activation>(spawns.map(({ to }) => to));
  for (const activation of found) {
    for (const edges of solver.factsOf(activation).edges.values()) {
      for (const to of edges.keys()) found.add(to);
    }
  }
  return new Set([...found].map(({ lowered }) => lowered));
}

/** The calls by which the program starts itself. */
function mainSpawns(
  solver: Solver,
  all: readonly Spawn[],
  sites: readonly LoopSite[],
): readonly Spawn[] {
  if ([...solver.modules.keys()].some(({ waits }) => waits)) return [];
  const withLoops = new Set(sites.map(({ lowered }) => lowered));
  const groups = [...byStatement(all.filter(isOfFile)).values()].filter((spawns) =>
    [...reachedFunctions(solver, spawns)].some((lowered) => withLoops.has(lowered)),
  );
  const called = groups.filter((spawns) =>
    spawns.some(({ how }) => how === "once" || how === "then"),
  );
  const candidates = called.length > 0 ? called : groups;
  const [only = []] = candidates;
  return candidates.length === 1 ? only : [];
}

/** It is executed once, when its file is. */
function isOfFile({ caller: { lowered }, op, how }: Spawn): boolean {
  if (lowered.kind !== "module" || how === "many" || op.region) return false;
  return !lowered.repeated.some(({ start, end }) => start <= op.at && op.at < end);
}

/** `main().then(report)` starts one thing. */
function byStatement(spawns: readonly Spawn[]): Map<string, Spawn[]> {
  const groups = new Map<string, Spawn[]>();
  for (const spawn of spawns) {
    const { file, statements } = spawn.caller.lowered;
    const around = statements.find(({ start, end }) => start <= spawn.op.at && spawn.op.at < end);
    const key = `${file}:${around?.start ?? spawn.op.at}`;
    groups.set(key, [...(groups.get(key) ?? []), spawn]);
  }
  return groups;
}
