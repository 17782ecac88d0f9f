/** @file The solved program, with the questions that several parts of the model ask of it. */
import type { Callers, Effects } from "./loop-effects.ts";
import { directCallers, effectsOf, reachable } from "./loop-effects.ts";
import type { Activation, Cell, HeapObject } from "../solving/heap.ts";
import { Binding } from "../lowering/ir.ts";
import type { Declaration, LoopSite, LoweredFunction, Var } from "../lowering/ir.ts";
import type { Linked } from "../solving/link-files.ts";
import type { Solver } from "../solving/solver.ts";

export class SolvedProgram {
  readonly linked: Linked;
  readonly solver: Solver;
  readonly holders: ReadonlyMap<HeapObject, ReadonlySet<HeapObject>>;
  /** What nobody waits for, and what it changes. */
  readonly later: ReadonlyMap<Activation, Effects>;
  readonly callers: Callers;
  readonly #bindings = new Map<LoweredFunction, Binding[]>();
  readonly #activations = new Map<LoweredFunction, Activation[]>();
  readonly #rebound = new Map<Declaration, Set<string>>();

  constructor(linked: Linked, solver: Solver, holders: SolvedProgram["holders"]) {
    this.linked = linked;
    this.solver = solver;
    this.holders = holders;
    for (const unit of linked.units.values()) {
      for (const binding of unit.bindings) {
        const known = this.#bindings.get(binding.owner);
        if (known) known.push(binding);
        else this.#bindings.set(binding.owner, [binding]);
      }
    }
    for (const activation of solver.activations) {
      const known = this.#activations.get(activation.lowered);
      if (known) known.push(activation);
      else this.#activations.set(activation.lowered, [activation]);
    }
    this.callers = directCallers(solver);
    this.later = laterEffects(solver);
  }

  bindingsOf(lowered: LoweredFunction): readonly Binding[] {
    return this.#bindings.get(lowered) ?? [];
  }

  activationsOf(lowered: LoweredFunction): readonly Activation[] {
    return this.#activations.get(lowered) ?? [];
  }

  /** The variable of the program that a value is, if it is one. */
  bindingOf(variable: Var): Binding | null {
    const resolved = this.linked.resolved.get(variable) ?? variable;
    return resolved instanceof Binding ? resolved : null;
  }

  /** Whether work that nobody waits for is over, or has not begun, while `running` waits or runs. */
  isApart(later: Activation, running: { has(activation: Activation): boolean }): boolean {
    if (running.has(later)) return true;
    const after = this.solver.after.get(later);
    return after !== undefined && after.size > 0 && [...after].every((one) => running.has(one));
  }

  /** A name under which the loop's file imports a variable. */
  importedAs(binding: Binding, site: LoopSite): string | null {
    const unit = this.linked.units.get(site.file);
    for (const imported of unit?.imports.keys() ?? []) {
      if (this.linked.resolved.get(imported) === binding) return imported.name;
    }
    return null;
  }

  /** Whether a call of `checkpointing` holds all that a constant holds, whenever the loop runs. */
  isDeclared(binding: Binding, cell: Cell, site: LoopSite): boolean {
    if (binding.kind !== "const") return false;
    for (const unit of this.linked.units.values()) {
      for (const declaration of unit.declarations) {
        const isBefore = declaration.lowered === site.lowered && declaration.at < site.at;
        if (this.#isRecord(declaration, binding, cell, isBefore)) return true;
        if (!isBefore || declaration.lowered !== binding.owner) continue;
        const field = declaration.fields.find((one) => one.binding === binding)?.field;
        if (field !== undefined && !this.#reboundFields(declaration).has(field)) return true;
      }
    }
    return false;
  }

  #isRecord(
    { lowered, record }: Declaration,
    binding: Binding,
    cell: Cell,
    isBefore: boolean,
  ): boolean {
    if (lowered !== binding.owner || cell.objects.size === 0) return false;
    const isResult = lowered.ops.some(
      (op) => op.op === "move" && op.from === record && op.to === binding,
    );
    if (!isResult && !isBefore) return false;
    return this.activationsOf(lowered).every((activation) => {
      const records = this.solver.cell(activation, record).objects;
      const held = this.solver.cell(activation, binding).objects;
      return [...held].every((object) => records.has(object));
    });
  }

  /** Fields of a record that anything sets after it was declared; `*` for a computed name. */
  #reboundFields(declaration: Declaration): ReadonlySet<string> {
    const known = this.#rebound.get(declaration);
    if (known) return known;
    const records = new Set(
      this.activationsOf(declaration.lowered).flatMap((activation) => [
        ...this.solver.cell(activation, declaration.record).objects,
      ]),
    );
    const fields = new Set<string>();
    for (const activation of this.solver.activations) {
      const { mutated, deep } = this.solver.factsOf(activation);
      for (const [op, objects] of [...mutated, ...deep]) {
        if (![...objects].some((object) => records.has(object))) continue;
        if (op.op === "store" && op.field !== null) fields.add(op.field);
        else for (const { field } of declaration.fields) fields.add(field);
      }
    }
    this.#rebound.set(declaration, fields);
    return fields;
  }
}

/** Work that nobody waits for, as far as it changes anything that it did not make itself. */
function laterEffects(solver: Solver): Map<Activation, Effects> {
  const later = new Map<Activation, Effects>();
  if (solver.later.size === 0) return later;
  const known = knownTo(solver);
  for (const start of solver.later.keys()) {
    const called = reachable(solver, [start]);
    const all = effectsOf(solver, { own: start, ops: [], called });
    const own = new Set([...called].flatMap(({ cells }) => [...cells.values()]));
    const assigned = new Set([...all.assigned].filter((cell) => !own.has(cell)));
    const effects = { ...all, assigned };
    if (!isHarmless(effects, called, known)) later.set(start, effects);
  }
  return later;
}

type KnownTo = ReadonlyMap<HeapObject, ReadonlySet<Activation>>;

/** Whether all that is changed is known only to those who change it. */
function isHarmless(effects: Effects, called: ReadonlySet<Activation>, known: KnownTo): boolean {
  if (effects.assigned.size + effects.globals.size > 0) return false;
  return [...effects.mutated].every((object) =>
    [...(known.get(object) ?? [])].every((activation) => called.has(activation)),
  );
}

/** Which activations have a variable that holds an object. */
function knownTo(solver: Solver): KnownTo {
  const known = new Map<HeapObject, Set<Activation>>();
  for (const activation of solver.activations) {
    for (const [variable, { objects }] of activation.cells) {
      if (!(variable instanceof Binding)) continue;
      for (const object of objects) {
        known.set(object, (known.get(object) ?? new Set()).add(activation));
      }
    }
  }
  return known;
}
