/**
 * @file The state of a walk over one file: which function, scope and loop the walk is in, and the
 * operations that it has made so far.
 */
import type {
  ArrowFunctionExpression,
  BindingPattern,
  Class,
  Expression,
  Function as FunctionNode,
  ParamPattern,
  Statement,
} from "oxc-parser";
import type {
  BindPoint,
  BindingKind,
  FileUnit,
  LoopSite,
  Op,
  Region,
  Scope,
  Span,
  LoweredFunction,
} from "./ir.ts";
import { Binding, Var } from "./ir.ts";
import { CONVERSIONS } from "./syntax-names.ts";

type Without<T> = T extends unknown ? Omit<T, "at" | "region" | "logged"> : never;
/** An operation before the builder says where it stands. */
export type NewOp = Without<Op>;

interface Placed {
  at: number;
  region: Region | null;
  logged: boolean;
}

/** The parts of the walk; each may need all others. */
export interface Walker {
  readonly expression: (b: Builder, node: Expression) => Var | null;
  readonly statements: (b: Builder, nodes: readonly Statement[]) => void;
  readonly statement: (b: Builder, node: Statement) => void;
  readonly pattern: (
    b: Builder,
    pattern: BindingPattern | ParamPattern,
    value: Var | null,
    assign: boolean,
  ) => void;
  readonly function: (
    b: Builder,
    node: FunctionNode | ArrowFunctionExpression,
    options?: FunctionOptions,
  ) => LoweredFunction;
  readonly class: (b: Builder, node: Class) => Var;
}

type Changing =
  | "lowered"
  | "scope"
  | "region"
  | "awaited"
  | "straight"
  | "logged"
  | "trained"
  | "targets";

export interface FunctionOptions {
  /** Of a method. */
  readonly name?: string | null;
  readonly kind?: LoweredFunction["kind"];
  readonly superClass?: Var | null;
  readonly isStatic?: boolean;
  /** Runs first: the fields of a class in its constructor. */
  readonly before?: (b: Builder) => void;
}

/** A statement that `break` can leave; a recorded loop notes who does. */
export interface BreakTarget {
  readonly labels: readonly string[];
  /** `break` without a label leaves it. */
  readonly isPlain: boolean;
  readonly breaks: Span[] | null;
}

export class Builder {
  readonly unit: FileUnit;
  readonly text: string;
  readonly walk: Walker;
  lowered: LoweredFunction;
  scope: Scope;
  region: Region | null = null;
  /** Depth of arguments of `log` around. */
  logged = 0;
  /** In what a training is given. */
  trained = false;
  /** Whether an async call here is waited for. */
  awaited = false;
  /** Calls whose results are waited for, or returned, as they are. */
  readonly alone: WeakSet<object> = new WeakSet();
  /** The statement runs whenever its function does. */
  straight = true;
  /** Labels of the statement that is about to be walked, and where they begin. */
  labels: { readonly names: readonly string[]; readonly start: number } | null = null;
  /** What a `break` can leave, innermost last. */
  targets: readonly BreakTarget[] = [];
  /** The expression that is all of a statement, and that statement. */
  whole: { readonly expression: Expression; readonly statement: Span } | null = null;
  /** The expression that gets a name, and that name: a function is called by it. */
  named: { readonly expression: Expression; readonly name: string } | null = null;

  constructor(unit: FileUnit, text: string, walk: Walker) {
    this.unit = unit;
    this.text = text;
    this.walk = walk;
    this.lowered = unit.module;
    this.scope = {
      path: "0",
      parent: null,
      lowered: unit.module,
      start: -1,
      end: text.length + 1,
      bindings: new Map(),
      children: 0,
      loggedChildren: 0,
    };
  }

  temp(): Var {
    return new Var(this.lowered);
  }

  emit(at: number, op: NewOp): void {
    // Every operation is made for this call: it gets its place, and is not copied.
    const placed = op as NewOp & Placed;
    placed.at = at;
    placed.region = this.region;
    placed.logged = this.logged > 0;
    if (op.op === "store" && CONVERSIONS.has(op.field ?? ""))
      this.unit.accessors.add(op.field ?? "");
    this.lowered.ops.push(placed);
  }

  /** Makes an operation whose result is a new value. */
  value(at: number, make: (to: Var) => NewOp): Var {
    const to = this.temp();
    this.emit(at, make(to));
    return to;
  }

  /** Several values that may be the same place. */
  join(at: number, values: readonly (Var | null)[]): Var | null {
    const present = values.filter((value) => value !== null);
    const [first] = present;
    if (present.length < 2) return first ?? null;
    const to = this.temp();
    for (const from of present) this.emit(at, { op: "move", from, to });
    return to;
  }

