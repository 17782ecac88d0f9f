/** @file Variables that are there when a loop is entered: what a checkpoint of it may hold. */
import { once } from "../../../lazy-facts.ts";
import { callersOf, waitingFor } from "./loop-effects.ts";
import type { Activation, Cell, HeapObject } from "../solving/heap.ts";
import type { Binding, LoopSite, Op, Region, Scope } from "../lowering/ir.ts";
import { reachableObjects } from "./reachable-objects.ts";
import type { SolvedProgram } from "./solved-program.ts";

/** A variable in one activation. */
export interface VariablePlace {
  readonly binding: Binding;
  readonly cell: Cell;
  /** It belongs to a call that waits, or that may be entered again: its name is another's here. */
  readonly isElsewhere: boolean;
}

/** A variable that a function holds, in the activation it belongs to. */
type Held = readonly [binding: Binding, owner: Activation];

/** What is there when a loop is entered. */
interface LoopSurroundings {
  readonly places: readonly VariablePlace[];
  /** Variables of functions that can be got from there, but for those that are everywhere. */
  readonly held: readonly Held[];
}

/** Variables that exist when the loop is entered. */
export function variablesAtLoop(
  solved: SolvedProgram,
  site: LoopSite,
  activation: Activation,
): readonly VariablePlace[] {
  return loopSurroundings(solved, site, activation).places;
}

export function loopSurroundings(
  solved: SolvedProgram,
  site: LoopSite,
  activation: Activation,
): LoopSurroundings {
  return surroundingsIn(solved)(site)(activation);
}

const surroundingsIn = once((solved: SolvedProgram) =>
  once((site: LoopSite) =>
    once((activation: Activation) => findSurroundings(solved, site, activation)),
  ),
);

function findSurroundings(
  solved: SolvedProgram,
  site: LoopSite,
  activation: Activation,
): LoopSurroundings {
  const { solver } = solved;
  const base = everywhere(solved);
  const callers = callersOf(solved.callers, activation);
  const waiting = waitingFor(solver, solved.callers, activation);
  const unset = unsetVariables(solved, callers, waiting);
  const there = base.places.filter(({ binding }) => !unset.has(binding));
  const places = new Map(there.map((place) => [place.cell, place]));
  const own: Cell[] = [];
  const add = (binding: Binding, owner: Activation, isElsewhere: boolean): void => {
    if (binding.kind === "import" || unset.has(binding) || isInside(binding, site)) return;
    const cell = solver.cell(owner, binding);
    if (places.has(cell)) return;
    places.set(cell, { binding, cell, isElsewhere });
    own.push(cell);
  };
  for (const [binding, owner] of base.inLoops) add(binding, owner, false);
  for (let at: Activation | null = activation; at?.parent; at = at.parent) {
    // Its function is entered again while it waits: the name is that of the last call only.
    const again = callersOf(solved.callers, at).has(at);
    for (const binding of solved.bindingsOf(at.lowered)) {
      if (encloses(binding.scope, site.scope)) add(binding, at, again);
    }
  }
  for (const [caller, ops] of callers) {
    if (caller.parent === null) continue;
    const waits = waiting.has(caller);
    for (const binding of solved.bindingsOf(caller.lowered)) {
      const isThere = (op: Op): boolean => isAlive(binding, op) && !(waits && isUnset(binding, op));
      if ([...ops].some((op) => isThere(op))) add(binding, caller, true);
    }
  }
  const held: Held[] = [...base.held];
  reachableObjects(solved, own, (binding, owner) => held.push([binding, owner]), base.reached);
  for (const [binding, owner] of held) add(binding, owner, true);
  return { places: [...places.values()], held };
}

/** What is there whatever loop is entered: most of a program is looked at once. */
interface Everywhere extends LoopSurroundings {
  /** Variables of files that are declared in some loop. */
  readonly inLoops: readonly Held[];
  readonly reached: ReadonlySet<HeapObject>;
}

const everywhere = once((solved: SolvedProgram): Everywhere => {
  const { solver, linked } = solved;
  const places: VariablePlace[] = [];
  const inLoops: Held[] = [];
  for (const module of solver.modules.values()) {
    const sites = linked.units.get(module.lowered.file)?.loops ?? [];
    for (const binding of solved.bindingsOf(module.lowered)) {
      if (binding.kind === "import") continue;
      if (sites.some((site) => isWithin(binding, site))) inLoops.push([binding, module]);
      else places.push({ binding, cell: solver.cell(module, binding), isElsewhere: false });
    }
  }
  const held = new Map<Cell, Held>();
  const roots = [...places.map(({ cell }) => cell), solver.globalObject.any];
  const known = new Set(roots);
  const reached = reachableObjects(solved, roots, (binding, owner) => {
    const cell = solver.cell(owner, binding);
    if (!known.has(cell)) held.set(cell, [binding, owner]);
  });
  return { places, held: [...held.values()], inLoops, reached };
});

/** Declared in the loop: it begins anew in each iteration. */
export function isInside(binding: Pick<Binding, "scope">, site: LoopSite): boolean {
  return isWithin(binding, site) && !isInHead(binding, site);
}

function isWithin({ scope }: Pick<Binding, "scope">, site: LoopSite): boolean {
  const isSameFile = scope.lowered.file === site.file;
  return isSameFile && scope.start >= site.start && scope.end <= site.end;
}

/** Declared in the head of a plain loop: each iteration goes on with what the last one left. */
export function isInHead({ scope }: Pick<Binding, "scope">, { form, ...site }: LoopSite): boolean {
  return form === "plain" && scope === site.scope && scope.start === site.start;
}

function encloses(outer: Scope, inner: Scope): boolean {
  for (let at: Scope | null = inner; at; at = at.parent) if (at === outer) return true;
  return false;
}

/** Variables of files that wait, which have no value before what they wait for is over. */
function unsetVariables(
  solved: SolvedProgram,
  callers: ReadonlyMap<Activation, ReadonlySet<Op>>,
  waiting: ReadonlySet<Activation>,
): Set<Binding> {
  const unset = new Set<Binding>();
  for (const [caller, ops] of callers) {
    if (caller.parent !== null || !waiting.has(caller)) continue;
    // Files that import each other: which of them waits is not told by their imports.
    if (callersOf(solved.callers, caller).has(caller)) continue;
    for (const binding of solved.bindingsOf(caller.lowered)) {
      if ([...ops].every((op) => isUnset(binding, op))) unset.add(binding);
    }
  }
  return unset;
}

/** What a declaration waits for, as in `const model = build()`, runs before the variable is. */
function isUnset({ kind, bindPoint }: Binding, op: Op): boolean {
  const isLate = kind === "const" || kind === "let" || kind === "class";
  return isLate && bindPoint?.form === "statement" && op.at < bindPoint.start;
}

/** A variable of a call that waits; a recorded loop around the call has captured it already. */
function isAlive(binding: Binding, op: Op): boolean {
  const { scope } = binding;
  if (op.at < scope.start || op.at >= scope.end) return false;
  for (let at: Region | null = op.region; at; at = at.parent) {
    const { site } = at;
    const isSeen = site && (site.form === "for" || site.form === "plain");
    if (isSeen && !isInside(binding, site)) return false;
  }
  return true;
}
