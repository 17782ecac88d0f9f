/**
 * @file What a loop may change, as variables that a checkpoint can hold (Flor §3.1, "changeset",
 * made whole-program): each variable that lives longer than an iteration and that is set in it, or
 * from which an object can be got that is changed in it.
 */
import { once } from "../../../lazy-facts.ts";
import type { ChangedName, SourceLoop } from "../../../source-model.ts";
import type { Effects, Running } from "./loop-effects.ts";
import {
  callersOf,
  effectsOf,
  fieldOfFunction,
  heldBy,
  reachable,
  readsOf,
  runningIn,
} from "./loop-effects.ts";
import type { Activation, Cell, HeapObject } from "../solving/heap.ts";
import type { Binding, LoopSite, Scope } from "../lowering/ir.ts";
import type { VariablePlace } from "./variables-at-loop.ts";
import { isInHead, isInside, loopSurroundings, variablesAtLoop } from "./variables-at-loop.ts";
import { changedAround, sharingIdentity } from "./shared-identity.ts";
import type { Solver } from "../solving/solver.ts";
import type { SolvedProgram } from "./solved-program.ts";

/** Changes of one loop, over all activations of the function that holds it. */
export function changesOfLoop(solved: SolvedProgram, site: LoopSite): ChangedName[] {
  const effectsIn = (activation: Activation): Effects => loopEffects(solved, site, activation);
  return changesAt(solved, site, effectsIn, (activation) =>
    changedAround(solved, site, activation),
  );
}

/**
 * What some effects change of that which is there when a loop is entered. `changedIn`: what is changed
 * besides, as long as there is an activation.
 */