  /** Runs with a part of the state changed, and sets it back. */
  with<K extends Changing, T>(key: K, value: Builder[K], run: () => T): T {
    const before = this[key];
    this[key] = value as this[K];
    try {
      return run();
    } finally {
      this[key] = before;
    }
  }

  /** Notes a loop that is recorded; what is not said of it is as for a call. */
  addLoop(node: Span, known: Pick<LoopSite, "form" | "region"> & Partial<LoopSite>): LoopSite {
    const { start, end } = node;
    const site: LoopSite = {
      file: this.unit.file,
      name: null,
      at: start,
      start,
      end,
      bodyStart: start,
      labelled: start,
      head: node,
      breaks: [],
      lowered: this.lowered,
      scope: this.scope,
      literal: null,
      iterable: null,
      written: null,
      trivial: false,
      ...known,
    };
    this.unit.loops.push(site);
    return site;
  }

  /** Runs in a scope of its own. */
  inScope<T>(node: Span, run: () => T, lowered: LoweredFunction = this.lowered): T {
    const { scope: parent } = this;
    const ordinal = this.logged > 0 ? `l${parent.loggedChildren++}` : String(parent.children++);
    const scope: Scope = {
      path: `${parent.path}.${ordinal}`,
      parent,
      lowered,
      start: node.start,
      end: node.end,
      bindings: new Map(),
      children: 0,
      loggedChildren: 0,
    };
    return this.with("scope", scope, run);
  }

  /** What may not run, or may run again: nothing in it is certain to have happened. */
  branch<T>(run: () => T): T {
    return this.with("straight", false, run);
  }

  declare(
    name: string,
    kind: BindingKind,
    bindPoint: BindPoint | null,
    scope: Scope = this.scope,
  ): Binding {
    const known = scope.bindings.get(name);
    // `var x` twice, or a parameter declared again, is one variable.
    if (known) return known;
    const binding = new Binding(name, kind, scope, bindPoint);
    scope.bindings.set(name, binding);
    this.unit.bindings.push(binding);
    return binding;
  }

  /** The variable that a name means here; undefined: none that the project declares. */
  resolve(name: string): Binding | undefined {
    for (let scope: Scope | null = this.scope; scope; scope = scope.parent) {
      const binding = scope.bindings.get(name);
      if (binding) return binding;
    }
    return undefined;
  }

  /** Notes that the present function uses the variable. */
  use(binding: Binding): Binding {
    binding.references++;
    for (
      let lowered: LoweredFunction | null = this.lowered;
      lowered && lowered !== binding.owner;
      lowered = lowered.parent
    ) {
      binding.captured = true;
      lowered.free.add(binding);
    }
    return binding;
  }

  thisBinding(): Binding | null {
    for (let at: LoweredFunction | null = this.lowered; at; at = at.parent) {
      if (at.kind === "arrow") continue;
      return at.thisBinding && this.use(at.thisBinding);
    }
    return null;
  }

  /** `super` is that of the nearest function that is no arrow. */
  superClass(): { readonly value: Var | null; readonly isStatic: boolean } {
    for (let at: LoweredFunction | null = this.lowered; at; at = at.parent) {
      if (at.kind === "arrow") continue;
      if (at.superClass) this.#useTemporary(at.superClass);
      return { value: at.superClass, isStatic: at.isStatic };
    }
    return { value: null, isStatic: false };
  }

  /** A value of a function around, which is no variable of the program. */
  #useTemporary(value: Var): void {
    for (
      let lowered: LoweredFunction | null = this.lowered;
      lowered && lowered !== value.owner;
      lowered = lowered.parent
    ) {
      lowered.free.add(value);
    }
  }

  uncertain(at: number, what: string): void {
    this.unit.uncertain.push(`${at}:${what}`);
  }
}

let loweredFunctions = 0;

/** A function without operations. */
export function newLoweredFunction(
  file: string,
  name: string,
  kind: LoweredFunction["kind"],
  parent: LoweredFunction | null,
  flags: { readonly isAsync: boolean; readonly isGenerator: boolean },
): LoweredFunction {
  const lowered = {
    id: loweredFunctions++,
    file,
    name,
    kind,
    parent,
    ...flags,
    ops: [],
    params: [],
    rest: null,
    thisBinding: null,
    argumentsVar: null,
    usesArguments: false,
    waits: false,
    free: new Set<Var>(),
    repeated: [],
    statements: [],
    body: null,
    superClass: null,
    isStatic: false,
  };
  const own = lowered as unknown as LoweredFunction;
  const vars = { returned: new Var(own), yielded: new Var(own), sent: new Var(own) };
  return Object.assign(own, vars);
}
