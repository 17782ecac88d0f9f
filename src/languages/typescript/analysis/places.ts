/** @file Variables that are there when a loop is entered: what a checkpoint of it may hold. */
import { callersOf } from "./effects.ts";
import type { Activation, Cell } from "./heap.ts";
import type { Binding, LoopSite, Op, Region, Scope } from "./ir.ts";
import { followFrom } from "./live.ts";
import type { World } from "./world.ts";

/** A variable in one activation. */
export interface Place {
  readonly binding: Binding;
  readonly cell: Cell;
  /** It belongs to a call that waits, or that may be entered again: its name is another's here. */
  readonly isElsewhere: boolean;
}

/** Variables that exist when the loop is entered. */
export function placesAt(world: World, site: LoopSite, activation: Activation): Place[] {
  const { solver } = world;
  const places = new Map<Cell, Place>();
  const add = (binding: Binding, owner: Activation, isElsewhere: boolean): void => {
    if (binding.kind === "import" || isInside(binding, site)) return;
    const cell = solver.cell(owner, binding);
    if (!places.has(cell)) places.set(cell, { binding, cell, isElsewhere });
  };
  for (const module of solver.modules.values()) {
    for (const binding of world.bindingsOf(module.template)) add(binding, module, false);
  }
  const callers = callersOf(world.callers, activation);
  for (let at: Activation | null = activation; at?.parent; at = at.parent) {
    // Its function is entered again while it waits: the name is that of the last call only.
    const again = callersOf(world.callers, at).has(at);
    for (const binding of world.bindingsOf(at.template)) {
      if (encloses(binding.scope, site.scope)) add(binding, at, again);
    }
  }
  for (const [caller, ops] of callers) {
    if (caller.parent === null) continue;
    for (const binding of world.bindingsOf(caller.template)) {
      if ([...ops].some((op) => isAlive(binding, op))) add(binding, caller, true);
    }
  }
  followFrom(world, [...places.keys()], (binding, owner) => add(binding, owner, true));
  return [...places.values()];
}

/** Declared in the loop: it begins anew in each iteration. */
export function isInside(binding: Pick<Binding, "scope">, site: LoopSite): boolean {
  return isWithin(binding, site) && !isInHead(binding, site);
}

function isWithin({ scope }: Pick<Binding, "scope">, site: LoopSite): boolean {
  const isSameFile = scope.template.file === site.file;
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