export function changesAt(
  solved: SolvedProgram,
  site: LoopSite,
  effectsIn: (activation: Activation) => Effects,
  changedIn: (activation: Activation) => ReadonlySet<HeapObject> = () => new Set(),
): ChangedName[] {
  const found = new Map<string, ChangedName>();
  const add = (changed: ChangedName): void => {
    const known = found.get(changed.key);
    // The access that always works is the one to take: out of reach anywhere is out of reach.
    if (!known || RANK[known.access] < RANK[changed.access]) found.set(changed.key, changed);
  };
  for (const activation of solved.activationsOf(site.lowered)) {
    const effects = effectsIn(activation);
    for (const name of effects.globals) {
      add({ key: `global:${name}`, name, access: "out-of-reach" });
    }
    if (runningIn(solved.solver, activation, site, "body").ops.some(({ op }) => op === "yield")) {
      add(BETWEEN_YIELDS);
    }
    const affected = affectedObjects(solved, effects.mutated);
    for (const name of fieldsOfFunctions(solved, affected)) {
      add({ key: `global:${name}`, name, access: "out-of-reach" });
    }
    for (const [name, cell] of solved.solver.globalObject.fields) {
      if (holdsAny(cell, affected)) add({ key: `global:${name}`, name, access: "out-of-reach" });
    }
    const places = variablesAtLoop(solved, site, activation);
    const isChanged = ({ cell }: VariablePlace): boolean =>
      effects.assigned.has(cell) || holdsAny(cell, affected);
    const changed = new Set(places.filter((place) => isChanged(place)));
    const others = places.filter((place) => !changed.has(place));
    const sharing = sharingIdentity(solved, { changed, others }, () => changedIn(activation));
    for (const place of places) {
      if (changed.has(place) || sharing.has(place)) add(describeChange(solved, site, place));
    }
  }
  return [...found.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function holdsAny({ objects }: Cell, wanted: ReadonlySet<HeapObject>): boolean {
  for (const object of objects) if (wanted.has(object)) return true;
  return false;
}

/** Whoever steps the generator that holds a loop runs in its iterations, and waits for its items. */
const BETWEEN_YIELDS: ChangedName = {
  key: "yield",
  name: "what runs while the generator waits",
  access: "out-of-reach",
};

const RANK: Readonly<{ [access in ChangedName["access"]]: number }> = {
  declared: 0,
  name: 1,
  bound: 2,
  "out-of-reach": 3,
};

/** What happens in an iteration: in the body, in the iterator, and whatever runs by itself. */
function loopEffects(solved: SolvedProgram, site: LoopSite, activation: Activation): Effects {
  const { solver } = solved;
  const body = effectsOf(solver, runningIn(solver, activation, site, "body"));
  const next = runningIn(solver, activation, site, "next");
  const own = ownIterators(solver, next, site);
  const stepping = effectsOf(solver, next);
  const running = runningWith(solved, activation);
  const effects = [body, stepping];
  for (const [later, its] of solved.later) if (!solved.isApart(later, running)) effects.push(its);
  const mutated = new Set(effects.flatMap((one) => [...one.mutated]));
  for (const iterator of own) if (!body.mutated.has(iterator)) mutated.delete(iterator);
  return {
    mutated,
    assigned: new Set(effects.flatMap((one) => [...one.assigned])),
    globals: new Set(effects.flatMap((one) => [...one.globals])),
  };
}

/** An activation and all that wait for it. */
export function runningWith(solved: SolvedProgram, activation: Activation): Set<Activation> {
  return new Set([activation, ...callersOf(solved.callers, activation).keys()]);
}

/** Iterators that only this loop goes over: their position is captured, not their state. */
function ownIterators(solver: Solver, next: Running, site: LoopSite): Set<HeapObject> {
  const own = new Set<HeapObject>();
  const { iterable, form } = site;
  if (form === "plain") return own;
  const isShared = iterable !== null && "references" in iterable && Number(iterable.references) > 1;
  if (isShared) return own;
  for (const op of next.ops) {
    if (op.op !== "iterate") continue;
    for (const object of solver.factsOf(next.own).mutated.get(op) ?? []) {
      if (object.kind === "generator" || object.kind === "iterator") own.add(object);
    }
  }
  return own;
}

/** The changed objects and all from which one of them can be got. */
function affectedObjects(solved: SolvedProgram, mutated: ReadonlySet<HeapObject>): Set<HeapObject> {
  const affected = new Set(mutated);
  for (const object of affected) {
    for (const holder of solved.holders.get(object) ?? []) affected.add(holder);
  }
  return affected;
}

/** Fields that lead to a changed object: of a function or a class a checkpoint holds the identity. */
function fieldsOfFunctions(solved: SolvedProgram, affected: ReadonlySet<HeapObject>): Set<string> {
  const found = new Set<string>();
  for (const object of affected) {
    for (const { kind, fields, star, bound } of solved.holders.get(object) ?? []) {
      if (kind !== "function" && kind !== "prototype") continue;
      const [field] = [...fields].find(([, { objects }]) => objects.has(object)) ?? [];
      // What was bound, and what a package may have put there, is known by other names.
      const isPut = !bound && object.kind !== "opaque" && star.objects.has(object);
      if (field !== undefined || isPut) found.add(fieldOfFunction(field));
    }
  }
  return found;
}

function describeChange(solved: SolvedProgram, site: LoopSite, place: VariablePlace): ChangedName {
  const { binding } = place;
  const { key, name } = binding;
  if (solved.isDeclared(binding, place.cell, site)) return { key, name, access: "declared" };
  if (escapingCells(solved).has(place.cell)) return { key, name, access: "out-of-reach" };
  const visible = visibleName(solved, site, binding);
  if (visible !== null && !(place.isElsewhere && binding.owner.kind !== "module")) {
    return { key, name: visible, access: "name" };
  }
  const hoisted = binding.kind === "var" || binding.kind === "function";
  const access = binding.bindPoint ? "bound" : "out-of-reach";
  const known = { key, name, access, ...(hoisted ? { hoisted } : {}) } as const;
  return isOfIteration(solved, binding) ? { ...known, ofIteration: true } : known;
}

function isOfIteration(solved: SolvedProgram, binding: Binding): boolean {
  const { owner } = binding;
  if (owner.isGenerator || binding.kind === "var") return false;
  const loops = solved.linked.units.get(owner.file)?.loops ?? [];
  return loops.some((loop) => loop.lowered === owner && isInside(binding, loop));
}

/** How the variable is called where the loop stands; null: it is not seen there. */
export function visibleName(
  solved: SolvedProgram,
  site: LoopSite,
  binding: Binding,
): string | null {
  if (binding.kind === "this") {
    let lowered: LoopSite["lowered"] | null = site.lowered;
    while (lowered?.kind === "arrow") lowered = lowered.parent;
    return lowered === binding.owner ? "this" : null;
  }
  for (let scope: Scope | null = site.scope; scope; scope = scope.parent) {
    const found = scope.bindings.get(binding.name);
    if (found) return found === binding ? binding.name : null;
  }
  // What has no name of its own is read by the name under which it was imported.
  return binding.name === "*default*" ? solved.importedAs(binding, site) : null;
}

/** Whether items may be taken before the state is restored. */
export function iteratorOfLoop(solved: SolvedProgram, site: LoopSite): SourceLoop["iterator"] {
  if (site.form === "plain") return "state";
  if (site.form === "fit" && site.iterable) return iteratorOfTraining(solved, site);
  if (site.form !== "for") return "dependent";
  if (site.literal) return site.literal;
  const { solver } = solved;
  let result: SourceLoop["iterator"] = "index";
  const activations = solved.activationsOf(site.lowered);
  for (const activation of activations) {
    const objects = site.iterable ? solver.cell(activation, site.iterable).objects : new Set();
    const items = [...objects] as HeapObject[];
    if (items.length === 0) return "dependent";
    const body = effectsOf(solver, runningIn(solver, activation, site, "body"));
    if (items.every((object) => isIndexed(object))) {
      // A list that the body changes is restored with the name that still holds it then.
      const isChanged = items.some((object) => body.mutated.has(object));
      const name = site.iterable && solved.bindingOf(site.iterable);
      if (isChanged && (!name || body.assigned.has(solver.cell(activation, name)))) {
        return "dependent";
      }
      continue;
    }
    if (dependsOn(solver, runningIn(solver, activation, site, "next"), body)) return "dependent";
    result = "independent";
  }
  return activations.length === 0 ? "dependent" : result;
}

/** Of a training that goes through a dataset. */
function iteratorOfTraining(solved: SolvedProgram, site: LoopSite): SourceLoop["iterator"] {
  const { solver } = solved;
  const activations = solved.activationsOf(site.lowered);
  const depends = activations.some((activation) => {
    const body = effectsOf(solver, runningIn(solver, activation, site, "body"));
    return dependsOn(solver, runningIn(solver, activation, site, "next"), body);
  });
  return depends || activations.length === 0 ? "dependent" : "independent";
}

/** Whether what delivers items reads what a body changes. */
function dependsOn(solver: Solver, next: Running, body: Effects): boolean {
  const reads = readsOf(solver, next);
  return (
    [...reads.objects].some((object) => body.mutated.has(object)) ||
    [...reads.cells].some((cell) => body.assigned.has(cell))
  );
}

function isIndexed({ kind, path }: HeapObject): boolean {
  return kind === "array" || kind === "typed" || (kind === "opaque" && path === "range");
}

/** Who holds an object: for each, the objects from which it can be got in one step. */
export function holdersOf(solver: Solver): Map<HeapObject, Set<HeapObject>> {
  const holders = new Map<HeapObject, Set<HeapObject>>();
  for (const holder of solver.heap.objects) {
    for (const held of heldBy(holder)) {
      const known = holders.get(held);
      if (known) known.add(holder);
      else holders.set(held, new Set([holder]));
    }
  }
  return holders;
}

/**
 * Variables that outlive the iteration in which they were made, because a function that outlives it
 * holds them. They are registered for as long as that iteration lasts, and their name is that of the
 * next iteration's variable: no checkpoint can be trusted to hold them.
 */
const escapingCells = once((solved: SolvedProgram): ReadonlySet<Cell> => {
  const escaping = new Set<Cell>();
  for (const unit of solved.linked.units.values()) {
    for (const site of unit.loops) addEscaping(solved, site, escaping);
  }
  return escaping;
});

function addEscaping(solved: SolvedProgram, site: LoopSite, escaping: Set<Cell>): void {
  const { solver } = solved;
  for (const activation of solved.activationsOf(site.lowered)) {
    const { called } = runningIn(solver, activation, site, "body");
    const made = reachable(solver, [...called]);
    for (const [binding, owner] of loopSurroundings(solved, site, activation).held) {
      const isOwn = owner.lowered.kind !== "module" && made.has(owner);
      // A function that uses a variable of the head has that of the iteration which made it.
      const isCopied = isInside(binding, site) || isInHead(binding, site);
      if (isOwn || isCopied) escaping.add(solver.cell(owner, binding));
    }
  }
}
